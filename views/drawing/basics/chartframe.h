// SPDX-License-Identifier: GPL-3.0-or-later
// What charts of values have around their bars: a title, an axis with grid lines at the left, one below, and swatches.
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

// Labels at the left of `plot`, hairlines across it.
void paintLeftAxis(QPainter& painter, const QRectF& plot, const ValueAxis& axis, const Theme& theme);

// Ticks and labels below `plot`, at shares of its width; those that would touch the one before are left out.
void paintTicksBelow(QPainter& painter, const QRectF& plot, std::span<const ValueTick> ticks, const Theme& theme);

// One or more lines of squares and names in `width`; returns their height. With a null painter only measures.
double paintSwatches(QPainter* painter, std::span<const ChartSwatch> swatches, double width, const Theme& theme);

// Title and a quieter line behind it, which is elided where it has no room.
void paintChartTitle(QPainter& painter, const QRectF& box, const QString& title, const QString& rest,
                     const Theme& theme);

}  // namespace longpole
