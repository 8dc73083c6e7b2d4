// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/expert.h"

#include "analysis/replay/model.h"
#include "core/base/result.h"

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

// What a finding loses by the doubts of the health page.
double confidenceIn(Trust trust)
{
    switch (trust) {
    case Trust::Good: return 1;
    case Trust::Fair: return 0.85;
    case Trust::Poor: break;
    }
    return 0.5;
}

double weight(const Advice& advice) { return static_cast<double>(advice.severity) * advice.confidence; }

// What the tree ends at comes first among advice of nearly the same weight: of two that tell of the same time, the tree
// prefers the one that says more of its cause.
void leadWithTree(std::vector<Advice>& advice, const DecisionTree& tree)
{
    constexpr double nearly = 0.95;
    if (advice.empty() || tree.path.empty()) return;
    const auto first = std::find_if(advice.begin(), advice.end(),
                                    [&](const Advice& one) { return one.node == tree.path.back(); });
    if (first != advice.end() && weight(*first) >= nearly * weight(advice.front()))
        std::rotate(advice.begin(), first, first + 1);
}

std::vector<Advice> ranked(const Expert& found)
{
    std::vector<Advice> advice = found.scheduling.advice;
    advice.insert(advice.end(), found.tree.advice.begin(), found.tree.advice.end());
    const double confidence = confidenceIn(found.health.trust);
    for (Advice& one : advice) {
        if (confidence < 1) one.doubts << found.health.verdict;
        one.confidence *= confidence;
    }
    std::sort(advice.begin(), advice.end(), ranksBefore);
    leadWithTree(advice, found.tree);
    return advice;
}

}  // namespace

Result<std::shared_ptr<const Expert>> expert(const TraceStore& store, const RunPaths& paths,
                                             const Thresholds& thresholds, const Progress& progress)
{
    auto found = std::make_shared<Expert>();
    const auto idle = processorIdle(store, progress);
    if (!idle) return idle.error();
    if (!paths.graph->hasRanks) {  // of an MPI run there is nothing to schedule, and so nothing to replay
        auto replay = replayModel(store, paths.graph, paths.merges, progress);
        if (!replay) return replay.error();
        found->replay = *replay;
    }
    const ReplayModel none;
    auto scheduling = schedulingAdvice(store, paths.graph, paths.workAtMerges, *idle,
                                       found->replay ? *found->replay : none, thresholds, progress);
    if (!scheduling) return scheduling.error();
    found->scheduling = std::move(*scheduling);
    auto shared = sharedAccess(store, *paths.graph, thresholds, progress);
    if (!shared) return shared.error();
    found->shared = std::move(*shared);
    auto tree = decisionTree({store, *paths.graph, paths.merges, paths.workAtMessages, paths.workAtMerges,
                              paths.elapsed, *idle, found->scheduling, found->shared, thresholds},
                             progress);
    if (!tree) return tree.error();
    found->tree = std::move(*tree);
    found->health = health(store, *paths.graph, paths.workAtOrder, paths.elapsed);
    found->advice = ranked(*found);
    if (progress.isCancelled()) return cancelledError();
    return std::shared_ptr<const Expert>(std::move(found));
}

Result<std::shared_ptr<const Expert>> expert(const TraceStore& store, const Thresholds& thresholds,
                                             const Progress& progress)
{
    if (const Result<> there = requireEvents(store); !there) return there.error();
    const Result<RunPaths> paths = runPaths(store, progress);
    if (!paths) return paths.error();
    return expert(store, *paths, thresholds, progress);
}

}  // namespace longpole
