// SPDX-License-Identifier: GPL-3.0-or-later
// What stands around the bars of a chart: a title, an axis with grid lines at the left, one below, and a legend; and
// the whole as a file.
#pragma once

#include "core/base/result.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/basics/valueaxis.h"

#include <QByteArray>
#include <QPainter>
#include <QRectF>
#include <QSize>
#include <QString>

#include <functional>
#include <span>
#include <vector>

namespace longpole {

struct ChartSwatch {
    QString name;
    QColor colour;
};

constexpr double chartMargin = 16;       // of a chart in a file
constexpr double chartTitleHeight = 36;  // of its title, with what is free below it
constexpr double chartAxisHeight = 22;   // below the plot

// Room for the labels of an axis at the left of the plot.
double leftAxisWidth(const ValueAxis& axis, double height);

// The labels of the axis at the left of `plot`, and grid lines across it.
void paintLeftAxis(QPainter& painter, const QRectF& plot, const ValueAxis& axis, const Theme& theme);

// Ticks and labels below `plot`, at shares of its width; a label that would touch the one before is left out.
void paintTicksBelow(QPainter& painter, const QRectF& plot, std::span<const ValueTick> ticks, const Theme& theme);

// The legend: coloured squares with their names, wrapped in `width`. Returns its height; a null painter only measures.
double paintSwatches(QPainter* painter, std::span<const ChartSwatch> swatches, double width, const Theme& theme);

struct ChartPicture {
    QSize size{960, 420};
    double scale = 1;
    bool isVector = false;
    Theme theme = lightTheme();
    PaletteOptions palette{};
};

// The ground and, at its top, the title with `rest` behind it: quieter, and elided where it has no room.
void paintChartHead(QPainter& painter, QSize size, const QString& title, const QString& rest, const Theme& theme);

// A chart of `size` as PNG or SVG: its head, and below it what `paint` draws. Errors: of pictureBytes.
Result<QByteArray> chartBytes(const ChartPicture& picture, QSize size, const QString& title, const QString& rest,
                              const std::function<void(QPainter&)>& paint);

}  // namespace longpole
