// SPDX-License-Identifier: GPL-3.0-or-later
// How often a substring occurs without overlapping itself, and the length of most coverage among substrings that occur
// at the same places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// Most disjoint pieces of `length` that begin at some of `places` (ascending): the leftmost that fits, again and again.
struct DisjointCount {
    std::int64_t count = 0;
    std::int32_t leastStep = 0;  // between two of them: up to this length they are the same pieces
};
DisjointCount countDisjoint(std::span<const std::int32_t> places, std::int32_t length);
std::vector<std::int32_t> disjointPlaces(std::span<const std::int32_t> places, std::int32_t length);

struct LengthChoice {
    std::int32_t length = 0;  // 0: none is better
    std::int64_t count = 0;
    std::int64_t score = 0;  // count x length squared
};

// The length within [shortest, longest] with the largest score above `score` among those with at least `support`
// disjoint pieces. As counts only fall with length, halves whose bound is no better are left out. `work` grows by the
// places looked at; O(places x different counts x log lengths).
LengthChoice bestLength(std::span<const std::int32_t> places, std::int32_t shortest, std::int32_t longest,
                        std::int64_t support, std::int64_t score, std::int64_t& work);

}  // namespace longpole
