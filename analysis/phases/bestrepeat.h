// SPDX-License-Identifier: GPL-3.0-or-later
// The one substring of a string with maximal coverage: pieces x length squared (Dooley, Arya, Kale 2010, section 7.4).
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct RepeatQuestion {
    std::int64_t support = 6;  // at least so many pieces; 2 or more
    bool overlapping = false;  // pieces may overlap
    std::int64_t budget = 0;   // places looked at until the best so far is taken
};

struct BestRepeat {
    std::int32_t length = 0;             // 0: no substring occurs often enough
    std::vector<std::int32_t> places{};  // begins of the pieces, ascending
    std::int64_t score = 0;
    bool proven = true;     // no other has a larger score
    std::int64_t work = 0;  // places looked at
};

// Exact unless the budget ends: repeats are looked at in the order of what they could score at most, until none could
// score more (docs/algorithms.md 6). `symbols` must be below `alphabet`. O(length) plus what is looked at. Errors:
// cancelled.
Result<BestRepeat> bestRepeat(std::span<const std::uint32_t> symbols, std::uint32_t alphabet,
                              const RepeatQuestion& question, const Progress& progress);

}  // namespace longpole
