// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about the activity graph: the graph itself, and the merges that the log does not record.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/mergeinference.h"
#include "analysis/results/results.h"

namespace longpole {

// A part of the run as a run of its own (see clip); empty, as the whole run is, for the whole run.
struct GraphQuestion {
    using Answer = ActivityGraph;
    static constexpr const char* id = "activity graph";

    TimeRange part{};

    Result<std::shared_ptr<const ActivityGraph>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const ActivityGraph& graph);
    friend bool operator==(const GraphQuestion&, const GraphQuestion&) = default;
};

// Of the graph of that part.
struct MergesQuestion {
    using Answer = MergeInference;
    static constexpr const char* id = "inferred merges";

    TimeRange part{};

    Result<std::shared_ptr<const MergeInference>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const MergeInference& merges);
    friend bool operator==(const MergesQuestion&, const MergesQuestion&) = default;
};

// The part of the run as questions name it: empty if `range` is the whole run, so that there is one name for it.
TimeRange partOf(const TraceStore& store, TimeRange range);

}  // namespace longpole
