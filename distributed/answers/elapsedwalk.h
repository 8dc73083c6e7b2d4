// SPDX-License-Identifier: GPL-3.0-or-later
// Walks back along the elapsed path of a run whose ranks several processes host, from process to process, all segments
// at once: each walk begins in the task that ends last before the cut.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "core/store/tracestore.h"
#include "distributed/answers/workpass.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace longpole {

// Numbers of messages between the processes.
enum ElapsedPassNumber : std::uint16_t { TellLeft = 320, WalkElapsed };

// A step of the path, where it was found.
struct ElapsedWalkStep {
    std::uint32_t segment = 0;
    std::uint32_t attempt = 0;  // of the walks through the segment
    std::uint64_t number = 0;   // in its segment, from its end back
    PathStep step{};
    TimeNs counted = -1;  // how much the path's profile gets of the task; -1: it was there with another step
};

struct ElapsedWalk {
    static constexpr std::uint32_t noAttempt = 0xffffffffu;

    std::vector<ElapsedWalkStep> steps{};  // of hosted tasks
    // What executions nested in these have of the profile, by segment and attempt.
    std::map<std::pair<std::uint32_t, std::uint32_t>, NestedShares> shares{};
    TaskId to{};  // where the path ends; a run without tasks has no end
    // By segment, at process 0: the walk whose steps are the path's, or none.
    std::vector<std::uint32_t> attempts{};
    std::uint32_t walks = 0;  // at process 0: that were begun; more than segments if a path left one elsewhere
};

// The path that elapsedPath() finds in the graph of the whole run. `pass`: of the whole run, prepared. All processes
// call it. Errors: damaged chunks, at all of them.
Result<ElapsedWalk> walkElapsed(const WorkPass& pass, const TraceStore& store);

}  // namespace longpole
