// What a pattern repeats: its shortest period.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace longpole {

// The shortest period of a pattern that holds it at least twice ("abc" of "abcabcab"), else its whole length.
// O(length), by the failure function of Knuth, Morris and Pratt.
std::size_t rootLength(std::span<const std::uint32_t> pattern);

// How often `pattern` occurs without overlapping itself. O(length of both). Empty patterns never do.
std::int64_t disjointOccurrences(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> pattern);

}  // namespace longpole
