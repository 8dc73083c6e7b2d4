// SPDX-License-Identifier: GPL-3.0-or-later
// How much any order of the queues can gain: the same messages, the same placement, no preemption
// (docs/algorithms.md 4).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/waiting/idlelabels.h"

#include <algorithm>
#include <cstdint>

namespace longpole {

struct GainBound {
    TimeNs queue =
        0;  // what the messages that led to the last end waited in queues: without that they still take the rest
    TimeNs spare = 0;  // duration - max(work path, busiest processor)
    TimeNs path = 0;
    TimeNs busiest = 0;
    std::uint32_t busiestPe = 0;
    TimeNs bound() const { return std::max<TimeNs>(std::min(queue, spare), 0); }
    TimeNs estimate(TimeNs waited) const { return std::max<TimeNs>(std::min(waited, spare), 0); }
};

// `path`: a work path at level messages or merges. Where a receive time is unknown the message may have come as soon as
// it was sent, or when the processor last idled; what precedes a task of unknown origin counts as queue. O(tasks).
GainBound gainBound(const ActivityGraph& graph, const CriticalPath& path, const ProcessorIdle& idle);

}  // namespace longpole
