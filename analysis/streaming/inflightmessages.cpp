// SPDX-License-Identifier: GPL-3.0-or-later
// A hash table with linear probing and a pool of values that are used again.
#include "analysis/streaming/inflightmessages.h"

#include "core/base/drawnhash.h"

namespace longpole {

std::size_t InFlightMessages::home(MessageKey key) const
{
    return static_cast<std::size_t>(drawnHash(key)) & (m_cells.size() - 1);
}

std::size_t InFlightMessages::find(MessageKey key) const
{
    std::size_t cell = home(key);
    while (m_cells[cell].receivers != 0 && m_cells[cell].key != key) cell = (cell + 1) & (m_cells.size() - 1);
    return cell;
}

void InFlightMessages::occupy(std::size_t cell, const Cell& content)
{
    m_cells[cell] = content;
    if (2 * ++m_used > m_cells.size()) grow();
}

// Moves up the cells behind it that would no longer be found.
void InFlightMessages::vacate(std::size_t cell)
{
    const std::size_t mask = m_cells.size() - 1;
    --m_used;
    for (std::size_t next = (cell + 1) & mask; m_cells[next].receivers != 0; next = (next + 1) & mask) {
        const std::size_t distance = (next - home(m_cells[next].key)) & mask;
        if (distance < ((next - cell) & mask)) continue;
        m_cells[cell] = m_cells[next];
        cell = next;
    }
    m_cells[cell].receivers = 0;
}

void InFlightMessages::grow()
{
    std::vector<Cell> old(2 * m_cells.size());
    old.swap(m_cells);
    for (const Cell& cell : old)
        if (cell.receivers != 0) m_cells[find(cell.key)] = cell;
}

std::span<TimeNs> InFlightMessages::add(MessageKey key, std::uint32_t receivers, bool hasValue)
{
    std::size_t cell = find(key);
    const std::int64_t left = std::int64_t{receivers} + m_cells[cell].receivers;
    if (m_cells[cell].receivers != 0) {
        if (m_cells[cell].receivers > 0 && m_cells[cell].place != noPlace) m_free.push_back(m_cells[cell].place);
        vacate(cell);
    }
    if (left == 0) return {};
    Cell content{key, noPlace, left};
    if (hasValue && left > 0) {
        if (m_free.empty()) {
            m_free.push_back(static_cast<std::uint32_t>(m_values++));
            m_numbers.resize(m_values * m_width);
        }
        content.place = m_free.back();
        m_free.pop_back();
    }
    occupy(find(key), content);
    if (content.place == noPlace) return {};
    return {m_numbers.data() + content.place * m_width, m_width};
}

InFlightMessages::Taken InFlightMessages::take(MessageKey key)
{
    const std::size_t cell = find(key);
    Cell& found = m_cells[cell];
    if (found.receivers <= 0) return {};
    Taken taken{.isKnown = true, .value = {}};
    if (found.place != noPlace) taken.value = {m_numbers.data() + found.place * m_width, m_width};
    if (--found.receivers > 0) return taken;
    if (found.place != noPlace) m_free.push_back(found.place);
    vacate(cell);
    return taken;
}

void InFlightMessages::miss(MessageKey key)
{
    const std::size_t cell = find(key);
    if (m_cells[cell].receivers > 0) take(key);
    else if (m_cells[cell].receivers < 0) --m_cells[cell].receivers;
    else occupy(cell, {key, noPlace, -1});
}

}  // namespace longpole
