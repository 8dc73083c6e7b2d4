// SPDX-License-Identifier: GPL-3.0-or-later
// Scalasca's critical-path imbalance: how much more of an activity lies on the path than a rank does on average.
#include "analysis/mpi/waitstates.h"
#include "analysis/paths/criticalpath.h"

#include <algorithm>

namespace longpole {

std::vector<PathImbalance> pathImbalances(const ActivityGraph& graph, const CriticalPath& elapsed, std::size_t ranks)
{
    std::vector<PathImbalance> activities;
    for (const PathProfileRow& row : elapsed.profile) {
        PathImbalance activity;
        activity.entry = row.entry;
        activity.onPath = row.time;
        const std::size_t entry = index(row.entry);
        const TimeNs all = entry < graph.exclusiveByEntry.size() ? graph.exclusiveByEntry[entry] : 0;
        if (ranks > 0) activity.average = static_cast<double>(all) / static_cast<double>(ranks);
        activity.imbalance = std::max(0.0, static_cast<double>(row.time) - activity.average);
        if (elapsed.duration > 0)
            activity.impact = static_cast<double>(row.time) / static_cast<double>(elapsed.duration);
        activities.push_back(activity);
    }
    std::stable_sort(activities.begin(), activities.end(),
                     [](const PathImbalance& a, const PathImbalance& b) { return a.imbalance > b.imbalance; });
    return activities;
}

}  // namespace longpole
