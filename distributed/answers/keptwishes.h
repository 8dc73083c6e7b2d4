// SPDX-License-Identifier: GPL-3.0-or-later
// What of a run is worth its events most, in order: what somebody asked for, what lies around the work path and around
// the worst waits, and ranks as a whole.
#pragma once

#include "analysis/mpi/waitstates.h"
#include "analysis/paths/criticalpath.h"
#include "core/store/tracestore.h"
#include "distributed/recording/wholetrace.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

struct KeepRequest {
    std::int64_t bytes = 1'000'000'000;  // of events
    std::vector<ProcessorId> ranks{};    // to be kept in any case; with a range: in it
    std::optional<TimeRange> range{};    // likewise, of these ranks, or of all
};

// The wishes, of which those asked for come first. Around steps of the path, largest first, and waits lies as much time
// as they take, and at least a millisecond. Ranks: most time on the path first.
KeptTrace keptWishes(const KeepRequest& request, const TraceStore& store, const CriticalPath& path,
                     const WaitStates& waits);

}  // namespace longpole
