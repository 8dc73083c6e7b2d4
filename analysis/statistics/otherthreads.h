// SPDX-License-Identifier: GPL-3.0-or-later
// What threads of ranks did that are not the ranks' own: efficiencies say nothing of them.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>

namespace longpole {

// Inside a range, all of these threads together.
struct OtherThreads {
    std::int64_t count = 0;  // threads with calls, regions or barriers in the whole run
    TimeNs inRegions = 0;    // in regions of the program and its runtime, without the next two
    TimeNs inMpi = 0;        // in MPI calls, waiting included
    TimeNs waited = 0;       // at barriers of their teams, for the last thread, or for devices
    friend bool operator==(const OtherThreads&, const OtherThreads&) = default;
};

// O(calls, regions and barriers of these threads); nothing of runs without ranks. Errors: damaged chunks, cancelled.
Result<OtherThreads> otherThreads(const TraceStore& store, TimeRange range, const Progress& progress);

// A sentence; empty if there are none.
QString otherThreadsSentence(const OtherThreads& threads);

}  // namespace longpole
