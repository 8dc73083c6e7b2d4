// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of a timeline's picture: the entry methods that cover most of what is shown, and what the other colours
// mean.
#pragma once

#include "analysis/projection/usageprofile.h"
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
    double columns = 0;  // of pixels that it fills in all rows, for each of their processors
    double share = 0;    // of all columns of the rows that have data, within the run
    bool isExact = false;
    bool isOfPart = false;  // of the run
};

// At most `most`, those that fill most columns first.
std::vector<LegendItem> legendItems(const TimelineGeometry& geometry, const TraceStore& store, std::size_t most);
// The same exactly, where the rows show all processors: of the whole run from its tables, else of the part that shows
// from `usage`, which may be null. Empty where that is not so, or not known.
std::vector<LegendItem> exactLegendItems(const TimelineGeometry& geometry, const TraceStore& store,
                                         const UsageProfile* usage, std::size_t most);
// Whether the whole or a part of the run shows on all processors.
bool showsAllProcessors(const TimelineGeometry& geometry, const TraceStore& store);

// What a legend names beside entry methods: the parts of MPI calls, or else idle and overhead; the path, and what else
// shows.
struct LegendRest {
    bool ofRanks = false;  // parts of MPI calls
    bool withPath = false;
    bool withPacking = false;
    bool withFlush = false;
    bool withUntraced = false;
    bool withUnknown = false;    // time before the run, or rows without a log
    bool withIntervals = false;  // a lane of regions or user events below tasks
    bool withMarks = false;      // user events of one moment, in the same lane
    // Of the time of all PEs in the part of the run that shows, exactly; below zero: not known.
    double idle = -1;
    double overhead = -1;
    double missing = -1;  // of those without a log
};
LegendRest legendRest(const TimelineGeometry& geometry, const TraceStore& store);
// The shares of idle and overhead, known as exactLegendItems() are.
void setExactShares(LegendRest& rest, const TimelineGeometry& geometry, const TraceStore& store,
                    const UsageProfile* usage);

// A colour that stands for something else than an entry method.
struct LegendState {
    QString name;
    QString meaning;  // a sentence
    QColor ground;
    CallPart part = CallPart::None;  // whose lines lie over the ground
    QBrush lines = Qt::NoBrush;      // likewise
    bool isBar = false;
    bool isMark = false;   // a triangle, as marks are
    double share = -1;     // of the time of all PEs that shows; below zero: not said
    QString text() const;  // its name, with the share
};
std::vector<LegendState> legendStates(const Theme& theme, const LegendRest& rest);
void paintSwatch(QPainter& painter, const QRectF& box, const LegendState& state, const Theme& theme);

// Coloured squares with their names, wrapped in `width`. Returns the height; a null painter only measures.
double paintLegend(QPainter* painter, const std::vector<LegendItem>& items, double width, const Palette& palette,
                   const Theme& theme, const LegendRest& rest);

}  // namespace longpole
