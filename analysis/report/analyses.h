// SPDX-License-Identifier: GPL-3.0-or-later
// The list of analyses that make the expert report, and the question that runs them all.
#pragma once

#include "analysis/base/finding.h"
#include "analysis/base/thresholds.h"
#include "analysis/expert/expert.h"
#include "analysis/graph/activitygraph.h"
#include "analysis/graph/mergeinference.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/runpaths.h"
#include "analysis/results/results.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/vocabulary.h"

#include <memory>
#include <span>
#include <vector>

namespace longpole {

// What every analysis may use; computed once for all of them.
struct AnalysisContext {
    Results& results;
    const TraceStore& store;
    const ActivityGraph& graph;  // empty of a summary, and of a trace with parts of the events
    const CriticalPath& workAtMessages;
    const CriticalPath& workAtMerges;  // over recorded and inferred merges
    const CriticalPath& workAtOrder;
    const CriticalPath& elapsed;
    const MergeInference& merges;
    const Expert* expert;  // null for a summary, or if a trace of parts has no advice
    const Thresholds& thresholds;
    const Progress& progress;
};

struct Analysis {
    const char* id;  // Finding::id
    Saying title;
    Finding (*evaluate)(const AnalysisContext& context);  // fills everything but id and title
    bool needsRanks = false;                              // true: only for MPI programs
    bool needsObjects = false;                            // true: only for message-driven programs
};

// In the order of the report.
std::span<const Analysis* const> analyses();

struct AnalysisResults {
    std::shared_ptr<const RunPaths> paths;
    std::shared_ptr<const Expert> expert;  // null as in AnalysisContext
    std::vector<Finding> findings;         // one per analysis that fits the kind of program, in the order of analyses()
    QString trace{};                       // where links to tasks lead, an absolute path; empty: there are none
};

// Errors: damaged chunks; cancelled. An analysis that cannot judge says so in its finding.
struct AnalysesQuestion {
    using Answer = AnalysisResults;
    static constexpr const char* id = "findings";

    Thresholds thresholds{};

    Result<std::shared_ptr<const AnalysisResults>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const AnalysisResults& results);
    friend bool operator==(const AnalysesQuestion&, const AnalysesQuestion&) = default;
};

}  // namespace longpole
