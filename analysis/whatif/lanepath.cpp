// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/lanepath.h"

#include "analysis/base/naming.h"
#include "analysis/graph/attribution.h"
#include "analysis/paths/pathprofile.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

// How many of the first `known` elements of a sorted list are below a limit. Searches from the last of them backward in
// steps that double, so that a walk that asks for ever smaller limits pays little for each.
template <typename IsBelow>
std::size_t countBelow(std::size_t known, IsBelow isBelow)
{
    std::size_t step = 1;
    std::size_t above = known;  // element `above` is not below, or unknown
    while (above > 0 && !isBelow(above - 1)) {
        above -= std::min(above, step);
        step *= 2;
    }
    // All below `above` are below the limit; the border lies in the last step.
    std::size_t end = std::min(known, above + step);
    while (above < end) {
        const std::size_t middle = above + (end - above) / 2;
        if (isBelow(middle)) above = middle + 1;
        else end = middle;
    }
    return above;
}

class LaneWalk {
public:
    LaneWalk(const ActivityGraph& graph, const WhatIfModel& model, const LaneFactors& factors, const LanePass& pass,
             std::size_t lane)
        : m_graph(graph), m_merges(model.edges.merges), m_factors(factors), m_pass(pass), m_lane(lane),
          m_isElapsed(model.mode == PathMode::Elapsed), m_mergesLeft(m_merges.size()),
          m_tasksLeft(pass.orderWins.empty() ? 0 : graph.byProcessor.size())
    {
        for (std::size_t pe = 0; pe < m_tasksLeft.size(); ++pe) m_tasksLeft[pe] = graph.byProcessor[pe].size();
    }

    std::vector<PathProfileRow> profile()
    {
        PathProfile profile(m_graph);
        TimeNs left = m_pass.length[m_lane];
        Part part{m_pass.end[m_lane], 0};
        if (part.task != noTask) part.length = m_graph.duration[part.task];
        while (part.task != noTask) {
            const TimeNs begin = m_graph.begin[part.task];
            profile.add(part.task, {begin, begin + part.length});
            if (!m_isElapsed) left -= weight(part);
            if (!m_isElapsed && left <= 0) break;
            part = before(part.task);
        }
        return changed(profile.rows());
    }

private:
    struct Part {
        std::uint32_t task = noTask;
        TimeNs length = 0;
    };

    bool wins(const std::vector<std::uint16_t>& words, std::size_t i) const { return (words[i] >> m_lane & 1) != 0; }

    TimeNs weight(Part part) const
    {
        TimeNs sum = 0;
        attributeToInnermost(m_graph, part.task, m_graph.begin[part.task] + part.length,
                             [&](std::uint32_t entry, TimeNs time) { sum += time * m_factors.of(entry)[m_lane]; });
        return sum;
    }

    // What decided when a task began.
    Part before(std::uint32_t task)
    {
        const Part merge = mergeThatWon(task);
        const bool isOrder = !m_tasksLeft.empty() && wins(m_pass.orderWins, task);
        if (merge.task != noTask && (m_isElapsed || !isOrder)) return merge;
        const std::uint32_t source = m_graph.source[task];
        if (!isOrder && source != noTask) return {source, m_graph.offset[task]};
        if (!isOrder) return {};
        const std::uint32_t previous = previousOf(task);
        return previous != noTask ? Part{previous, m_graph.duration[previous]} : Part{};
    }

    // The last of its merges that won, if any.
    Part mergeThatWon(std::uint32_t task)
    {
        m_mergesLeft = countBelow(m_mergesLeft, [&](std::size_t i) { return m_merges[i].task <= task; });
        for (std::size_t i = m_mergesLeft; i > 0 && m_merges[i - 1].task == task; --i)
            if (wins(m_pass.mergeWins, i - 1)) return {m_merges[i - 1].source, m_merges[i - 1].offset};
        return {};
    }

    std::uint32_t previousOf(std::uint32_t task)
    {
        const std::span<const std::uint32_t> tasks = m_graph.byProcessor[m_graph.pe[task]];
        std::size_t& left = m_tasksLeft[m_graph.pe[task]];
        left = countBelow(left, [&](std::size_t i) { return tasks[i] < task; });
        return left > 0 ? tasks[left - 1] : noTask;
    }

    // Times after the change, in its order and with its shares.
    std::vector<PathProfileRow> changed(std::vector<PathProfileRow> rows) const
    {
        TimeNs total = 0;
        for (PathProfileRow& row : rows) {
            row.time *= m_factors.of(index(row.entry))[m_lane];
            addSaturating(total, row.time);
        }
        for (PathProfileRow& row : rows) row.share = ratio(row.time, total);
        std::sort(rows.begin(), rows.end(), [](const PathProfileRow& a, const PathProfileRow& b) {
            return std::tie(b.time, a.entry) < std::tie(a.time, b.entry);
        });
        return rows;
    }

    const ActivityGraph& m_graph;
    const std::vector<MergeEdge>& m_merges;
    const LaneFactors& m_factors;
    const LanePass& m_pass;
    std::size_t m_lane;
    bool m_isElapsed;
    std::size_t m_mergesLeft;              // merges of later tasks are behind the walk
    std::vector<std::size_t> m_tasksLeft;  // so are later tasks of each PE; empty where their order is no edge
};

}  // namespace

std::vector<PathProfileRow> profileOfLane(const ActivityGraph& graph, const WhatIfModel& model,
                                          const LaneFactors& factors, const LanePass& pass, std::size_t lane)
{
    return LaneWalk(graph, model, factors, pass, lane).profile();
}

}  // namespace longpole
