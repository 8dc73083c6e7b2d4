// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about critical paths: which one, over which edges, to which task, of which part of the run.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/whatifmodel.h"
#include "analysis/results/results.h"
#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <memory>
#include <optional>

namespace longpole {

struct StoredPath;

// The longest work before each task; inferred merges count at level merges, and are those of the part.
struct HeadsQuestion {
    using Answer = WorkHeads;
    static constexpr const char* id = "work heads";

    EdgeLevel edges = EdgeLevel::Order;
    TimeRange part{};  // a run of its own (see GraphQuestion); empty: the whole run

    Result<std::shared_ptr<const WorkHeads>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const WorkHeads& heads);
    friend bool operator==(const HeadsQuestion&, const HeadsQuestion&) = default;
};

struct PathQuestion {
    using Answer = CriticalPath;
    static constexpr const char* id = "critical path";

    PathMode mode = PathMode::Work;
    EdgeLevel edges = EdgeLevel::Order;
    std::optional<TaskId> to{};  // empty: the end of the run, or of the range
    TimeRange range{};           // of the path inside the graph of the run; empty: the whole run
    TimeRange part{};            // a run of its own, whose graph it is; empty: the whole run

    Result<std::shared_ptr<const CriticalPath>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const CriticalPath& path);
    friend bool operator==(const PathQuestion&, const PathQuestion&) = default;
};

// The path that slack, near-critical paths and what-if refer to: the work path at a level, or the elapsed path. For the
// sweep, which has none of these, modelOf() gives the work path.
struct PathModel {
    PathMode mode = PathMode::Work;
    EdgeLevel edges = EdgeLevel::Order;
    TimeRange part{};
    friend bool operator==(const PathModel&, const PathModel&) = default;
};
PathModel modelOf(const PathQuestion& question);

// The graph whose tasks a level orders.
inline GraphQuestion graphOf(EdgeLevel level, TimeRange part)
{
    return {.part = part, .edges = level == EdgeLevel::Data ? GraphEdges::Data : GraphEdges::All};
}

// What orders the tasks of a part: at level merges inferred merges too.
Result<Dependencies> pathEdges(Results& results, EdgeLevel level, TimeRange part, const Progress& progress);

// A path that was computed when a trace had all events (analysis/results/storedresults.h), with the shares that its
// profile has.
CriticalPath pathOfStored(const TraceStore& store, const StoredPath& stored, PathMode mode, EdgeLevel edges);

// A model and the graph that it describes.
struct ModelledGraph {
    std::shared_ptr<const ActivityGraph> graph{};
    WhatIfModel model{};
};
Result<ModelledGraph> modelledGraph(Results& results, const PathModel& model, const Progress& progress);

}  // namespace longpole
