// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks of hosted ranks and PEs and what they depend on, as the activity graph of the whole run has them inside a
// range (analysis/graph/loader.cpp, builder.h): outermost executions, cut to the run, to each other and to the range.
#pragma once

#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"
#include "distributed/tasks/nestedtasks.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {

struct HostedTasks {
    // By task of the rank. Begins and durations as the graph has them, `weight` is what lies in the range.
    std::vector<TimeNs> begin;
    std::vector<TimeNs> duration;
    std::vector<TimeNs> weight;
    std::vector<std::uint32_t> entry;

    // The task's number in its TaskId: its row in the trace, which has nested executions in between.
    std::uint32_t rowOf(std::uint32_t task) const { return rows.empty() ? task : rows[task]; }
    // Where a row of the trace is: in that task, so much later than it. Nothing: there is no such row.
    struct Place {
        std::uint32_t task = 0;
        TimeNs later = 0;
    };
    std::optional<Place> placeOf(std::uint32_t row) const;

    std::vector<std::uint32_t> rows;  // by task, ascending; empty: no execution is nested in another one
    struct InnerRow {
        std::uint32_t row = 0, task = 0;
        TimeNs later = 0;
    };
    std::vector<InnerRow> innerRows;            // of nested executions whose outermost one is known, ascending
    std::shared_ptr<const NestedTasks> nested;  // null: none

    // What a task needs of another: to have run for `offset`, as the trace has it; `source` is a row. By task: its
    // message, if it has one, then its merges in the order of the trace.
    struct Need {
        std::uint32_t task = 0;
        std::uint32_t rank = 0;
        std::uint32_t source = 0;
        bool isMessage = false;
        bool isRepaired = false;  // the message has a wrong key
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
