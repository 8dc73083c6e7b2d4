// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles of blocks of processors (core/trace/processorblocks.h): added up when a trace is written, and found by whoever
// draws many processors as one row.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/file/definitions.h"
#include "core/store/levelchunks.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace longpole {

using ReadChunkBytes = std::function<Result<std::vector<char>>(std::int64_t id)>;

// The tiles of all blocks of a trace with these processors and chunks of tiles, in chunks, a level each; none if it has
// few processors. What a block's levels say is the sum over its processors, but for communication threads; its finest
// level is not finer than any of theirs, and has at most four times as many bins as the largest of these, or 8192.
Result<> encodeBlockTiles(const std::vector<Processor>& processors, const std::vector<ChunkRef>& directory,
                          const ReadChunkBytes& read, const TakeChunk& take, const Progress& progress);

// Tracks whose tiles at `level` or a finer one add up to those of `tracks`: blocks in place of all of their processors,
// where these follow each other in their order.
std::vector<TrackId> tracksWithBlocks(const TraceStore& store, std::span<const TrackId> tracks, int level);

}  // namespace longpole
