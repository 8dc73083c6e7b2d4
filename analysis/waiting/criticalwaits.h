// SPDX-License-Identifier: GPL-3.0-or-later
// What the tasks of a critical path waited for before they began: idle processors, and other tasks in the queue.
#pragma once

#include "analysis/base/evidence.h"
#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/waiting/idlelabels.h"
#include "core/base/timerange.h"

#include <cstdint>
#include <vector>

namespace longpole {

// overtaken + residual + self + overhead = begin - received (not before the run's begin), exactly; where that is
// estimated, so is this, and what passed until the processor last idled is overhead. A block waits in no queue.
struct QueueWait {
    TimeNs overtaken = 0;  // tasks off the path that were started meanwhile
    TimeNs residual = 0;   // the rest of a task off the path that ran when the message came
    TimeNs self = 0;       // tasks on the path
    TimeNs overhead = 0;
    TimeNs sum() const { return overtaken + residual + self + overhead; }
    friend bool operator==(const QueueWait&, const QueueWait&) = default;
};

struct CriticalWait {
    std::uint32_t task = noTask;
    TimeNs idleBefore = 0;  // idle time on its processor that ends at its begin
    QueueWait wait{};
};
// Of each of the path's tasks, in its order. O(path log n + tasks passed).
std::vector<CriticalWait> criticalWaits(const ActivityGraph& graph, const CriticalPath& path,
                                        const ProcessorIdle& idle);

// One of branch E's two conditions: how many critical tasks show it, and for how long.
struct Condition {
    bool isMet = false;
    std::int64_t count = 0;  // critical tasks that show it
    TimeNs time = 0;
    TimeNs threshold = 0;
    std::vector<Evidence> evidence{};
};

}  // namespace longpole
