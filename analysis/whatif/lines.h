// SPDX-License-Identifier: GPL-3.0-or-later
// The longest paths at several factors of the same entry methods, in one forward pass. Each path is kept as a line over
// the factor: the time of these entry methods is its slope, all other time is fixed, so it is exact at any factor.
#pragma once

#include "analysis/base/rational.h"
#include "analysis/graph/activitygraph.h"
#include "analysis/whatif/laneplan.h"
#include "analysis/whatif/lanes.h"
#include "analysis/whatif/zeroing.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// Length of a path: fixed + slope x factor.
struct PathLine {
    TimeNs fixed = 0;
    TimeNs slope = 0;
};

// Whether one line is longer than the other at the factor, or as long there and longer beyond. Exact for times and
// terms up to 2^61.
bool isLonger(PathLine a, PathLine b, Rational factor);

constexpr std::size_t lineLanes = 8;
// The largest time, and the largest term of a factor, that the pass can take.
constexpr std::int64_t largestLine = std::int64_t{1} << 53;

struct LinePass {
    std::array<PathLine, lineLanes> longest{};
    bool isDone = false;  // false: cancelled
};

// At most lineLanes factors. No path, without the time after the last end, may be longer than largestLine; neither may
// the factors' terms. O(tasks + edges), 128 bytes per slot and PE.
LinePass linePass(const ActivityGraph& graph, const WhatIfModel& model, const LanePlan& plan,
                  const std::vector<EntryId>& entries, std::span<const Rational> factors, PassProgress& progress);

}  // namespace longpole
