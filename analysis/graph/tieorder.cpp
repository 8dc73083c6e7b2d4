// SPDX-License-Identifier: GPL-3.0-or-later
// Kahn's algorithm inside groups of tasks that begin at the same instant.
#include "analysis/graph/tieorder.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <vector>

namespace longpole {

namespace {

// One group of tasks with the same begin: order[first, last). They are numbered by their place in the group, at first
// in order of (pe, index). Of the tasks that are ready, the one with the smallest number goes first.
class TieGroup {
public:
    // `merges` are sorted by task.
    TieGroup(TaskColumns& columns, std::span<MergeEdge* const> merges, TimeOrder& tasks, std::size_t first,
             std::size_t last)
        : m_columns(columns), m_tasks(tasks), m_first(first), m_size(last - first),
          m_patience((1 << 20) + 64 * static_cast<std::int64_t>(m_size))
    {
        m_positions.assign(tasks.order.begin() + static_cast<std::ptrdiff_t>(first),
                           tasks.order.begin() + static_cast<std::ptrdiff_t>(last));
        m_pes.assign(tasks.pe.begin() + static_cast<std::ptrdiff_t>(first),
                     tasks.pe.begin() + static_cast<std::ptrdiff_t>(last));
        findEdges(merges);
    }

    void sort(TieResult& result)
    {
        std::uint32_t smallest = 0;
        while (m_done.size() < m_size) {
            while (!m_ready.empty()) finish(takeReady());
            while (smallest < m_size && m_isDone[smallest]) ++smallest;
            if (smallest < m_size) breakCycle(smallest, result);
        }
        for (std::size_t i = 0; i < m_size; ++i) {
            const std::uint32_t position = m_positions[m_done[i]];
            m_tasks.order[m_first + i] = position;
            m_tasks.pe[m_first + i] = m_pes[m_done[i]];
            m_tasks.graphTaskAt[position] = static_cast<std::uint32_t>(m_first + i);
        }
    }

private:
    // `task` has to come after `from`: it got its message, or merged with it (then `merge` is the edge).
    struct Edge {
        std::uint32_t from;
        std::uint32_t task;
        MergeEdge* merge;
    };

    void findEdges(std::span<MergeEdge* const> merges)
    {
        m_previous.assign(m_size, noTask);
        m_waits.assign(m_size, 0);
        m_isDone.assign(m_size, false);
        m_seen.assign(m_size, 0);
        m_held.assign(m_size, 0);
        for (std::uint32_t i = 0; i < m_size; ++i) {
            // The group is in order of position, so tasks that follow each other on a PE follow each other here.
            if (i > 0 && m_positions[i - 1] + 1 == m_positions[i] && m_pes[i - 1] == m_pes[i]) {
                m_previous[i] = i - 1;
                ++m_waits[i];
            }
            addEdge(m_columns.source[m_positions[i]], i, nullptr);
            const auto byTask = [](const MergeEdge* merge, std::uint32_t task) { return merge->task < task; };
            for (auto merge = std::lower_bound(merges.begin(), merges.end(), m_positions[i], byTask);
                 merge != merges.end() && (*merge)->task == m_positions[i]; ++merge)
                addEdge((*merge)->source, i, *merge);
        }
        m_into.resize(m_size + 1);
        m_outOf.resize(m_size + 1);
        for (std::uint32_t e = 0; e < m_edges.size(); ++e) {
            m_into[m_edges[e].task].push_back(e);
            m_outOf[m_edges[e].from].push_back(e);
        }
        for (std::uint32_t i = 0; i < m_size; ++i)
            if (m_waits[i] == 0) m_ready.push(i);
    }

    void addEdge(std::uint32_t source, std::uint32_t task, MergeEdge* merge)
    {
        if (source == noTask) return;
        const std::size_t place = m_tasks.graphTaskAt[source];
        if (place < m_first || place >= m_first + m_size || place - m_first == task) return;
        m_edges.push_back({static_cast<std::uint32_t>(place - m_first), task, merge});
        ++m_waits[task];
    }

    std::uint32_t takeReady()
    {
        const std::uint32_t task = m_ready.top();
        m_ready.pop();
        return task;
    }

    void finish(std::uint32_t task)
    {
        m_isDone[task] = true;
        m_done.push_back(task);
        if (task + 1 < m_size && m_previous[task + 1] == task) release(task + 1);
        for (const std::uint32_t e : m_outOf[task])
            if (m_edges[e].from == task) release(m_edges[e].task);
    }

    void release(std::uint32_t task)
    {
        if (--m_waits[task] == 0) m_ready.push(task);
    }

    // What a task that is not done still waits for: the task before it on its PE (then there is no edge), or an edge.
    struct Hold {
        std::uint32_t from;
        std::uint32_t edge;
    };
    // O(edges) over all calls: an edge that was dropped, or whose source is done, is never looked at again.
    Hold holdOf(std::uint32_t task)
    {
        if (m_previous[task] != noTask && !m_isDone[m_previous[task]]) return {m_previous[task], noTask};
        const std::vector<std::uint32_t>& into = m_into[task];
        for (std::uint32_t& at = m_held[task]; at < into.size(); ++at)
            if (const Edge& edge = m_edges[into[at]]; edge.from != noTask && !m_isDone[edge.from])
                return {edge.from, into[at]};
        return {task, noTask};
    }

    // No task is ready: a walk back from `from`, the first that is not done, over what each one waits for must come
    // into a cycle. Of the edges on the cycle the one into the smallest (pe, index) is dropped. Where cycles are so
    // many that these walks take long, the first task that is not done waits for nothing any more.
    void breakCycle(std::uint32_t from, TieResult& result)
    {
        if (m_patience < 0) return free(from, result);
        ++m_round;
        std::uint32_t task = from;
        for (; m_seen[task] != m_round; --m_patience) {
            m_seen[task] = m_round;
            task = holdOf(task).from;
        }
        std::uint32_t victim = noTask;
        std::uint32_t walk = task;
        do {
            const Hold hold = holdOf(walk);
            if (hold.edge != noTask && (victim == noTask || walk < m_edges[victim].task)) victim = hold.edge;
            walk = hold.from;
        } while (walk != task);
        drop(m_edges[victim], result);
    }

    void drop(Edge& edge, TieResult& result)
    {
        const std::uint32_t position = m_positions[edge.task];
        if (result.dropped++ == 0) result.firstDropped = position;
        (edge.merge ? edge.merge->source : m_columns.source[position]) = noTask;
        edge.from = noTask;
        release(edge.task);
    }

    // Drops all edges into the task. The task before it on its PE is done, as this is the first task that is not.
    void free(std::uint32_t task, TieResult& result)
    {
        for (const std::uint32_t e : m_into[task])
            if (m_edges[e].from != noTask && !m_isDone[m_edges[e].from]) drop(m_edges[e], result);
    }

    TaskColumns& m_columns;
    TimeOrder& m_tasks;
    std::size_t m_first;
    std::size_t m_size;
    std::vector<std::uint32_t> m_positions, m_pes;
    std::vector<std::uint32_t> m_previous, m_waits;
    std::vector<Edge> m_edges;                                // an edge with from == noTask was dropped
    std::vector<std::vector<std::uint32_t>> m_into, m_outOf;  // edges of each task
    std::vector<std::uint32_t> m_seen;                        // by task: the last search for a cycle that saw it
    std::vector<std::uint32_t> m_held;  // by task: from which of m_into on edges may still hold it up
    std::uint32_t m_round = 0;
    std::int64_t m_patience;  // steps that searches for cycles may still take
    std::vector<bool> m_isDone;
    std::vector<std::uint32_t> m_done;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> m_ready;
};

bool isAgainstOrder(const TaskColumns& columns, const TimeOrder& tasks, std::uint32_t source, std::uint32_t task)
{
    return source != noTask && task != noTask && tasks.graphTaskAt[source] > tasks.graphTaskAt[task]
           && columns.begin[source] == columns.begin[task];
}

// Lists the merges between tasks that begin at the same instant, by task; and the places of tasks that stand before
// something they wait for.
std::vector<MergeEdge*> tiedMerges(TaskColumns& columns, const TimeOrder& tasks, std::vector<std::size_t>& wrong)
{
    std::vector<MergeEdge*> tied;
    for (MergeEdge& merge : columns.merges) {
        if (merge.source == noTask || merge.task == noTask) continue;
        if (columns.begin[merge.source] != columns.begin[merge.task]) continue;
        tied.push_back(&merge);
        if (isAgainstOrder(columns, tasks, merge.source, merge.task)) wrong.push_back(tasks.graphTaskAt[merge.task]);
    }
    std::stable_sort(tied.begin(), tied.end(),
                     [](const MergeEdge* a, const MergeEdge* b) { return a->task < b->task; });
    return tied;
}

}  // namespace

bool isInOrder(const TaskColumns& columns, const TimeOrder& tasks)
{
    return std::none_of(columns.merges.begin(), columns.merges.end(), [&](const MergeEdge& merge) {
        return isAgainstOrder(columns, tasks, merge.source, merge.task);
    });
}

TieResult orderTies(TaskColumns& columns, TimeOrder& tasks, bool withMerges)
{
    const std::vector<std::uint32_t>& order = tasks.order;
    std::vector<std::size_t> wrong;
    std::vector<MergeEdge*> merges;
    if (withMerges) merges = tiedMerges(columns, tasks, wrong);
    for (std::size_t i = 0; i < order.size(); ++i)
        if (isAgainstOrder(columns, tasks, columns.source[order[i]], order[i])) wrong.push_back(i);
    std::sort(wrong.begin(), wrong.end());
    TieResult result;
    std::size_t last = 0;
    for (const std::size_t i : wrong) {
        if (i < last) continue;
        const TimeNs begin = columns.begin[order[i]];
        std::size_t first = i;
        while (first > 0 && columns.begin[order[first - 1]] == begin) --first;
        last = i + 1;
        while (last < order.size() && columns.begin[order[last]] == begin) ++last;
        TieGroup(columns, merges, tasks, first, last).sort(result);
    }
    return result;
}

}  // namespace longpole
