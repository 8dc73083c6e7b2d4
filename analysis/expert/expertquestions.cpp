// SPDX-License-Identifier: GPL-3.0-or-later
// Gathers what the tree looks at from the questions that others ask as well.
#include "analysis/expert/expertquestions.h"

#include "analysis/expert/replayedadvice.h"
#include "analysis/expert/storedinputs.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/noise/noisequestions.h"
#include "analysis/paths/countedpath.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "analysis/scheduling/schedulingquestions.h"
#include "analysis/waiting/idlequestions.h"
#include "analysis/waiting/reductiontimes.h"
#include "core/base/job.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace longpole {

namespace {

// What a path says without its steps. A trace without tasks has no paths, and a health all the same.
Result<std::shared_ptr<const CriticalPath>> pathOrNone(Results& results, const PathQuestion& question,
                                                       const Progress& progress)
{
    const auto counted = results.ask(CountedPathQuestion{question, false}, progress);
    if (counted.ok()) return (*counted)->path;
    if (wasCancelled(counted.error())) return counted.error();
    return std::make_shared<const CriticalPath>();
}

std::int64_t bytesOfTree(const DecisionTree& tree)
{
    return bytesOfAll(tree.nodes, [](const TreeNode& node) { return bytesOf(node.tests) + bytesOf(node.evidence); })
           + bytesOfAll(tree.advice, [](const Advice& advice) { return bytesOf(advice.evidence); })
           + IdleLabelsQuestion::bytes(tree.idle);
}

Result<Disturbances> disturbancesOf(Results& results, const ActivityGraph& graph, const Progress& progress)
{
    const auto time = results.ask(ProcessorTimeQuestion{}, progress);
    if (!time.ok()) return time.error();
    const auto noise = results.ask(NoiseQuestion{}, progress);
    if (!noise.ok()) return noise.error();
    return Disturbances{**time, **noise, findStartUp(graph, results.store().info().range())};
}

// What the tree asks for last is looked for beside what takes one thread: the waits of ranks, or else the health of the
// run. What is wrong with them the tree says.
std::unique_ptr<Job<Unit>> lookAhead(Results& results)
{
    return std::make_unique<Job<Unit>>([&results](const Progress& progress) {
        if (results.store().info().hasRanks()) (void)results.ask(WaitsQuestion::of(results.store()), progress);
        else (void)results.ask(HealthQuestion{}, progress);
        return Unit{};
    });
}

Result<std::shared_ptr<const DecisionTree>> treeOfSums(Results& results, const Thresholds& thresholds,
                                                       const Progress& progress)
{
    const auto trusted = results.ask(HealthQuestion{}, progress);
    if (!trusted.ok()) return trusted.error();
    const auto idle = results.ask(ProcessorIdleQuestion{}, progress);
    if (!idle.ok()) return idle.error();
    const CriticalPath noPath;
    return sharedAnswer(decisionTree({results, results.store(), ActivityGraph{}, noPath, noPath, **idle,
                                      SchedulingAnalysis{}, SharedAccess{}, **trusted, thresholds},
                                     progress));
}

}  // namespace

Result<std::shared_ptr<const Health>> HealthQuestion::compute(Results& results, const Progress& progress) const
{
    const TraceStore& store = results.store();
    if (store.info().isSummary())  // a summary has no graph; its health rests on none
        return std::make_shared<const Health>(health(store, ActivityGraph{}, CriticalPath{}, CriticalPath{}));
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    const auto work = pathOrNone(results, {}, progress);
    if (!work.ok()) return work.error();
    const auto elapsed = pathOrNone(results, {.mode = PathMode::Elapsed}, progress);
    if (!elapsed.ok()) return elapsed.error();
    const auto disturbed = disturbancesOf(results, **graph, progress);
    if (!disturbed.ok()) return disturbed.error();
    return std::make_shared<const Health>(health(store, **graph, **work, **elapsed, *disturbed));
}

std::int64_t HealthQuestion::bytes(const Health& health)
{
    return static_cast<std::int64_t>(sizeof(health)) + bytesOf(health.issues) + bytesOf(health.missingLogs)
           + bytesOf(health.checks) + ProcessorTimeQuestion::bytes(health.processorTime);
}

Result<std::shared_ptr<const DecisionTree>> TreeQuestion::compute(Results& results, const Progress& progress) const
{
    if (const Result<> run = requireRun(results.store()); !run) return run.error();
    if (results.store().info().isSummary()) return treeOfSums(results, thresholds, progress);
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    const auto ahead = lookAhead(results);
    if (const auto times = results.ask(ReductionTimesQuestion{}, progress); !times.ok()) return times.error();
    const auto messages = results.ask(PathQuestion{.edges = EdgeLevel::Messages}, progress);
    if (!messages.ok()) return messages.error();
    // The tree reads no steps of these.
    const auto withMerges = results.ask(CountedPathQuestion{{.edges = EdgeLevel::Merges}, false}, progress);
    if (!withMerges.ok()) return withMerges.error();
    const auto idle = results.ask(ProcessorIdleQuestion{}, progress);
    if (!idle.ok()) return idle.error();
    const auto scheduling = results.ask(SchedulingQuestion{thresholds}, progress);
    if (!scheduling.ok()) return scheduling.error();
    const auto access = results.ask(SharedAccessQuestion{thresholds}, progress);
    if (!access.ok()) return access.error();
    const auto trusted = results.ask(HealthQuestion{}, progress);
    if (!trusted.ok()) return trusted.error();
    return sharedAnswer(decisionTree({results, results.store(), **graph, **messages, *(*withMerges)->path, **idle,
                                      **scheduling, **access, **trusted, thresholds},
                                     progress));
}

std::int64_t TreeQuestion::bytes(const DecisionTree& tree) { return bytesOfTree(tree); }

Result<std::shared_ptr<const Expert>> expertAnswer(Results& results, const Thresholds& thresholds,
                                                   const Progress& progress)
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    const auto ahead = lookAhead(results);
    // What the tree wants that is made of all merges: found before the replays, which need the merges' room, and held.
    const auto times = results.ask(ReductionTimesQuestion{}, progress);
    if (!times.ok()) return times.error();
    const auto withMerges = results.ask(PathQuestion{.edges = EdgeLevel::Merges}, progress);
    if (!withMerges.ok()) return withMerges.error();
    const auto scheduling = results.ask(SchedulingQuestion{thresholds}, progress);
    if (!scheduling.ok()) return scheduling.error();
    const auto access = results.ask(SharedAccessQuestion{thresholds}, progress);
    if (!access.ok()) return access.error();
    const auto tree = results.ask(TreeQuestion{thresholds}, progress);
    if (!tree.ok()) return tree.error();
    const auto trusted = results.ask(HealthQuestion{}, progress);
    if (!trusted.ok()) return trusted.error();
    auto found = std::make_shared<Expert>(
        Expert{.scheduling = **scheduling, .shared = **access, .tree = **tree, .health = **trusted});
    found->advice = allAdvice(*found);
    if (const Result<> replayed = replayAdvice(found->advice, results, progress); !replayed) return replayed.error();
    rank(found->advice, found->tree);
    markWhatSavesNothing(*found);
    return std::shared_ptr<const Expert>(std::move(found));
}

Result<std::shared_ptr<const Expert>> ExpertQuestion::compute(Results& results, const Progress& progress) const
{
    if (results.store().info().isPart()) return expertOfParts(results, thresholds, progress);
    if (const Result<> there = requireEvents(results.store()); !there.ok()) return there.error();
    if (const Result<> run = requireRun(results.store()); !run) return run.error();
    return expertAnswer(results, thresholds, progress);
}

std::int64_t ExpertQuestion::bytes(const Expert& expert)
{
    return SchedulingQuestion::bytes(expert.scheduling) + SharedAccessQuestion::bytes(expert.shared)
           + bytesOfTree(expert.tree) + HealthQuestion::bytes(expert.health)
           + bytesOfAll(expert.advice, [](const Advice& advice) { return bytesOf(advice.evidence); });
}

}  // namespace longpole
