// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters of durations: the humps of a distribution, told apart by the valleys between them.
#pragma once

#include "analysis/base/valuecounts.h"
#include "core/base/timerange.h"

#include <span>
#include <vector>

namespace longpole {

// Values first <= v <= last of one hump.
struct DurationCluster {
    TimeNs first = 0;
    TimeNs last = 0;
    TimeNs median = 0;
    std::int64_t count = 0;
    TimeNs sum = 0;
    friend bool operator==(const DurationCluster&, const DurationCluster&) = default;
};

// Counts go into classes a tenth of their value wide (below 5 us: about half a microsecond, which logs cannot tell
// apart), are smoothed over two classes to each side, and cut at each valley that is below a tenth of the lower one of
// the two humps beside it; of shallower ones the shallowest are filled first. So a hump of a single outlier is a
// cluster where nothing lies within half of its value, and a broad distribution without valleys is one. By duration;
// exact counts, sums and medians. O(values + classes^2).
std::vector<DurationCluster> durationClusters(std::span<const ValueCount> durations);

}  // namespace longpole
