// SPDX-License-Identifier: GPL-3.0-or-later
// Where the time of all processors goes, stage by stage or processor by processor: the busiest entry methods, the
// others together, idling and overhead on top of each other, which fill the whole.
#pragma once

#include "analysis/projection/projection.h"
#include "analysis/projection/stagecells.h"
#include "analysis/projection/stages.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

struct EntryStacksRequest {
    Stages stages;
    std::vector<ProcessorId> pes;      // at least one
    std::vector<bool> kept{};          // by stage; empty: all
    std::optional<TimeRange> grain{};  // only executions of these durations (StageRequest); the others are one part
    bool overStages = false;           // one column a processor, else one a stage
    std::size_t mostEntries = 12;      // that have a part of their own, and at least a thousandth of the time
    friend bool operator==(const EntryStacksRequest&, const EntryStacksRequest&) = default;
};

struct StackPart {
    enum class Kind : std::uint8_t { Entry, OtherEntries, AllEntries, LeftOut, Idle, Overhead, Missing };
    Kind kind = Kind::Entry;
    EntryId entry = noEntry;
    std::vector<TimeNs> times{};  // by column, ns
    TimeNs total = 0;
    std::size_t entries = 1;  // that it holds
};

// The parts of a column add up to `whole` exactly: its stages' length times its processors. Columns of stages that are
// not kept are 0.
struct EntryStacks {
    EntryStacksRequest request;
    std::vector<StackPart> parts;  // entries by total, the largest first; others, idle, overhead, what has no log
    std::vector<TimeNs> whole;
    std::vector<TimeNs> lengths;  // of a column's stages, ns
    bool isApproximate = false;
    std::size_t columns() const { return whole.size(); }
};

// From the chunks. Errors: damaged chunks; cancelled; too many cells. O(rows in the stages' time).
Result<EntryStacks> entryStacks(const TraceStore& store, EntryStacksRequest request, const Progress& progress);

// All entry methods as one part, from projections of "user" and "idle" over the same stages and processors, as the
// pyramid has them.
EntryStacks entryStacksOf(const TraceStore& store, EntryStacksRequest request, const Projection& user,
                          const Projection& idle);

}  // namespace longpole
