// SPDX-License-Identifier: GPL-3.0-or-later
// How often an MPI run called each of its regions, and for how long: what the pieces of code between calls, which are
// its tasks, do not say.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <map>

namespace longpole {

struct RegionCalls {
    std::int64_t calls = 0;
    TimeNs inclusive = 0;  // clipped to the run; of a region that calls itself the outermost call
    TimeNs held = 0;  // barriers of threads and waits for devices, on the ranks' own threads: of that, what is no task
    bool isMpi = false;
};

// By region: functions on the ranks' own tracks, and MPI calls of all threads. O(intervals + calls). Errors: damaged
// chunks; cancelled.
Result<std::map<RegionId, RegionCalls>> regionCalls(const TraceStore& store, const Progress& progress);

}  // namespace longpole
