// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/rowbuffer.h"

#include "core/base/hash.h"

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
