// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks of all processes that begin at the same instant, put into the order that they have in the graph of the whole
// run (analysis/graph/tieorder.h): each after what it needs, by process 0.
#pragma once

#include "core/base/timerange.h"
#include "distributed/transport/transport.h"

#include <cstdint>
#include <vector>

namespace longpole {

struct TiedTask {
    std::uint32_t rank = 0, task = 0;
    TimeNs begin = 0;
};

// A task needs another one that begins at the same time.
struct TiedNeed {
    std::uint32_t rank = 0, task = 0;
    std::uint32_t sourceRank = 0, source = 0;
    bool isMessage = false;
};

struct OrderedTies {
    std::vector<TiedTask> tasks;    // of all processes, in the graph's order
    std::vector<TiedNeed> dropped;  // which would have closed a circle
};

// The instants of all processes, ascending and each once, on all.
std::vector<TimeNs> commonInstants(Transport& transport, std::vector<TimeNs> own);

// `own`: all hosted tasks that begin at these instants, by rank and task; `needs`: theirs, by rank and task, a message
// before the merges. On all processes.
OrderedTies orderTiedTasks(Transport& transport, const std::vector<TiedTask>& own, const std::vector<TiedNeed>& needs);

}  // namespace longpole
