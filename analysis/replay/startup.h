// SPDX-License-Identifier: GPL-3.0-or-later
// What a processor's record begins with and makes its objects: no message is taken there before it has run.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Per processor: tasks with smaller numbers that nothing is known to have caused are of its start-up; 0: none are.
// These are the first tasks of their objects, and stand before all that a message caused. O(n).
std::vector<std::uint32_t> startUpEnds(const ActivityGraph& graph, const TaskObjects& objects);

}  // namespace longpole
