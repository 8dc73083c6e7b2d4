// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated phases of a program (Dooley, Arya, Kale 2010, section 7.4; docs/algorithms.md 6): the substrings of maximal
// coverage of a string of symbols, such as the entry methods along a critical path.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

constexpr std::int64_t longestPhaseString = 50'000'000;

struct PhaseOptions {
    std::int64_t support = 6;  // instances at least; 2 or more
    bool overlapping = false;  // instances may overlap: coverage can then be more than the string
    std::size_t count = 5;
    std::optional<std::int64_t>
        budget{};  // places looked at, of all phases together; by the string's length unless told
    friend bool operator==(const PhaseOptions&, const PhaseOptions&) = default;
};

constexpr std::int64_t unlimitedBudget = std::numeric_limits<std::int64_t>::max();  // everything is proven

// Score = instances x length squared. The first has the largest score of all substrings, each further one that of what
// the instances of those before it leave; proven: none has a larger one (the budget did not end the search).
struct Phase {
    std::vector<std::uint32_t> pattern{};
    std::size_t rootLength = 0;         // the pattern repeats its first so many symbols; its length if it repeats none
    std::int64_t rootInstances = 0;     // disjoint ones in the whole string
    std::vector<std::size_t> begins{};  // of the instances, symbol offsets, ascending
    std::int64_t score = 0;
    bool proven = true;
    std::uint32_t mark = 0;           // of a path: the symbol that begins an iteration (markIterations)
    std::size_t marksEach = 1;        // and how often an iteration has it
    std::vector<TimeRange> rounds{};  // of a path: its iterations as objects go through them (findRounds); or empty
};

struct FoundPhases {
    std::vector<Phase> phases{};
    bool isComplete = true;  // false: the budget ended before `count` of them were looked for
};

// Fewer than `count` if nothing else occurs often enough. The budget is that of the whole call: the first phase takes
// what it needs, and each further one is looked for if what is left pays for reading the rest. O(length) plus the
// budget. Errors: a support below 2, more than longestPhaseString symbols, cancelled.
Result<FoundPhases> phases(std::span<const std::uint32_t> symbols, const PhaseOptions& options,
                           const Progress& progress);

// The string with each run of a symbol as one: begins[i] .. begins[i + 1] is the i-th run.
struct CollapsedRuns {
    std::vector<std::uint32_t> symbols{};
    std::vector<std::size_t> begins{0};
};
CollapsedRuns collapsed(std::span<const std::uint32_t> symbols);
CollapsedRuns everySymbol(std::span<const std::uint32_t> symbols);  // each is a run of its own

}  // namespace longpole
