// SPDX-License-Identifier: GPL-3.0-or-later
// Levels of detail as chunks: tiles and entry bins are cut and encoded, and tiles read back.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/file/chunksink.h"
#include "core/store/entrybins.h"
#include "core/store/tiles.h"
#include "core/trace/columns.h"

#include <functional>

namespace longpole {

using TakeChunk = std::function<void(EncodedChunk)>;

// Cuts one level into chunks and hands them to `take`.
void encodeLevel(TrackId track, const TileLevel& level, const TakeChunk& take);
// Likewise the rows of entry bins, all of one width.
void encodeEntryBins(TrackId track, const EntryBins& bins, const TakeChunk& take);

// Adds the bins of a chunk that the sink has stored to a level. Errors: it cannot be read.
Result<> appendBins(TileLevel& level, ChunkSink& sink, const ChunkRef& ref);

}  // namespace longpole
