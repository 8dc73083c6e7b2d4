// The phase that repeats along the critical paths of two runs, and the iterations that it divides each of them into
// (Dooley, Arya, Kale 2010, section 7.4), so that they can be compared iteration by iteration.
#pragma once

#include "analysis/pathphases.h"
#include "analysis/runfigures.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// An iteration lasts from one begin of the entry method `anchor` on the path to the next, so the last is not complete
// and does not count; where no entry method occurs once in the pattern, iterations are the pattern's instances.
struct Iterations {
    std::vector<TimeRange> spans{};
    InstanceDurations durations{};
};

struct CommonPhase {
    std::vector<std::uint32_t> pattern{};     // indices of a's methods
    std::size_t instancesA = 0, instancesB = 0;  // of the pattern, disjoint
    std::optional<std::uint32_t> anchor{};    // of a's methods
    Iterations a{}, b{};
    // The i-th of one run is the i-th of the other.
    bool isSameCount() const { return a.spans.size() == b.spans.size(); }
};

// By what the entry methods of one run are called in the other: `inB[i]` is b's method that a's i-th is, or noMethod.
constexpr std::uint32_t noMethod = 0xffffffffu;
using MethodMatches = std::vector<std::uint32_t>;
// Of the same chare and name; of those left, of the same chare and name without arguments, where there is one of each.
MethodMatches matchMethods(const std::vector<MethodFigures>& a, const std::vector<MethodFigures>& b);

// Of the patterns of either run, the one with the largest instances x length squared in the run where that is less;
// at least `support` instances in both. Nothing: none has that many. O(paths x patterns).
std::optional<CommonPhase> commonPhase(const RunFigures& a, const RunFigures& b, const MethodMatches& inB,
                                       std::size_t support = 6);

}  // namespace longpole
