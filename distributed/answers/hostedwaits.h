// SPDX-License-Identifier: GPL-3.0-or-later
// The wait states of a run whose ranks several processes host.
#pragma once

#include "analysis/mpi/waitstates.h"
#include "core/base/progress.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/transport.h"

namespace longpole {

// What waitStates() finds in the trace of the whole run, without causes, at process 0; nothing elsewhere. All processes
// call it, with the same options. Errors: damaged parts, cancelled, at all of them.
Result<WaitStates> hostedWaitStates(Transport& transport, const HostedTrace& trace, const WaitOptions& options,
                                    const Progress& progress);

}  // namespace longpole
