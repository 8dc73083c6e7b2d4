// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of a timeline's picture: the entry methods that cover most of what is shown, and what the other colours
// mean.
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
    double columns = 0;  // of pixels that it fills in all rows
    double share = 0;    // of all columns of the rows that have data
};

// At most `most`, those that fill most columns first.
std::vector<LegendItem> legendItems(const TimelineGeometry& geometry, const TraceStore& store, std::size_t most);

// What a legend names beside entry methods: the parts of MPI calls, or else idle and overhead; and the path.
struct LegendRest {
    bool ofRanks = false;  // parts of MPI calls
    bool withPath = false;
};

// Coloured squares with their names, wrapped in `width`. Returns the height; a null painter only measures.
double paintLegend(QPainter* painter, const std::vector<LegendItem>& items, double width, const Palette& palette,
                   const Theme& theme, const LegendRest& rest);

}  // namespace longpole
