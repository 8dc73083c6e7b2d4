// SPDX-License-Identifier: GPL-3.0-or-later
// The line that joins two places in a picture: an arrow's or a path's way from row to row.
#pragma once

#include <QPainterPath>
#include <QPointF>

namespace longpole {

// A smooth curve that leaves and arrives horizontally.
QPainterPath connectorCurve(QPointF from, QPointF to);

}  // namespace longpole
