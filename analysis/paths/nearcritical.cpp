// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/paths/nearcritical.h"

#include "analysis/paths/countedpath.h"

#include "analysis/graph/pathend.h"
#include "analysis/graph/taskwindow.h"
#include "analysis/paths/distinctpaths.h"
#include "analysis/paths/elapsedsteps.h"
#include "analysis/paths/pathlinks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace longpole {

namespace {

// Tasks with slack up to a limit, by (slack, task), in portions so that even millions need little memory: those whose
// slack lies in one range of classes are collected and sorted together.
class Candidates {
public:
    Candidates(const Slack& slack, TimeNs atMost) : m_slack(slack.slack), m_atMost(atMost)
    {
        while ((atMost >> m_shift) >= static_cast<TimeNs>(m_counts.size())) ++m_shift;
        for (const TimeNs value : m_slack)
            if (value <= atMost) ++m_counts[static_cast<std::size_t>(value >> m_shift)];
    }

    // The next portion; empty at the end. `isWanted(task)` leaves out what is known to be of no use; portions grow
    // where that is most of them, so that all of them together cost O(tasks).
    template <typename Wanted>
    std::vector<std::uint32_t> next(Wanted isWanted)
    {
        const auto from = static_cast<TimeNs>(m_done) << m_shift;
        std::size_t room = m_done < m_counts.size() ? m_counts[m_done++] : 0;
        while (m_done < m_counts.size() && room + m_counts[m_done] <= m_portion) room += m_counts[m_done++];
        std::vector<std::uint32_t> tasks;
        if (room == 0) return tasks;
        const TimeNs to = std::min(m_atMost, (static_cast<TimeNs>(m_done) << m_shift) - 1);
        for (std::uint32_t i = 0; i < m_slack.size(); ++i)
            if (m_slack[i] >= from && m_slack[i] <= to && isWanted(i)) tasks.push_back(i);
        if (tasks.size() < room / 4) m_portion *= 4;
        std::sort(tasks.begin(), tasks.end(), [this](std::uint32_t a, std::uint32_t b) {
            return std::tie(m_slack[a], a) < std::tie(m_slack[b], b);
        });
        return tasks;
    }

    bool atEnd() const { return m_done == m_counts.size(); }
    double fraction() const { return static_cast<double>(m_done) / static_cast<double>(m_counts.size()); }

private:
    const std::vector<TimeNs>& m_slack;
    TimeNs m_atMost;
    int m_shift = 0;  // class of a slack: slack >> shift
    std::array<std::size_t, 4096> m_counts{};
    std::size_t m_done = 0;  // classes
    std::size_t m_portion = 1u << 20;
};

void writeWorkSteps(const ActivityGraph& graph, const std::vector<PathHop>& hops, CriticalPath& path)
{
    const auto before = [hop = hops.begin()](std::uint32_t) mutable {
        const PathLink& into = (hop++)->into;
        return Predecessor{into.edge, into.source, into.offset};
    };
    traceBack(taskWindow(graph, graph.run), wholeTask(graph, hops.front().task), graph.exclusiveByEntry, before, path);
}

void writeElapsedSteps(const ActivityGraph& graph, const std::vector<PathHop>& hops, CriticalPath& path)
{
    ElapsedSteps steps(taskWindow(graph, graph.run), path);
    steps.end(wholeTask(graph, hops.front().task), delayAfterLastEnd(graph), graph.run.end);
    for (const PathHop& hop : hops) steps.before(hop.task, hop.into.edge == PathEdge::Message);
    steps.finish(graph.exclusiveByEntry);
}

CriticalPath pathOf(const PathLinks& links, EdgeLevel edges, const std::vector<PathHop>& hops)
{
    const ActivityGraph& graph = links.graph();
    CriticalPath path{.mode = links.isElapsed() ? PathMode::Elapsed : PathMode::Work,
                      .edges = edges,
                      .to = graph.id(hops.front().task),
                      .duration = graph.run.length()};
    if (links.isElapsed()) writeElapsedSteps(graph, hops, path);
    else writeWorkSteps(graph, hops, path);
    return path;
}

}  // namespace

TimeNs mostSlack(TimeNs length, const NearCriticalOptions& options)
{
    return static_cast<TimeNs>(static_cast<double>(length) * options.slackShare);
}

TimeNs leastDistinct(TimeNs length, const NearCriticalOptions& options)
{
    const double wanted = std::ceil(static_cast<double>(length) * options.distinctShare);
    return std::max<TimeNs>(static_cast<TimeNs>(wanted), 1);
}

Result<std::vector<NearCriticalPath>> nearCriticalPaths(const ActivityGraph& graph, const WhatIfModel& model,
                                                        const Slack& slack, const WorkHeads& heads,
                                                        const NearCriticalOptions& options, const Progress& progress)
{
    if (model.mode == PathMode::Sweep) return noSlackInSweep();
    const bool isElapsed = model.mode == PathMode::Elapsed;
    const std::size_t size = graph.size();
    if (slack.slack.size() != size || (!isElapsed && heads.head.size() != size)) return cancelledError();
    std::vector<NearCriticalPath> found;
    if (size == 0 || options.count == 0) return found;

    const EdgeLevel edges = isElapsed ? EdgeLevel::Order : model.edges.level;
    const PathLinks links(graph, model, slack, heads);
    DistinctPaths paths(links);
    const auto report = [&](std::uint32_t task, TimeNs distinct) {
        const std::vector<PathHop> hops = paths.through(task);
        paths.take(hops);
        CriticalPath path = pathOf(links, edges, hops);
        const std::int64_t processors = processorsOn(path);
        found.push_back({std::make_shared<const CriticalPath>(std::move(path)), slack.slack[task], distinct,
                         processors});
    };
    report(isElapsed ? latestEnd(taskWindow(graph, graph.run)) : farthestEnd(graph, heads), slack.length);
    Candidates candidates(slack, mostSlack(slack.length, options));
    while (found.size() < options.count && !candidates.atEnd()) {
        std::size_t looked = 0;
        const auto wanted = [&](std::uint32_t task) {
            return leastDistinct(slack.length - slack.slack[task], options);
        };
        for (const std::uint32_t task :
             candidates.next([&](std::uint32_t t) { return !paths.isTaken(t) && paths.mayHave(t, wanted(t)); })) {
            if (looked++ % 1024 == 0 && progress.isCancelled()) return cancelledError();
            if (paths.isTaken(task)) continue;
            const auto distinct = paths.distinct(task, wanted(task));
            if (distinct) report(task, *distinct);
            if (found.size() == options.count) break;
        }
        if (progress.isCancelled()) return cancelledError();
        progress.report(candidates.fraction());
    }
    return found;
}

}  // namespace longpole
