// SPDX-License-Identifier: GPL-3.0-or-later
// Work that was done while a better value of a monotonic variable was known elsewhere (Sinha and Kale, section 5.2).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/scheduling/sharedaccessstats.h"

#include <cstddef>

namespace longpole {

constexpr std::size_t speculativeParts = 100;

// O(tasks + messages + samples log samples). Errors: damaged chunks, cancelled.
Result<SpeculativeSeries> speculativeWork(const TraceStore& store, const ActivityGraph& graph,
                                          const RecordedVariable& variable, const Progress& progress);

}  // namespace longpole
