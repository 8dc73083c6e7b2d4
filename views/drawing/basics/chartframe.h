// SPDX-License-Identifier: GPL-3.0-or-later
// What stands around the bars of a chart: a title, an axis with grid lines at the left, one below, and a legend.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/drawing/basics/valueaxis.h"

#include <QPainter>
#include <QRectF>
#include <QString>

#include <span>
#include <vector>

namespace longpole {

struct ChartSwatch {
    QString name;
    QColor colour;
};

constexpr double chartAxisHeight = 22;  // below the plot

// Room for the labels of an axis at the left of the plot.
double leftAxisWidth(const ValueAxis& axis, double height);

// The labels of the axis at the left of `plot`, and grid lines across it.
void paintLeftAxis(QPainter& painter, const QRectF& plot, const ValueAxis& axis, const Theme& theme);

// Ticks and labels below `plot`, at shares of its width; a label that would touch the one before is left out.
void paintTicksBelow(QPainter& painter, const QRectF& plot, std::span<const ValueTick> ticks, const Theme& theme);

// The legend: coloured squares with their names, wrapped in `width`. Returns its height; a null painter only measures.
double paintSwatches(QPainter* painter, std::span<const ChartSwatch> swatches, double width, const Theme& theme);

// Title and a quieter line behind it, which is elided where it has no room.
void paintChartTitle(QPainter& painter, const QRectF& box, const QString& title, const QString& rest,
                     const Theme& theme);

}  // namespace longpole
