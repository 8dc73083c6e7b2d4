// SPDX-License-Identifier: GPL-3.0-or-later
// The suffix array of a string of symbols, and how much neighbours in it have in common: every repeat lies in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct SuffixArray {
    std::vector<std::int32_t> order{};  // begins of the suffixes, smallest suffix first
    std::vector<std::int32_t>
        common{};  // by begin: symbols shared with the suffix before it in `order`, 0 for the first
};

// `symbols` must be below `alphabet`, and fewer than 2^31. O(length + alphabet) (SA-IS: Nong, Zhang, Chan 2009; the
// common prefixes: Karkkainen, Manzini, Puglisi 2009).
SuffixArray suffixArray(std::span<const std::uint32_t> symbols, std::uint32_t alphabet);

}  // namespace longpole
