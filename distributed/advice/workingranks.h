// SPDX-License-Identifier: GPL-3.0-or-later
// When at least one rank of a run works, and when at least two do, of ranks that several processes host.
#pragma once

#include "analysis/waiting/queuedtime.h"
#include "distributed/answers/workpass.h"

namespace longpole {

// On all processes. Collective: each adds its ranks up, pairs of processes put theirs together, and so on. Whatever the
// run does the ranges are no more than its tasks; where many ranks work at once they are few.
Working workingRanks(const WorkPass& pass, TimeRange run, std::int64_t tasks, std::uint32_t ranks);

}  // namespace longpole
