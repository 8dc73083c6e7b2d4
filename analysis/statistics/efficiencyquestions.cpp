// SPDX-License-Identifier: GPL-3.0-or-later
// Computes efficiencies on the graph that others may have asked for.
#include "analysis/statistics/efficiencyquestions.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "analysis/results/storedresults.h"

namespace longpole {

namespace {

// As it was computed when the trace had all events.
Result<Efficiency> efficiencyOfParts(const TraceStore& store)
{
    Result<StoredEfficiency> stored = storedEfficiency(store);
    if (!stored) return stored.error();
    return efficiencyOf({std::move(stored->useful), stored->leftOut, stored->leftOutBusy}, stored->counted,
                        stored->range, stored->ideal);
}

}  // namespace

EfficiencyQuestion EfficiencyQuestion::of(const TraceStore& store, TimeRange range, Startup startup)
{
    return {partOf(store, range), startup};
}

Result<std::shared_ptr<const Efficiency>> EfficiencyQuestion::compute(Results& results, const Progress& progress) const
{
    if (const Result<> run = requireRun(results.store()); !run) return run.error();
    if (results.store().info().isPart() && *this == EfficiencyQuestion{})
        return sharedAnswer(efficiencyOfParts(results.store()));
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    const TraceStore& store = results.store();
    auto found = efficiency(store, **graph, range.isEmpty() ? store.info().range() : range, startup, progress);
    if (!found) return found.error();
    const auto threads = otherThreads(store, found->range, progress);
    if (!threads) return threads.error();
    found->threads = *threads;
    return sharedAnswer(std::move(found));
}

std::int64_t EfficiencyQuestion::bytes(const Efficiency& efficiency)
{
    return static_cast<std::int64_t>(sizeof(efficiency)) + bytesOf(efficiency.useful);
}

Result<std::shared_ptr<const std::vector<EfficiencyPhase>>> EfficiencyPhasesQuestion::compute(
    Results& results, const Progress& progress) const
{
    if (const Result<> run = requireRun(results.store()); !run) return run.error();
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    return sharedAnswer(efficiencyPhases(results.store(), **graph, most, startup, progress));
}

std::int64_t EfficiencyPhasesQuestion::bytes(const Answer& phases)
{
    return bytesOfAll(phases, [](const EfficiencyPhase& phase) { return bytesOf(phase.efficiency.useful); });
}

}  // namespace longpole
