// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>

#include <zstd.h>

namespace longpole {
namespace {

constexpr std::size_t maxVarint = 10;
constexpr std::size_t maxHeader = 2 + (2 + maxColumns) * maxVarint;

// The most that the columns of a chunk take: a column of one row has two numbers, as each has whose steps are all
// equal.
constexpr std::size_t mostBody(std::size_t columns, std::uint32_t rows)
{
    return columns * std::max<std::uint32_t>(rows, 2) * maxVarint;
}

std::uint64_t zigzag(std::uint64_t value) { return (value << 1) ^ (0 - (value >> 63)); }
std::uint64_t unzigzag(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }
std::uint64_t swapBytes(std::uint64_t value) { return __builtin_bswap64(value); }

std::uint8_t* putVarint(std::uint8_t* out, std::uint64_t value)
{
    while (value >= 0x80) {
        *out++ = static_cast<std::uint8_t>(value | 0x80);
        value >>= 7;
    }
    *out++ = static_cast<std::uint8_t>(value);
    return out;
}

// Reads one varint of at most ten bytes from [p, end); null if there is none.
const std::uint8_t* getVarint(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t& value)
{
    std::uint64_t result = 0;
    for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
        const std::uint64_t byte = *p++;
        result |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            if (shift == 63 && byte > 1) return nullptr;
            value = result;
            return p;
        }
    }
    return nullptr;
}

// What is stored for `value` in a row below `previous`.
template <Coding coding>
std::uint64_t code(std::uint64_t value, std::uint64_t previous)
{
    if constexpr (coding == Coding::Plain) return zigzag(value);
    if constexpr (coding == Coding::Delta) return zigzag(value - previous);
    if constexpr (coding == Coding::Double) return swapBytes(value ^ previous);  // low mantissa bytes are mostly 0
}

template <Coding coding>
std::uint64_t uncode(std::uint64_t coded, std::uint64_t previous)
{
    if constexpr (coding == Coding::Plain) return unzigzag(coded);
    if constexpr (coding == Coding::Delta) return previous + unzigzag(coded);
    if constexpr (coding == Coding::Double) return swapBytes(coded) ^ previous;
}

struct Encoded {
    std::uint8_t* end;
    bool even;
};

template <Coding coding>
Encoded encodeColumn(const std::int64_t* values, std::uint32_t rows, std::uint8_t* out)
{
    const auto value = [values](std::uint32_t row) { return static_cast<std::uint64_t>(values[row]); };
    const std::uint64_t first = code<coding>(value(0), 0);
    const std::uint64_t second = rows > 1 ? code<coding>(value(1), value(0)) : first;
    std::uint32_t row = 1;
    while (row < rows && code<coding>(value(row), value(row - 1)) == second) ++row;
    out = putVarint(out, first);
    if (row == rows) return {putVarint(out, second), true};
    std::uint64_t previous = value(0);
    for (row = 1; row < rows; ++row) {
        out = putVarint(out, code<coding>(value(row), previous));
        previous = value(row);
    }
    return {out, false};
}

Encoded encodeColumn(Coding coding, const std::int64_t* values, std::uint32_t rows, std::uint8_t* out)
{
    switch (coding) {
    case Coding::Delta: return encodeColumn<Coding::Delta>(values, rows, out);
    case Coding::Double: return encodeColumn<Coding::Double>(values, rows, out);
    case Coding::Plain: break;
    }
    return encodeColumn<Coding::Plain>(values, rows, out);
}

constexpr std::uint64_t continuation = 0x8080808080808080u;

// The lowest `length` groups of 7 bits of a little-endian word, joined.
std::uint64_t joinGroups(std::uint64_t word, unsigned length)
{
    word &= ~std::uint64_t{0} >> (64 - 8 * length);
    word = (word & 0x007f007f007f007fu) | ((word & 0x7f007f007f007f00u) >> 1);
    word = (word & 0x00003fff00003fffu) | ((word & 0x3fff00003fff0000u) >> 2);
    return (word & 0x000000000fffffffu) | ((word & 0x0fffffff00000000u) >> 4);
}

// Decodes `rows` values that fill [p, end) exactly.
template <Coding coding>
bool decodeColumn(const std::uint8_t* p, const std::uint8_t* end, std::int64_t* out, std::uint32_t rows)
{
    std::uint64_t previous = 0;
    const auto emit = [&](std::uint64_t coded) {
        previous = uncode<coding>(coded, previous);
        *out++ = static_cast<std::int64_t>(previous);
    };
    std::int64_t* const last = out + rows;
    while (last - out >= 8 && end - p >= 16) {
        std::uint64_t word;
        std::memcpy(&word, p, sizeof word);
        const std::uint64_t more = word & continuation;
        if (more == 0) {
            for (int i = 0; i < 8; ++i) emit(p[i]);
            p += 8;
        } else if (more == continuation) {  // nine or ten bytes
            std::uint64_t coded = 0;
            p = getVarint(p, end, coded);
            if (!p) return false;
            emit(coded);
        } else {  // take all values that end within the word
            std::uint64_t stops = ~word & continuation;
            unsigned from = 0;
            while (stops != 0) {
                const unsigned to = static_cast<unsigned>(std::countr_zero(stops) + 1) / 8;
                emit(joinGroups(word >> (8 * from), to - from));
                from = to;
                stops &= stops - 1;
            }
            p += from;
        }
    }
    while (out != last) {
        std::uint64_t coded = 0;
        p = getVarint(p, end, coded);
        if (!p) return false;
        emit(coded);
    }
    return p == end;
}

template <Coding coding>
bool decodeEven(const std::uint8_t* p, const std::uint8_t* end, std::int64_t* out, std::uint32_t rows)
{
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    p = getVarint(p, end, first);
    if (p) p = getVarint(p, end, second);
    if (p != end) return false;
    std::uint64_t value = uncode<coding>(first, 0);
    out[0] = static_cast<std::int64_t>(value);
    for (std::uint32_t row = 1; row < rows; ++row) {
        value = uncode<coding>(second, value);
        out[row] = static_cast<std::int64_t>(value);
    }
    return true;
}

bool decodeColumn(Coding coding, bool even, std::span<const std::uint8_t> bytes, std::int64_t* out, std::uint32_t rows)
{
    const std::uint8_t* begin = bytes.data();
    const std::uint8_t* end = begin + bytes.size();
    switch (coding) {
    case Coding::Delta:
        return even ? decodeEven<Coding::Delta>(begin, end, out, rows)
                    : decodeColumn<Coding::Delta>(begin, end, out, rows);
    case Coding::Double:
        return even ? decodeEven<Coding::Double>(begin, end, out, rows)
                    : decodeColumn<Coding::Double>(begin, end, out, rows);
    case Coding::Plain: break;
    }
    return even ? decodeEven<Coding::Plain>(begin, end, out, rows) : decodeColumn<Coding::Plain>(begin, end, out, rows);
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
        const Encoded encoded = encodeColumn(spec.columns[c].coding, values.data() + c * stride, rows, out);
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
