// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of an MPI call as they look: plain colours, and lines over the waits so that colour is never the only cue.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/drawing/timeline/timelinegeometry.h"

#include <QBrush>
#include <QPainter>

namespace longpole {

constexpr double hatchSpacing = 6;  // pixels from line to line
constexpr double leastHatched = 8;  // pixels of width from which on a part is hatched

// What fills a part under its lines, or alone where `isHatched` is false: then lines and ground are mixed as they look
// from afar.
QRgb partColour(CallPart part, const Theme& theme, bool isHatched);

// Fills rectangles with the lines of a wait: rising to the right before, falling after. `vector`: as lines, for SVG.
class Hatching {
public:
    Hatching(const Theme& theme, double devicePixels, bool vector);
    void fill(QPainter& painter, const QRectF& rect, CallPart part) const;

private:
    QBrush m_before, m_after;
    bool m_vector;
};

}  // namespace longpole
