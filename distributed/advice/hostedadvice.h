// SPDX-License-Identifier: GPL-3.0-or-later
// What to change in a run whose ranks several processes host.
#pragma once

#include "analysis/expert/rankinputs.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/workpass.h"

#include <memory>

namespace longpole {

struct HostedAdvice {
    RankInputs inputs{};                     // what the expert has looked at, but for the paths
    std::shared_ptr<const Expert> expert{};  // with the places in the source that its advice is about
};

// At process 0 what the expert says of the trace of the whole run; elsewhere nothing. `pass`: of the whole run,
// prepared. `waits` (with causes, at least ten of each state) and the paths are process 0's. All processes call it.
// Errors: damaged chunks, cancelled, at all of them.
Result<HostedAdvice> hostedAdvice(const WorkPass& pass, const std::shared_ptr<const TraceStore>& store,
                                  const WaitStates& waits, const CriticalPath& work, const CriticalPath& elapsed,
                                  const Thresholds& thresholds, const Progress& progress);

}  // namespace longpole
