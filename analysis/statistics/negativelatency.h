// SPDX-License-Identifier: GPL-3.0-or-later
// Messages that were executed before they were sent, by pair of PEs, and calls that ended before what they waited for
// began, by pair of ranks: where clocks disagree.
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

// Of the messages from one PE to another: how many begin before they were sent, by how much at most and in the median.
// Of ranks: calls of `to` that it left so long before `from` entered the call that they waited for.
struct NegativeLatencyPair {
    ProcessorId from{};
    ProcessorId to{};
    std::int64_t count = 0;
    TimeNs worst = 0;  // positive: begins that long before it was sent
    TimeNs median = 0;
};

// Most frequent first, then by PEs. O(tasks), decodes two columns; at once if the import met none. Errors: damaged
// chunks; cancelled.
Result<std::vector<NegativeLatencyPair>> negativeLatencies(const TraceStore& store, const Progress& progress);

}  // namespace longpole
