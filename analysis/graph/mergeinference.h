// SPDX-License-Identifier: GPL-3.0-or-later
// Merge edges that a log does not record but shows (docs/algorithms.md 1.1; Dooley, Arya, Kale 2010, section 5):
// messages that an object buffered until it could act (R1), Structured Dagger's when and overlap, and contributions to
// reductions (R2). A guess, so off by default; every edge follows time, and none is made where the trace leaves it
// open.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <vector>

namespace longpole {

// An entry method that buffers: most of its executions keep a message and do nothing, some act.
struct BufferingEntry {
    EntryId entry = noEntry;
    std::int64_t silent = 0;  // executions that neither sent nor contributed
    std::int64_t acting = 0;
    TimeNs silentMedian = 0;  // with the Structured Dagger blocks that ran on from them; within 1/32
    TimeNs actingMedian = 0;
    friend bool operator==(const BufferingEntry&, const BufferingEntry&) = default;
};

struct MergeInference {
    std::vector<MergeEdge> edges;  // sorted; of kinds Buffered and Reduction
    std::int64_t buffered = 0;     // edges of each kind
    std::int64_t reductions = 0;
    std::vector<BufferingEntry> entries;  // by entry
    std::vector<MergeEdge> examples;      // the first few of each kind
};

// O(tasks + messages) time, about 50 bytes a task where most of them buffer. Errors: damaged chunks, cancelled.
Result<MergeInference> inferMerges(const TraceStore& store, const ActivityGraph& graph, const Progress& progress);

}  // namespace longpole
