// SPDX-License-Identifier: GPL-3.0-or-later
// What idle time waited for, of a run whose ranks several processes host.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/waiting/idlelabels.h"
#include "distributed/answers/workpass.h"

#include <cstdint>

namespace longpole {

// At process 0 what idleLabels() finds in the whole run, but sums by rank, which no advice asks for.
struct HostedLabels {
    IdleLabels labels{};
    ActivityGraph named{};  // the tasks that the examples name and those that sent their messages, without times
};

// All processes call it, with a pass of the whole run that is prepared. Errors: damaged chunks, cancelled, at all.
Result<HostedLabels> hostedLabels(const WorkPass& pass, const TraceStore& store, std::int64_t stages,
                                  const Progress& progress);

}  // namespace longpole
