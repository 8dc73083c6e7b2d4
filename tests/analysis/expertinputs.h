// SPDX-License-Identifier: GPL-3.0-or-later
// All that the decision tree looks at, for a trace of a test.
#pragma once

#include "analysis/expert/expertquestions.h"
#include "analysis/paths/runpaths.h"
#include "analysis/replay/replay.h"

#include <memory>

namespace longpole {

struct ExpertRun {
    std::shared_ptr<Results> results{};
    RunPaths paths{};
    ProcessorIdle idle{};
    SchedulingAnalysis scheduling{};
    SharedAccess shared{};
    Health health{};
    DecisionTree tree{};
};

inline Result<DecisionTree> treeOf(const ExpertRun& run, const Thresholds& thresholds,
                                   const Progress& progress = Progress{})
{
    return decisionTree({*run.results, run.results->store(), *run.paths.graph, *run.paths.workAtMessages,
                         *run.paths.workAtMerges, run.idle, run.scheduling, run.shared, run.health, thresholds},
                        progress);
}

inline Result<ExpertRun> expertRun(std::shared_ptr<const TraceStore> trace, const Thresholds& thresholds = {})
{
    const Progress progress;
    ExpertRun run{.results = std::make_shared<Results>(std::move(trace))};
    const TraceStore& store = run.results->store();
    const auto paths = run.results->ask(RunPathsQuestion{}, progress);
    if (!paths) return paths.error();
    run.paths = **paths;
    Result<ProcessorIdle> idle = processorIdle(store, progress);
    if (!idle) return idle.error();
    run.idle = std::move(*idle);
    const auto health = run.results->ask(HealthQuestion{}, progress);
    if (!health) return health.error();
    run.health = **health;
    if (store.hasEvents()) {
        auto scheduling = schedulingAdvice(*run.results, *run.paths.graph, *run.paths.workAtMerges, run.idle,
                                           thresholds, progress);
        if (!scheduling) return scheduling.error();
        run.scheduling = std::move(*scheduling);
        auto shared = sharedAccess(store, *run.paths.graph, thresholds, progress);
        if (!shared) return shared.error();
        run.shared = std::move(*shared);
    }
    Result<DecisionTree> tree = treeOf(run, thresholds, progress);
    if (!tree) return tree.error();
    run.tree = std::move(*tree);
    return run;
}

}  // namespace longpole
