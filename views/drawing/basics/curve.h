// SPDX-License-Identifier: GPL-3.0-or-later
// Lines that join two places of a picture: arrows, the critical path, the edges of graphs and trees.
#pragma once

#include <QPainterPath>
#include <QPointF>

#include <array>
#include <span>

namespace longpole {

// A smooth curve that leaves and arrives horizontally; its four points, of which it starts and ends at the outer ones.
std::array<QPointF, 4> connectorPoints(QPointF from, QPointF to);
QPainterPath connectorCurve(QPointF from, QPointF to);

// Straight from point to point (at least one), each corner rounded by up to `radius` pixels.
QPainterPath roundedLine(std::span<const QPointF> points, double radius);

}  // namespace longpole
