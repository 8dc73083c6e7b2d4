// SPDX-License-Identifier: GPL-3.0-or-later
// From one task or MPI call to the next: along the row, along messages, along the critical path, to what was waited
// for.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "core/store/tracestore.h"
#include "views/state/choices.h"

#include <optional>

namespace longpole {

// Where a selected thing stands; nothing if the trace does not have it.
struct SelectedPlace {
    ProcessorId pe{};
    TrackId track = noTrack;  // of a call: its thread's; else none
    TimeRange range;
};
std::optional<SelectedPlace> placeOf(const TraceStore& store, const Selection& selection);

// The call before or after it on its rank; step is +1 or -1.
std::optional<MpiCallId> neighbourCall(const TraceStore& store, MpiCallId call, int step);
// The call of the rank that a call waited for. Nothing if it waited for nobody or that call is not known.
std::optional<MpiCallId> culpritCall(const TraceStore& store, MpiCallId call);

// Neighbour on the processor; step is +1 or -1.
std::optional<TaskId> neighbourOnRow(const TraceStore& store, TaskId task, int step);

// Next execution of the same entry method on the processor. Looks through at most 256 chunks.
std::optional<TaskId> neighbourOfEntry(const TraceStore& store, TaskId task, int step);

// Back to the task that sent its message; forward to the first execution that its messages started (needs the graph).
std::optional<TaskId> sourceTask(const TraceStore& store, TaskId task);
std::optional<TaskId> startedTask(const ActivityGraph& graph, TaskId task);

// The path's segment after (before) the one that `from` is on, or else the first that begins after (before) `time`.
std::optional<TaskId> pathNeighbour(const CriticalPath& path, TaskId from, TimeNs time, int step);

}  // namespace longpole
