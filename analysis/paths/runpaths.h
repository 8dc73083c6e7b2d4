// SPDX-License-Identifier: GPL-3.0-or-later
// The activity graph of a run with its critical paths at every edge level: what reports and the expert look at.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/results/results.h"

#include <memory>

namespace longpole {

// None is null. Of a summary, which has no tasks, the graph is empty and the paths have no steps; of a recording of
// which the trace has parts of the events the graph is empty, and the paths are those that it keeps.
struct RunPaths {
    std::shared_ptr<const ActivityGraph> graph{};
    std::shared_ptr<const CriticalPath> workAtMessages{};
    std::shared_ptr<const CriticalPath> workAtMerges{};  // recorded and inferred ones
    std::shared_ptr<const CriticalPath> workAtOrder{};
    std::shared_ptr<const CriticalPath> elapsed{};
};

struct RunPathsQuestion {
    using Answer = RunPaths;
    static constexpr const char* id = "critical paths of the run";

    Result<std::shared_ptr<const RunPaths>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const RunPaths& paths);  // beyond the answers that it refers to
    friend bool operator==(const RunPathsQuestion&, const RunPathsQuestion&) = default;
};

}  // namespace longpole
