// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/graph/nestedparts.h"

namespace longpole {

namespace {

constexpr std::size_t fewPieces = 64;  // going through so few pieces is as fast as looking one up

}  // namespace

NestedParts::NestedParts(const ActivityGraph& graph) : m_graph(&graph)
{
    const std::vector<ActivityGraph::Inner>& inner = graph.inner;
    for (std::size_t first = 0, last = 0; first < inner.size(); first = last) {
        const std::uint32_t task = inner[first].task;
        TimeNs end = graph.end(task);
        for (; last < inner.size() && inner[last].task == task; ++last)
            end = std::max(end, std::min(inner[last].end, graph.run.end));
        if (last - first <= fewPieces) continue;
        m_tasks.push_back(task);
        m_first.push_back(m_parts.size());
        TimeNs begin = graph.begin[task];
        attributeToInnermost(graph, task, end, [&](std::uint32_t entry, TimeNs time) {
            m_parts.push_back({begin, entry});
            begin += time;
        });
        m_parts.push_back({end, graph.entry[task]});
    }
    m_first.push_back(m_parts.size());
}

std::uint32_t NestedParts::entryAt(std::uint32_t task, TimeNs time) const
{
    if (const std::size_t place = placeOf(task); place < m_tasks.size())
        return at(place)[partAt(at(place), time)].entry;
    std::uint32_t entry = m_graph->entry[task];
    if (m_graph->inner.empty()) return entry;
    for (const ActivityGraph::Inner& piece : m_graph->innerOf(task))
        if (piece.begin <= time && time < piece.end) entry = piece.entry;
    return entry;
}

std::size_t NestedParts::placeOf(std::uint32_t task) const
{
    const auto found = std::lower_bound(m_tasks.begin(), m_tasks.end(), task);
    return found != m_tasks.end() && *found == task ? static_cast<std::size_t>(found - m_tasks.begin())
                                                    : m_tasks.size();
}

// The part that holds a time; a time before the first part belongs to that one.
std::size_t NestedParts::partAt(std::span<const Part> parts, TimeNs time)
{
    const auto after = std::upper_bound(parts.begin() + 1, parts.end(), time,
                                        [](TimeNs wanted, const Part& part) { return wanted < part.begin; });
    return static_cast<std::size_t>(after - parts.begin()) - 1;
}

}  // namespace longpole
