// SPDX-License-Identifier: GPL-3.0-or-later
// Which object each graph task ran on, and whether it sent anything: what the activity graph itself leaves in the
// trace.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <vector>

namespace longpole {

constexpr std::uint32_t noObject = 0xffffffffu;

struct TaskObjects {
    // Per graph task: the number of its object, the same on whatever PE it runs, below `objects`; noObject for the
    // run-time system's own chares. Without an index (a group, say) each PE has an object of its own.
    std::vector<std::uint32_t> object;
    std::vector<bool> sends;  // created a message before it ended
    std::uint32_t objects = 0;
};

// O(tasks + messages); 33 bits a task. The graph may be a clipped one. Errors: damaged chunks, cancelled.
Result<TaskObjects> taskObjects(const TraceStore& store, const ActivityGraph& graph, const Progress& progress);

}  // namespace longpole
