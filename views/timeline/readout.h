// SPDX-License-Identifier: GPL-3.0-or-later
// What is under a point of the timeline, and its words: one task or call, or how many share the pixel.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/timeline/rowdata.h"
#include "views/drawing/timeline/timelinerows.h"
#include "views/state/choices.h"

#include <QString>

#include <optional>

namespace longpole {

// What is under the cursor.
struct TimelineHit {
    TimeNs time = 0;
    TimeRange pixel;  // the time that the pixel covers
    TrackId track = noTrack;
    std::optional<ProcessorId> pe;
    TaskId task;                     // the one task there; invalid if none or several
    std::optional<RegionId> region;  // interval or mark
    MpiCallId call;                  // the one MPI call there; invalid if none or several
    RowSummary summary;              // of the pixel, as far as loaded
    bool known = false;              // data of the row is loaded
    bool oneOfMany = false;          // `task` is the one with most time of several there
};

// From data that is loaded (null: none): reads nothing.
TimelineHit hitIn(const TimelineRow& row, const RowData* data, TimeRange pixel);

// The task with most time in the pixel and, unless `tasksOnly`, the MPI call if that has more; an invalid selection
// where there is neither. Empty if the loaded data does not tell: ThingInPixelQuestion does.
std::optional<Selection> thingIn(const TimelineRow& row, const RowData* data, TimeRange pixel, bool tasksOnly = false);

// "PE 3 · at 121.34 ms · RB2::red_en, 210 us", "PE 3 · at 121.3 ms · 214 tasks here, 61 % compute, most of it
// RB2::red_en".
// Reads nothing. `call`: the answer to CallSentenceQuestion if an MPI call is hit; null while it is looked up.
QString describe(const TraceStore& store, const TimelineRow& row, const TimelineHit& hit, const RowData* data,
                 const QString* call = nullptr);

}  // namespace longpole
