// SPDX-License-Identifier: GPL-3.0-or-later
// Which messages are drawn as arrows when a task or an MPI call is selected.
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
    TimeNs begin = 0;        // of the target, which it starts
    bool estimated = false;  // when it arrived was not recorded
    friend bool operator==(const MessageArrow&, const MessageArrow&) = default;
};

struct MessageArrows {
    std::vector<MessageArrow> arrows;
    std::int64_t omitted = 0;  // beyond mostArrows
};

constexpr std::size_t mostArrows = 200;

// The message that started `task` and, if there is a graph, those that it sent. O(tasks of the graph).
MessageArrows oneStepArrows(const TraceStore& store, const ActivityGraph* graph, TaskId task);

// The message that started `task`, the one that started its sender, and so on; newest first. O(length).
MessageArrows chainArrows(const TraceStore& store, const ActivityGraph* graph, TaskId task);

// From the call that an MPI call waited for to the end of the wait; no arrow if it waited for nobody.
MessageArrows culpritArrow(const TraceStore& store, const MpiCallRow& call);

}  // namespace longpole
