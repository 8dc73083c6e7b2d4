// SPDX-License-Identifier: GPL-3.0-or-later
// Lines that join two places of a picture: arrows, the critical path, the edges of graphs and trees.
#pragma once

#include <QPainterPath>
#include <QPointF>

namespace longpole {

// A smooth curve that leaves and arrives horizontally.
QPainterPath connectorCurve(QPointF from, QPointF to);

}  // namespace longpole
