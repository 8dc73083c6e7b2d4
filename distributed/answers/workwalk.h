// SPDX-License-Identifier: GPL-3.0-or-later
// Walks back along the longest path of each lane of a work pass, from process to process, all segments at once: each
// walk begins in the rank in which the path most likely leaves its segment.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "distributed/answers/workpass.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace longpole {

// What of a hosted task lies on a path.
struct WalkedTask {
    std::uint32_t lane = 0, segment = 0;
    std::uint64_t number = 0;  // in its segment, from its end back
    std::uint32_t rank = 0, task = 0;
    TimeNs length = 0;                // of the task, from its begin
    PathEdge edge = PathEdge::Start;  // by which the path comes into it
    bool isDoubtful = false;          // that edge
};

// By lane and segment, the ranks in which paths leave segments, where these are not the ones that were likely.
using LeavingRanks = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;

// Visits what this process hosts of the longest path of each lane, in any order: the path that predecessorOf() and
// farthestEnd() choose on the graph of the whole run. After run() with crossings; all processes call it. False: what
// was visited is of no use, but now it is known where paths leave segments, and a second call visits the right tasks.
using VisitTask = std::function<void(const WalkedTask&)>;
bool walkBack(const WorkPass& pass, LeavingRanks& leaving, const VisitTask& visit);

}  // namespace longpole
