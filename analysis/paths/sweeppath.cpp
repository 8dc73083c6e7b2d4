// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep (Korkhov et al., docs/algorithms.md 2.3): of every group of tasks that overlap, the longest; an
// approximation that shows bottleneck segments.
#include "analysis/paths/criticalpath.h"

#include "analysis/graph/taskwindow.h"
#include "analysis/paths/pathprofile.h"

#include <algorithm>

namespace longpole {

namespace {

// Groups tasks that come in order of begin.
class Sweep {
public:
    Sweep(const TaskWindow& window, CriticalPath& path) : m_window(window), m_path(path), m_profile(*window.graph) {}

    void add(std::uint32_t task)
    {
        const TimeRange inside = m_window.inside(task);
        if (inside.isEmpty()) return;
        if (inside.begin >= m_groupEnd) {
            take();
            m_longest = task;
        } else if (isLonger(task)) {
            m_longest = task;
        }
        m_groupEnd = std::max(m_groupEnd, inside.end);
    }

    void finish(const std::vector<TimeNs>& busy)
    {
        take();
        m_path.parts.compute = m_path.length;
        m_path.profile = m_profile.rows(busy);
    }

private:
    // The earliest, then lowest PE wins ties.
    bool isLonger(std::uint32_t task) const
    {
        const TimeRange one = m_window.inside(task);
        const TimeRange other = m_window.inside(m_longest);
        if (one.length() != other.length()) return one.length() > other.length();
        return one.begin == other.begin && m_window.graph->pe[task] < m_window.graph->pe[m_longest];
    }

    void take()
    {
        if (m_longest == noTask) return;
        const ActivityGraph& graph = *m_window.graph;
        const TimeRange inside = m_window.inside(m_longest);
        m_path.to = graph.id(m_longest);
        m_path.steps.push_back({.task = m_path.to,
                                .pe = m_path.to.pe,
                                .entry = EntryId{graph.entry[m_longest]},
                                .begin = inside.begin,
                                .end = inside.end});
        m_profile.add(m_longest, inside);
        m_path.length += inside.length();
    }

    const TaskWindow& m_window;
    CriticalPath& m_path;
    PathProfile m_profile;
    std::uint32_t m_longest = noTask;  // of the open group
    TimeNs m_groupEnd = minTime;
};

}  // namespace

Result<CriticalPath> sweepPath(const ActivityGraph& graph) { return sweepPath(graph, graph.run); }

Result<CriticalPath> sweepPath(const ActivityGraph& graph, TimeRange range)
{
    const TaskWindow window = taskWindow(graph, range);
    CriticalPath path{.mode = PathMode::Sweep, .edges = EdgeLevel::Order, .duration = window.range.length()};
    Sweep sweep(window, path);
    for (const std::uint32_t task : window.reaching)
        if (task != noTask) sweep.add(task);
    for (std::uint32_t task = window.first; task < window.atEnd; ++task) sweep.add(task);
    sweep.finish(window.range == graph.run ? graph.exclusiveByEntry : exclusiveByEntry(window));
    return path;
}

}  // namespace longpole
