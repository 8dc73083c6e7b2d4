// SPDX-License-Identifier: GPL-3.0-or-later
// A column of numbers as bytes: differences or the numbers themselves, as varints.
#pragma once

#include "core/trace/columns.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace longpole {

constexpr std::size_t maxVarint = 10;  // bytes

// Returns where it ends; it takes at most maxVarint bytes.
std::uint8_t* putVarint(std::uint8_t* out, std::uint64_t value);
// Reads one varint of at most ten bytes from [p, end); null if there is none.
const std::uint8_t* getVarint(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t& value);

struct EncodedColumn {
    std::uint8_t* end;
    bool even;  // all steps are equal: the first value and a step are all that is there
};
// Of at least one row, to where there is room for max(rows, 2) varints.
EncodedColumn encodeColumn(Coding coding, const std::int64_t* values, std::uint32_t rows, std::uint8_t* out);

// Decodes `rows` values, at least one; false if they are not exactly what the bytes hold. Joins bits by an instruction
// that not every processor has where there is one, and it may.
bool decodeColumn(Coding coding, bool even, std::span<const std::uint8_t> bytes, std::int64_t* out, std::uint32_t rows,
                  bool mayJoin = true);

}  // namespace longpole
