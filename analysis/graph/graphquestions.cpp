// SPDX-License-Identifier: GPL-3.0-or-later
// Answers questions about the graph: loads it, clips it, infers merges.
#include "analysis/graph/graphquestions.h"

#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

namespace longpole {

Result<std::shared_ptr<const ActivityGraph>> GraphQuestion::compute(Results& results, const Progress& progress) const
{
    if (edges == GraphEdges::Data && !results.store().info().hasRanks())
        return results.ask(GraphQuestion{.part = part}, progress);
    if (part.isEmpty()) return loadActivityGraph(results.store(), progress, edges);
    const auto whole = results.ask(GraphQuestion{.edges = edges}, progress);
    if (!whole.ok()) return whole.error();
    return clip(**whole, part);
}

std::int64_t GraphQuestion::bytes(const ActivityGraph& graph)
{
    return bytesOf(graph.begin) + graph.duration.bytes() + bytesOf(graph.pe) + bytesOf(graph.taskIndex)
           + bytesOf(graph.entry) + bytesOf(graph.source) + graph.offset.bytes() + graph.queued.bytes()
           + bytesOf(graph.flags) + bytesOf(graph.sentApart) + bytesOf(graph.merges) + bytesOf(graph.inner)
           + bytesOf(graph.innerByIndex) + bytesOf(graph.exclusiveByEntry) + bytesOf(graph.issues)
           + graph.byProcessor.bytes();
}

Result<std::shared_ptr<const MergeInference>> MergesQuestion::compute(Results& results, const Progress& progress) const
{
    const auto graph = results.ask(GraphQuestion{part}, progress);
    if (!graph.ok()) return graph.error();
    results.makeRoomFor(50 * static_cast<std::int64_t>((*graph)->size()));  // see inferMerges
    return sharedAnswer(inferMerges(results.store(), **graph, progress));
}

std::int64_t MergesQuestion::bytes(const MergeInference& merges)
{
    return bytesOf(merges.edges) + bytesOf(merges.entries) + bytesOf(merges.examples);
}

TimeRange partOf(const TraceStore& store, TimeRange range)
{
    return range == store.info().range() ? TimeRange{} : range;
}

}  // namespace longpole
