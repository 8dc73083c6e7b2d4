// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the rules together. Each needs the other's result: an execution that contributes to a reduction acts, and one
// that only buffered does not contribute. So reductions are looked for first, then entry methods that buffer, then
// reductions again.
#include "analysis/graph/mergeinference.h"

#include "analysis/graph/buffermerges.h"
#include "analysis/graph/reductionmerges.h"
#include "analysis/graph/taskobjects.h"
#include "core/base/result.h"

#include <algorithm>
#include <span>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t mostContributors = 8;  // contributors that are kept for a result that starts several tasks
constexpr std::size_t mostExamples = 5;      // of each kind

MergeEdge contribution(const ActivityGraph& graph, std::uint32_t task, std::uint32_t source)
{
    const TimeNs most = graph.begin[task] - graph.begin[source];
    return {task, source, std::min<TimeNs>(graph.duration[source], most), MergeKind::Reduction};
}

// Every source to every target, in one pass in the order of tasks. A result that an element's task broadcasts keeps
// only the sources with the longest paths, else its edges would be as many as the product of both: so the pass computes
// heads as workHeads does, by messages, by the edges given, which are sorted, and by those it makes.
class ReductionEdges {
public:
    ReductionEdges(const ActivityGraph& graph, Reductions& reductions) : m_graph(graph), m_reductions(reductions)
    {
        for (std::uint32_t g = 0; g < reductions.groups.size(); ++g) {
            const ReductionGroup& group = reductions.groups[g];
            for (std::size_t t = 0; t < group.targets; ++t)
                m_targets.emplace_back(reductions.targets[group.firstTarget + t], g);
        }
        std::sort(m_targets.begin(), m_targets.end());
    }

    std::vector<MergeEdge> make(const std::vector<MergeEdge>& others)
    {
        std::vector<MergeEdge> edges;
        m_head.resize(m_graph.size());
        auto other = others.begin();
        auto target = m_targets.begin();
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            TimeNs& head = m_head[task];
            const auto raise = [&](std::uint32_t source, TimeNs offset) {
                head = std::max(head, m_head[source] + offset);
            };
            if (m_graph.source[task] != noTask) raise(m_graph.source[task], m_graph.offset[task]);
            for (; other != others.end() && other->task == task; ++other) raise(other->source, other->offset);
            for (; target != m_targets.end() && target->first == task; ++target)
                for (const std::uint32_t source : sourcesOf(m_reductions.groups[target->second])) {
                    if (source >= task || m_graph.source[task] == source) continue;
                    edges.push_back(contribution(m_graph, task, source));
                    raise(source, edges.back().offset);
                }
        }
        return edges;
    }

private:
    std::span<const std::uint32_t> sourcesOf(ReductionGroup& group)
    {
        const auto first = m_reductions.sources.begin() + static_cast<std::ptrdiff_t>(group.firstSource);
        if (group.targets > 1 && group.sources > mostContributors) {
            const auto length = [this](std::uint32_t task) { return m_head[task] + m_graph.duration[task]; };
            std::partial_sort(first, first + mostContributors, first + static_cast<std::ptrdiff_t>(group.sources),
                              [&length](std::uint32_t a, std::uint32_t b) {
                                  return std::pair(length(a), b) > std::pair(length(b), a);
                              });
            group.sources = mostContributors;
        }
        return {first, group.sources};
    }

    const ActivityGraph& m_graph;
    Reductions& m_reductions;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_targets;  // graph task, group
    std::vector<TimeNs> m_head;
};

// Sorts the edges, and keeps one for each pair of tasks.
void tidy(std::vector<MergeEdge>& edges)
{
    std::sort(edges.begin(), edges.end());
    const auto isSame = [](const MergeEdge& a, const MergeEdge& b) { return a.task == b.task && a.source == b.source; };
    edges.erase(std::unique(edges.begin(), edges.end(), isSame), edges.end());
}

}  // namespace

Result<MergeInference> inferMerges(const TraceStore& store, const ActivityGraph& graph, const Progress& progress)
{
    if (graph.hasRanks) return MergeInference{};  // in an MPI run it is known what a call waited for
    const Result<TaskObjects> objects = taskObjects(store, graph, progress);
    if (!objects) return objects.error();
    const Reductions guessed = findReductions(graph, *objects, store.entries(), {});
    if (progress.isCancelled()) return cancelledError();
    Buffering buffering = findBuffering(graph, *objects, guessed.contributes);
    if (progress.isCancelled()) return cancelledError();
    Reductions reductions = findReductions(graph, *objects, store.entries(), buffering.silent);
    if (progress.isCancelled()) return cancelledError();

    MergeInference result;
    result.edges = bufferMerges(graph, *objects, buffering);
    if (progress.isCancelled()) return cancelledError();
    tidy(result.edges);
    const std::vector<MergeEdge> contributions = ReductionEdges(graph, reductions).make(result.edges);
    result.edges.insert(result.edges.end(), contributions.begin(), contributions.end());
    tidy(result.edges);
    result.entries = std::move(buffering.entries);
    for (const MergeEdge& edge : result.edges) {
        std::int64_t& count = edge.kind == MergeKind::Buffered ? result.buffered : result.reductions;
        if (static_cast<std::size_t>(count++) < mostExamples) result.examples.push_back(edge);
    }
    return result;
}

}  // namespace longpole
