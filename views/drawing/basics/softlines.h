// SPDX-License-Identifier: GPL-3.0-or-later
// Many translucent lines at once, straight or curved, at a cost that only grows with what is seen of them.
#pragma once

#include <QColor>
#include <QPointF>

#include <span>

class QPainter;

namespace longpole {

struct SoftLine {
    QPointF from;
    QPointF to;
    bool dashed = false;
    bool curved = true;  // as connectorCurve()
};

// On an image or a window, where several of them cross, the colour's opacity counts once, and a pixel of a line's
// length takes some 40 ns: Qt takes 300 to stroke a curve, also where it is not seen, and a message whose ends are far
// away may be a million pixels long. On other devices (SVG, PDF), under a turned painter or where its picture is not
// laid over what is there, they are strokes.
void paintSoftLines(QPainter& painter, std::span<const SoftLine> lines, const QColor& colour, double width);

}  // namespace longpole
