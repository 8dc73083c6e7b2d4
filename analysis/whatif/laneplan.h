// SPDX-License-Identifier: GPL-3.0-or-later
// Where the what-if passes keep a task's values while later tasks still depend on them: in slots that are reused, so
// that memory grows with the tasks in flight and not with all of them (docs/algorithms.md 3). All passes over a graph
// share it.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/nestedparts.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/progress.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

constexpr unsigned passThreads = 2;  // more would need more memory per task

struct LanePlan {
    static constexpr std::uint32_t noSlot = 0xffffffffu;

    // Per task; noSlot for a task that no message and no merge comes from. A task's slot is never one that it reads.
    std::vector<std::uint32_t> slot;
    std::uint32_t slots = 0;
    std::vector<bool> isNested;                 // per task, whether executions are nested in it; empty if in none
    std::shared_ptr<const NestedParts> nested;  // null if in none

    bool hasNested(std::uint32_t task) const { return !isNested.empty() && isNested[task]; }
};

// One pass, last task first; 4 bytes a task. Cancelled: no slots.
LanePlan lanePlan(const ActivityGraph& graph, const Dependencies& edges, const Progress& progress);

}  // namespace longpole
