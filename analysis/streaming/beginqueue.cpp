// SPDX-License-Identifier: GPL-3.0-or-later
// A heap of begins, and a list of those that wait.
#include "analysis/streaming/beginqueue.h"

#include <algorithm>

namespace longpole {

std::optional<BeginQueue::Begin> BeginQueue::pop(TimeNs limit)
{
    if (m_begins.empty() || m_begins.top().time > limit) return {};
    if (!m_waiting.empty() && m_begins.top().time > m_time) return {};
    const Begin begin = m_begins.top();
    m_begins.pop();
    return begin;
}

void BeginQueue::wait(Begin begin, std::uint32_t other)
{
    m_time = begin.time;
    m_waiting[begin.pe] = other;
    m_awaited.insert({other, begin.pe});
}

std::vector<std::uint32_t> BeginQueue::waitingFor(std::uint32_t other) const
{
    std::vector<std::uint32_t> pes;
    for (auto next = m_awaited.lower_bound({other, 0}); next != m_awaited.end() && next->first == other; ++next)
        pes.push_back(next->second);
    return pes;
}

void BeginQueue::release(std::uint32_t pe)
{
    const auto waiting = m_waiting.find(pe);
    if (waiting == m_waiting.end()) return;
    m_awaited.erase({waiting->second, pe});
    m_waiting.erase(waiting);
    push({m_time, pe});
}

std::optional<std::uint32_t> BeginQueue::circle() const
{
    if (m_waiting.empty() || (!m_begins.empty() && m_begins.top().time <= m_time)) return {};
    std::set<std::uint32_t> seen;
    std::uint32_t pe = m_waiting.begin()->first;
    while (seen.insert(pe).second) pe = m_waiting.at(pe);
    std::uint32_t smallest = pe;
    for (std::uint32_t next = m_waiting.at(pe); next != pe; next = m_waiting.at(next))
        smallest = std::min(smallest, next);
    return smallest;
}

}  // namespace longpole
