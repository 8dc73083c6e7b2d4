// SPDX-License-Identifier: GPL-3.0-or-later
// The work path of a part of the run without a copy of the graph: one forward pass over the tasks of the range
// (Hollingsworth 1996, section 2.3; docs/algorithms.md 2.5), and a first answer at once from the heads of the whole
// run.
#pragma once

#include "analysis/paths/criticalpath.h"

namespace longpole {

// What of the run's paths lies inside the range: of the tasks that reach into it, the one with the longest way of the
// whole run up to its end, or to the range's; the part of that way inside the range. A path of the range, so its
// length is a lower bound of workPath's, and at least what the run's longest path grows by in the range. Marked as
// preliminary; its rows have no busyShare. O(PEs log n + path) at level order, one look at every head of the range at
// the others.
Result<CriticalPath> quickRangePath(const ActivityGraph& graph, const WorkHeads& heads, TimeRange range);

}  // namespace longpole
