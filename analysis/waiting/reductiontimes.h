// SPDX-License-Identifier: GPL-3.0-or-later
// How long reductions took from their first contribution to the last, and from there to the result.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/results/results.h"
#include "core/trace/trace.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

// Of reductions that a task waited for, with two contributions at least, as merges show them.
struct ReductionTimes {
    std::int64_t count = 0;
    TimeNs spread = 0;  // first to last contribution, mean
    TimeNs tree = 0;    // last contribution to the first task that gets the result, mean
};

// Contributions go up a tree of managers' tasks, and one of these, or an element's task, sends the result to whoever
// waits for it. `merges` by task. O(tasks).
ReductionTimes reductionTimes(const ActivityGraph& graph, const std::vector<MergeEdge>& merges,
                              std::span<const Entry> entries);

// All that the tree wants of the merges, which would take 48 bytes a task where most are buffered: asked for before the
// replays, which need that room.
struct ReductionTimesQuestion {
    using Answer = ReductionTimes;
    static constexpr const char* id = "times of reductions";

    Result<std::shared_ptr<const ReductionTimes>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const ReductionTimes& times) { return sizeof(times); }
    friend bool operator==(const ReductionTimesQuestion&, const ReductionTimesQuestion&) = default;
};

}  // namespace longpole
