// SPDX-License-Identifier: GPL-3.0-or-later
// Lowers a cut until nothing that was received inside was sent outside.
#include "analysis/graph/cuts.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace longpole {

namespace {

// When the message that started a task left its sender; minTime if the trace does not say.
TimeNs sentAt(const ActivityGraph& graph, std::uint32_t task)
{
    const TimeNs sent = graph.sent(task);
    const std::uint32_t source = graph.source[task];
    return sent == minTime && source != noTask ? graph.begin[source] + graph.offset[task] : sent;
}

// The newest task that had begun before `time` on the PE of `task`, `task` or a later one: the trace may say that a
// message of `task` was sent after its end. O(log n).
std::uint32_t newestAt(const ActivityGraph& graph, std::uint32_t task, TimeNs time)
{
    const std::span<const std::uint32_t> tasks = graph.byProcessor[graph.pe[task]];
    const auto after = std::lower_bound(std::lower_bound(tasks.begin(), tasks.end(), task) + 1, tasks.end(), time,
                                        [&graph](std::uint32_t t, TimeNs wanted) { return graph.begin[t] < wanted; });
    return *(after - 1);
}

// Calls use(source) for all that a task needed: its message and its merges. `source` is the task that was newest on the
// sender's PE when that was sent. O(log n) each.
template <typename Use>
void forAllNeeded(const ActivityGraph& graph, std::uint32_t task, Use use)
{
    if (graph.source[task] != noTask) use(newestAt(graph, graph.source[task], sentAt(graph, task)));
    for (const MergeEdge& merge : mergesInto(graph.merges, task))
        use(newestAt(graph, merge.source, graph.begin[merge.source] + merge.offset));
}

// Makes the cut at `time` consistent: leaves out tasks that received something from outside of it, then all that needed
// a task that is left out, always with everything that follows on the same PE.
class Lowering {
public:
    Lowering(const ActivityGraph& graph, TimeNs time, ConsistentCut& result)
        : m_graph(graph), m_time(time), m_result(result), m_cut(result.cut),
          m_end(static_cast<std::uint32_t>(std::lower_bound(graph.begin.begin(), graph.begin.end(), time)
                                           - graph.begin.begin()))
    {
    }

    void run()
    {
        // A message that was received before it was sent, as clocks disagree, is where this begins.
        for (const ActivityGraph::SendTime& message : m_graph.sentApart)
            if (message.task < m_end && message.time > m_time) {
                ++m_result.received;
                stopBefore(message.task);
            }
        if (m_leftOut.empty()) return;
        findNeeding();
        while (!m_leftOut.empty()) {
            const std::uint32_t task = m_leftOut.back();
            m_leftOut.pop_back();
            for (std::size_t i = m_first[task]; i < m_first[task + 1]; ++i) stopBefore(m_needing[i]);
        }
    }

private:
    // Lists the tasks before the cut by the task that each of them needed.
    void findNeeding()
    {
        m_first.assign(m_end + std::size_t{1}, 0);
        const auto forAll = [this](auto use) {
            for (std::uint32_t task = 0; task < m_end; ++task)
                forAllNeeded(m_graph, task, [&](std::uint32_t source) {
                    if (source < m_end) use(source, task);
                });
        };
        forAll([this](std::uint32_t source, std::uint32_t) { ++m_first[source + 1]; });
        std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
        m_needing.resize(m_first.back());
        std::vector<std::size_t> next(m_first.begin(), m_first.end() - 1);
        forAll([&](std::uint32_t source, std::uint32_t task) { m_needing[next[source]++] = task; });
    }

    void stopBefore(std::uint32_t task)
    {
        if (!m_cut.holds(m_graph, task)) return;
        const std::uint32_t pe = m_graph.pe[task];
        const std::span<const std::uint32_t> tasks = m_graph.byProcessor[pe];
        const auto here = std::lower_bound(tasks.begin(), tasks.end(), task);
        for (auto left = here; left != tasks.end() && *left <= m_cut.last[pe]; ++left) m_leftOut.push_back(*left);
        m_cut.last[pe] = here == tasks.begin() ? noTask : *(here - 1);
        m_cut.until[pe] = m_graph.begin[task];
    }

    const ActivityGraph& m_graph;
    const TimeNs m_time;
    ConsistentCut& m_result;
    Cut& m_cut;
    std::uint32_t m_end;                   // the first task that begins after the vertical cut
    std::vector<std::uint32_t> m_leftOut;  // tasks whose dependents have still to be left out
    std::vector<std::size_t> m_first;      // by task: where its dependents begin in m_needing
    std::vector<std::uint32_t> m_needing;
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
        const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
        const auto after = std::lower_bound(tasks.begin(), tasks.end(), end);
        if (after != tasks.begin()) cut.last[pe] = *(after - 1);
    }
    return cut;
}

ConsistentCut consistentCut(const ActivityGraph& graph, TimeNs time)
{
    ConsistentCut result{.cut = verticalCut(graph, time), .lowest = time};
    Lowering(graph, time, result).run();
    for (const TimeNs until : result.cut.until) {
        if (until < time) ++result.lowered;
        result.lowest = std::min(result.lowest, until);
    }
    return result;
}

}  // namespace longpole
