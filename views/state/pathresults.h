// SPDX-License-Identifier: GPL-3.0-or-later
// What panels and timeline need of the activity graph beyond a path: inferred merges, heads and slack. Each is computed
// once, by the first worker that asks for it, and lives as long as the trace is shown. Thread-safe; all calls take long
// but those that only look.
#pragma once

#include "analysis/graph/mergeinference.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/nearcritical.h"
#include "analysis/paths/parallelism.h"
#include "analysis/paths/slackpyramid.h"
#include "analysis/statistics/pathshares.h"
#include "core/store/tracestore.h"
#include "views/state/computedonce.h"
#include "views/state/pathquestion.h"

#include <array>
#include <memory>
#include <vector>

namespace longpole {

class PathResults {
public:
    PathResults(std::shared_ptr<const TraceStore> store, std::shared_ptr<const ActivityGraph> graph);

    const ActivityGraph& graph() const { return *m_graph; }
    std::shared_ptr<const ActivityGraph> sharedGraph() const { return m_graph; }

    // What orders tasks at a level: inferred merges at level merges only; recorded ones at order as well.
    Result<Dependencies> edges(EdgeLevel level, const Progress& progress);
    Result<std::shared_ptr<const MergeInference>> merges(const Progress& progress);
    Result<std::shared_ptr<const WorkHeads>> heads(EdgeLevel level, const Progress& progress);
    std::shared_ptr<const WorkHeads> headsIfThere(EdgeLevel level) const { return m_heads[at(level)].peek(); }
    // The newest slack is kept.
    Result<std::shared_ptr<const SlackPyramid>> slack(const PathModel& model, const Progress& progress);
    Result<std::vector<NearCriticalPath>> nearCritical(const PathModel& model, const Progress& progress);
    Result<std::shared_ptr<const CriticalPath>> path(const PathQuestion& question, const Progress& progress);
    // The path's profile beside that of the range, or of the run where it is empty; the run's is kept.
    Result<std::vector<PathShare>> shares(const CriticalPath& path, ProfileBy by, TimeRange range,
                                          const Progress& progress);
    // At levels messages and merges.
    Result<std::vector<ExposingTask>> exposing(EdgeLevel level, const Progress& progress);
    // Length of the run's work path, without keeping heads for it.
    Result<TimeNs> length(EdgeLevel level, const Progress& progress);

private:
    static std::size_t at(EdgeLevel level) { return static_cast<std::size_t>(level); }

    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const ActivityGraph> m_graph;
    ComputedOnce<MergeInference> m_inferred;
    std::array<ComputedOnce<WorkHeads>, 3> m_heads;
    std::array<ComputedOnce<SlackPyramid>, 4> m_slack;  // by level; the last: of the elapsed path
    std::array<ComputedOnce<BusyTimes>, 4> m_busy;      // of the run, by ProfileBy
};

}  // namespace longpole
