// SPDX-License-Identifier: GPL-3.0-or-later
// By how much the duration of a run is chance, as far as the run itself shows it: its iterations, which do the same,
// differ.
#pragma once

#include "analysis/graph/activitygraph.h"

namespace longpole {

// The standard deviation of the run's duration as a share of it, if its iterations vary independently; 0 where nothing
// repeats. Iterations are told by the entry method that one processor runs regularly, and least often. What changes
// slowly from one to the next is no noise. O(n).
double runNoise(const ActivityGraph& graph);

}  // namespace longpole
