// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the geometry of a timeline; where things stand has been decided there.
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
    bool vector = false;                // draws rectangles (for SVG) instead of image strips
    bool bySlack = false;               // tasks are coloured by their slack, not by entry method
    double textScale = 1;               // of names, as far as blocks are high enough
};

// Blocks, overheads, intervals and separators of all rows.
void paintRows(QPainter& painter, const TimelineGeometry& geometry, const PaintStyle& style);

// Vertical lines at the ticks, to be drawn before the rows.
void paintGrid(QPainter& painter, std::span<const AxisTick> ticks, double height, const Theme& theme);

// The critical path, or one to compare with it, which is thinner and grey.
enum class PathRole : std::uint8_t { Critical, Second };

// The path's bars and, if `connectors` is set and there are less than one for every four pixels, its connectors.
void paintPath(QPainter& painter, const PathGeometry& path, const Theme& theme, bool connectors,
               PathRole role = PathRole::Critical);
// How many connectors paintPath leaves out because they are too many.
std::int64_t connectorsLeftOut(const PathGeometry& path);

// The labels of an axis between heights 0 and `height`, centred on their ticks.
void paintAxis(QPainter& painter, std::span<const AxisTick> ticks, double width, double height, const Theme& theme,
               double textScale = 1);

// The colour that fills a block.
QRgb blockColour(const Block& block, const PaintStyle& style);

}  // namespace longpole
