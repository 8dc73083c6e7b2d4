// SPDX-License-Identifier: GPL-3.0-or-later
// Unions of queue waits, and look-ups in them by binary search.
#include "analysis/waiting/queuedtime.h"

#include "analysis/graph/attribution.h"

#include <algorithm>

namespace longpole {

namespace {

// Appends a range that begins no earlier than those before it.
void append(std::vector<TimeRange>& ranges, TimeRange range)
{
    if (range.isEmpty()) return;
    if (!ranges.empty() && range.begin <= ranges.back().end) ranges.back().end = std::max(ranges.back().end, range.end);
    else ranges.push_back(range);
}

// The same for ranges whose ends descend, in a list that is turned around later: only the newest can be touched.
void prepend(std::vector<TimeRange>& ranges, TimeRange range)
{
    if (range.isEmpty()) return;
    if (!ranges.empty() && range.end >= ranges.back().begin)
        ranges.back().begin = std::min(ranges.back().begin, range.begin);
    else ranges.push_back(range);
}

}  // namespace

QueuedTime::QueuedTime(std::vector<TimeRange> ranges) : m_ranges(std::move(ranges))
{
    m_before.reserve(m_ranges.size());
    TimeNs sum = 0;
    for (const TimeRange& range : m_ranges) {
        m_before.push_back(sum);
        sum = saturatingAdd(sum, range.length());
    }
}

TimeNs QueuedTime::before(TimeNs time) const
{
    const auto after = std::upper_bound(m_ranges.begin(), m_ranges.end(), time,
                                        [](TimeNs t, const TimeRange& range) { return t < range.begin; });
    if (after == m_ranges.begin()) return 0;
    const auto last = static_cast<std::size_t>(after - m_ranges.begin()) - 1;
    return m_before[last] + std::min(time, m_ranges[last].end) - m_ranges[last].begin;
}

TimeRange QueuedTime::longestInside(TimeRange range) const
{
    auto at = std::upper_bound(m_ranges.begin(), m_ranges.end(), range.begin,
                               [](TimeNs t, const TimeRange& r) { return t < r.end; });
    TimeRange longest{range.begin, range.begin};
    for (; at != m_ranges.end() && at->begin < range.end; ++at)
        if (const TimeRange part = intersection(*at, range); part.length() > longest.length()) longest = part;
    return longest;
}

TimeRange QueuedTime::longestOutside(TimeRange range) const
{
    auto at = std::upper_bound(m_ranges.begin(), m_ranges.end(), range.begin,
                               [](TimeNs t, const TimeRange& r) { return t < r.end; });
    TimeRange longest{range.begin, range.begin};
    TimeNs from = range.begin;
    const auto take = [&](TimeNs until) {
        if (until - from > longest.length()) longest = {from, until};
    };
    for (; at != m_ranges.end() && at->begin < range.end; ++at) {
        take(at->begin);
        from = std::min(at->end, range.end);
    }
    take(range.end);
    return longest;
}

std::vector<TimeRange> awaitedOn(const ActivityGraph& graph, std::uint32_t pe)
{
    std::vector<TimeRange> found;
    const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
    for (std::size_t i = tasks.size(); i-- > 0;) {
        if ((graph.flags[tasks[i]] & ActivityGraph::BlockEdge) != 0) continue;
        if (const TimeNs sent = graph.sent(tasks[i]); sent != minTime) prepend(found, {sent, graph.begin[tasks[i]]});
    }
    std::reverse(found.begin(), found.end());
    return found;
}

std::vector<TimeRange> queuedOn(const ActivityGraph& graph, std::uint32_t pe, const std::vector<TimeRange>& idle)
{
    std::vector<TimeRange> found;
    const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
    std::size_t idles = idle.size();
    for (std::size_t i = tasks.size(); i-- > 0;) {
        const TimeNs begin = graph.begin[tasks[i]];
        const TimeNs received = graph.received(tasks[i]);
        if (received == minTime || received >= begin) continue;
        while (idles > 0 && idle[idles - 1].begin >= begin) --idles;
        prepend(found, {idles > 0 ? std::max(received, idle[idles - 1].end) : received, begin});
    }
    std::reverse(found.begin(), found.end());
    return found;
}

void addWork(std::vector<TimeRange>& work, TimeRange task, TimeNs pause)
{
    if (task.isEmpty()) return;
    if (!work.empty() && task.begin - pause <= work.back().end) work.back().end = std::max(work.back().end, task.end);
    else work.push_back(task);
}

Working workingOn(const ActivityGraph& graph, std::uint32_t pe, const std::vector<bool>& leftOut, TimeNs pause)
{
    Working working;
    const auto isLeftOut = [&leftOut](std::uint32_t entry) { return entry < leftOut.size() && leftOut[entry]; };
    for (const std::uint32_t task : graph.byProcessor[pe]) {
        const TimeRange range{graph.begin[task], graph.end(task)};
        if (!isLeftOut(graph.entry[task])) addWork(working.one, range, pause);
        else if (!graph.inner.empty()) {  // what it executed within
            TimeNs at = range.begin;
            attributeToInnermost(graph, task, range.end, [&](std::uint32_t entry, TimeNs time) {
                if (!isLeftOut(entry)) addWork(working.one, {at, at + time}, pause);
                at += time;
            });
        }
    }
    return working;
}

TimeNs pauseWithin(TimeRange run, std::int64_t tasks, std::uint32_t processors)
{
    constexpr std::int64_t exactUpTo = 8'000'000;
    return tasks <= exactUpTo ? 0 : run.length() / tasks * processors / 16;
}

Working together(const Working& a, const Working& b)
{
    return {united(a.one, b.one), united(united(a.two, b.two), common(a.one, b.one))};
}

std::vector<TimeRange> common(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b)
{
    std::vector<TimeRange> both;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        append(both, intersection(a[i], b[j]));
        ++(a[i].end < b[j].end ? i : j);
    }
    return both;
}

std::vector<TimeRange> united(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b)
{
    std::vector<TimeRange> both;
    both.reserve(a.size() + b.size());
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        const bool takesA = j == b.size() || (i < a.size() && a[i].begin <= b[j].begin);
        append(both, takesA ? a[i++] : b[j++]);
    }
    return both;
}

}  // namespace longpole
