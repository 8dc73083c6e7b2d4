// SPDX-License-Identifier: GPL-3.0-or-later
// Nested intervals, packed by depth.
#include "importers/mpirows/intervals.h"

#include <algorithm>
#include <span>
#include <utility>

namespace longpole {
namespace {

constexpr std::size_t blockBytes = std::size_t{64} * 1024;

}  // namespace

void MpiIntervals::Packed::put(std::uint64_t value, Spill& spill)
{
    while (value >= 0x80) {
        m_bytes.push_back(static_cast<std::byte>(value | 0x80));
        value >>= 7;
    }
    m_bytes.push_back(static_cast<std::byte>(value));
    if (m_bytes.size() < blockBytes) return;
    m_blocks.push_back(spill.store(m_bytes));
    m_bytes.clear();
}

std::uint8_t MpiIntervals::Packed::nextByte(Spill& spill)
{
    if (!m_isReading) {
        m_isReading = true;
        if (!m_blocks.empty() && !m_bytes.empty()) m_blocks.push_back(spill.store(m_bytes));
        if (!m_blocks.empty()) m_bytes.clear();
    }
    if (m_position == m_bytes.size()) {
        if (m_block == m_blocks.size()) return 0;
        Spill::Block& block = m_blocks[m_block++];
        m_bytes.resize(block.size);
        m_position = 0;
        if (!spill.read(block, 0, m_bytes)) std::fill(m_bytes.begin(), m_bytes.end(), std::byte{0});
        block.memory.reset();
    }
    return static_cast<std::uint8_t>(m_bytes[m_position++]);
}

std::uint64_t MpiIntervals::Packed::next(Spill& spill)
{
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const std::uint64_t byte = nextByte(spill);
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) break;
    }
    return value;
}

MpiIntervals::MpiIntervals(Spill& spill, const State& from)
    : m_spill(spill), m_open(from.open), m_levels(from.open.size()), m_count(from.open.size()),
      m_enteredBefore(from.entered - from.open.size())
{
    for (std::size_t depth = 0; depth < m_open.size(); ++depth) m_depths.put(depth, m_spill);
}

void MpiIntervals::enter(TimeNs time, std::uint32_t region)
{
    m_depths.put(m_open.size(), m_spill);
    m_open.push_back({time, 0, region, entered()});
    ++m_count;
    if (m_levels.size() < m_open.size()) m_levels.emplace_back();
}

// Differences as unsigned numbers: they cannot overflow, and times do not decrease.
void MpiIntervals::leave(TimeNs time)
{
    const Open closed = m_open.back();
    m_open.pop_back();
    const auto since = [](TimeNs from, TimeNs to) {
        return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    };
    const TimeNs duration = saturatingSubtract(time, closed.begin);
    Level& level = m_levels[m_open.size()];
    level.rows.put(since(level.last, closed.begin), m_spill);
    level.rows.put(static_cast<std::uint64_t>(duration), m_spill);
    level.rows.put(static_cast<std::uint64_t>(std::min(closed.nested, duration)), m_spill);
    level.rows.put(closed.region, m_spill);
    level.last = closed.begin + duration;
    addNested(duration);
}

void MpiIntervals::addNested(TimeNs duration)
{
    if (!m_open.empty()) m_open.back().nested = saturatingAdd(m_open.back().nested, duration);
}

void MpiIntervals::give(const std::function<void(const NestedInterval&)>& take)
{
    for (Level& level : m_levels) level.last = 0;
    for (std::uint64_t i = 0; i < m_count; ++i) {
        NestedInterval interval;
        interval.depth = static_cast<std::uint32_t>(m_depths.next(m_spill));
        if (interval.depth >= m_levels.size()) return;  // the disk failed; the import stops
        Level& level = m_levels[interval.depth];
        interval.begin = static_cast<TimeNs>(static_cast<std::uint64_t>(level.last) + level.rows.next(m_spill));
        interval.duration = static_cast<TimeNs>(level.rows.next(m_spill));
        interval.nested = static_cast<TimeNs>(level.rows.next(m_spill));
        interval.region = static_cast<std::uint32_t>(level.rows.next(m_spill));
        level.last = saturatingAdd(interval.begin, interval.duration);
        take(interval);
    }
}

}  // namespace longpole
