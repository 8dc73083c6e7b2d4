// SPDX-License-Identifier: GPL-3.0-or-later
// Which objects exchange how many bytes, how many of them leave a node, and how many would if objects lay elsewhere.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

// Two objects on different nodes.
struct TalkingPair {
    QString first{}, second{};
    std::int64_t bytes = 0;
};

struct ObjectTraffic {
    std::int64_t bytes = 0;        // of executed messages with known creations
    std::int64_t remoteBytes = 0;  // between nodes
    std::int64_t remoteAfter = 0;  // if array elements moved to the node they exchange most with, while no node gets
                                   // more than a quarter above the mean of the user time
    std::int64_t moves = 0;
    std::vector<TalkingPair> pairs{};  // a few that exchange most
};

// Node of each PE, by number.
std::vector<std::uint32_t> nodesOf(const TraceStore& store);

// O(tasks + messages + pairs log pairs). Errors: damaged chunks, cancelled.
Result<ObjectTraffic> objectTraffic(const TraceStore& store, const ActivityGraph& graph, const Progress& progress);

}  // namespace longpole
