// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for graph, path and idle time, which others ask for as well.
#include "analysis/scheduling/schedulingquestions.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "analysis/waiting/idlequestions.h"

namespace longpole {

Result<std::shared_ptr<const SharedAccess>> SharedAccessQuestion::compute(Results& results,
                                                                          const Progress& progress) const
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    return sharedAnswer(sharedAccess(results.store(), **graph, thresholds, progress));
}

std::int64_t SharedAccessQuestion::bytes(const SharedAccess& access)
{
    return bytesOfAll(access.variables,
                      [](const SharedVariable& one) { return bytesOf(one.homes) + bytesOf(one.accesses); })
           + bytesOfAll(access.concerns, [](const SharedConcern& one) { return bytesOf(one.evidence); })
           + bytesOfAll(access.speculative, [](const SpeculativeSeries& one) {
                 return bytesOf(one.edges) + bytesOf(one.user) + bytesOf(one.speculative) + bytesOf(one.outdated)
                        + bytesOf(one.updates) + bytesOf(one.best) + bytesOf(one.evidence);
             });
}

Result<std::shared_ptr<const SchedulingAnalysis>> SchedulingQuestion::compute(Results& results,
                                                                              const Progress& progress) const
{
    if (const Result<> run = requireRun(results.store()); !run) return run.error();
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    const auto path = results.ask(PathQuestion{.edges = EdgeLevel::Merges}, progress);
    if (!path.ok()) return path.error();
    const auto idle = results.ask(ProcessorIdleQuestion{}, progress);
    if (!idle.ok()) return idle.error();
    return sharedAnswer(schedulingAdvice(results, **graph, **path, **idle, thresholds, progress));
}

std::int64_t SchedulingQuestion::bytes(const SchedulingAnalysis& analysis)
{
    return bytesOf(analysis.recordedOrder) + bytesOf(analysis.entries) + bytesOf(analysis.afterIdle.evidence)
           + bytesOf(analysis.behindOthers.evidence)
           + bytesOfAll(analysis.tried, [](const TriedScheme& tried) { return bytesOf(tried.entries); })
           + bytesOfAll(analysis.advice, [](const Advice& advice) { return bytesOf(advice.evidence); });
}

Result<std::shared_ptr<const PriorityList>> PriorityListQuestion::compute(Results& results,
                                                                          const Progress& progress) const
{
    const auto scheduling = results.ask(SchedulingQuestion{thresholds}, progress);
    if (!scheduling.ok()) return scheduling.error();
    return std::make_shared<const PriorityList>(priorityList(results.store(), **scheduling, which));
}

std::int64_t PriorityListQuestion::bytes(const PriorityList& list) { return bytesOf(list.rows); }

}  // namespace longpole
