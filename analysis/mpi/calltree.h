// SPDX-License-Identifier: GPL-3.0-or-later
// The call tree of an MPI run whose calls have call paths: where its time went, what waited there and what made others
// wait, by function and by place of each MPI call.
#pragma once

#include "analysis/mpi/calls.h"
#include "analysis/paths/criticalpath.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// A function in its context, or an MPI call at its place. What is not said to be exclusive is with all that was called
// from there.
struct CallTreeRow {
    std::uint32_t path = noCallPath;  // a function; of an MPI call the place; noCallPath: the stack is not known
    std::optional<RegionId> call{};   // that MPI call; empty: a function
    int depth = 0;
    std::int64_t count = 0;  // MPI calls
    TimeNs inclusive = 0;    // in the run: computation, and time in MPI calls
    TimeNs exclusive = 0;    // computation of the function; the call's time
    TimeNs wait = 0;         // of that, before and after
    std::int64_t bytes = 0;
    TimeNs onPath = 0;  // on the critical path
    TimeNs cause = 0;   // waiting of all ranks that goes back to it
};

struct CallTree {
    std::vector<CallTreeRow> rows;  // callers before what they call, the longest first
    CallTreeRow total;              // of all
};

// Error: the trace has no call paths.
Result<> requireCallPaths(const TraceStore& store);
// `path`: the critical path of the run. O(calls + tasks, and what causes of waits take). Errors: damaged chunks,
// cancelled.
Result<CallTree> callTree(const TraceStore& store, const CriticalPath& path, const Progress& progress);

}  // namespace longpole
