// SPDX-License-Identifier: GPL-3.0-or-later
// What a pattern repeats: its shortest period.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// The shortest period of a pattern that holds it at least twice ("abc" of "abcabcab"), else its whole length.
// O(length), by the failure function of Knuth, Morris and Pratt.
std::size_t rootLength(std::span<const std::uint32_t> pattern);

// Where and how often `pattern` occurs without overlapping itself, leftmost first. O(length of both). Empty patterns
// never do.
std::vector<std::size_t> occurrences(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> pattern);
std::int64_t disjointOccurrences(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> pattern);

}  // namespace longpole
