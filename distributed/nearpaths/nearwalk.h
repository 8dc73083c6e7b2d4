// SPDX-License-Identifier: GPL-3.0-or-later
// Walks along the longest path through a task, back and on from process to process, in all segments at once: where it
// crosses the cuts is known.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "distributed/nearpaths/distinctpass.h"

#include <cstdint>
#include <vector>

namespace longpole {

struct NearHop {
    std::uint32_t segment = 0;
    std::int64_t number = 0;  // in its segment, rising in time
    std::uint32_t rank = 0;   // among the hosted
    std::uint32_t task = 0;
    TimeNs length = 0;                // of the task, on the path
    PathEdge edge = PathEdge::Start;  // by which the path comes into it
    bool isDoubtful = false;          // that edge
};

// A task, on all processes, and where the longest path through it crosses cuts.
struct NearStart {
    std::uint32_t segment = 0;
    DistinctPass::Target at{};
    DistinctPass::Ways ways{};
};

// What this process hosts of the path, in any order. All processes call it, with the same start.
std::vector<NearHop> nearPath(const NearLinks& links, const NearStart& start);

}  // namespace longpole
