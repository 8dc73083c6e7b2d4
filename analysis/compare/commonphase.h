// SPDX-License-Identifier: GPL-3.0-or-later
// The phase that repeats along the critical paths of two runs, and the iterations that it cuts each of them into
// (Dooley, Arya, Kale 2010, section 7.4), so that they can be compared iteration by iteration.
#pragma once

#include "analysis/compare/runfigures.h"
#include "analysis/phases/pathphases.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

struct Iterations {
    std::vector<TimeRange> spans{};  // in the run's clock, as PhaseCut::Iterations cuts
    InstanceDurations durations{};
};

struct CommonPhase {
    PathMode path = PathMode::Work;              // where it was found: the work path at messages, or the elapsed path
    std::vector<std::uint32_t> pattern{};        // indices of a's methods, the mark first
    std::size_t instancesA = 0, instancesB = 0;  // of the pattern, disjoint; 0: the loops share its entry methods only
    Iterations a{}, b{};
    std::uint32_t mark() const { return pattern.front(); }  // begins an iteration
    // The i-th of one run is the i-th of the other.
    bool isSameCount() const { return a.spans.size() == b.spans.size(); }
};

// By what the entry methods of one run are called in the other: `inB[i]` is b's method that a's i-th is, or noMethod.
constexpr std::uint32_t noMethod = 0xffffffffu;
using MethodMatches = std::vector<std::uint32_t>;
// Of the same chare and name; of those left, of the same chare and name without arguments, where there is one of each.
MethodMatches matchMethods(const std::vector<MethodFigures>& a, const std::vector<MethodFigures>& b);

// Of the patterns of either run's work path at messages, and of the elapsed path's, the one with the largest instances
// x length squared in the run where that is less; at least `support` instances in both. Of the two paths, the one whose
// iterations cover more of both runs. Its mark is the entry method that occurs least, of those that begin equally many
// iterations in both if there are any. Where no pattern of two or more has that many instances, since the path takes
// another way through the loop in the second run: what both runs' patterns have of the program's own entry methods, if
// one of them begins equally many iterations in both. Else nothing. O(paths x patterns).
std::optional<CommonPhase> commonPhase(const RunFigures& a, const RunFigures& b, const MethodMatches& inB,
                                       std::size_t support = 6);

}  // namespace longpole
