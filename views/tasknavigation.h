// From one task to the next: along the row, along messages, along the critical path.
#pragma once

#include "analysis/activitygraph.h"
#include "analysis/criticalpath.h"
#include "core/tracestore.h"

#include <optional>

namespace longpole {

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
