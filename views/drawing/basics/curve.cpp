// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/curve.h"

#include <algorithm>
#include <cmath>

namespace longpole {

QPainterPath connectorCurve(QPointF from, QPointF to)
{
    const double dx = std::abs(to.x() - from.x());
    const double reach = std::clamp(dx * 0.45, 7.0, 46.0);
    QPainterPath path(from);
    path.cubicTo(QPointF(from.x() + reach, from.y()), QPointF(to.x() - reach, to.y()), to);
    return path;
}

}  // namespace longpole
