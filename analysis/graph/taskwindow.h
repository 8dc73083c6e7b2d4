// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks of a graph that lie in a range of time, found without copying them, as they are inside it: cut at its ends
// (Hollingsworth 1996, section 2.3; docs/algorithms.md 2.5).
#pragma once

#include "analysis/graph/activitygraph.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace longpole {

// Tasks [first, atEnd) begin in the range, tasks [atEnd, last) at its very end: of those only the ones without length
// lie inside. A task before `first` lies inside if it reaches in, at most one a PE.
struct TaskWindow {
    const ActivityGraph* graph = nullptr;
    TimeRange range;  // inside the run
    std::uint32_t first = 0, atEnd = 0, last = 0;
    std::vector<std::uint32_t> reaching;  // per PE; noTask

    // What is left of a task that lies inside.
    TimeNs begin(std::uint32_t task) const { return std::max(graph->begin[task], range.begin); }
    TimeNs end(std::uint32_t task) const { return std::min(graph->end(task), range.end); }
    TimeRange inside(std::uint32_t task) const { return {begin(task), end(task)}; }

    bool contains(std::uint32_t task) const;
};

// O(PEs log n).
TaskWindow taskWindow(const ActivityGraph& graph, TimeRange range);

// The last task of each PE inside the window; noTask. O(PEs log n).
std::vector<std::uint32_t> lastTasks(const TaskWindow& window);

// The task inside whose cut end is the latest. Ties: smallest (pe, index). noTask in an empty window. O(PEs log n).
std::uint32_t latestEnd(const TaskWindow& window);

// Exclusive time inside the window per entry id, innermost executions first. O(tasks inside).
std::vector<TimeNs> exclusiveByEntry(const TaskWindow& window);

}  // namespace longpole
