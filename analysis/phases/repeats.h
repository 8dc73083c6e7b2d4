// SPDX-License-Identifier: GPL-3.0-or-later
// The repeats of a string: sets of substrings that occur at the same places, from the intervals of its suffix array.
#pragma once

#include "analysis/phases/suffixarray.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// The substrings of lengths (shorter, longest] that begin at order[firstRow .. lastRow], and nowhere else.
struct Repeat {
    std::int32_t firstRow = 0;
    std::int32_t lastRow = 0;
    std::int32_t shorter = 0;
    std::int32_t longest = 0;
    std::int32_t firstPlace = 0;  // of the places where they begin
    std::int32_t lastPlace = 0;

    std::int32_t places() const { return lastRow - firstRow + 1; }
};

namespace detail {

constexpr std::int64_t manyBefore = -1;  // what is before the places is not always the same symbol

struct OpenRepeat {
    std::int32_t firstRow;
    std::int32_t length;
    std::int32_t firstPlace;
    std::int32_t lastPlace;
    std::int64_t before;

    void add(const OpenRepeat& part)
    {
        firstPlace = std::min(firstPlace, part.firstPlace);
        lastPlace = std::max(lastPlace, part.lastPlace);
        if (before != part.before) before = manyBefore;
    }
};

}  // namespace detail

// Calls visit(const Repeat&) for every repeat that does not always follow the same symbol: one that does is no better
// than the longer one that begins at that symbol, which has as many places, disjoint ones too. O(length).
template <typename Visit>
void forEachRepeat(std::span<const std::uint32_t> symbols, const SuffixArray& array, Visit visit)
{
    using detail::OpenRepeat;
    std::vector<OpenRepeat> open;
    const auto rows = static_cast<std::int32_t>(array.order.size());
    for (std::int32_t row = 0; row < rows; ++row) {
        const auto place = static_cast<std::size_t>(array.order[static_cast<std::size_t>(row)]);
        const std::int32_t next =
            row + 1 < rows ? array.common[static_cast<std::size_t>(array.order[static_cast<std::size_t>(row) + 1])] : 0;
        const auto begin = static_cast<std::int32_t>(place);
        OpenRepeat part{row, 0, begin, begin, place > 0 ? std::int64_t{symbols[place - 1]} : detail::manyBefore};
        while (!open.empty() && open.back().length > next) {
            OpenRepeat repeat = open.back();
            open.pop_back();
            repeat.add(part);
            const std::int32_t shorter = open.empty() ? next : std::max(next, open.back().length);
            if (repeat.before == detail::manyBefore)
                visit(Repeat{repeat.firstRow, row, shorter, repeat.length, repeat.firstPlace, repeat.lastPlace});
            part = repeat;
        }
        if (next == 0) continue;
        if (!open.empty() && open.back().length == next) {
            open.back().add(part);
            continue;
        }
        part.length = next;
        open.push_back(part);
    }
}

}  // namespace longpole
