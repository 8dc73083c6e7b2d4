// SPDX-License-Identifier: GPL-3.0-or-later
// Some rows of a chunk as a chunk of their own, for a trace that has parts of the events.
#pragma once

#include "core/file/chunksink.h"
#include "core/trace/columns.h"

#include <cstdint>

namespace longpole {

// Rows [from, to) of a chunk that was decoded with all its columns, not empty. They keep their numbers.
EncodedChunk cutChunk(const Chunk& chunk, std::uint32_t from, std::uint32_t to);

}  // namespace longpole
