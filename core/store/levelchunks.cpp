// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/levelchunks.h"

#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/file/codec.h"
#include "core/store/rowbuffer.h"
#include "core/store/tilecolumns.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace longpole {
namespace {

TimeNs binTime(std::int64_t bin, int level)
{
    if (bin > maxTime >> level) return maxTime;
    return bin < minTime >> level ? minTime : bin << level;
}

std::array<std::int64_t, TileColumn::Count> rowOf(const TileBin& bin)
{
    return {
        bin.busy,      bin.idle,  bin.tasks, bin.messages, bin.entry == noEntry ? -1 : std::int64_t{index(bin.entry)},
        bin.entryTime, bin.bytes, bin.pack};
}

}  // namespace

void encodeLevel(TrackId track, const TileLevel& level, const TakeChunk& take)
{
    for (std::size_t from = 0; from < level.bins.size(); from += chunkRows) {
        const std::size_t end = std::min<std::size_t>(from + chunkRows, level.bins.size());
        RowBuffer buffer(TileColumn::Count);
        for (std::size_t bin = from; bin < end; ++bin) buffer.append(rowOf(level.bins[bin]));
        EncodedChunk chunk = encodeRows(ChunkKind::Tile, track, buffer);
        chunk.ref.level = level.level;
        chunk.ref.firstRow = level.firstBin + static_cast<std::int64_t>(from);
        chunk.ref.firstBegin = binTime(chunk.ref.firstRow, level.level);
        chunk.ref.lastBegin = binTime(chunk.ref.firstRow + chunk.ref.rows - 1, level.level);
        chunk.ref.maxEnd = binTime(chunk.ref.firstRow + chunk.ref.rows, level.level);
        take(std::move(chunk));
    }
}

Result<> appendBins(TileLevel& level, ChunkSink& sink, const ChunkRef& ref)
{
    const Result<std::vector<char>> bytes = sink.read(ref.id);
    if (!bytes) return bytes.error();
    const auto chunk = decodeChunk(*bytes, ref.kind, ref.track, ref.rows);
    if (!chunk) return Error{.what = tr("What was just written cannot be read back."), .where = {}, .hint = {}};
    const std::size_t before = level.bins.size();
    level.bins.resize(before + chunk->rows);
    setTileColumns(std::span(level.bins).subspan(before), *chunk, 0, allTileColumns);
    return Unit{};
}

void encodeEntryBins(TrackId track, const EntryBins& bins, const TakeChunk& take)
{
    for (std::size_t from = 0; from < bins.rows(); from += chunkRows) {
        const std::size_t end = std::min<std::size_t>(from + chunkRows, bins.rows());
        RowBuffer buffer(EntryBinColumn::Count);
        for (std::size_t row = from; row < end; ++row)
            buffer.append(std::array<std::int64_t, EntryBinColumn::Count>{bins.binOf(row), index(bins.entry[row]),
                                                                          bins.time[row], bins.tasks[row]});
        EncodedChunk chunk = encodeRows(ChunkKind::EntryBin, track, buffer);
        chunk.ref.level = bins.level;
        chunk.ref.firstBegin = binTime(bins.binOf(from), bins.level);
        chunk.ref.lastBegin = binTime(bins.binOf(end - 1), bins.level);
        chunk.ref.maxEnd = binTime(bins.binOf(end - 1) + 1, bins.level);
        take(std::move(chunk));
    }
}

}  // namespace longpole
