// SPDX-License-Identifier: GPL-3.0-or-later
// Parallelism-exposing paths (future work of Dooley, Arya, Kale 2010, section 8): tasks that much concurrent work waits
// for and that began late, with the path that leads to them (docs/algorithms.md 3).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <QString>

#include <optional>
#include <vector>

namespace longpole {

// dominated: work of the task and of all tasks that every way from the start passes it to reach. span: the longest
// chain of that work. exposed = dominated / span, at least 1. delay = begin - run begin - head at level messages: how
// much later it began than its chain of messages had to let it; of that, waiting in queues and on the network along the
// chain (the rest is overhead, and when the chain itself began). steps: the critical prefix path to its begin; the last
// step is the task itself, with weight 0.
struct ExposingTask {
    TaskId task{};
    EntryId entry = noEntry;
    TimeNs dominated = 0;
    TimeNs span = 0;
    double exposed = 0;
    TimeNs delay = 0;
    TimeNs queued = 0;
    TimeNs network = 0;
    std::vector<PathStep> steps{};
};

// The `count` tasks with the largest dominated x delay, above zero; of equal ones the first. O(tasks + merges log n).
// Errors: cancelled; the ways to all of them are too long to be kept; level order, as what a processor's order makes
// wait is not what needs the task.
Result<std::vector<ExposingTask>> exposingTasks(const ActivityGraph& graph, const Dependencies& edges,
                                                std::size_t count, const Progress& progress);

// The first task whose work could keep more than one PE busy, of the program's own if there is one; null if there is
// none.
const ExposingTask* exposingFirst(const TraceStore& store, const std::vector<ExposingTask>& tasks);
// "5.115 s of work waited for task 1:23345 of Worker::hop, which started 1.595 s late (edges messages)." Of that task;
// empty if there is none.
QString exposingSentence(const TraceStore& store, const std::vector<ExposingTask>& tasks,
                         std::optional<EdgeLevel> edges);

}  // namespace longpole
