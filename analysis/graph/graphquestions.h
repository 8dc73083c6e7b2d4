// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about the activity graph: the graph itself, and the merges that the log does not record.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/mergeinference.h"
#include "analysis/results/results.h"

namespace longpole {

// `part` is taken as a run of its own (see clip); empty: the whole run.
struct GraphQuestion {
    using Answer = ActivityGraph;
    static constexpr const char* id = "activity graph";

    TimeRange part{};
    GraphEdges edges = GraphEdges::All;

    Result<std::shared_ptr<const ActivityGraph>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const ActivityGraph& graph);
    friend bool operator==(const GraphQuestion&, const GraphQuestion&) = default;
};

// What was inferred on the graph of `part`.
struct MergesQuestion {
    using Answer = MergeInference;
    static constexpr const char* id = "inferred merges";

    TimeRange part{};

    Result<std::shared_ptr<const MergeInference>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const MergeInference& merges);
    friend bool operator==(const MergesQuestion&, const MergesQuestion&) = default;
};

// `range` as the `part` of a question: empty if it is the whole run, so that equal questions compare equal.
TimeRange partOf(const TraceStore& store, TimeRange range);

}  // namespace longpole
