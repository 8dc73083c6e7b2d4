// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/tasks/nestedtasks.h"

#include "core/base/timerange.h"

#include <utility>

namespace longpole {

NestedTasks::NestedTasks(std::vector<ActivityGraph::Inner> inner, std::span<const TimeNs> begin,
                         std::span<const TimeNs> duration, std::span<const std::uint32_t> entry,
                         std::span<const std::uint32_t> rows)
    : m_isNested(begin.size(), false)
{
    for (ActivityGraph::Inner& piece : inner) {
        const std::uint32_t task = piece.task;
        if (m_tasks.empty() || m_tasks.back() != task) {
            m_isNested[task] = true;
            m_tasks.push_back(task);
            m_graph.begin.push_back(begin[task]);
            m_graph.entry.push_back(entry[task]);
            m_graph.taskIndex.push_back(rows[task]);
        }
        piece.task = static_cast<std::uint32_t>(m_tasks.size() - 1);
    }
    m_graph.duration.resize(m_tasks.size());
    for (std::size_t number = 0; number < m_tasks.size(); ++number)
        m_graph.duration.set(number, duration[m_tasks[number]]);
    m_graph.inner = std::move(inner);
    m_parts = std::make_shared<const NestedParts>(m_graph);
}

void NestedShares::add(const NestedTasks* nested, std::uint32_t task, std::uint32_t entry, TimeRange part)
{
    if (nested == nullptr || !nested->has(task)) return;
    m_sums[entry].time -= part.length();
    nested->attribute(
        task, part, [this](std::uint32_t inner, TimeNs time) { addSaturating(m_sums[inner].time, time); },
        [this](std::uint32_t inner) { ++m_sums[inner].count; });
}

std::vector<EntrySum> NestedShares::sums() const
{
    std::vector<EntrySum> all;
    all.reserve(m_sums.size());
    for (const auto& [entry, sum] : m_sums)
        if (sum.count != 0 || sum.time != 0) all.push_back({entry, sum.count, sum.time});
    return all;
}

}  // namespace longpole
