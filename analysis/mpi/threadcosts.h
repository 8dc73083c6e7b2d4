// SPDX-License-Identifier: GPL-3.0-or-later
// Which code the threads and devices were in that others waited for (docs/algorithms.md 7.5).
#pragma once

#include "analysis/mpi/delaycosts.h"
#include "analysis/mpi/waitchoice.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <vector>

namespace longpole {

// The tracks of a rank's own thread and its others that have barriers or wait for devices.
std::vector<TrackId> threadWaitTracks(const TraceStore& store, std::uint32_t rank);

// The region in which a track was most of the range, without those inside it; noEntry if it was in none. O(regions in
// the range). Errors: damaged chunks.
Result<EntryId> mostlyIn(const TraceStore& store, TrackId track, TimeRange range);

// Divides each chosen wait of a thread among the regions in which the thread or device that it waited for was
// meanwhile: these are direct costs of that rank. Of the waits beyond `most`, by all that there are, those among many
// regions have no cause. O(regions + waits log + `most`). Errors: damaged chunks, cancelled.
Result<> addThreadCosts(const TraceStore& store, const WaitChoice& choice, DelayCosts& costs, const Progress& progress,
                        const Limit& most = limits::waitCauses);

// The same of ranks [first, last) alone, and added to costs of all ranks; the regions that waits may still be divided
// among are counted down from `left`.
struct ThreadCosts {
    std::vector<DelayCost> costs;  // by code and rank, once each
    bool isCut = false;            // some waits have no cause
};
Result<ThreadCosts> threadCosts(const TraceStore& store, std::uint32_t first, std::uint32_t last,
                                const WaitChoice& choice, std::int64_t& left, const Progress& progress);
void joinThreadCosts(const std::vector<DelayCost>& ofThreads, DelayCosts& costs);
// How many waits of threads the ranks have.
std::int64_t threadWaits(const TraceStore& store, std::uint32_t first, std::uint32_t last);

}  // namespace longpole
