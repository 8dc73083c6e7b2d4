// Slack: how much longer each task could have taken without lengthening the critical path (ALGORITHMS 3).
#pragma once

#include "analysis/activitygraph.h"
#include "analysis/criticalpath.h"
#include "analysis/zeroing.h"
#include "core/progress.h"
#include "core/result.h"

#include <memory>
#include <vector>

namespace longpole {

// slack = length - (longest way to the begin of the task + longest way from there to the end) >= 0; 0 exactly for the
// tasks on some critical path.
struct Slack {
    WhatIfModel model{};
    TimeNs length = 0;
    std::vector<TimeNs> slack;  // per graph task
};

// Forward and backward passes on two threads. O(tasks + edges). `heads`, if they are there already and of the same
// edges, save the forward pass (mode Work). Errors: cancelled; mode Sweep.
Result<std::shared_ptr<const Slack>> slackOfTasks(const ActivityGraph& graph, const WhatIfModel& model,
                                                  const WorkHeads* heads, const Progress& progress);

}  // namespace longpole
