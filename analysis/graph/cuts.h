// SPDX-License-Identifier: GPL-3.0-or-later
// How far each PE has come at a state that the program can have been in: a cut is consistent if it holds everything
// that happened before anything in it (Hollingsworth 1996, section 2.3 and appendix A; docs/algorithms.md 2.5).
#pragma once

#include "analysis/graph/activitygraph.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Events are begins and ends of graph tasks and what they send in between; a task is received at its begin. Of a PE
// with `last` noTask nothing is inside; else all tasks of the PE up to `last`, and what they did up to `until`, that
// instant included.
struct Cut {
    std::vector<std::uint32_t> last;
    std::vector<TimeNs> until;
    friend bool operator==(const Cut&, const Cut&) = default;

    bool holds(const ActivityGraph& graph, std::uint32_t task) const;               // its begin
    bool holds(const ActivityGraph& graph, std::uint32_t task, TimeNs time) const;  // what it did at a time
};

// All PEs stopped at once: tasks that began before, and what they did up to that time. O(PEs log n).
Cut verticalCut(const ActivityGraph& graph, TimeNs time);

// The largest consistent cut inside the vertical one: no task in it was started, and recorded merges say of none that
// it waited, for what was sent outside of it. Sends count at the times that the trace says, also where the graph
// has clamped an offset. Of a message whose sender is not known the time alone counts.
struct ConsistentCut {
    Cut cut;
    std::int64_t received = 0;  // tasks begun before `time`, started by what was sent after it: 0 if it is consistent
    std::int64_t lowered = 0;   // PEs that the cut holds less of than the vertical one
    TimeNs lowest = 0;          // the earliest time at which one of them stops
};
// O(PEs log n + messages with clocks that disagree), and O(tasks between the lowest stop and the cut) for those.
ConsistentCut consistentCut(const ActivityGraph& graph, TimeNs time);

// State slice: per PE the last event that happened before the begin of a task. On the task's own PE that is the end of
// the one before it. O(tasks that happened before).
Cut stateSlice(const ActivityGraph& graph, std::uint32_t task);

// Combined state slices G[*, i]: per PE the later event of both. Consistent if both are. O(PEs).
Cut combined(const Cut& a, const Cut& b);

// Whether everything that happened before what it holds is inside. O(tasks inside).
bool isConsistent(const ActivityGraph& graph, const Cut& cut);

}  // namespace longpole
