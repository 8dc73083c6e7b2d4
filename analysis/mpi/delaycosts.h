// SPDX-License-Identifier: GPL-3.0-or-later
// Which code made others wait, directly and by way of waits that it caused in turn (Boehme et al. 2010, 2016).
#pragma once

#include "analysis/mpi/waitchoice.h"
#include "analysis/mpi/waitrecords.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

struct DelayCosts {
    std::vector<DelayCost> byEntry;  // largest first
    std::vector<DelayCost> byRank;   // per entry and rank, largest first
};

// The costs of the chosen waits. Their sum is that of the waits, except for waits without a culprit or whose culprit
// did nothing in excess, and for those that go beyond `most` causes of all together. Errors: damaged chunks, cancelled.
Result<DelayCosts> delayCosts(const TraceStore& store, const WaitChoice& choice, const Progress& progress,
                              const Limit& most = limits::waitCauses);
Result<DelayCosts> delayCosts(WaitRecords records, const WaitChoice& choice, const Progress& progress,
                              const Limit& most = limits::waitCauses);

}  // namespace longpole
