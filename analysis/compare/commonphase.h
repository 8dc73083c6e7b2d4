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
    // If so, the i-th iteration of one run corresponds to the i-th of the other.
    bool isSameCount() const { return a.spans.size() == b.spans.size(); }
};

// Which entry method of b is the same as one of a: `inB[i]` is the index of that of a's i-th one, or noMethod.
constexpr std::uint32_t noMethod = 0xffffffffu;
using MethodMatches = std::vector<std::uint32_t>;
// Matches entry methods of the same chare and name. Those that are left match by chare and name without arguments, if
// each run has only one of that name.
MethodMatches matchMethods(const std::vector<MethodFigures>& a, const std::vector<MethodFigures>& b);

// The first phase that `longpole phases` finds of each run, if both are the same loop. Else finds it among the patterns
// of both runs' work paths at messages, and of their elapsed paths. A pattern needs at least `support` instances in
// both runs and scores instances x length squared in the run where that is less. The best one of each kind of path is
// taken, and of the two the one whose iterations cover more of both runs. Its mark is the entry method that occurs
// least, among those that begin equally many iterations in both runs if there are any. If no pattern of two or more
// symbols has enough instances, as the path takes another way through the loop in the second run: the program's own
// entry methods that both runs' patterns share, if one of them begins equally many iterations in both. Else nothing.
// O(paths x patterns).
std::optional<CommonPhase> commonPhase(const RunFigures& a, const RunFigures& b, const MethodMatches& inB,
                                       std::size_t support = 6);

}  // namespace longpole
