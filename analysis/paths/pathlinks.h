// SPDX-License-Identifier: GPL-3.0-or-later
// The dependencies between tasks, asked for in one way whether the model is the work path's or the elapsed path's.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/backtrace.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/elapseddelays.h"
#include "analysis/paths/slack.h"

#include <cstdint>
#include <vector>

namespace longpole {

// A task began because `source` had run for `offset` and, in mode Elapsed, `delay` had passed after that.
struct PathLink {
    PathEdge edge = PathEdge::Start;
    std::uint32_t source = noTask;  // noTask: the begin of the run
    TimeNs offset = 0;
    TimeNs delay = 0;
};

class PathLinks {
public:
    // `slack` is of `model`; `heads` of its edges in mode Work, not looked at in mode Elapsed. All must outlive this.
    PathLinks(const ActivityGraph& graph, const WhatIfModel& model, const Slack& slack, const WorkHeads& heads)
        : m_graph(graph), m_model(model), m_slack(slack), m_heads(heads),
          m_after(isElapsed() ? delayAfterLastEnd(graph) : 0)
    {
    }

    const ActivityGraph& graph() const { return m_graph; }
    bool isElapsed() const { return m_model.mode == PathMode::Elapsed; }

    // The longest way to the begin of a task, and from there to the end.
    TimeNs head(std::uint32_t task) const
    {
        return isElapsed() ? m_graph.begin[task] - m_graph.run.begin : m_heads.head[task];
    }
    TimeNs tail(std::uint32_t task) const { return m_slack.length - head(task) - m_slack.slack[task]; }
    // The length that a path still has at the begin of the task that it ends in.
    TimeNs ending(std::uint32_t task) const { return m_graph.duration[task] + m_after; }

    // What decided the begin of a task, as in workPath and elapsedPath. `previous(task)` is the one before it on its
    // PE.
    template <typename Previous>
    PathLink before(std::uint32_t task, Previous&& previous) const
    {
        if (isElapsed()) return beforeElapsed(task, previous(task));
        if (m_heads.head[task] == 0) return {};
        const Predecessor from = predecessorOf(m_graph, m_heads, task, previous);
        return {from.edge, from.source, from.offset, 0};
    }

    // At most how many edges before() looks at.
    std::size_t edgesInto(std::uint32_t task) const
    {
        return 2 + (isElapsed() ? 0 : mergesInto(m_heads.edges.merges, task).size());
    }

    // Calls take(PathLink) for all that the begin of a task waited for: message, merges, order.
    template <typename Take>
    void each(std::uint32_t task, std::uint32_t previous, Take take) const
    {
        const std::uint32_t source = m_graph.source[task];
        if (isElapsed()) {
            const ElapsedDelays delays = elapsedDelays(m_graph, task, freeAfter(previous));
            if (source != noTask) take(PathLink{PathEdge::Message, source, m_graph.offset[task], delays.message});
            if (previous != noTask) take(PathLink{PathEdge::Order, previous, m_graph.duration[previous], delays.order});
            return;
        }
        if (source != noTask) take(PathLink{PathEdge::Message, source, m_graph.offset[task], 0});
        for (const MergeEdge& merge : mergesInto(m_heads.edges.merges, task))
            take(PathLink{pathEdge(merge), merge.source, merge.offset, 0});
        if (keepsOrder(m_heads.edges.level) && previous != noTask)
            take(PathLink{PathEdge::Order, previous, m_graph.duration[previous], 0});
    }

    // Whether the longest way on from the source of a link goes over it to the task.
    bool isLongest(const PathLink& link, std::uint32_t task) const
    {
        const TimeNs tailOfSource = tail(link.source);
        return tailOfSource > ending(link.source) && link.offset + link.delay + tail(task) == tailOfSource;
    }

private:
    TimeNs freeAfter(std::uint32_t previous) const
    {
        return previous == noTask ? m_graph.run.begin : m_graph.end(previous);
    }

    PathLink beforeElapsed(std::uint32_t task, std::uint32_t previous) const
    {
        const TimeNs free = freeAfter(previous);
        const Arrival arrival = arrivalOf(m_graph, task);
        const ElapsedDelays delays = elapsedDelays(m_graph, task, arrival, free);
        if (isHeldByMessage(m_graph, task, arrival, free, previous == noTask))
            return {PathEdge::Message, m_graph.source[task], m_graph.offset[task], delays.message};
        if (previous == noTask) return {PathEdge::Start, noTask, 0, delays.order};
        return {PathEdge::Order, previous, m_graph.duration[previous], delays.order};
    }

    const ActivityGraph& m_graph;
    const WhatIfModel& m_model;
    const Slack& m_slack;
    const WorkHeads& m_heads;
    TimeNs m_after;  // of the run, behind the last end
};

}  // namespace longpole
