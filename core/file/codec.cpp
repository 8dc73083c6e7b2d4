// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/codec.h"

#include "core/file/columncoding.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include <zstd.h>

namespace longpole {
namespace {

constexpr std::size_t maxHeader = 2 + (2 + maxColumns) * maxVarint;

// The most that the columns of a chunk take: a column of one row has two numbers, as each has whose steps are all
// equal.
constexpr std::size_t mostBody(std::size_t columns, std::uint32_t rows)
{
    return columns * std::max<std::uint32_t>(rows, 2) * maxVarint;
}

struct FreeCompressor {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompressor {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

template <typename Context>
Context* made(Context* context)
{
    if (!context) throw std::bad_alloc();
    return context;
}

std::vector<char> compressRaw(std::span<const std::uint8_t> raw, int level)
{
    thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(made(ZSTD_createCCtx()));
    thread_local std::vector<char> room;
    if (room.size() < ZSTD_compressBound(raw.size())) room.resize(ZSTD_compressBound(raw.size()));
    const std::size_t size = ZSTD_compressCCtx(context.get(), room.data(), room.size(), raw.data(), raw.size(), level);
    if (ZSTD_isError(size)) throw std::bad_alloc();  // the bound makes every other failure impossible
    return {room.data(), room.data() + size};
}

constexpr std::size_t mostFramed = 16384;

// A zstd frame that states its size, of one block as it is (RFC 8878, 3.1.1).
std::vector<char> framed(std::span<const std::uint8_t> raw)
{
    constexpr std::size_t headBytes = 4 + 1 + 4 + 3;  // magic, descriptor, size, the block's head
    const auto size = static_cast<std::uint32_t>(raw.size());
    std::vector<char> stored(headBytes + raw.size());
    const auto put = [&stored](std::size_t place, std::uint32_t number, int bytes) {
        for (int i = 0; i < bytes; ++i) stored[place++] = static_cast<char>(number >> (8 * i) & 0xff);
    };
    put(0, ZSTD_MAGICNUMBER, 4);
    put(4, 0xa0, 1);  // one segment, a size of four bytes
    put(5, size, 4);
    put(9, size << 3 | 1, 3);  // as it is, the last one
    std::memcpy(stored.data() + headBytes, raw.data(), raw.size());
    return stored;
}

struct ColumnExtent {
    std::span<const std::uint8_t> bytes;
    bool even = false;
};

// Where each stored column's bytes are; nothing if the header is not that of this kind, track and number of rows.
std::optional<std::array<ColumnExtent, maxColumns>> columnExtents(std::span<const std::uint8_t> raw,
                                                                  const ChunkSpec& spec, TrackId track,
                                                                  std::uint32_t rows)
{
    const std::uint8_t* p = raw.data();
    const std::uint8_t* const end = p + raw.size();
    if (raw.size() < 2 || p[0] != static_cast<std::uint8_t>(spec.kind)) return {};
    const std::size_t stored = p[1];
    if (stored != spec.columns.size()) return {};
    std::uint64_t storedRows = 0;
    std::uint64_t storedTrack = 0;
    p = getVarint(p + 2, end, storedRows);
    if (p) p = getVarint(p, end, storedTrack);
    if (!p || storedRows != rows || storedTrack != index(track)) return {};
    std::array<std::uint64_t, maxColumns> heads{};
    for (std::size_t c = 0; c < stored; ++c) {
        p = getVarint(p, end, heads[c]);
        if (!p) return {};
    }
    std::array<ColumnExtent, maxColumns> extents;
    for (std::size_t c = 0; c < stored; ++c) {
        const std::uint64_t length = heads[c] >> 1;
        if (length > static_cast<std::uint64_t>(end - p)) return {};
        extents[c] = {{p, static_cast<std::size_t>(length)}, (heads[c] & 1) != 0};
        p += length;
    }
    if (p != end) return {};
    return extents;
}

}  // namespace

std::vector<char> compress(std::span<const char> bytes, int level)
{
    return compressRaw({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, level);
}

std::span<const std::uint8_t> decompress(std::span<const char> stored, std::size_t limit)
{
    thread_local const std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(made(ZSTD_createDCtx()));
    thread_local std::vector<std::uint8_t> raw;
    const unsigned long long size = ZSTD_getFrameContentSize(stored.data(), stored.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > limit) return {};
    if (raw.size() < size) raw.resize(size);
    const std::size_t got = ZSTD_decompressDCtx(context.get(), raw.data(), size, stored.data(), stored.size());
    if (ZSTD_isError(got) || got != size) return {};
    return {raw.data(), got};
}

std::size_t mostStored(ChunkKind kind, std::uint32_t rows)
{
    return ZSTD_compressBound(maxHeader + mostBody(chunkSpec(kind).columns.size(), rows));
}

std::vector<char> encodeChunk(ChunkKind kind, TrackId track, std::span<const std::int64_t> values, std::size_t stride,
                              std::uint32_t rows, Packing packing)
{
    const ChunkSpec& spec = chunkSpec(kind);
    const std::size_t columns = spec.columns.size();
    thread_local std::vector<std::uint8_t> buffer;
    const std::size_t needed = maxHeader + mostBody(columns, rows);
    if (buffer.size() < needed) buffer.resize(needed);

    std::array<std::uint64_t, maxColumns> heads{};
    std::uint8_t* const body = buffer.data() + maxHeader;
    std::uint8_t* out = body;
    for (std::size_t c = 0; c < columns; ++c) {
        const EncodedColumn encoded = encodeColumn(spec.columns[c].coding, values.data() + c * stride, rows, out);
        heads[c] = (static_cast<std::uint64_t>(encoded.end - out) << 1) | (encoded.even ? 1 : 0);
        out = encoded.end;
    }
    std::array<std::uint8_t, maxHeader> header{};
    header[0] = static_cast<std::uint8_t>(kind);
    header[1] = static_cast<std::uint8_t>(columns);
    std::uint8_t* headerEnd = putVarint(putVarint(header.data() + 2, rows), index(track));
    for (std::size_t c = 0; c < columns; ++c) headerEnd = putVarint(headerEnd, heads[c]);
    const std::size_t headerSize = static_cast<std::size_t>(headerEnd - header.data());
    std::memcpy(body - headerSize, header.data(), headerSize);
    const std::span<const std::uint8_t> raw(body - headerSize, out);
    return packing == Packing::Quick && raw.size() <= mostFramed ? framed(raw) : compressRaw(raw, 1);
}

std::optional<Chunk> decodeChunk(std::span<const char> bytes, ChunkKind kind, TrackId track, std::uint32_t rows,
                                 std::uint32_t columns)
{
    if (rows == 0 || rows > maxStoredRows) return {};
    const ChunkSpec& spec = chunkSpec(kind);
    const auto raw = decompress(bytes, maxHeader + mostBody(spec.columns.size(), rows));
    const auto extents = columnExtents(raw, spec, track, rows);
    if (!extents) return {};
    Chunk chunk{.kind = kind, .track = track, .firstRow = 0, .rows = rows, .columns = {}};
    chunk.columns.resize(spec.columns.size());
    for (std::size_t c = 0; c < spec.columns.size(); ++c) {
        if ((columns >> c & 1) == 0) continue;
        chunk.columns[c].resize(rows);
        const ColumnExtent& extent = (*extents)[c];
        if (!decodeColumn(spec.columns[c].coding, extent.even, extent.bytes, chunk.columns[c].data(), rows)) return {};
    }
    return chunk;
}

}  // namespace longpole
