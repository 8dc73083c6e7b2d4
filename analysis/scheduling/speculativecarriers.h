// SPDX-License-Identifier: GPL-3.0-or-later
// How a monotonic variable's values reach the processors: which entry methods carry them, and when.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/scheduling/sharedaccessstats.h"

#include <vector>

namespace longpole {

// What a PE knows from `time` on.
struct KnownValue {
    TimeNs time = 0;
    double value = 0;
    bool isRead = false;  // as the program read it: the truth, even where it is worse than what was thought
};

struct SpreadValues {
    std::vector<EntryId> carriers{};               // by id; empty: any message may carry the value
    std::vector<std::vector<KnownValue>> known{};  // by PE, in order of time: deliveries, reads, accepted updates
};

// Carriers are the entry methods whose messages follow accepted updates in their task, and not rejected ones; where
// none was rejected, the one sent most. The run-time system may create a broadcast anew on another PE, outside any task
// (its executions name that creation): then broadcasts and the updates that nothing executed belong together in order.
// O(tasks + messages + samples log samples). Errors: damaged chunks, cancelled.
Result<SpreadValues> spreadValues(const TraceStore& store, const ActivityGraph& graph, const RecordedVariable& variable,
                                  bool isSmallerBetter, const Progress& progress);

// The task of a PE that was running at a time; the later one where two meet; noTask. O(log tasks).
std::uint32_t taskAt(const ActivityGraph& graph, std::uint32_t pe, TimeNs time);

}  // namespace longpole
