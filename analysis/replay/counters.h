// SPDX-License-Identifier: GPL-3.0-or-later
// Counters in the program, found by what objects do: the execution that is the n-th since the last time sends a
// message, whichever of them that is. A main chare that goes on when all parts of an iteration have reported, an object
// that acts on the last of its neighbours' messages, a worker that reports when its last piece of work is done.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"
#include "core/base/progress.h"
#include "core/trace/trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// `actor` sent messages to `target` as the last of the members, which do not name it.
struct CounterGroup {
    std::uint32_t actor = noTask;
    std::uint32_t target = 0;  // entry
    std::size_t firstMember = 0, members = 0;
    bool sharesRoles = false;  // the last one works, the others only count
};

struct Counters {
    std::vector<CounterGroup> groups;    // by actor
    std::vector<std::uint32_t> members;  // graph tasks
};

// For every chare and every entry method that its executions send to: which of the chare's entry methods count. Those
// that ever send there do; and those that never send anything and hardly do anything, which have no other purpose than
// to be counted. They count if there are as many of them for each sending, within a twentieth, and at all but one in
// twenty sendings enough of them before it. What works long and sends nothing is no counter's: it may be independent
// work. O(n) for each pair of chare and target.
// Of no use once cancelled.
Counters findCounters(const ActivityGraph& graph, const TaskObjects& objects, std::span<const Entry> entries,
                      const Progress& progress = {});

}  // namespace longpole
