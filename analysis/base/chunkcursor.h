// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of one kind on one track, one after the other, a chunk at a time.
#pragma once

#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/columns.h"

#include <cstdint>
#include <memory>
#include <span>

namespace longpole {

class ChunkCursor {
public:
    // Rows of the chunks that touch `range` (all that kinds without times have); others among them may come too.
    ChunkCursor(const TraceStore& store, ChunkKind kind, TrackId track, TimeRange range = {minTime, maxTime},
                std::uint32_t columns = 0xffffffffu)
        : m_store(store), m_chunks(store.chunks(kind, track)), m_range(range), m_columns(columns)
    {
    }

    // To the first and every further row; false: there is none. Errors: damaged chunks.
    Result<bool> next()
    {
        if (m_chunk && ++m_row < m_chunk->rows) return true;
        for (;;) {
            if (m_chunks.empty()) return false;
            const ChunkRef& ref = m_chunks.front();
            m_chunks = m_chunks.subspan(1);
            if (ref.rows == 0 || ref.firstBegin >= m_range.end || ref.maxEnd < m_range.begin) continue;
            auto chunk = m_store.read(ref, m_columns);
            if (!chunk) return chunk.error();
            m_chunk = *chunk;
            m_row = 0;
            return true;
        }
    }
    std::int64_t operator[](std::size_t column) const { return m_chunk->at(column, m_row); }
    std::int64_t number() const { return m_chunk->firstRow + m_row; }

private:
    const TraceStore& m_store;
    std::span<const ChunkRef> m_chunks;
    TimeRange m_range;
    std::uint32_t m_columns;
    std::shared_ptr<const Chunk> m_chunk;
    std::uint32_t m_row = 0;
};

// Columns of a kind that is aligned with another one, by that one's row numbers, which ascend from call to call.
class AlignedRows {
public:
    AlignedRows(const TraceStore& store, ChunkKind kind, TrackId track, std::uint32_t columns = 0xffffffffu)
        : m_store(store), m_chunks(store.chunks(kind, track)), m_columns(columns)
    {
    }
    // Whether the row is there; its columns can then be read. Errors: damaged chunks.
    Result<bool> seek(std::int64_t row)
    {
        if (m_chunk && row < m_chunk->firstRow + m_chunk->rows) {
            m_row = static_cast<std::uint32_t>(row - m_chunk->firstRow);
            return row >= m_chunk->firstRow;
        }
        while (!m_chunks.empty() && m_chunks.front().firstRow + m_chunks.front().rows <= row)
            m_chunks = m_chunks.subspan(1);
        if (m_chunks.empty()) return false;
        auto chunk = m_store.read(m_chunks.front(), m_columns);
        if (!chunk) return chunk.error();
        m_chunk = *chunk;
        m_row = static_cast<std::uint32_t>(row - m_chunk->firstRow);
        return row >= m_chunk->firstRow;
    }
    std::int64_t operator[](std::size_t column) const { return m_chunk->at(column, m_row); }

private:
    const TraceStore& m_store;
    std::span<const ChunkRef> m_chunks;
    std::uint32_t m_columns;
    std::shared_ptr<const Chunk> m_chunk;
    std::uint32_t m_row = 0;
};

}  // namespace longpole
