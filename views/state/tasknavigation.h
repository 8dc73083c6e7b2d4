// SPDX-License-Identifier: GPL-3.0-or-later
// From one task or MPI call to another: along the row, messages or the critical path, or to what was waited for. Where
// there is none the result is empty.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "core/store/tracestore.h"
#include "views/state/choices.h"

#include <optional>

namespace longpole {

// Where a selected thing stands.
struct SelectedPlace {
    ProcessorId pe{};
    TrackId track = noTrack;  // of a call: that of its thread
    TimeRange range;
};
std::optional<SelectedPlace> placeOf(const TraceStore& store, const Selection& selection);

// The call after (step +1) or before (-1) it on its rank.
std::optional<MpiCallId> neighbourCall(const TraceStore& store, MpiCallId call, int step);
// The call that a call waited for.
std::optional<MpiCallId> culpritCall(const TraceStore& store, MpiCallId id);

// The task after (step +1) or before (-1) it on its processor.
std::optional<TaskId> neighbourOnRow(const TraceStore& store, TaskId task, int step);

// The same among the tasks of its entry method. Looks through at most 256 chunks.
std::optional<TaskId> neighbourOfEntry(const TraceStore& store, TaskId task, int step);

// The task that sent the message by which it was started; the first task that its own messages started.
std::optional<TaskId> sourceTask(const TraceStore& store, TaskId task);
std::optional<TaskId> startedTask(const ActivityGraph& graph, TaskId task);

// The task on the path after (step +1) or before (-1) `from`; if that is not on the path, the first one that begins at
// `time` or later, or the last one before.
std::optional<TaskId> pathNeighbour(const CriticalPath& path, TaskId from, TimeNs time, int step);

}  // namespace longpole
