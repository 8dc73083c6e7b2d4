// SPDX-License-Identifier: GPL-3.0-or-later
// How far each PE has come at a state that the program can have been in: a cut is consistent if it holds everything
// that happened before anything in it (Hollingsworth 1996, section 2.3 and appendix A; docs/algorithms.md 2.5).
#pragma once

#include "analysis/graph/activitygraph.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Events are begins and ends of graph tasks and what they send in between; the message that starts a task is received
// at its begin. Where a PE's `last` is noTask nothing of it is inside; else all its tasks up to `last` are, with what
// they did up to and at `until`.
struct Cut {
    std::vector<std::uint32_t> last;
    std::vector<TimeNs> until;
    friend bool operator==(const Cut&, const Cut&) = default;

    bool holds(const ActivityGraph& graph, std::uint32_t task) const;               // its begin
    bool holds(const ActivityGraph& graph, std::uint32_t task, TimeNs time) const;  // what it did at a time
};

// All PEs stopped at once: tasks that began before, and what they did up to that time. O(PEs log n).
Cut verticalCut(const ActivityGraph& graph, TimeNs time);

// The largest consistent cut inside the vertical one: what started a task in it, and what a task in it waited for by a
// recorded merge, was sent inside of it. Sends count at the times that the trace says, also where the graph has clamped
// an offset. Of a message whose sender is not known the time alone counts.
struct ConsistentCut {
    Cut cut;
    std::int64_t received = 0;  // tasks begun before `time` by a message sent later; 0: the vertical cut is consistent
    std::int64_t lowered = 0;   // PEs that stop earlier than in the vertical cut
    TimeNs lowest = 0;          // the earliest time at which one of them stops
};
// O(PEs log n + messages with clocks that disagree), and O(n log n), 24 bytes a task, if the vertical one is not
// consistent.
ConsistentCut consistentCut(const ActivityGraph& graph, TimeNs time);

}  // namespace longpole
