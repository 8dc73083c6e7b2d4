// SPDX-License-Identifier: GPL-3.0-or-later
// What the sweep sorts and groups: pieces of code between calls as intervals of time, and how they travel.
#pragma once

#include "distributed/algorithms/lossgraph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

struct CodeInterval {
    TimeNs begin = 0;
    TimeNs length = 0;
    std::uint32_t rank = 0;
    std::uint32_t number = 0;         // of the piece on its rank
    std::uint32_t call = noCallName;  // the call that follows
    std::uint32_t padding = 0;
    TimeNs end() const { return begin + length; }
    friend bool operator==(const CodeInterval&, const CodeInterval&) = default;
};
// The order of the sweep: by begin, then rank.
bool isBefore(const CodeInterval& a, const CodeInterval& b);
// Which of two intervals of a group is its longest: the longer, then the one before the other.
const CodeInterval& longerOf(const CodeInterval& a, const CodeInterval& b);

// The pieces of this process of at least `threshold` (and of more than nothing), sorted. Shorter ones belong to the
// calls around them (Korkhov et al. 2023, section 5).
std::vector<CodeInterval> intervalsOf(const LossGraph& graph, TimeNs threshold);

enum class Compression : std::uint8_t { Off, Least, Most };  // zstd at levels 1 and 19 over columns; off: as they lie
Payload encodeIntervals(const std::vector<CodeInterval>& intervals, Compression compression);
// Nothing if the bytes are not what encodeIntervals makes.
std::optional<std::vector<CodeInterval>> decodeIntervals(const Payload& bytes, Compression compression);

// Sorted lists as one.
std::vector<CodeInterval> mergeIntervals(const std::vector<std::vector<CodeInterval>>& lists);

}  // namespace longpole
