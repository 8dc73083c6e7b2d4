// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/rowbuffer.h"

#include "core/base/hash.h"

#include <new>
#include <optional>

namespace longpole {
namespace {

// First begin (or end, should a duration be negative), last begin and largest end of the buffered rows.
void setTimes(ChunkRef& ref, const ChunkSpec& spec, const RowBuffer& buffer)
{
    if (spec.timeColumn < 0) return;
    const std::int64_t* begin = buffer.column(spec.timeColumn);
    const std::int64_t* duration = spec.durationColumn < 0 ? nullptr : buffer.column(spec.durationColumn);
    ref.firstBegin = maxTime;
    ref.lastBegin = minTime;
    ref.maxEnd = minTime;
    for (std::uint32_t row = 0; row < buffer.rows(); ++row) {
        const TimeNs end = duration ? saturatingAdd(begin[row], duration[row]) : begin[row];
        ref.firstBegin = std::min(ref.firstBegin, std::min(begin[row], end));
        ref.lastBegin = std::max(ref.lastBegin, begin[row]);
        ref.maxEnd = std::max(ref.maxEnd, std::max(begin[row], end));
    }
}

}  // namespace

void RowBuffer::rest(ChunkKind kind, TrackId track)
{
    if (m_rows > 0) m_resting.push_back({m_rows, encodeChunk(kind, track, values(), m_stride, m_rows, Packing::Quick)});
    m_restingRows += m_rows;
    m_rows = 0;
    m_values.reset();
    m_capacity = 0;
    m_stride = 0;
}

void RowBuffer::wake(ChunkKind kind, TrackId track)
{
    if (m_resting.empty()) return;
    RowBuffer all(m_columns);
    all.grow(rows());
    const auto put = [&all](std::size_t column, const std::int64_t* from, std::size_t rows) {
        std::copy_n(from, rows, all.m_values.get() + column * all.m_stride + all.m_rows);
    };
    for (const Resting& resting : m_resting) {
        const std::optional<Chunk> chunk = decodeChunk(resting.bytes, kind, track, resting.rows);
        if (!chunk) throw std::bad_alloc();  // encodeChunk() has made them
        for (std::size_t c = 0; c < m_columns; ++c) put(c, chunk->columns[c].data(), resting.rows);
        all.m_rows += resting.rows;
    }
    for (std::size_t c = 0; c < m_columns; ++c) put(c, column(static_cast<int>(c)), m_rows);
    all.m_rows += m_rows;
    all.m_largest = std::max(all.m_largest, m_largest);
    *this = std::move(all);
}

EncodedChunk encodeRows(ChunkKind kind, TrackId track, const RowBuffer& buffer, Packing packing)
{
    EncodedChunk chunk;
    chunk.ref.kind = kind;
    chunk.ref.track = track;
    chunk.ref.rows = buffer.rows();
    setTimes(chunk.ref, chunkSpec(kind), buffer);
    chunk.bytes = encodeChunk(kind, track, buffer.values(), buffer.stride(), buffer.rows(), packing);
    chunk.ref.hash = hashBytes(chunk.bytes);
    return chunk;
}

}  // namespace longpole
