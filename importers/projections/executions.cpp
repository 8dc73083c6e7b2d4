// SPDX-License-Identifier: GPL-3.0-or-later
// Packing executions: differences to the row above as variable-length integers, in blocks of 64 KiB.
#include "importers/projections/executions.h"

#include "core/base/release.h"

#include <span>

namespace longpole {
namespace {

constexpr std::size_t blockBytes = std::size_t{64} * 1024;
constexpr std::size_t longestRow = 64;

std::uint64_t zigzag(std::int64_t value)
{
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value)
{
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

}  // namespace

void Executions::put(std::uint64_t number)
{
    std::byte* to = m_open.data() + m_filled;
    while (number >= 0x80) {
        *to++ = static_cast<std::byte>(number | 0x80);
        number >>= 7;
    }
    *to++ = static_cast<std::byte>(number);
    m_filled = static_cast<std::size_t>(to - m_open.data());
}

void Executions::storeBlock(Spill& spill)
{
    m_blocks.push_back(spill.store(std::span(m_open).first(m_filled)));
    m_filled = 0;
}

void Executions::add(const PendingExecution& execution, Spill& spill)
{
    // Grows once: most processors fill blocks, a few of very many processors only a part of one.
    if (m_open.size() < m_filled + longestRow) m_open.resize(m_open.empty() ? 4096 : blockBytes);
    put(zigzag(execution.begin - m_previousBegin));
    put((std::uint64_t{execution.entry} << 1) | (execution.isBlock ? 1 : 0));
    if (execution.isBlock) {
        put(zigzag(std::int64_t{m_size} - execution.before));
        put(zigzag(execution.beforeOffset));
        m_previousBegin = execution.begin;
    } else {
        put(zigzag(execution.creator));
        put(zigzag(std::int64_t{execution.event} - m_previousEvent));
        m_previousBegin = execution.begin;
        m_previousEvent = execution.event;
    }
    ++m_size;
    if (m_filled > blockBytes - longestRow) storeBlock(spill);
}

void Executions::finish(Spill& spill)
{
    if (m_filled > 0) storeBlock(spill);
    release(m_open);
}

std::uint64_t Executions::Reader::number()
{
    std::uint64_t value = 0;
    for (int shift = 0; m_position < m_bytes.size() && shift < 64; shift += 7) {
        const auto byte = static_cast<std::uint64_t>(m_bytes[m_position++]);
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) break;
    }
    return value;
}

bool Executions::Reader::next(PendingExecution& execution)
{
    if (m_position == m_bytes.size()) {
        if (m_block == m_executions.m_blocks.size()) return false;
        const Spill::Block& block = m_executions.m_blocks[m_block++];
        m_bytes.resize(block.size);
        m_position = 0;
        if (!m_spill.read(block, 0, m_bytes)) return false;
    }
    execution.begin = m_previousBegin + unzigzag(number());
    const std::uint64_t entry = number();
    execution.entry = static_cast<std::uint32_t>(entry >> 1);
    execution.isBlock = (entry & 1) != 0;
    if (execution.isBlock) {
        execution.before = static_cast<std::uint32_t>(std::int64_t{m_row} - unzigzag(number()));
        execution.beforeOffset = unzigzag(number());
    } else {
        execution.creator = static_cast<std::int32_t>(unzigzag(number()));
        execution.event = static_cast<std::int32_t>(m_previousEvent + unzigzag(number()));
        m_previousEvent = execution.event;
    }
    m_previousBegin = execution.begin;
    ++m_row;
    return true;
}

}  // namespace longpole
