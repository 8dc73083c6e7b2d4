// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/paths/distinctpaths.h"

#include "analysis/base/bigarray.h"
#include "core/base/timerange.h"

#include <algorithm>

namespace longpole {

DistinctPaths::DistinctPaths(const PathLinks& links, std::uint64_t patience)
    : m_links(links), m_previous(links.graph()), m_next(bigArray<std::uint32_t>(links.graph().size(), noTask)),
      m_flags(bigArray<std::uint8_t>(links.graph().size())), m_mostSteps(links.graph().size() / 2 + patience)
{
    const ActivityGraph& graph = links.graph();
    std::vector<std::uint32_t> newest(graph.byProcessor.size(), noTask);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        std::uint32_t& previous = newest[graph.pe[i]];
        links.each(i, previous, [&](const PathLink& link) {
            if (m_next[link.source] == noTask && links.isLongest(link, i)) m_next[link.source] = i;
        });
        previous = i;
    }
}

PathLink DistinctPaths::linkTo(std::uint32_t source, std::uint32_t task)
{
    PathLink found;
    m_links.each(task, m_previous(task), [&](const PathLink& link) {
        if (found.source == noTask && link.source == source && m_links.isLongest(link, task)) found = link;
    });
    return found;
}

// How much of the way from the begin of a task to that of the next one on the longest way, or to the end, lies on tasks
// that are not taken.
TimeNs DistinctPaths::ofItsOwn(std::uint32_t task)
{
    const std::uint32_t next = m_next[task];
    if (next == noTask) return isTaken(task) ? 0 : m_links.ending(task);
    if (m_links.isElapsed() && isTaken(task) != isTaken(next)) {
        const PathLink link = linkTo(task, next);
        return isTaken(task) ? link.delay : link.offset;
    }
    return isTaken(task) ? 0 : m_links.tail(task) - m_links.tail(next);
}

std::optional<TimeNs> DistinctPaths::distinct(std::uint32_t task, TimeNs wanted)
{
    if (!mayHave(task, wanted)) return {};
    const std::optional<TimeNs> found = walk(task, wanted);
    // After so many steps in vain it is cheaper to measure all tasks once; the answers hold until a path is taken.
    if (!found && m_steps > m_mostSteps) measureAll();
    return found;
}

// Back and on from the task until all that is left is taken, or too little is left.
std::optional<TimeNs> DistinctPaths::walk(std::uint32_t task, TimeNs wanted)
{
    TimeNs distinct = 0;
    TimeNs left = m_links.head(task) + m_links.tail(task);
    for (std::uint32_t at = task; (m_flags[at] & TakenBefore) == 0;) {
        if (distinct + left < wanted) return {};
        m_steps += m_links.edgesInto(at);
        const PathLink link = m_links.before(at, m_previous);
        if (!isTaken(at)) addSaturating(distinct, link.delay);
        if (link.source == noTask) break;
        if (!isTaken(link.source)) addSaturating(distinct, link.offset);
        at = link.source;
        left = m_links.head(at) + m_links.tail(task);
    }
    for (std::uint32_t at = task; (m_flags[at] & TakenAfter) == 0; at = m_next[at]) {
        if (distinct + m_links.tail(at) < wanted) return {};
        ++m_steps;
        addSaturating(distinct, ofItsOwn(at));
        if (m_next[at] == noTask) break;
    }
    return distinct >= wanted ? std::optional(distinct) : std::nullopt;
}

// distinct() of every task: what lies before its begin in one pass, what lies behind in one pass back.
void DistinctPaths::measureAll()
{
    const ActivityGraph& graph = m_links.graph();
    m_steps = 0;
    m_most = bigArray<TimeNs>(graph.size());
    std::vector<std::uint32_t> newest(graph.byProcessor.size(), noTask);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        const PathLink link = m_links.before(i, [&](std::uint32_t) { return newest[graph.pe[i]]; });
        m_most[i] = isTaken(i) ? 0 : link.delay;
        if (link.source != noTask) m_most[i] += m_most[link.source] + (isTaken(link.source) ? 0 : link.offset);
        newest[graph.pe[i]] = i;
    }
    std::vector<TimeNs> behind = bigArray<TimeNs>(graph.size());
    for (auto i = static_cast<std::uint32_t>(graph.size()); i-- > 0;) {
        behind[i] = ofItsOwn(i) + (m_next[i] != noTask ? behind[m_next[i]] : 0);
        m_most[i] += behind[i];
    }
}

std::vector<PathHop> DistinctPaths::through(std::uint32_t task)
{
    std::vector<PathHop> hops;
    for (std::uint32_t at = task; m_next[at] != noTask; at = m_next[at])
        hops.push_back({m_next[at], linkTo(at, m_next[at])});
    std::reverse(hops.begin(), hops.end());
    for (std::uint32_t at = task; at != noTask; at = hops.back().into.source)
        hops.push_back({at, m_links.before(at, m_previous)});
    while (!m_links.isElapsed() && hops.size() > 1 && hops[hops.size() - 2].into.offset == 0) {
        hops.pop_back();
        hops.back().into = {};
    }
    return hops;
}

void DistinctPaths::take(const std::vector<PathHop>& path)
{
    for (const PathHop& hop : path) m_flags[hop.task] |= Taken;
    for (const PathHop& hop : path) {
        const std::uint32_t next = m_next[hop.task];
        if (next == noTask || (m_flags[next] & TakenAfter) != 0) m_flags[hop.task] |= TakenAfter;
    }
    std::for_each(path.rbegin(), path.rend(), [this](const PathHop& hop) {
        const std::uint32_t source = m_links.before(hop.task, m_previous).source;
        if (source == noTask || (m_flags[source] & TakenBefore) != 0) m_flags[hop.task] |= TakenBefore;
    });
}

}  // namespace longpole
