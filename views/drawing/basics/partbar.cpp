// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/partbar.h"

#include "core/trace/format.h"
#include "views/drawing/basics/font.h"

#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double barHeight = 14;
constexpr double legendLine = 20;
constexpr double swatch = 9;
constexpr double partPixels = 11.5;

TimeNs sumOf(std::span<const BarPart> parts)
{
    TimeNs sum = 0;
    for (const BarPart& part : parts) sum = saturatingAdd(sum, std::max<TimeNs>(0, part.time));
    return sum;
}

}  // namespace

QString partText(const BarPart& part, TimeNs whole)
{
    if (whole <= 0) return part.name;
    return part.name % QLatin1Char(' ') % formatShare(static_cast<double>(part.time) / static_cast<double>(whole));
}

PartGeometry partGeometry(std::span<const BarPart> parts, double width)
{
    const TimeNs whole = sumOf(parts);
    const QFontMetricsF metrics(timelineFont(partPixels));
    PartGeometry geometry{.bar = {0, 0, width, barHeight}};
    double x = 0;
    double at = 0;
    double y = barHeight + 5;
    for (const BarPart& part : parts) {
        if (part.time <= 0 || whole <= 0) {
            geometry.parts.emplace_back();
            geometry.legend.emplace_back();
            continue;
        }
        const double length = width * static_cast<double>(part.time) / static_cast<double>(whole);
        geometry.parts.emplace_back(x, 0, length, barHeight);
        x += length;
        const double need = swatch + 6 + std::ceil(metrics.horizontalAdvance(partText(part, whole)));
        if (at > 0 && at + need > width) {
            at = 0;
            y += legendLine;
        }
        geometry.legend.emplace_back(at, y, need, legendLine);
        at += need + 18;
    }
    geometry.height = y + legendLine;
    return geometry;
}

int partAt(const PartGeometry& geometry, QPointF at)
{
    for (std::size_t i = 0; i < geometry.parts.size(); ++i)
        if (geometry.parts[i].contains(at) || geometry.legend[i].contains(at)) return static_cast<int>(i);
    return -1;
}

void paintParts(QPainter& painter, const PartGeometry& geometry, std::span<const BarPart> parts, int marked,
                const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath inside;
    inside.addRoundedRect(geometry.bar, 4, 4);
    painter.fillPath(inside, theme.line);
    painter.setClipPath(inside, Qt::IntersectClip);
    for (std::size_t i = 0; i < parts.size(); ++i) painter.fillRect(geometry.parts[i], parts[i].colour);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)  // a hairline between neighbours
        if (geometry.parts[i].width() > 2)
            painter.fillRect(QRectF(geometry.parts[i].right() - 1, 0, 1, geometry.bar.height()), theme.window);
    painter.restore();

    const TimeNs whole = sumOf(parts);
    QFont font = timelineFont(partPixels);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const QRectF& row = geometry.legend[i];
        if (row.isEmpty()) continue;
        const bool isMarked = static_cast<int>(i) == marked;
        painter.fillRect(QRectF(row.left(), row.top() + (row.height() - swatch) / 2, swatch, swatch), parts[i].colour);
        font.setUnderline(isMarked);
        painter.setFont(font);
        painter.setPen(isMarked ? theme.text : theme.mutedText);
        painter.drawText(row.adjusted(swatch + 6, 0, 2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         partText(parts[i], whole));
    }
}

}  // namespace longpole
