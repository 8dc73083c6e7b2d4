// SPDX-License-Identifier: GPL-3.0-or-later
// Finds every path of a small activity graph, against which tests check the algorithms that pass over the graph once.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/elapseddelays.h"
#include "analysis/whatif/zeroing.h"

#include <vector>

namespace longpole {

// A path. Each step has its task, how much of the task lies on the path, and (in mode Elapsed) the fixed delay before
// it.
struct OraclePath {
    struct Step {
        std::uint32_t task;
        TimeNs used;
        TimeNs delay;
        PathEdge edge;  // the edge by which the path comes into the task
    };
    std::vector<Step> steps;  // newest first
    TimeNs weight = 0;
};

struct OracleEdge {
    PathEdge edge;
    std::uint32_t source;  // noTask stands for the begin of the run
    TimeNs offset;
    TimeNs delay;
};

// The edges into the begin of a task.
inline std::vector<OracleEdge> edgesInto(const ActivityGraph& graph, const WhatIfModel& model, std::uint32_t task)
{
    std::vector<OracleEdge> edges;
    const std::uint32_t source = graph.source[task];
    const std::uint32_t previous = graph.previous(task);
    if (model.mode == PathMode::Elapsed) {
        const TimeNs free = previous == noTask ? graph.run.begin : graph.end(previous);
        const ElapsedDelays delays = elapsedDelays(graph, task, free);
        if (source != noTask) edges.push_back({PathEdge::Message, source, graph.offset[task], delays.message});
        for (const MergeEdge& merge : model.edges.merges)
            if (merge.task == task) edges.push_back({PathEdge::RecordedMerge, merge.source, merge.offset, 0});
        if (previous == noTask) edges.push_back({PathEdge::Start, noTask, 0, delays.order});
        else edges.push_back({PathEdge::Order, previous, graph.duration[previous], delays.order});
        return edges;
    }
    if (source != noTask) edges.push_back({PathEdge::Message, source, graph.offset[task], 0});
    for (const MergeEdge& merge : model.edges.merges)
        if (merge.task == task) edges.push_back({PathEdge::RecordedMerge, merge.source, merge.offset, 0});
    if (model.edges.level == EdgeLevel::Order && previous != noTask)
        edges.push_back({PathEdge::Order, previous, graph.duration[previous], 0});
    if (edges.empty()) edges.push_back({PathEdge::Start, noTask, 0, 0});
    return edges;
}

// All paths from a task without dependencies (Elapsed: the begin of the run) to the end of any task.
inline std::vector<OraclePath> allPaths(const ActivityGraph& graph, const WhatIfModel& model)
{
    std::vector<OraclePath> paths, open;
    const TimeNs atLeast = model.mode == PathMode::Elapsed ? delayAfterLastEnd(graph) : 0;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        open.push_back({{{i, graph.duration[i], 0, PathEdge::Start}}, graph.duration[i] + atLeast});
    while (!open.empty()) {
        const OraclePath path = open.back();
        open.pop_back();
        for (const OracleEdge& edge : edgesInto(graph, model, path.steps.back().task)) {
            OraclePath longer = path;
            longer.steps.back().delay = edge.delay;
            longer.steps.back().edge = edge.edge;
            longer.weight += edge.offset + edge.delay;
            if (edge.source != noTask) longer.steps.push_back({edge.source, edge.offset, 0, PathEdge::Start});
            (edge.source != noTask ? open : paths).push_back(longer);
        }
    }
    return paths;
}

}  // namespace longpole
