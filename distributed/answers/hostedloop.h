// SPDX-License-Identifier: GPL-3.0-or-later
// The iterations of the program's outermost loop, of a run whose ranks several processes host: each counts the places
// from which its ranks call MPI, and process 0 puts that together.
#pragma once

#include "analysis/phases/callrounds.h"
#include "distributed/transport/transport.h"

#include <optional>
#include <vector>

namespace longpole {

struct HostedLoop {
    CallLoop loop;
    std::vector<TimeNs> marks;  // see loopMarks()
};

// At process 0, where there is one. Collective. The loop and marks that findCallRounds() finds in the whole trace.
// Errors: of the transport; what a process sent is not whole.
Result<std::optional<HostedLoop>> hostedLoop(Transport& transport, const TraceStore& store, const Progress& progress);

}  // namespace longpole
