// SPDX-License-Identifier: GPL-3.0-or-later
// What a task without a known sender waited for. Tasks that the runtime starts by itself (reductions, resumed threads,
// quiescence, load balancing) follow from what the program did before them, so a replay must not keep them at their
// recorded times.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/mergeinference.h"
#include "core/trace/trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// Which earlier tasks a task without a sender depends on.
enum class Consequence : std::uint8_t {
    None,         // of the user's: a timer or a message that is not in the trace may have started it
    OfProcessor,  // a thread that is resumed: of what its processor did before
    OfAll,        // of what all processors did before
};

// Per entry id.
std::vector<Consequence> consequencesOf(std::span<const Entry> entries);

struct Consequences {
    std::vector<MergeEdge> edges;      // by task; each from the end of its source
    std::vector<std::uint32_t> tasks;  // ascending
    std::vector<TimeNs> distance;      // of each: from the last of those ends to its begin
};

// Of tasks before `end` that are `isCandidate` (nothing is known to have caused them). Each waits for the task before
// it on its processor or, if it hangs on all, for the last on each processor (of many, the last to end). O(n log n).
Consequences findConsequences(const ActivityGraph& graph, std::span<const Consequence> kinds, std::uint32_t end,
                              const std::vector<bool>& isCandidate);

}  // namespace longpole
