// SPDX-License-Identifier: GPL-3.0-or-later
// Marks which tasks of a row's data pass a filter, so that frames can dim the others without reading them.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/timeline/rowdata.h"

#include <optional>
#include <span>

namespace longpole {

// Lets tasks pass whose exclusive time is from grain.begin to less than grain.end ns.
struct TaskFilter {
    TimeRange grain;

    bool passes(TimeNs exclusive) const { return grain.contains(exclusive); }
    friend bool operator==(const TaskFilter&, const TaskFilter&) = default;
};

// Data with the marks, of a processor's track or, with `members`, of a group's bins. A segment passes if its task does,
// a bin if a task does that touches it. O(tasks in the range), whose chunks are read; a group with so many tasks that
// this would take seconds gets no marks. Without a filter the data stays as it is.
RowData withFilter(RowData data, const TraceStore& store, TrackId track, std::span<const TrackId> members,
                   const std::optional<TaskFilter>& filter);

}  // namespace longpole
