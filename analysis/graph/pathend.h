// SPDX-License-Identifier: GPL-3.0-or-later
// Where a critical path ends: a graph task and a time in it, for a task or for an execution nested in one.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskwindow.h"
#include "core/base/result.h"

namespace longpole {

struct PathEnd {
    std::uint32_t task = noTask;
    TimeNs time = 0;
};

PathEnd wholeTask(const ActivityGraph& graph, std::uint32_t task);

// The end of `to`; of a nested execution, its outermost one up to the nested one's end. Error: there is no such task.
Result<PathEnd> pathEnd(const ActivityGraph& graph, TaskId to);

// The same inside a window. Error: there is no such task, or it does not run inside.
Result<PathEnd> pathEnd(const TaskWindow& window, TaskId to);

}  // namespace longpole
