// SPDX-License-Identifier: GPL-3.0-or-later
// The path of one what-if question, traced back by the choices of a lane pass, and its profile after the change.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/whatif/lanes.h"
#include "analysis/whatif/zeroing.h"

#include <cstddef>
#include <vector>

namespace longpole {

// Most time first, then by entry id; times are times the lane's denominator, and only the path's computation counts.
// Mode Work: the path starts where it first carries time after the change. O(path).
std::vector<PathProfileRow> profileOfLane(const ActivityGraph& graph, const WhatIfModel& model,
                                          const LaneFactors& factors, const LanePass& pass, std::size_t lane);

}  // namespace longpole
