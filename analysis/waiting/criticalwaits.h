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

// How a task's wait from the receipt of its message to its begin was filled. The four parts add up to that wait
// exactly; a receipt before the begin of the run counts from there. Where the receive time is an estimate, so are the
// parts, and the time before the processor last idled is overhead: a message that lay there would have been started. A
// Structured Dagger block has no message, and so no wait.
struct QueueWait {
    TimeNs overtaken = 0;  // tasks off the path that were started meanwhile
    TimeNs residual = 0;   // the rest of a task off the path that ran when the message came
    TimeNs self = 0;       // other tasks of the path
    TimeNs overhead = 0;   // the rest
    TimeNs sum() const { return overtaken + residual + self + overhead; }
    friend bool operator==(const QueueWait&, const QueueWait&) = default;
};

struct CriticalWait {
    std::uint32_t task = noTask;
    TimeNs idleBefore = 0;  // how long its processor had idled when it began
    QueueWait wait{};
};
// One wait for each task of the path, in the order of the path. O(path log n + all tasks between their begins).
std::vector<CriticalWait> criticalWaits(const ActivityGraph& graph, const CriticalPath& path,
                                        const ProcessorIdle& idle);

// One of the two conditions of branch E (docs/algorithms.md 4): whether the time of the critical tasks that show it
// reaches the threshold.
struct Condition {
    bool isMet = false;
    std::int64_t count = 0;  // critical tasks that show it
    TimeNs time = 0;         // that they waited
    TimeNs threshold = 0;
    std::vector<Evidence> evidence{};
};

}  // namespace longpole
