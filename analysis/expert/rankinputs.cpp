// SPDX-License-Identifier: GPL-3.0-or-later
// Gives the answers that the expert asks for to the one place where it asks.
#include "analysis/expert/rankinputs.h"

#include "analysis/expert/expertquestions.h"
#include "analysis/expert/facts.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/noise/noisequestions.h"
#include "analysis/paths/countedpath.h"
#include "analysis/scheduling/schedulingquestions.h"
#include "analysis/waiting/idlequestions.h"
#include "analysis/waiting/reductiontimes.h"

#include <utility>

namespace longpole {

namespace {

template <typename T>
std::shared_ptr<const T> copyOf(const T& value)
{
    return std::make_shared<const T>(value);
}

// The value itself, which outlives who asks for it: of many ranks it is large.
template <typename T>
std::shared_ptr<const T> itself(const T& value)
{
    return {&value, [](const T*) {}};
}

std::shared_ptr<const CriticalPath> atLevel(const CriticalPath& path, EdgeLevel edges)
{
    auto same = std::make_shared<CriticalPath>(path);
    same->edges = edges;
    return same;
}

// Nothing of it is dropped, as nothing could be computed again. The inputs outlive it.
std::unique_ptr<Results> resultsWith(const std::shared_ptr<const TraceStore>& store, const RankInputs& inputs,
                                     const Thresholds& thresholds)
{
    auto results = std::make_unique<Results>(store, maxTime);
    const auto stages = static_cast<std::int64_t>(thresholds.tree.stages);
    results->give(GraphQuestion{}, copyOf(inputs.named));
    results->give(StageUseQuestion{stages}, itself(inputs.use));
    results->give(IdleLabelsQuestion{stages}, copyOf(inputs.labels));
    results->give(ProcessorIdleQuestion{}, copyOf(ProcessorIdle{}));
    results->give(SynchronizationsQuestion{}, copyOf(Synchronizations{}));
    results->give(WaitsQuestion::of(*store), copyOf(inputs.waits));
    results->give(ProcessorTimeQuestion{}, copyOf(ProcessorTime{}));
    results->give(NoiseQuestion{}, copyOf(inputs.noise));
    results->give(ReductionTimesQuestion{}, copyOf(ReductionTimes{}));
    results->give(SchedulingQuestion{thresholds}, copyOf(schedulingOfRanks()));
    results->give(SharedAccessQuestion{thresholds}, copyOf(SharedAccess{}));
    for (const EdgeLevel edges : {EdgeLevel::Messages, EdgeLevel::Merges})  // the same of ranks
        results->give(PathQuestion{.edges = edges}, atLevel(*inputs.work, edges));
    Health trusted = health(*store, inputs.named, *inputs.work, *inputs.elapsed, {{}, inputs.noise, {}});
    trusted.verdict.clear();
    results->give(HealthQuestion{}, copyOf(trusted));
    return results;
}

void giveScope(Results& results, const RankInputs& inputs)
{
    const ScopeNeeds& scope = inputs.scope;
    results.give(StartAndStopQuestion{scope.periods}, copyOf(inputs.starting));
    results.give(MpiProfileQuestion::of(results.store(), scope.window), copyOf(inputs.profile));
    if (scope.interruptions) {
        Noise all = inputs.noise;
        all.worst = inputs.interrupted;
        results.give(allNoise(), copyOf(all));
    }
    if (!scope.busiest) return;
    results.give(ProcessorLoadsQuestion{*scope.busiest, scope.periods}, copyOf(inputs.loads));
    results.give(BesideBusyQuestion{*scope.busiest, scope.others, scope.periods}, copyOf(inputs.beside));
}

}  // namespace

std::uint32_t addNamed(ActivityGraph& graph, TaskId task, std::uint32_t entry)
{
    const auto number = static_cast<std::uint32_t>(graph.size());
    graph.begin.push_back(0);
    graph.pe.push_back(index(task.pe));
    graph.taskIndex.push_back(task.index);
    graph.entry.push_back(entry);
    graph.source.push_back(noTask);
    graph.flags.push_back(0);
    return number;
}

void finishNamed(ActivityGraph& graph)
{
    graph.duration.resize(graph.size());
    graph.offset.resize(graph.size());
    graph.queued.resize(graph.size());
}

Result<ScopeNeeds> scopeNeeds(const std::shared_ptr<const TraceStore>& store, const RankInputs& inputs,
                              const Thresholds& thresholds, const Progress& progress)
{
    const auto results = resultsWith(store, inputs, thresholds);
    const Result<std::shared_ptr<const Health>> trusted = results->ask(HealthQuestion{}, progress);
    if (!trusted) return trusted.error();
    const SchedulingAnalysis scheduling = schedulingOfRanks();
    const SharedAccess access;
    const ProcessorIdle idle;
    const TreeInputs given{*results, *store,     inputs.named, *inputs.work, *inputs.work,
                           idle,     scheduling, access,       **trusted,    thresholds};
    Result<TreeFacts> facts = factsOfScope(given, progress);
    if (!facts) return facts.error();
    ScopeNeeds needs{.periods = facts->scope.periods,
                     .window = facts->scope.window,
                     .busiest = {},
                     .others = std::ssize(facts->pes) - 1,
                     .interruptions = isUneven(*facts)};
    findBusiest(*facts);
    if (facts->bottleneck.isBusy) needs.busiest = facts->pes[facts->bottleneck.pe];
    return needs;
}

Result<std::shared_ptr<const Expert>> expertOfRanks(const std::shared_ptr<const TraceStore>& store,
                                                    const RankInputs& inputs, const Thresholds& thresholds,
                                                    const Progress& progress)
{
    const auto results = resultsWith(store, inputs, thresholds);
    giveScope(*results, inputs);
    return expertAnswer(*results, thresholds, progress);
}

}  // namespace longpole
