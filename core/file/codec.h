// SPDX-License-Identifier: GPL-3.0-or-later
// A chunk's columns <-> the bytes that are stored: per column zigzag LEB128 (plain or delta), the whole zstd level 1.
// And zstd for other layers' bytes.
//
// Before compression: kind (1 byte), columns (1 byte), rows and track (varints); per column one varint, its byte length
// times two, plus one if the column is "even" (the first coded value, then one that repeats: constants and constant
// steps); then the columns' bytes. A reader skips the columns that it was not asked for.
#pragma once

#include "core/trace/columns.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

constexpr std::uint32_t maxStoredRows = 65536;  // no reader accepts a chunk of more rows

// Quick: what is small lies in its frame as it is. Setting the compressor up takes longer there than all else.
enum class Packing : std::uint8_t { Compressed, Quick };

// Column c of row r is values[c * stride + r]. rows in 1..maxStoredRows. About 2 ns a value.
std::vector<char> encodeChunk(ChunkKind kind, TrackId track, std::span<const std::int64_t> values, std::size_t stride,
                              std::uint32_t rows, Packing packing = Packing::Compressed);

// Nothing if the bytes are not what encodeChunk made for this kind, track and number of rows; never reads or writes
// outside of its buffers, whatever the bytes. firstRow is left to the caller.
std::optional<Chunk> decodeChunk(std::span<const char> bytes, ChunkKind kind, TrackId track, std::uint32_t rows,
                                 std::uint32_t columns = 0xffffffffu);

// No chunk of so many rows of that kind takes more bytes.
std::size_t mostStored(ChunkKind kind, std::uint32_t rows);

// One zstd frame that states its size. Levels 1 to 19.
std::vector<char> compress(std::span<const char> bytes, int level);

// Unpacks one zstd frame into a buffer of this thread, which is valid until the thread's next call of this function or
// of decodeChunk. Empty if the bytes are no zstd frame that states its size, or if that size is beyond `limit`.
std::span<const std::uint8_t> decompress(std::span<const char> stored, std::size_t limit);

}  // namespace longpole
