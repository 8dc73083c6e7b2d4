// SPDX-License-Identifier: GPL-3.0-or-later
// The length of the work path of a run whose ranks several processes host, and the efficiencies that follow from it.
#pragma once

#include "analysis/statistics/efficiency.h"
#include "core/base/progress.h"
#include "distributed/answers/workpass.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/transport.h"

namespace longpole {

// The length of workPath() at level Order inside the range, on all processes. All call it. A rank runs until a value of
// another rank is missing. Errors: damaged chunks, cancelled.
Result<TimeNs> hostedWorkLength(Transport& transport, const HostedTrace& trace, TimeRange range,
                                const Progress& progress);

// efficiency() of the whole run without start-up, at process 0; elsewhere the useful times are missing. `pass`: of the
// whole run, prepared; it is narrowed to the time between start-up and shut-down, and run. All call it.
Result<Efficiency> hostedEfficiency(WorkPass& pass, const HostedTrace& trace, const Progress& progress);

}  // namespace longpole
