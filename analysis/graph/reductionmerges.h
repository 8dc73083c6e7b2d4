// SPDX-License-Identifier: GPL-3.0-or-later
// Contributions to reductions (docs/algorithms.md 1.1, rule R2): Charm++'s reduction manager on a PE sends on once all
// its local elements and the managers below it have contributed, but the log names only the last one.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"
#include "core/trace/trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// Every target waited for every source to end; `sources` and `targets` of Reductions from these positions on.
struct ReductionGroup {
    std::size_t firstSource = 0, sources = 0;
    std::size_t firstTarget = 0, targets = 0;
};

struct Reductions {
    std::vector<ReductionGroup> groups;
    std::vector<std::uint32_t> sources;  // graph tasks
    std::vector<std::uint32_t> targets;
    std::vector<bool> contributes;  // per graph task: a source that is an element's
};

// By entry method: whether contributions to reductions pass through it.
std::vector<bool> reductionManagers(std::span<const Entry> entries);

// A manager's messages by (PE, contributing chare, order): what came to it on the same PE since it last sent belongs to
// what it sends next. Sources are, per element of that chare, the last execution of an entry that is known to
// contribute, and per manager below its one message; the target is the manager's task that sends, or where an element's
// task sends, what the message starts. Of a manager below that has sent twice nothing is said. Tasks in `silent` (may
// be empty) contribute nothing. O(tasks).
Reductions findReductions(const ActivityGraph& graph, const TaskObjects& objects, std::span<const Entry> entries,
                          const std::vector<bool>& silent);

}  // namespace longpole
