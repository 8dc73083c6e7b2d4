// SPDX-License-Identifier: GPL-3.0-or-later
// Which events of a run a trace keeps that has not room for all: as many as fit of a list of wishes, the first ones.
#pragma once

#include "core/base/timerange.h"
#include "core/trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// All events of a rank that touch this time.
struct KeptWish {
    std::uint32_t rank = 0;
    TimeNs begin = 0;
    TimeNs end = 0;
    friend bool operator==(const KeptWish&, const KeptWish&) = default;
};

// The wishes about one rank by time: which of those that touch a time comes first in the list.
class FirstWish {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    // `numbers`: of wishes about the rank. O(n log n).
    FirstWish(std::span<const KeptWish> wishes, std::span<const std::uint32_t> numbers);
    // O(log n).
    std::uint32_t of(TimeNs begin, TimeNs end) const;

private:
    // Between one border and the next: the first wish there, and at each level the least of 2^level of them.
    std::vector<TimeNs> m_borders;
    std::vector<std::vector<std::uint32_t>> m_least;
};

// How many of the first wishes have room, each of which costs so many bytes more than those before it.
std::size_t wishesWithRoom(std::span<const std::int64_t> costs, std::int64_t bytes);

// The parts of the run that the wishes are about: by rank and time, disjoint and apart.
std::vector<KeptRange> keptRanges(std::span<const KeptWish> wishes);

}  // namespace longpole
