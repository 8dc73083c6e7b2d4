// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the message and merge edges of a graph whose tasks are in order, and keeps the send times that do not follow
// from them.
#pragma once

#include "analysis/graph/builder.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Soft errors of one kind, with the first task that showed it.
struct Tally {
    std::int64_t count = 0;
    std::uint32_t first = noTask;  // position or graph task
    void operator()(std::uint32_t task)
    {
        if (count++ == 0) first = task;
    }
    // Adds what was counted after it.
    void add(const Tally& later)
    {
        if (count == 0) first = later.first;
        count += later.count;
    }
};

struct EdgeTallies {
    Tally clamped, dropped, mergesDropped;
};

// Edges from tasks that begin later are dropped; offsets are brought into [0, what both ends allow]. Send times come
// from the begin of each task and `latency`, which is in the order of positions; the flags lose TaskColumns::hasSent.
// Tasks at one instant must be in order. O(tasks), on all threads.
void checkMessages(ActivityGraph& graph, const CompactTimes& latency, const std::vector<std::uint32_t>& order,
                   EdgeTallies& tallies);

// The same for merges, which are sorted; equal ones are one.
void checkMerges(ActivityGraph& graph, EdgeTallies& tallies);

}  // namespace longpole
