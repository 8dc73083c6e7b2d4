// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/chunkcache.h"

namespace longpole {
namespace {

std::size_t sizeOf(const Chunk& chunk)
{
    std::size_t bytes = sizeof chunk;
    for (const StoredColumn& column : chunk.columns)
        bytes += sizeof(StoredColumn) + column.size() * sizeof(std::int64_t);
    return bytes;
}

}  // namespace

std::shared_ptr<const Chunk> ChunkCache::find(std::int64_t id, std::uint32_t columns)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_byId.find(id);
    if (found == m_byId.end() || (columns & ~found->second->columns) != 0) return nullptr;
    m_slots.splice(m_slots.begin(), m_slots, found->second);
    return found->second->chunk;
}

std::uint32_t ChunkCache::columnsOf(std::int64_t id) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_byId.find(id);
    return found == m_byId.end() ? 0 : found->second->columns;
}

void ChunkCache::insert(std::int64_t id, std::uint32_t columns, std::shared_ptr<const Chunk> chunk)
{
    const std::size_t bytes = sizeOf(*chunk);
    const std::lock_guard lock(m_mutex);
    if (const auto old = m_byId.find(id); old != m_byId.end()) {
        m_bytes -= old->second->bytes;
        m_slots.erase(old->second);
        m_byId.erase(old);
    }
    m_slots.push_front({id, columns, bytes, std::move(chunk)});
    m_byId[id] = m_slots.begin();
    m_bytes += bytes;
    while (m_bytes > m_maxBytes && m_slots.size() > 1) {
        m_bytes -= m_slots.back().bytes;
        m_byId.erase(m_slots.back().id);
        m_slots.pop_back();
    }
}

std::size_t ChunkCache::bytes() const
{
    const std::lock_guard lock(m_mutex);
    return m_bytes;
}

}  // namespace longpole
