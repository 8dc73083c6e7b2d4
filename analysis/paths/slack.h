// SPDX-License-Identifier: GPL-3.0-or-later
// Slack: how much longer each task could have taken without lengthening the critical path (docs/algorithms.md 3).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/whatifmodel.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <memory>
#include <vector>

namespace longpole {

// slack = length - (longest way to the begin of the task + longest way from there to the end) >= 0; 0 exactly for the
// tasks on some critical path. Mode Elapsed: ways are made of the run's fixed delays too
// (analysis/paths/elapseddelays.h), the length is the duration, and slack 0 lies on the elapsed path.
struct Slack {
    WhatIfModel model{};
    TimeNs length = 0;
    std::vector<TimeNs> slack{};  // per graph task
};

// O(tasks + edges), 8 bytes a task beyond graph and heads. `heads` of the same edges save the forward pass of mode
// Work, which otherwise runs on a second thread. Errors: cancelled; mode Sweep, which has no slack.
Result<std::shared_ptr<const Slack>> slackOfTasks(const ActivityGraph& graph, const WhatIfModel& model,
                                                  const WorkHeads* heads, const Progress& progress);

// What an analysis of all paths answers to mode Sweep.
Error noSlackInSweep();

// The first `limit` graph tasks by (slack, task) of those with slack up to `atMost`. O(tasks), and sorting the result.
std::vector<std::uint32_t> leastSlackFirst(const Slack& slack, TimeNs atMost, std::size_t limit);

}  // namespace longpole
