// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the tasks of a subgraph and collects the dependencies among them.
#include "analysis/paths/subgraph.h"

#include "analysis/graph/pathend.h"
#include "analysis/paths/backtrace.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace longpole {

namespace {

// The tasks of a path, oldest first, and what leads from each to the next.
struct PathTasks {
    std::vector<std::uint32_t> tasks;
    std::vector<Predecessor> into;  // by task; Start at the first
};

PathTasks tracePath(const ActivityGraph& graph, const WorkHeads& heads, std::uint32_t task)
{
    PathTasks path;
    while (task != noTask) {
        const Predecessor before = heads.head[task] == 0 ? Predecessor{} : predecessorOf(graph, heads, task);
        path.tasks.push_back(task);
        path.into.push_back(before);
        task = before.source;
    }
    std::reverse(path.tasks.begin(), path.tasks.end());
    std::reverse(path.into.begin(), path.into.end());
    return path;
}

class Chooser {
public:
    Chooser(const ActivityGraph& graph, const WorkHeads& heads, const SubgraphChoice& choice)
        : m_graph(graph), m_heads(heads), m_choice(choice), m_range(choice.range.isEmpty() ? graph.run : choice.range),
          m_onPath(graph.size()), m_near(graph.size())
    {
    }

    Result<Subgraph> choose(const Progress& progress)
    {
        if (m_heads.head.size() != m_graph.size()) return cancelledError();
        Subgraph result;
        result.level = m_heads.edges.level;
        if (m_graph.size() == 0) return result;
        const Result<PathEnd> end = m_choice.to ? pathEnd(m_graph, *m_choice.to)
                                                : wholeTask(m_graph, farthestEnd(m_graph, m_heads));
        if (!end) return end.error();
        m_path = tracePath(m_graph, m_heads, end->task);
        markPath();
        collect();
        if (progress.isCancelled()) return cancelledError();
        cut(result);
        std::sort(m_chosen.begin(), m_chosen.end());
        addNodes(result);
        addEdges(result);
        cutEdges(result);
        return result;
    }

private:
    bool isOrdered() const { return keepsOrder(m_heads.edges.level); }

    void markPath()
    {
        for (const std::uint32_t task : m_path.tasks) m_onPath[task] = true;
        for (const std::uint32_t task : m_path.tasks) {
            if (m_graph.source[task] != noTask) m_near[m_graph.source[task]] = true;
            if (const std::uint32_t before = isOrdered() ? m_graph.previous(task) : noTask; before != noTask)
                m_near[before] = true;
        }
        for (const MergeEdge& merge : m_heads.edges.merges) {
            if (m_onPath[merge.task]) m_near[merge.source] = true;
            if (m_onPath[merge.source]) m_near[merge.task] = true;
        }
    }

    // The tasks of the choice in three lists. Those on the path are in order.
    void collect()
    {
        const auto isChosen = [this](std::uint32_t task) {
            const RankRange ranks = tasksTouching(m_graph, ProcessorId{m_graph.pe[task]}, m_range);
            const std::span<const std::uint32_t> tasks = m_graph.byProcessor[m_graph.pe[task]];
            return hasPe(m_graph.pe[task]) && ranks.first < ranks.last && tasks[ranks.first] <= task
                   && task <= tasks[ranks.last - 1];
        };
        for (const std::uint32_t task : m_path.tasks)
            if (isChosen(task)) m_kept.push_back(task);
        for (std::uint32_t pe = 0; pe < m_graph.byProcessor.size(); ++pe) {
            if (!hasPe(pe)) continue;
            const RankRange ranks = tasksTouching(m_graph, ProcessorId{pe}, m_range);
            for (std::size_t rank = ranks.first; rank < ranks.last; ++rank) collect(pe, rank);
        }
    }

    void collect(std::uint32_t pe, std::size_t rank)
    {
        const std::uint32_t task = m_graph.byProcessor[pe][rank];
        if (m_onPath[task]) return;
        const std::uint32_t source = m_graph.source[task];
        const bool isNext = (source != noTask && m_onPath[source])
                            || (isOrdered() && rank > 0 && m_onPath[m_graph.byProcessor[pe][rank - 1]]);
        if (isNext || m_near[task]) m_beside.push_back(task);
        else if (!m_choice.aroundPath) m_others.push_back(task);
    }

    bool hasPe(std::uint32_t pe) const
    {
        return m_choice.pes.empty() || std::binary_search(m_choice.pes.begin(), m_choice.pes.end(), ProcessorId{pe});
    }

    void cut(Subgraph& result)
    {
        const std::size_t most = std::min(m_choice.most, mostSubgraphNodes);
        const std::size_t all = m_kept.size() + m_beside.size() + m_others.size();
        const std::size_t onPath = std::min(most, m_kept.size());
        m_chosen.assign(m_kept.end() - static_cast<std::ptrdiff_t>(onPath), m_kept.end());
        const auto isLonger = [this](std::uint32_t a, std::uint32_t b) {
            return m_graph.duration[a] != m_graph.duration[b] ? m_graph.duration[a] > m_graph.duration[b] : a < b;
        };
        if (m_choice.aroundPath) take(m_beside, most, std::greater<>());
        else take(m_beside, most, isLonger);
        take(m_others, most, isLonger);
        result.omitted = static_cast<std::int64_t>(all - m_chosen.size());
        result.omittedOnPath = static_cast<std::int64_t>(m_kept.size() - onPath);
    }

    // As many of the first in that order as there is room for.
    template <typename IsBefore>
    void take(std::vector<std::uint32_t>& tasks, std::size_t most, IsBefore isBefore)
    {
        const std::size_t room = std::min(most - m_chosen.size(), tasks.size());
        const auto end = tasks.begin() + static_cast<std::ptrdiff_t>(room);
        if (room < tasks.size()) std::nth_element(tasks.begin(), end, tasks.end(), isBefore);
        m_chosen.insert(m_chosen.end(), tasks.begin(), end);
    }

    void addNodes(Subgraph& result) const
    {
        for (const std::uint32_t task : m_chosen)
            result.nodes.push_back({m_graph.id(task), EntryId{m_graph.entry[task]}, m_graph.begin[task],
                                    m_graph.end(task), m_heads.head[task] + m_graph.duration[task], m_onPath[task]});
    }

    void addEdges(Subgraph& result) const
    {
        for (std::uint32_t node = 0; node < m_chosen.size(); ++node) {
            const std::uint32_t task = m_chosen[node];
            if (m_graph.source[task] != noTask)
                addEdge(result, node, {PathEdge::Message, m_graph.source[task], m_graph.offset[task]});
            for (const MergeEdge& merge : mergesInto(m_heads.edges.merges, task))
                addEdge(result, node, {pathEdge(merge), merge.source, merge.offset});
            if (const std::uint32_t before = isOrdered() ? m_graph.previous(task) : noTask; before != noTask)
                addEdge(result, node, {PathEdge::Order, before, m_graph.duration[before]});
        }
    }

    // Messages and processor order are at most two for each task: they fit.
    static void cutEdges(Subgraph& result)
    {
        std::vector<Subgraph::Edge>& edges = result.edges;
        if (edges.size() <= mostSubgraphEdges) return;
        const auto isBefore = [&edges](std::uint32_t a, std::uint32_t b) {
            const auto stays = [](const Subgraph::Edge& edge) {
                return edge.onPath || edge.kind == PathEdge::Message || edge.kind == PathEdge::Order;
            };
            return std::tuple(stays(edges[a]), edges[a].length, b) > std::tuple(stays(edges[b]), edges[b].length, a);
        };
        std::vector<std::uint32_t> kept(edges.size());
        std::iota(kept.begin(), kept.end(), 0U);
        std::nth_element(kept.begin(), kept.begin() + mostSubgraphEdges, kept.end(), isBefore);
        kept.resize(mostSubgraphEdges);
        std::sort(kept.begin(), kept.end());
        result.omittedEdges = static_cast<std::int64_t>(edges.size() - kept.size());
        for (std::size_t i = 0; i < kept.size(); ++i) edges[i] = edges[kept[i]];
        edges.resize(kept.size());
    }

    void addEdge(Subgraph& result, std::uint32_t target, const Predecessor& from) const
    {
        const auto source = std::lower_bound(m_chosen.begin(), m_chosen.end(), from.source);
        if (source == m_chosen.end() || *source != from.source) return;
        result.edges.push_back({static_cast<std::uint32_t>(source - m_chosen.begin()), target, from.edge, from.offset,
                                m_heads.head[from.source] + from.offset, isOnPath(m_chosen[target], from)});
    }

    bool isOnPath(std::uint32_t task, const Predecessor& from) const
    {
        if (!m_onPath[task]) return false;
        const auto at = std::lower_bound(m_path.tasks.begin(), m_path.tasks.end(), task);
        return m_path.into[static_cast<std::size_t>(at - m_path.tasks.begin())] == from;
    }

    const ActivityGraph& m_graph;
    const WorkHeads& m_heads;
    const SubgraphChoice& m_choice;
    TimeRange m_range;
    std::vector<bool> m_onPath;
    std::vector<bool> m_near;  // a dependency away from a task on the path, as far as seen from there
    PathTasks m_path;
    std::vector<std::uint32_t> m_kept, m_beside, m_others;  // on the path, next to it, neither
    std::vector<std::uint32_t> m_chosen;
};

}  // namespace

RankRange tasksTouching(const ActivityGraph& graph, ProcessorId pe, TimeRange range)
{
    if (index(pe) >= graph.byProcessor.size()) return {};
    const std::span<const std::uint32_t> tasks = graph.byProcessor[index(pe)];
    // Tasks of length zero lie in the range if they begin in it.
    const auto first = std::partition_point(tasks.begin(), tasks.end(), [&](std::uint32_t task) {
        return graph.end(task) < range.begin || (graph.end(task) == range.begin && graph.duration[task] > 0);
    });
    // The run's last instant belongs to it.
    const bool hasEnd = range.end >= graph.run.end;
    const auto last = std::partition_point(first, tasks.end(), [&](std::uint32_t task) {
        return graph.begin[task] < range.end || (hasEnd && graph.begin[task] == range.end);
    });
    return {static_cast<std::size_t>(first - tasks.begin()), static_cast<std::size_t>(last - tasks.begin())};
}

Result<Subgraph> subgraph(const ActivityGraph& graph, const WorkHeads& heads, const SubgraphChoice& choice,
                          const Progress& progress)
{
    return Chooser(graph, heads, choice).choose(progress);
}

}  // namespace longpole
