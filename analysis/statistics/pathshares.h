// SPDX-License-Identifier: GPL-3.0-or-later
// Whose time a critical path is: by entry method, chare, PE or object, beside what each has of all work (Hollingsworth
// 1996, figure 9: 12 % of the time, 42 % of the path).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/statistics/profile.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <map>
#include <vector>

namespace longpole {

// Time goes to the innermost execution. count: executions on the path.
struct PathShare {
    ProfileKey key;
    QString name;  // for people
    std::int64_t count = 0;
    TimeNs time = 0;
    double share = 0;      // of the path's computation
    double busyShare = 0;  // of all work
    TaskId longest{};      // the execution that has the longest piece of it
    friend bool operator==(const PathShare&, const PathShare&) = default;
};

// Exclusive time of everything in a range, or in the run where it is empty. O(profile table) for the run by entry,
// chare or PE; else O(tasks inside), and by object their chunks. Errors: damaged chunks; cancelled.
using BusyTimes = std::map<ProfileKey, TimeNs>;
Result<BusyTimes> busyTimes(const TraceStore& store, const ActivityGraph& graph, TimeRange range, ProfileBy by,
                            const Progress& progress);

// Most time first, then by key. The times add up to parts.compute exactly. O(path log n), by object with the chunks of
// its tasks. Errors: damaged chunks; cancelled.
Result<std::vector<PathShare>> pathShares(const TraceStore& store, const ActivityGraph& graph, const CriticalPath& path,
                                          ProfileBy by, const BusyTimes& busy, const Progress& progress);

}  // namespace longpole
