// SPDX-License-Identifier: GPL-3.0-or-later
// How the messages of the tasks of a hosted rank or PE came: what the elapsed path asks of the activity graph of the
// whole run.
#pragma once

#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"
#include "distributed/tasks/hostedtasks.h"

#include <cstdint>
#include <vector>

namespace longpole {

struct HostedArrivals {
    // By task.
    std::vector<TimeNs> sent;         // minTime: nobody sent it anything, as far as is known
    std::vector<TimeNs> received;     // likewise; of ranks, when it was sent
    std::vector<std::uint8_t> flags;  // of ActivityGraph::Flag: Estimated, Repaired, BlockEdge, AfterIdle

    bool has(std::uint32_t task, std::uint8_t flag) const { return (flags[task] & flag) != 0; }
};

// Errors: damaged chunks.
Result<HostedArrivals> hostedArrivals(const TraceStore& store, const Processor& processor, const HostedTasks& tasks);

}  // namespace longpole
