// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks of hosted ranks and what they depend on, as the activity graph of the whole run has them inside a range
// (analysis/graph/builder.h): cut to the run, to each other and to the range.
#pragma once

#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <vector>

namespace longpole {

struct HostedTasks {
    // By task of the rank. Begins and durations as the graph has them, `weight` is what lies in the range.
    std::vector<TimeNs> begin;
    std::vector<TimeNs> duration;
    std::vector<TimeNs> weight;
    std::vector<std::uint32_t> entry;

    // What a task needs of another: to have run for `offset`, as the trace has it. By task: its message, if it has one,
    // then its merges in the order of the trace.
    struct Need {
        std::uint32_t task = 0;
        std::uint32_t rank = 0;
        std::uint32_t source = 0;
        bool isMessage = false;
        TimeNs offset = 0;
    };
    std::vector<Need> needs;

    // Where the run is cut: the first task behind each global synchronization (docs/algorithms.md 1.2), not falling.
    std::vector<std::uint32_t> cuts;
};

// Of one rank. Errors: damaged chunks.
Result<HostedTasks> hostedTasks(const TraceStore& store, const Processor& processor, TimeRange range);

// The work that leads over a need to its task: how much of the source lies in the range before it was left.
struct NeededWork {
    TimeNs work = 0;
    bool isClamped = false;  // the trace says that the source was left before it began or after it had ended
};
// Nothing if the source begins after the task, which the graph drops.
std::optional<NeededWork> workOver(const HostedTasks& source, std::uint32_t number, TimeNs offset, TimeNs taskBegin,
                                   TimeRange range);

}  // namespace longpole
