// Repeated phases of a program (Dooley, Arya, Kale 2010, section 7.4; ALGORITHMS 6): the substrings of maximal coverage
// of a string of symbols, such as the entry methods along a critical path.
#pragma once

#include "core/progress.h"
#include "core/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

constexpr std::int64_t longestPhaseString = 50'000'000;

struct PhaseOptions {
    std::int64_t support = 6;    // instances at least; 2 or more
    bool overlapping = false;    // instances may overlap: coverage can then be more than the string
    std::size_t count = 5;
    std::optional<std::int64_t> budget{};  // places looked at for each phase; unless told, by the string's length
};

// Score = instances x length squared. The first has the largest score of all substrings, each further one that of what
// the instances of those before it leave; proven: none has a larger one (the budget did not end the search).
struct Phase {
    std::vector<std::uint32_t> pattern{};
    std::size_t rootLength = 0;        // the pattern repeats its first so many symbols; its length if it repeats none
    std::int64_t rootInstances = 0;    // disjoint ones in the whole string
    std::vector<std::size_t> begins{}; // of the instances, symbol offsets, ascending
    std::int64_t score = 0;
    bool proven = true;
};

// Fewer than `count` if nothing else occurs often enough. O(count x length) plus the budget. Errors: a support below 2,
// more than longestPhaseString symbols, cancelled.
Result<std::vector<Phase>> phases(std::span<const std::uint32_t> symbols, const PhaseOptions& options,
                                  const Progress& progress);

// The string with each run of a symbol as one: begins[i] .. begins[i + 1] is the i-th run.
struct CollapsedRuns {
    std::vector<std::uint32_t> symbols{};
    std::vector<std::size_t> begins{0};
};
CollapsedRuns collapsed(std::span<const std::uint32_t> symbols);

}  // namespace longpole
