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

void BeginQueue::wait(Begin begin, std::uint32_t other, std::uint32_t row)
{
    constexpr int steps = 16;  // for each that waits
    m_patience += steps;
    m_time = begin.time;
    m_waiting[begin.pe] = {other, row};
    m_awaited.insert({{other, row}, begin.pe});
}

void BeginQueue::release(std::uint32_t pe)
{
    const auto waiting = m_waiting.find(pe);
    if (waiting == m_waiting.end()) return;
    m_awaited.erase({waiting->second, pe});
    m_waiting.erase(waiting);
    push({m_time, pe});
}

void BeginQueue::releaseBefore(std::uint32_t other, std::uint32_t nextRow)
{
    for (auto next = m_awaited.lower_bound({{other, 0}, 0});
         next != m_awaited.end() && next->first.pe == other && next->first.row < nextRow;) {
        const std::uint32_t pe = next->second;
        ++next;
        release(pe);
    }
}

std::optional<std::uint32_t> BeginQueue::circle()
{
    if (m_waiting.empty() || (!m_begins.empty() && m_begins.top().time <= m_time)) return {};
    std::set<std::uint32_t> seen;
    std::uint32_t pe = m_waiting.begin()->first;
    if (m_patience < 0) return pe;
    for (; seen.insert(pe).second; --m_patience) pe = m_waiting.at(pe).pe;
    std::uint32_t smallest = pe;
    for (std::uint32_t next = m_waiting.at(pe).pe; next != pe; next = m_waiting.at(next).pe)
        smallest = std::min(smallest, next);
    return smallest;
}

}  // namespace longpole
