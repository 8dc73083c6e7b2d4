// SPDX-License-Identifier: GPL-3.0-or-later
// Which tasks of a row's data a filter lets through, so that frames can dim the others without looking at them again.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/timeline/rowdata.h"

#include <optional>
#include <span>

namespace longpole {

// Tasks that themselves ran (exclusive) from grain.begin to less than grain.end ns.
struct TaskFilter {
    TimeRange grain;

    bool passes(TimeNs exclusive) const { return grain.contains(exclusive); }
    friend bool operator==(const TaskFilter&, const TaskFilter&) = default;
};

// Data that knows what passes: of a processor's track, or, with `members`, of a group's bins. Segments are those of
// their task; a bin passes if a task that passes touches it. O(tasks in the range), reads their chunks; a group whose
// members have so many tasks that this would take seconds is left without. Nothing without a filter.
RowData withFilter(RowData data, const TraceStore& store, TrackId track, std::span<const TrackId> members,
                   const std::optional<TaskFilter>& filter);

}  // namespace longpole
