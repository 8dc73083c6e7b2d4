// SPDX-License-Identifier: GPL-3.0-or-later
// Paints timeline geometry: no decisions here, only colours and QPainter calls.
#pragma once

#include "core/trace/trace.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/basics/timeaxis.h"
#include "views/drawing/timeline/pathgeometry.h"
#include "views/drawing/timeline/timelinegeometry.h"

#include <QPainter>

namespace longpole {

struct PaintStyle {
    const Theme* theme = nullptr;
    const Palette* palette = nullptr;
    const TraceStore* names = nullptr;  // for words inside wide blocks; null: none
    bool vector = false;                // SVG: rectangles instead of image strips
    bool bySlack = false;               // colours say the slack, not the entry method
};

// Row backgrounds, blocks, overheads, intervals and separators of all rows. Origin: the rows' top left.
void paintRows(QPainter& painter, const TimelineGeometry& geometry, const PaintStyle& style);

// Vertical lines at the ticks, under the rows.
void paintGrid(QPainter& painter, std::span<const AxisTick> ticks, double height, const Theme& theme);

// The critical path, or one to compare with it: thinner, in a quiet colour, painted before.
enum class PathRole : std::uint8_t { Critical, Second };

// The path's connectors and bars. Bars alone if `connectors` is false, or if there is one to every two pixels.
void paintPath(QPainter& painter, const PathGeometry& path, const Theme& theme, bool connectors,
               PathRole role = PathRole::Critical);

// Labels centred on their ticks with their baseline zone in [0, height).
void paintAxis(QPainter& painter, std::span<const AxisTick> ticks, double width, double height, const Theme& theme);

// The colour a block is filled with.
QRgb blockColour(const Block& block, const PaintStyle& style);

}  // namespace longpole
