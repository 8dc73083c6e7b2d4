// SPDX-License-Identifier: GPL-3.0-or-later
// Dominators in the activity graph: the last task that every way from the start to a task passes
// (docs/algorithms.md 3).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/progress.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Per graph task its immediate dominator; noTask where no other task lies on all ways to it. Without merges that is the
// task that its message comes from; with merges the lowest common ancestor of all it waited for, found over jump
// pointers (Myers 1983). Messages and merges of `edges`, not the processors' order. O(tasks + merges log tasks); 4
// bytes a task, 8 more meanwhile where there are merges. Empty when cancelled.
std::vector<std::uint32_t> immediateDominators(const ActivityGraph& graph, const Dependencies& edges,
                                               const Progress& progress);

// The work of each task and of all that it dominates. O(tasks).
std::vector<TimeNs> dominatedWork(const ActivityGraph& graph, const std::vector<std::uint32_t>& dominators);

}  // namespace longpole
