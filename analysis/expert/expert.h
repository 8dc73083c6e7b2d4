// SPDX-License-Identifier: GPL-3.0-or-later
// The expert: scheduling advice, shared variables and decision tree of a run in one call, and all advice ranked.
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/expert/decisiontree.h"
#include "analysis/expert/health.h"
#include "analysis/paths/runpaths.h"
#include "analysis/replay/replay.h"
#include "analysis/scheduling/advice.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "analysis/scheduling/sharedaccess.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <memory>
#include <vector>

namespace longpole {

struct Expert {
    std::shared_ptr<const ReplayModel> replay{};  // null for MPI runs
    SchedulingAnalysis scheduling{};
    SharedAccess shared{};
    DecisionTree tree{};
    Health health{};
    std::vector<Advice> advice{};  // all of it, by severity x confidence (ranksBefore)
};

// Errors: damaged chunks, cancelled.
Result<std::shared_ptr<const Expert>> expert(const TraceStore& store, const RunPaths& paths,
                                             const Thresholds& thresholds, const Progress& progress);

// The same for a trace from scratch: loads the graph, finds the paths. Errors: a summary, which has no tasks; as above.
Result<std::shared_ptr<const Expert>> expert(const TraceStore& store, const Thresholds& thresholds,
                                             const Progress& progress);

}  // namespace longpole
