// The elapsed path: a walk back from the end of the run whose parts add up to the time it covers (ALGORITHMS 2.2).
#include "analysis/criticalpath.h"

#include "analysis/elapseddelays.h"
#include "analysis/pathend.h"
#include "analysis/pathprofile.h"

#include <algorithm>

namespace longpole {

namespace {

// Walks back from an end to the begin of the run. Steps are collected newest first; every step begins where the next
// one in the list ends.
class Walk {
public:
    Walk(const ActivityGraph& graph, CriticalPath& path) : m_graph(graph), m_path(path), m_profile(graph) {}

    void from(PathEnd end, TimeNs until)
    {
        m_time = until;
        gap(end.task, PathPart::Unexplained, end.time);
        std::uint32_t task = end.task;
        while (task != noTask) task = before(task);
        std::reverse(m_path.steps.begin(), m_path.steps.end());
        m_path.length = m_path.parts.sum();
        m_path.profile = m_profile.rows();
    }

private:
    // Takes the task's own time and what lies before it; returns the task the walk goes on in.
    std::uint32_t before(std::uint32_t task)
    {
        const Arrival arrival = arrivalOf(m_graph, task);
        const std::uint32_t source = m_graph.source[task];
        const std::uint32_t previous = m_graph.previous(task);
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
        m_profile.add(task, m_time);
        append(task, PathPart::Compute, m_graph.begin[task], overMessage, doubtful);
    }

    // [begin, now) goes to `part`, if there is any.
    void gap(std::uint32_t task, PathPart part, TimeNs begin, bool overMessage = false, bool doubtful = false)
    {
        if (begin < m_time) append(task, part, begin, overMessage, doubtful);
    }

    void append(std::uint32_t task, PathPart part, TimeNs begin, bool overMessage, bool doubtful)
    {
        const TimeNs weight = m_time - begin;
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
    TimeNs m_time = 0;  // everything from here to the end has been attributed
};

// The task that ends last: the last one of some PE, as a PE's tasks are disjoint. Ties: smallest (pe, index). O(PEs).
std::uint32_t lastEnd(const ActivityGraph& graph)
{
    std::uint32_t best = noTask;
    TimeNs latest = minTime;
    for (const std::vector<std::uint32_t>& tasks : graph.byProcessor) {
        for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
            const TimeNs end = graph.end(*task);
            if (end < latest) break;
            if (best != noTask && end == latest && graph.id(best) < graph.id(*task)) break;
            best = *task;
            latest = end;
        }
    }
    return best;
}

}  // namespace

Result<CriticalPath> elapsedPath(const ActivityGraph& graph, std::optional<TaskId> to)
{
    CriticalPath path{.mode = PathMode::Elapsed, .edges = EdgeLevel::Order, .duration = graph.run.length()};
    Result<PathEnd> end = PathEnd{};
    if (to) {
        end = pathEnd(graph, *to);
        if (!end) return end.error();
    } else if (graph.size() == 0) {
        path.length = path.parts.unexplained = graph.run.length();
        return path;
    } else {
        end = wholeTask(graph, lastEnd(graph));
    }
    path.to = to.value_or(graph.id(end->task));
    Walk(graph, path).from(*end, to ? end->time : graph.run.end);
    return path;
}

Result<CriticalPath> elapsedPath(const ActivityGraph& graph, TimeRange range, std::optional<TaskId> to)
{
    return elapsedPath(*clip(graph, range), to);
}

}  // namespace longpole
