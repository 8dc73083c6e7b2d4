// SPDX-License-Identifier: GPL-3.0-or-later
// The activity graph of a run with its critical paths at every edge level: what reports and the expert look at.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/mergeinference.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <memory>

namespace longpole {

struct RunPaths {
    std::shared_ptr<const ActivityGraph> graph{};
    MergeInference merges{};
    CriticalPath workAtMessages{};
    CriticalPath workAtMerges{};  // recorded and inferred ones
    CriticalPath workAtOrder{};
    CriticalPath elapsed{};
};

// A summary has no graph: everything is empty then. Errors: damaged chunks, cancelled.
Result<RunPaths> runPaths(const TraceStore& store, const Progress& progress);
// With a graph that is loaded already.
Result<RunPaths> runPaths(const TraceStore& store, std::shared_ptr<const ActivityGraph> graph,
                          const Progress& progress);

}  // namespace longpole
