// SPDX-License-Identifier: GPL-3.0-or-later
// The causes of waits in a run whose ranks several processes host.
#pragma once

#include "analysis/mpi/waitstates.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/transport.h"

namespace longpole {

// As findCauses(): adds the causes to what hostedWaitStates() has found with the same options, at process 0. All
// processes call it. `most`: causes that all waits together are divided among. Errors: damaged chunks, cancelled, at
// all of them.
Result<> findHostedCauses(Transport& transport, const HostedTrace& trace, const WaitOptions& options, WaitStates& waits,
                          const Progress& progress, const Limit& most = limits::waitCauses);

}  // namespace longpole
