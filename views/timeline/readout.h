// SPDX-License-Identifier: GPL-3.0-or-later
// What is under a point of the timeline, and how to say it honestly: one task, or how many share the pixel.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/timeline/rowdata.h"
#include "views/drawing/timeline/timelinerows.h"
#include "views/state/choices.h"

#include <QString>

#include <optional>

namespace longpole {

// The thing under the cursor. Everything is optional but the time.
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
};

// From loaded data alone: costs nothing worth naming.
TimelineHit hitIn(const TimelineRow& row, const RowData* data, TimeRange pixel);

// The task with the most time in the pixel, read from the file where the loaded data does not say: a few chunks.
TaskId taskAt(const TraceStore& store, const TimelineRow& row, const RowData* data, TimeRange pixel);
// The same of tasks and MPI calls: whichever has more of the pixel.
Selection thingAt(const TraceStore& store, const TimelineRow& row, const RowData* data, TimeRange pixel);

// "PE 3 · 121.34 ms · RB2::red_en, 210 us", "PE 3 · 121.3 ms · 214 tasks here, 61 % compute, most of it RB2::red_en".
// Nothing is read for it: what a call waited for (CallSentenceQuestion) comes as `call`; null while that is looked up.
QString describe(const TraceStore& store, const TimelineRow& row, const TimelineHit& hit, const RowData* data,
                 const QString* call = nullptr);

}  // namespace longpole
