// Parallelism-exposing paths (future work of Dooley, Arya, Kale 2010, section 8): tasks that much concurrent work waits
// for and that began late, with the path that leads to them (ALGORITHMS 3).
#pragma once

#include "analysis/activitygraph.h"
#include "analysis/criticalpath.h"
#include "core/progress.h"
#include "core/result.h"

#include <vector>

namespace longpole {

// dominated: work of the task and of all tasks that every path from the start passes it to reach; span: longest work
// from its begin on; exposed = dominated / span; delay = begin - run begin - head at level messages, split into waiting in queues and on
// the network; steps: its critical prefix path, up to its begin.
struct ExposingTask {
    TaskId task{};
    EntryId entry = noEntry;
    TimeNs dominated = 0;
    TimeNs span = 0;
    double exposed = 0;
    TimeNs delay = 0;
    TimeNs queued = 0;
    TimeNs network = 0;
    std::vector<PathStep> steps;
};

// The `count` tasks with the largest dominated x delay. At levels messages and merges. Errors: cancelled.
Result<std::vector<ExposingTask>> exposingTasks(const ActivityGraph& graph, const Dependencies& edges,
                                                std::size_t count, const Progress& progress);

}  // namespace longpole
