// SPDX-License-Identifier: GPL-3.0-or-later
// Which entry methods a picture's legend names: those that cover most of what is shown.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/timeline/timelinegeometry.h"

#include <QPainter>

#include <vector>

namespace longpole {

struct LegendItem {
    EntryId entry = noEntry;
    QString name;
    double columns = 0;  // area that it covers in the picture
};

// By covered area, largest first, at most `most`.
std::vector<LegendItem> legendItems(const TimelineGeometry& geometry, const TraceStore& store, std::size_t most);

// What a legend names beside entry methods: idle and overhead, or of ranks the parts of an MPI call; the path's bar.
struct LegendRest {
    bool ofRanks = false;
    bool withPath = false;
};

// One or more lines of swatches and names, the rest at the end. Returns the height used; with a null painter only
// measures.
double paintLegend(QPainter* painter, const std::vector<LegendItem>& items, double width, const Palette& palette,
                   const Theme& theme, const LegendRest& rest);

}  // namespace longpole
