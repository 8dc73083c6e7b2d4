// SPDX-License-Identifier: GPL-3.0-or-later
// Each asks for the graph, which others may have asked for before.
#include "analysis/waiting/idlequestions.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

namespace longpole {

Result<std::shared_ptr<const ProcessorIdle>> ProcessorIdleQuestion::compute(Results& results,
                                                                            const Progress& progress) const
{
    return sharedAnswer(processorIdle(results.store(), progress));
}

std::int64_t ProcessorIdleQuestion::bytes(const ProcessorIdle& idle) { return bytesOf(idle); }

Result<std::shared_ptr<const Synchronizations>> SynchronizationsQuestion::compute(Results& results,
                                                                                  const Progress& progress) const
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    return sharedAnswer(synchronizations(results.store(), **graph, progress));
}

std::int64_t SynchronizationsQuestion::bytes(const Synchronizations& found)
{
    return bytesOf(found.ending) + bytesOf(found.carrying) + bytesOf(found.gathering);
}

Result<std::shared_ptr<const IdleLabels>> IdleLabelsQuestion::compute(Results& results, const Progress& progress) const
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    const auto idle = results.ask(ProcessorIdleQuestion{}, progress);
    if (!idle.ok()) return idle.error();
    const auto found = results.ask(SynchronizationsQuestion{}, progress);
    if (!found.ok()) return found.error();
    return sharedAnswer(idleLabels(**graph, **idle, (*found)->ending, stages, progress, (*found)->carrying,
                                   (*found)->haveThreads, chosen));
}

std::int64_t IdleLabelsQuestion::bytes(const IdleLabels& labels)
{
    std::int64_t sum = bytesOf(labels.byPe) + bytesOf(labels.stageEdges) + bytesOf(labels.byStage)
                       + bytesOf(labels.parallelismByStage) + bytesOf(labels.synchronizationByStage)
                       + bytesOf(labels.byEntry) + bytesOf(labels.blamed);
    for (const std::vector<LabelledIdle>& longest : labels.longest) sum += bytesOf(longest);
    return sum;
}

}  // namespace longpole
