// SPDX-License-Identifier: GPL-3.0-or-later
// How what is no task looks: the parts of MPI calls, plain colours with lines over the waits, so that colour is never
// the only cue; packing and writing of the trace; and where nothing is known.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/drawing/timeline/timelinegeometry.h"

#include <QBrush>
#include <QPainter>

namespace longpole {

constexpr double hatchSpacing = 6;  // pixels from line to line
constexpr double leastHatched = 8;  // pixels: narrower parts are not hatched

// The ground under a part's lines; where it is not hatched, the mixture of ground and lines that is seen from afar.
QRgb partColour(CallPart part, const Theme& theme, bool isHatched);

// Draws the lines over waits: those before the execution rise to the right, those after it fall. `vector`: as lines
// (for SVG), else as a pattern of pixels.
class Hatching {
public:
    Hatching(const Theme& theme, double devicePixels, bool vector);
    void fill(QPainter& painter, const QRectF& rect, CallPart part) const;

private:
    QBrush m_before, m_after;
    bool m_vector;
};

QBrush overheadBrush(OverheadKind kind, const Theme& theme);  // over a task, or over the ground of the panel
QBrush unknownBrush(const Theme& theme);                      // before the run, and where there is no log

}  // namespace longpole
