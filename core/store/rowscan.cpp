// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/rowscan.h"

#include <algorithm>

namespace longpole {

std::shared_ptr<const Chunk> ChunkWalk::next()
{
    while (!m_chunks.empty() && !m_error) {
        const ChunkRef& ref = m_chunks.front();
        m_chunks = m_chunks.subspan(1);
        const TimeRange& wanted = m_limits.touching;
        if (ref.rows == 0 || ref.maxEnd < wanted.begin) continue;
        if (ref.firstBegin >= wanted.end && wanted.end != maxTime) continue;
        if (m_limits.progress != nullptr && m_limits.progress->isCancelled()) {
            m_error = cancelledError();
            break;
        }
        Result<std::shared_ptr<const Chunk>> chunk = m_store.read(ref, m_fields, m_limits.coverage);
        if (chunk) return std::move(*chunk);
        m_error = chunk.error();
    }
    return nullptr;
}

const ChunkRef* chunkOf(std::span<const ChunkRef> chunks, std::int64_t number)
{
    const auto after = std::ranges::upper_bound(chunks, number, {}, &ChunkRef::firstRow);
    if (after == chunks.begin()) return nullptr;
    const ChunkRef& ref = *(after - 1);
    return number - ref.firstRow < ref.rows ? &ref : nullptr;
}

}  // namespace longpole
