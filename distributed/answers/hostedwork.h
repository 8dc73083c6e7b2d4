// SPDX-License-Identifier: GPL-3.0-or-later
// Efficiencies of a run whose ranks several processes host, from the length of its work path.
#pragma once

#include "analysis/statistics/efficiency.h"
#include "core/base/progress.h"
#include "distributed/answers/workpass.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/transport.h"

namespace longpole {

// efficiency() of the whole run without start-up, at process 0; elsewhere the useful times are missing. `pass`: of the
// whole run, prepared; it is narrowed to the time between start-up and shut-down, and run. All call it.
Result<Efficiency> hostedEfficiency(WorkPass& pass, const HostedTrace& trace, const Progress& progress);

}  // namespace longpole
