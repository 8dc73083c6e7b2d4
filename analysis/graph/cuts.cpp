// SPDX-License-Identifier: GPL-3.0-or-later
// Lowers a cut until nothing that was received inside was sent outside.
#include "analysis/graph/cuts.h"

#include <algorithm>

namespace longpole {

namespace {

// When the message that started a task left its sender; minTime if the trace does not say.
TimeNs sentAt(const ActivityGraph& graph, std::uint32_t task)
{
    const TimeNs sent = graph.sent(task);
    const std::uint32_t source = graph.source[task];
    return sent == minTime && source != noTask ? graph.begin[source] + graph.offset[task] : sent;
}

// The trace may say that a message of `task` was sent after its end: the task of that PE that ran or had ended last
// before `time`.
std::uint32_t newestAt(const ActivityGraph& graph, std::uint32_t task, TimeNs time)
{
    if (time <= graph.end(task)) return task;
    const std::vector<std::uint32_t>& tasks = graph.byProcessor[graph.pe[task]];
    auto after = std::lower_bound(tasks.begin(), tasks.end(), task) + 1;
    while (after != tasks.end() && graph.begin[*after] < time) ++after;
    return *(after - 1);
}

// Calls use(source, time) for the message and the merges that a task waited for, until it returns false: each was sent
// at `time`, when `source` was the newest task of its PE. O(log n).
template <typename Use>
bool forAllNeeded(const ActivityGraph& graph, std::uint32_t task, Use use)
{
    if (graph.source[task] != noTask) {
        const TimeNs sent = sentAt(graph, task);
        if (!use(newestAt(graph, graph.source[task], sent), sent)) return false;
    }
    const std::span<const MergeEdge> merges = mergesInto(graph.merges, task);
    return std::all_of(merges.begin(), merges.end(), [&](const MergeEdge& merge) {
        return use(merge.source, graph.begin[merge.source] + merge.offset);
    });
}

// Stops PEs before tasks that the cut at `time` cannot hold.
class Lowering {
public:
    Lowering(const ActivityGraph& graph, TimeNs time, ConsistentCut& result)
        : m_graph(graph), m_time(time), m_cut(result.cut),
          m_end(static_cast<std::uint32_t>(std::lower_bound(graph.begin.begin(), graph.begin.end(), time)
                                           - graph.begin.begin()))
    {
        // Only where clocks disagree was anything received before it was sent.
        for (const ActivityGraph::SendTime& message : graph.sentApart)
            if (message.task < m_end && message.time > time) {
                ++result.received;
                lower(message.task);
            }
        while (m_from < m_end) pass();
    }

private:
    bool canStay(std::uint32_t task) const
    {
        if (m_graph.source[task] == noTask && sentAt(m_graph, task) > m_time) return false;
        return forAllNeeded(m_graph, task,
                            [&](std::uint32_t source, TimeNs time) { return m_cut.holds(m_graph, source, time); });
    }

    // What was sent after the time at which a PE now stops was received after that time, so only tasks from m_from on
    // are looked at again. Where clocks disagree that does not hold: those messages (sentApart) are all looked at.
    void pass()
    {
        const std::uint32_t from = m_from;
        m_from = m_end;
        for (const ActivityGraph::SendTime& message : m_graph.sentApart) {
            if (message.task >= from) break;
            look(message.task);
        }
        for (std::uint32_t task = from; task < m_end; ++task) look(task);
    }

    void look(std::uint32_t task)
    {
        if (m_cut.holds(m_graph, task) && !canStay(task)) lower(task);
    }

    void lower(std::uint32_t task)
    {
        const std::uint32_t pe = m_graph.pe[task];
        if (!m_cut.holds(m_graph, task)) return;
        m_cut.last[pe] = m_graph.previous(task);
        m_cut.until[pe] = m_graph.begin[task];
        m_from = std::min(m_from, task);
    }

    const ActivityGraph& m_graph;
    TimeNs m_time;
    Cut& m_cut;
    std::uint32_t m_end;            // the first task that the vertical cut does not hold
    std::uint32_t m_from = noTask;  // look again from here on
};

}  // namespace

bool Cut::holds(const ActivityGraph& graph, std::uint32_t task) const
{
    const std::uint32_t newest = last[graph.pe[task]];
    return newest != noTask && task <= newest;
}

bool Cut::holds(const ActivityGraph& graph, std::uint32_t task, TimeNs time) const
{
    return holds(graph, task) && time <= until[graph.pe[task]];
}

Cut verticalCut(const ActivityGraph& graph, TimeNs time)
{
    const auto end = static_cast<std::uint32_t>(std::lower_bound(graph.begin.begin(), graph.begin.end(), time)
                                                - graph.begin.begin());
    Cut cut{std::vector<std::uint32_t>(graph.byProcessor.size(), noTask),
            std::vector<TimeNs>(graph.byProcessor.size(), time)};
    for (std::size_t pe = 0; pe < graph.byProcessor.size(); ++pe) {
        const std::vector<std::uint32_t>& tasks = graph.byProcessor[pe];
        const auto after = std::lower_bound(tasks.begin(), tasks.end(), end);
        if (after != tasks.begin()) cut.last[pe] = *(after - 1);
    }
    return cut;
}

ConsistentCut consistentCut(const ActivityGraph& graph, TimeNs time)
{
    ConsistentCut result{.cut = verticalCut(graph, time), .lowest = time};
    Lowering(graph, time, result);
    for (const TimeNs until : result.cut.until) {
        if (until < time) ++result.lowered;
        result.lowest = std::min(result.lowest, until);
    }
    return result;
}

}  // namespace longpole
