// Packing executions: differences to the row above as variable-length integers, in blocks of 64 KiB.
#include "importers/executions.h"

namespace longpole {
namespace {

constexpr std::size_t blockBytes = 64 * 1024;
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
    while (number >= 0x80) {
        m_open.push_back(static_cast<std::byte>(number | 0x80));
        number >>= 7;
    }
    m_open.push_back(static_cast<std::byte>(number));
}

void Executions::add(const PendingExecution& execution, Spill& spill)
{
    put(zigzag(execution.begin - m_previous.begin));
    put((std::uint64_t{execution.entry} << 1) | (execution.isBlock ? 1 : 0));
    if (execution.isBlock) {
        put(zigzag(std::int64_t{m_size} - execution.before));
        put(zigzag(execution.beforeOffset));
        m_previous.begin = execution.begin;
    } else {
        put(zigzag(execution.creator));
        put(zigzag(std::int64_t{execution.event} - m_previous.event));
        m_previous = execution;
    }
    ++m_size;
    if (m_open.size() > blockBytes - longestRow) {
        m_blocks.push_back(spill.store(m_open));
        m_open.clear();
    }
}

void Executions::finish(Spill& spill)
{
    if (!m_open.empty()) m_blocks.push_back(spill.store(m_open));
    m_open = {};
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
    execution.begin = m_previous.begin + unzigzag(number());
    const std::uint64_t entry = number();
    execution.entry = static_cast<std::uint32_t>(entry >> 1);
    execution.isBlock = (entry & 1) != 0;
    if (execution.isBlock) {
        execution.before = static_cast<std::uint32_t>(std::int64_t{m_row} - unzigzag(number()));
        execution.beforeOffset = unzigzag(number());
        m_previous.begin = execution.begin;
    } else {
        execution.creator = static_cast<std::int32_t>(unzigzag(number()));
        execution.event = static_cast<std::int32_t>(m_previous.event + unzigzag(number()));
        m_previous = execution;
    }
    ++m_row;
    return true;
}

}  // namespace longpole
