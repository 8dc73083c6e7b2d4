// The elapsed path: a walk back from the end of the run whose parts add up to the time it covers (ALGORITHMS 2.2).
#include "analysis/criticalpath.h"

#include "analysis/bigarray.h"
#include "analysis/elapseddelays.h"
#include "analysis/pathend.h"
#include "analysis/pathprofile.h"
#include "analysis/pathtrace.h"
#include "analysis/taskwindow.h"

#include <algorithm>

namespace longpole {

namespace {

// Walks back from an end to the begin of the window. Steps are collected newest first; every step begins where the next
// one in the list ends.
class Walk {
public:
    Walk(const TaskWindow& window, CriticalPath& path)
        : m_graph(*window.graph), m_path(path), m_profile(m_graph), m_previous(m_graph),
          m_floor(window.range.begin > m_graph.run.begin ? window.range.begin : minTime)
    {
    }

    void from(PathEnd end, TimeNs until)
    {
        m_time = until;
        gap(end.task, PathPart::Unexplained, end.time);
        std::uint32_t task = end.task;
        while (task != noTask && m_time > m_floor) task = before(task);
        std::reverse(m_path.steps.begin(), m_path.steps.end());
        m_path.length = m_path.parts.sum();
    }

    std::vector<PathProfileRow> profile(const std::vector<TimeNs>& busy) const { return m_profile.rows(busy); }

private:
    // Takes the task's own time and what lies before it; returns the task the walk goes on in.
    std::uint32_t before(std::uint32_t task)
    {
        const Arrival arrival = arrivalOf(m_graph, task);
        const std::uint32_t source = m_graph.source[task];
        const std::uint32_t previous = m_previous(task);
        const TimeNs free = previous == noTask ? m_graph.run.begin : m_graph.end(previous);
        const bool isBlock = (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0;
        const bool overMessage = isHeldByMessage(m_graph, task, arrival, free, previous == noTask);
        // Whether the PE was still busy when the message arrived rests on an estimate of its arrival.
        const bool isGuess = !overMessage && source != noTask && !isBlock && arrival.isEstimated;
        compute(task, overMessage, overMessage ? arrival.isMended : isGuess);
        if (overMessage) {
            const bool doubtful = arrival.isMended || arrival.isEstimated;
            gap(task, PathPart::Queue, arrival.received, true, doubtful);
            gap(task, PathPart::Network, arrival.sent, true, doubtful);
            gap(task, PathPart::Overhead, arrival.left, true, arrival.isMended);
            return source;
        }
        if (source != noTask) {
            gap(task, PathPart::Overhead, free, false, isGuess);
            return previous;
        }
        if (arrival.known) {  // sent by the run-time system outside any task
            gap(task, PathPart::Queue, std::max(free, arrival.received), true, arrival.isEstimated);
            gap(task, PathPart::Network, std::max(free, arrival.sent), true, arrival.isEstimated);
        }
        gap(task, PathPart::Unexplained, free);
        return previous;
    }

    void compute(std::uint32_t task, bool overMessage, bool doubtful)
    {
        const TimeNs begin = std::max(m_graph.begin[task], m_floor);
        m_profile.add(task, {begin, m_time});
        append(task, PathPart::Compute, begin, overMessage, doubtful);
    }

    // [begin, now) goes to `part`, if there is any of it in the window.
    void gap(std::uint32_t task, PathPart part, TimeNs begin, bool overMessage = false, bool doubtful = false)
    {
        begin = std::max(begin, m_floor);
        if (begin < m_time) append(task, part, begin, overMessage, doubtful);
    }

    void append(std::uint32_t task, PathPart part, TimeNs begin, bool overMessage, bool doubtful)
    {
        const TimeNs weight = m_time - begin;
        growBig(m_path.steps);
        m_path.steps.push_back({.task = m_graph.id(task), .pe = ProcessorId{m_graph.pe[task]},
                                .entry = EntryId{m_graph.entry[task]}, .part = part, .begin = begin, .end = m_time,
                                .weight = weight, .edge = overMessage ? PathEdge::Message : PathEdge::Order, .doubtful = doubtful});
        partOf(part) += weight;
        if (doubtful) m_path.doubtfulWeight += weight;
        m_time = begin;
    }

    TimeNs& partOf(PathPart part)
    {
        switch (part) {
        case PathPart::Compute: return m_path.parts.compute;
        case PathPart::Network: return m_path.parts.network;
        case PathPart::Queue: return m_path.parts.queue;
        case PathPart::Overhead: return m_path.parts.overhead;
        case PathPart::Unexplained: break;
        }
        return m_path.parts.unexplained;
    }

    const ActivityGraph& m_graph;
    CriticalPath& m_path;
    PathProfile m_profile;
    PreviousTasks m_previous;
    TimeNs m_floor;      // the walk stops here; minTime: where the run's tasks do
    TimeNs m_time = 0;  // everything from here to the end has been attributed
};

}  // namespace

Result<CriticalPath> elapsedPath(const ActivityGraph& graph, std::optional<TaskId> to)
{
    return elapsedPath(graph, graph.run, to);
}

Result<CriticalPath> elapsedPath(const ActivityGraph& graph, TimeRange range, std::optional<TaskId> to)
{
    const TaskWindow window = taskWindow(graph, range);
    CriticalPath path{.mode = PathMode::Elapsed, .edges = EdgeLevel::Order, .duration = window.range.length()};
    PathEnd end{};
    if (to) {
        const Result<PathEnd> found = pathEnd(window, *to);
        if (!found) return found.error();
        end = *found;
    } else {
        end.task = latestEnd(window);
        if (end.task == noTask) {
            path.length = path.parts.unexplained = window.range.length();
            return path;
        }
        end.time = window.end(end.task);
    }
    path.to = to.value_or(graph.id(end.task));
    Walk walk(window, path);
    walk.from(end, to ? end.time : window.range.end);
    path.profile = walk.profile(window.range == graph.run ? graph.exclusiveByEntry : exclusiveByEntry(window));
    return path;
}

}  // namespace longpole
