// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/recording/chunkcut.h"

#include "core/base/hash.h"
#include "core/base/timerange.h"
#include "core/file/codec.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace longpole {
namespace {

// As a writer sets them of the rows that it has.
void setTimes(ChunkRef& ref, const Chunk& chunk, std::uint32_t from, std::uint32_t to)
{
    const ChunkSpec& spec = chunkSpec(chunk.kind);
    if (spec.timeColumn < 0) return;
    ref.firstBegin = maxTime;
    ref.lastBegin = minTime;
    ref.maxEnd = minTime;
    for (std::uint32_t row = from; row < to; ++row) {
        const TimeNs begin = chunk.at(static_cast<std::size_t>(spec.timeColumn), row);
        const TimeNs end = spec.durationColumn < 0
                               ? begin
                               : saturatingAdd(begin, chunk.at(static_cast<std::size_t>(spec.durationColumn), row));
        ref.firstBegin = std::min(ref.firstBegin, std::min(begin, end));
        ref.lastBegin = std::max(ref.lastBegin, begin);
        ref.maxEnd = std::max(ref.maxEnd, std::max(begin, end));
    }
}

}  // namespace

EncodedChunk cutChunk(const Chunk& chunk, std::uint32_t from, std::uint32_t to)
{
    assert(from < to && to <= chunk.rows);
    const std::uint32_t rows = to - from;
    std::vector<std::int64_t> values;
    values.reserve(chunk.columns.size() * rows);
    for (const StoredColumn& column : chunk.columns)
        values.insert(values.end(), column.begin() + from, column.begin() + to);
    EncodedChunk cut;
    cut.isNumbered = true;
    cut.ref.kind = chunk.kind;
    cut.ref.track = chunk.track;
    cut.ref.firstRow = chunk.firstRow + from;
    cut.ref.rows = rows;
    setTimes(cut.ref, chunk, from, to);
    cut.bytes = encodeChunk(chunk.kind, chunk.track, values, rows, rows);
    cut.ref.hash = hashBytes(cut.bytes);
    return cut;
}

}  // namespace longpole
