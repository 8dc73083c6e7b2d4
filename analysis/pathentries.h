// The entry methods of a path and whether priorities could single out their critical tasks (ALGORITHMS 4).
#pragma once

#include "analysis/schedulingadvice.h"

#include <vector>

namespace longpole {

// Most critical time first, then by id; potentials and caveats, which take names, are not set. O(tasks).
std::vector<PathEntry> pathEntries(const ActivityGraph& graph, const std::vector<CriticalWait>& waits,
                                   const Thresholds& thresholds);

// The two conditions without evidence.
Condition idleCondition(const std::vector<CriticalWait>& waits, TimeNs duration, const Thresholds& thresholds);
Condition overtakenCondition(const std::vector<CriticalWait>& waits, TimeNs duration, const Thresholds& thresholds);

}  // namespace longpole
