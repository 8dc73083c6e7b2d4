// SPDX-License-Identifier: GPL-3.0-or-later
// The paper's six concerns about shared variables (Sinha and Kale, section 5.2, branch C), judged one by one.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/scheduling/sharedaccessstats.h"

#include <span>
#include <vector>

namespace longpole {

struct ConcernContext {
    const TraceStore& store;
    const ActivityGraph& graph;
    const Thresholds& thresholds;
    TimeNs latency = 0;  // what a message between PEs takes at least, in the mean; concerns() finds it
};

// In the paper's order; for each all variables of its kind, or one that says which stats it would need.
std::vector<SharedConcern> concerns(std::span<const RecordedVariable> variables,
                                    std::span<const SpeculativeSeries> speculative, const ConcernContext& given);

// Whether the largest of `counts` is larger than chance explains if each of their sum fell on any place alike: less
// often than once in a thousand tables (Poisson tail bound, times the places). O(counts).
bool isBeyondChance(std::span<const std::int64_t> counts);

}  // namespace longpole
