// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/curve.h"

#include <algorithm>
#include <cmath>

namespace longpole {

std::array<QPointF, 4> connectorPoints(QPointF from, QPointF to)
{
    const double dx = std::abs(to.x() - from.x());
    const double reach = std::clamp(dx * 0.45, 7.0, 46.0);
    return {from, QPointF(from.x() + reach, from.y()), QPointF(to.x() - reach, to.y()), to};
}

QPainterPath connectorCurve(QPointF from, QPointF to)
{
    const std::array<QPointF, 4> points = connectorPoints(from, to);
    QPainterPath path(points[0]);
    path.cubicTo(points[1], points[2], points[3]);
    return path;
}

QPainterPath roundedLine(std::span<const QPointF> points, double radius)
{
    QPainterPath path(points.front());
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const QPointF corner = points[i];
        const auto towards = [&corner, radius](QPointF other) {
            const QPointF way = other - corner;
            const double length = std::hypot(way.x(), way.y());
            return length > 0 ? corner + way * (std::min(radius, length / 2) / length) : corner;
        };
        path.lineTo(towards(points[i - 1]));
        path.quadTo(corner, towards(points[i + 1]));
    }
    path.lineTo(points.back());
    return path;
}

}  // namespace longpole
