// SPDX-License-Identifier: GPL-3.0-or-later
// How much longer the tasks of a run whose ranks several processes host could have taken without lengthening its work
// path.
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "distributed/answers/tailpass.h"
#include "distributed/answers/workpass.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

struct HostedTaskSlack {
    TaskId task{};
    EntryId entry = noEntry;
    TimeNs begin = 0;
    TimeNs end = 0;
    TimeNs slack = 0;
};

struct HostedSlack {
    TimeNs length = 0;                   // of the path
    std::int64_t tasks = 0;              // of the run
    std::int64_t without = 0;            // of these, without slack
    std::vector<HostedTaskSlack> least;  // by slack, then in the order of the graph
};

// What slackOfTasks() and leastSlackFirst() find at level Order in the graph of the whole run, at process 0; elsewhere
// nothing. `pass`: has been run in one lane in which all counts as it is; `tails`: of it. All processes call it.
// Errors: cancelled, at all of them.
Result<HostedSlack> hostedSlack(const WorkPass& pass, const TailPass& tails, std::size_t most,
                                const Progress& progress);

}  // namespace longpole
