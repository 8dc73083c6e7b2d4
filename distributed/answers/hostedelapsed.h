// SPDX-License-Identifier: GPL-3.0-or-later
// The elapsed path of a run whose ranks several processes host: its steps, its profile, its parts, and the functions
// its tasks ran in.
#pragma once

#include "core/base/progress.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/workpass.h"

namespace longpole {

// What elapsedPath() finds in the graph of the whole run, at process 0; elsewhere nothing. `pass`: of the whole run,
// prepared. All processes call it. Errors: damaged chunks, cancelled, at all of them.
Result<HostedPath> hostedElapsedPath(const WorkPass& pass, const TraceStore& store, const Progress& progress);

}  // namespace longpole
