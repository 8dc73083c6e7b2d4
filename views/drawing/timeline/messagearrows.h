// SPDX-License-Identifier: GPL-3.0-or-later
// Which messages are drawn as arrows for a selection: its own, or the chain that led to it.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/mpi/calls.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

struct MessageArrow {
    TaskId source;
    TaskId target;
    TimeNs sent = 0;
    TimeNs begin = 0;  // of the execution
    bool estimated = false;
    friend bool operator==(const MessageArrow&, const MessageArrow&) = default;
};

struct MessageArrows {
    std::vector<MessageArrow> arrows;
    std::int64_t omitted = 0;  // beyond the cap
};

constexpr std::size_t mostArrows = 200;

// The message that `task` came from and, where the graph is there, the executions that its messages started.
// O(tasks of the graph).
MessageArrows oneStepArrows(const TraceStore& store, const ActivityGraph* graph, TaskId task);

// The messages backwards from `task` to the first one without a known creation, newest first. O(length).
MessageArrows chainArrows(const TraceStore& store, const ActivityGraph* graph, TaskId task);

// From the call that an MPI call waited for to where its waiting ended; none if it waited for nobody.
MessageArrows culpritArrow(const TraceStore& store, const MpiCallRow& call);

}  // namespace longpole
