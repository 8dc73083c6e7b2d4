// SPDX-License-Identifier: GPL-3.0-or-later
// Each looks at the graph, and at its heads where lengths are shown.
#include "analysis/paths/taskquestions.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

namespace longpole {

Result<std::shared_ptr<const Subgraph>> SubgraphQuestion::compute(Results& results, const Progress& progress) const
{
    const auto graph = results.ask(graphOf(edges, {}), progress);
    if (!graph.ok()) return graph.error();
    const auto heads = results.ask(HeadsQuestion{edges}, progress);
    if (!heads.ok()) return heads.error();
    return sharedAnswer(subgraph(**graph, **heads, choice, progress));
}

std::int64_t SubgraphQuestion::bytes(const Subgraph& graph) { return bytesOf(graph.nodes) + bytesOf(graph.edges); }

Result<std::shared_ptr<const ActivityTable>> ActivityTableQuestion::compute(Results& results,
                                                                            const Progress& progress) const
{
    const auto graph = results.ask(graphOf(edges, {}), progress);
    if (!graph.ok()) return graph.error();
    const auto heads = results.ask(HeadsQuestion{edges}, progress);
    if (!heads.ok()) return heads.error();
    results.makeRoomFor(20 * static_cast<std::int64_t>((*graph)->size()));
    return sharedAnswer(activityTable(results.store(), **graph, **heads, pe, progress));
}

Result<std::shared_ptr<const ExposingQuestion::Answer>> ExposingQuestion::compute(Results& results,
                                                                                  const Progress& progress) const
{
    const auto graph = results.ask(graphOf(edges, part), progress);
    if (!graph.ok()) return graph.error();
    const Result<Dependencies> known = pathEdges(results, edges, part, progress);
    if (!known.ok()) return known.error();
    results.makeRoomFor(40 * static_cast<std::int64_t>((*graph)->size()));
    return sharedAnswer(exposingTasks(**graph, *known, count, progress));
}

std::int64_t ExposingQuestion::bytes(const Answer& tasks)
{
    return bytesOfAll(tasks, [](const ExposingTask& task) { return bytesOf(task.steps); });
}

}  // namespace longpole
