// SPDX-License-Identifier: GPL-3.0-or-later
// What a profile takes of the events of a run whose ranks several processes host.
#pragma once

#include "analysis/statistics/profile.h"
#include "distributed/transport/transport.h"

namespace longpole {

// All processes call it, each with a store that has the rows of its ranks or PEs only. At process 0 what
// profiledEvents() finds in the trace of the whole run; elsewhere nothing. Errors: damaged chunks, cancelled, at all.
Result<ProfiledEvents> hostedProfile(Transport& transport, const TraceStore& store, const Progress& progress);

}  // namespace longpole
