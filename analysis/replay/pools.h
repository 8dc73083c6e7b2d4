// SPDX-License-Identifier: GPL-3.0-or-later
// Pools of work: an object hands a piece to whoever asks, until there is none left. In another order another processor
// asks first, and gets the piece; the recorded shares of the processors are no property of the program.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Executions of one entry method on one object, which answer where they were asked from: the k-th to run hands out what
// the k-th did in the record, to the processor that asks.
struct ReplayPools {
    static constexpr std::uint32_t none = 0xffffffffu;

    std::vector<std::uint32_t> requests;      // graph tasks, pool after pool, each in order of time
    std::vector<std::uint32_t> firstRequest;  // per pool, and the number of all
    std::vector<std::uint32_t> poolOf;        // per graph task: of the requests; none. Empty without pools
    std::vector<std::uint8_t> isPiece;        // per graph task: handed out. Empty without pools

    bool isEmpty() const { return requests.empty(); }
};

// An entry method of an object hands out pieces if it sends to an entry method on the processor that it was asked from,
// nineteen times in twenty; is asked from several; answers most, and some not: there was none left. O(n).
ReplayPools findPools(const ActivityGraph& graph, const TaskObjects& objects);

}  // namespace longpole
