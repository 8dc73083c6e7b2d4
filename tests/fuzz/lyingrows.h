// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that one process of an analysis gives to another are changed where a look at their bytes finds nothing wrong:
// lengths, compression and checksums are right again.
#pragma once

#include "core/base/timerange.h"
#include "core/file/codec.h"
#include "distributed/exchange/pack.h"
#include "distributed/lyingwire.h"
#include "distributed/recording/hostedrun.h"
#include "fuzz/choices.h"

#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace longpole::tests {

// What chunks are told to be.
inline void changeHead(Choices& choices, ChunkRef& ref)
{
    switch (choices.below(7)) {
    case 0: ref.firstRow = choices.number(); break;
    case 1: ref.rows = static_cast<std::uint32_t>(choices.number()); break;
    case 2: ref.track = static_cast<TrackId>(choices.number()); break;
    case 3: ref.firstBegin = choices.number(); break;
    case 4: ref.lastBegin = choices.number(); break;
    case 5: ref.maxEnd = choices.number(); break;
    default: ref.level = static_cast<std::int32_t>(choices.number());
    }
}

// Some values of columns, or all of one.
inline void changeValues(Choices& choices, ChunkRef& ref, std::vector<char>& data)
{
    const auto chunk = decodeChunk(data, ref.kind, ref.track, ref.rows);
    if (!chunk || ref.rows == 0) return;
    const std::size_t rows = ref.rows, columns = chunk->columns.size();
    std::vector<std::int64_t> values(columns * rows);
    for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t row = 0; row < rows; ++row)
            values[column * rows + row] = chunk->at(column, static_cast<std::uint32_t>(row));
    for (std::uint32_t left = 1 + choices.below(4); left > 0; --left) {
        const std::size_t first = choices.below(static_cast<std::uint32_t>(columns)) * rows,
                          row = first + choices.below(ref.rows);
        const bool isNear = choices.below(2) == 0;
        const std::int64_t value = isNear ? saturatingAdd(values[row], std::int64_t{choices.below(7)} - 3)
                                          : choices.number();
        if (choices.below(3) == 0) std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first), rows, value);
        else values[row] = value;
    }
    data = encodeChunk(ref.kind, ref.track, values, ref.rows, ref.rows);
    ref.hash = static_cast<decltype(ref.hash)>(XXH3_64bits(data.data(), data.size()));
}

inline void lieOfRows(Choices& choices, std::uint16_t tag, Payload& bytes)
{
    constexpr std::size_t least = 17;  // a batch without rows
    if (choices.isEmpty() || !isOfPass(tag, GiveRows) || bytes.size() < heading + least) return;
    const auto end = bytes.end() - static_cast<std::ptrdiff_t>(heading);
    const Payload head(end, bytes.end()), body(bytes.begin(), end);
    Unpacker batch(body);
    const bool ends = batch.value<bool>();
    const auto count = batch.value<std::uint64_t>();
    const Payload rows = batch.values<std::byte>();
    Unpacker in(rows);
    Packer out;
    for (std::uint64_t i = 0; i < count && in.isWhole(); ++i) {
        const auto ordinal = in.value<std::uint32_t>();
        auto ref = in.value<ChunkRef>();
        std::vector<char> data = in.values<char>();
        if (choices.below(6) == 0 && in.isWhole()) {
            if (choices.below(2) == 0) changeHead(choices, ref);
            else changeValues(choices, ref, data);
        }
        out.put(ordinal);
        out.put(ref);
        out.put(data);
    }
    if (!batch.isWhole() || !in.isWhole()) return;
    Packer again;
    again.put(ends);
    again.put(count);
    again.put(out.take());
    bytes = again.take();
    const auto size = static_cast<std::int64_t>(bytes.size());
    bytes.insert(bytes.end(), head.begin(), head.end());
    std::memcpy(bytes.data() + bytes.size() - heading + sizeof size, &size, sizeof size);
}

}  // namespace longpole::tests
