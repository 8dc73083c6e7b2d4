// SPDX-License-Identifier: GPL-3.0-or-later
// Traces a work path back from its end and writes its steps and its profile.
#pragma once

#include "analysis/base/bigarray.h"
#include "analysis/graph/pathend.h"
#include "analysis/graph/taskwindow.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/pathprofile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

// As ActivityGraph::previous, for walks back in time: the place on every PE is kept, so that a walk along the order of
// a PE costs O(1) a task. Any order of questions is answered.
class PreviousTasks {
public:
    explicit PreviousTasks(const ActivityGraph& graph) : m_graph(graph), m_place(graph.byProcessor.size(), unknown) {}

    std::uint32_t operator()(std::uint32_t task)
    {
        const std::span<const std::uint32_t> tasks = m_graph.byProcessor[m_graph.pe[task]];
        std::size_t& place = m_place[m_graph.pe[task]];
        std::size_t above = place != unknown && tasks[place] >= task ? place : tasks.size() - 1;
        // tasks[above] >= task: doubling steps down to one that is before it, then a search between.
        std::size_t step = 1;
        while (step <= above && tasks[above - step] >= task) {
            above -= step;
            step *= 2;
        }
        const std::size_t below = step <= above ? above - step : 0;
        place = static_cast<std::size_t>(std::lower_bound(tasks.begin() + static_cast<std::ptrdiff_t>(below),
                                                          tasks.begin() + static_cast<std::ptrdiff_t>(above) + 1, task)
                                         - tasks.begin());
        return place == 0 ? noTask : tasks[place - 1];
    }

private:
    static constexpr std::size_t unknown = static_cast<std::size_t>(-1);
    const ActivityGraph& m_graph;
    std::vector<std::size_t> m_place;  // of the task last asked about
};

inline PathEdge pathEdge(const MergeEdge& merge)
{
    return merge.kind == MergeKind::Recorded ? PathEdge::RecordedMerge : PathEdge::InferredMerge;
}

// predecessorOf for callers that know faster than ActivityGraph::previous which task comes before one on its PE.
template <typename Previous>
Predecessor predecessorOf(const ActivityGraph& graph, const WorkHeads& heads, std::uint32_t task, Previous&& previous)
{
    const TimeNs head = heads.head[task];
    const auto fromOrder = [&]() -> Predecessor {
        if (!keepsOrder(heads.edges.level)) return {};
        const std::uint32_t before = previous(task);
        if (before == noTask) return {};
        return {PathEdge::Order, before, graph.duration[before]};
    };
    if (heads.edges.level == EdgeLevel::Data)
        if (const Predecessor own = fromOrder(); own.source != noTask && heads.head[own.source] + own.offset == head)
            return own;
    const std::uint32_t source = graph.source[task];
    if (source != noTask && heads.head[source] + graph.offset[task] == head)
        return {PathEdge::Message, source, graph.offset[task]};
    for (const MergeEdge& merge : mergesInto(heads.edges.merges, task))
        if (heads.head[merge.source] + merge.offset == head) return {pathEdge(merge), merge.source, merge.offset};
    return fromOrder();
}

// Whether a work path that came into the task over this edge is in doubt.
inline bool isDoubtful(const ActivityGraph& graph, std::uint32_t task, PathEdge edge)
{
    if (edge == PathEdge::InferredMerge) return true;
    return edge == PathEdge::Message && (graph.flags[task] & (ActivityGraph::Repaired | ActivityGraph::Clamped)) != 0;
}

// Writes the steps from the path's start to its end; tasks are cut by the window. `before(task)` is what the path came
// from, with the part of the source's prefix that lies in the window as its offset; it is called from the end back. The
// way back is noted in 16 bytes a step first: a path may have many millions of steps, and their number is not known.
template <typename Before>
void traceBack(const TaskWindow& window, PathEnd end, const std::vector<TimeNs>& busy, Before before,
               CriticalPath& path)
{
    struct Hop {
        TimeNs weight;
        std::uint32_t task;
        PathEdge edge;
    };
    std::vector<Hop> hops;
    TimeNs weight = end.time - window.begin(end.task);
    for (std::uint32_t task = end.task; task != noTask;) {
        const Predecessor from = before(task);
        growBig(hops);
        hops.push_back({weight, task, from.edge});
        weight = from.offset;
        task = from.source;
    }
    const ActivityGraph& graph = *window.graph;
    PathProfile profile(graph);
    reserveBig(path.steps, hops.size());
    for (std::size_t h = hops.size(); h-- > 0;) {
        const Hop& hop = hops[h];
        const TimeNs begin = window.begin(hop.task);
        const PathStep step{.task = graph.id(hop.task),
                            .pe = ProcessorId{graph.pe[hop.task]},
                            .entry = EntryId{graph.entry[hop.task]},
                            .begin = begin,
                            .end = begin + hop.weight,
                            .edge = hop.edge,
                            .doubtful = isDoubtful(graph, hop.task, hop.edge)};
        if (step.doubtful) path.doubtfulWeight += hop.weight;
        profile.add(hop.task, {step.begin, step.end});
        path.length += hop.weight;
        path.steps.push_back(step);
    }
    path.parts.compute = path.length;
    path.profile = profile.rows(busy);
}

}  // namespace longpole
