// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/waiting/queuewindows.h"

#include <algorithm>
#include <iterator>

namespace longpole {

std::vector<std::uint32_t> criticalTasks(const ActivityGraph& graph, const CriticalPath& path)
{
    std::vector<std::uint32_t> tasks;
    std::vector<bool> isListed(graph.size());
    for (const PathStep& step : path.steps) {
        if (step.part != PathPart::Compute) continue;
        const std::uint32_t task = graph.find(step.task);
        if (task == noTask || isListed[task]) continue;
        isListed[task] = true;
        tasks.push_back(task);
    }
    return tasks;
}

std::span<const std::uint32_t> QueueWindows::onProcessor(std::uint32_t pe) const { return m_graph.byProcessor[pe]; }

TimeNs QueueWindows::length(std::uint32_t pe, std::size_t position) const
{
    const std::span<const std::uint32_t> tasks = onProcessor(pe);
    const TimeNs length = m_graph.duration[tasks[position]];
    if (position + 1 == tasks.size()) return length;
    return std::min(length, m_graph.begin[tasks[position + 1]] - m_graph.begin[tasks[position]]);
}

std::span<const TimeRange> QueueWindows::idleOf(std::uint32_t pe) const
{
    if (pe >= m_idle.size()) return {};
    return m_idle[pe];
}

TimeNs QueueWindows::lastIdleEnd(std::uint32_t task) const
{
    const std::span<const TimeRange> idle = idleOf(m_graph.pe[task]);
    const TimeNs begin = m_graph.begin[task];
    const auto after = std::partition_point(idle.begin(), idle.end(), [&](TimeRange i) { return i.begin < begin; });
    return after == idle.begin() ? minTime : std::min(std::prev(after)->end, begin);
}

QueueWindow QueueWindows::of(std::uint32_t task) const
{
    const TimeNs begin = m_graph.begin[task];
    QueueWindow window{.pe = m_graph.pe[task], .received = begin};
    const std::span<const std::uint32_t> tasks = onProcessor(window.pe);
    // In order of begin, so of number.
    window.last = static_cast<std::size_t>(std::lower_bound(tasks.begin(), tasks.end(), task) - tasks.begin());
    const std::uint8_t known = m_graph.flags[task] & (ActivityGraph::HasReceived | ActivityGraph::BlockEdge);
    if (known == ActivityGraph::HasReceived)
        window.received = std::clamp(m_graph.received(task), std::min(m_graph.run.begin, begin), begin);
    window.arrived = window.received;
    if ((m_graph.flags[task] & ActivityGraph::Estimated) != 0)
        window.arrived = std::max(window.arrived, lastIdleEnd(task));
    const auto passed = tasks.first(window.last);
    window.first = static_cast<std::size_t>(std::partition_point(passed.begin(), passed.end(),
                                                                 [&](std::uint32_t other) {
                                                                     return m_graph.begin[other] < window.arrived;
                                                                 })
                                            - passed.begin());
    if (window.first == 0) return window;
    const std::size_t before = window.first - 1;
    const TimeNs until = m_graph.begin[tasks[before]] + length(window.pe, before);
    if (until <= window.arrived) return window;
    window.running = tasks[before];
    window.rest = std::min(until, begin) - window.arrived;
    return window;
}

TimeNs QueueWindows::idleBefore(std::uint32_t task) const
{
    if ((m_graph.flags[task] & ActivityGraph::BlockEdge) != 0) return 0;
    const std::span<const TimeRange> idle = idleOf(m_graph.pe[task]);
    const std::uint32_t previous = m_graph.previous(task);
    const TimeNs free = previous == noTask ? minTime : m_graph.end(previous);
    const TimeNs begin = m_graph.begin[task];
    auto interval = std::partition_point(idle.begin(), idle.end(), [&](TimeRange i) { return i.begin < begin; });
    TimeNs sum = 0;
    while (interval != idle.begin() && std::prev(interval)->begin >= free) {
        --interval;
        sum += std::min(interval->end, begin) - interval->begin;
    }
    return sum;
}

}  // namespace longpole
