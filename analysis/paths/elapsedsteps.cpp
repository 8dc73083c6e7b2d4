// SPDX-License-Identifier: GPL-3.0-or-later
// The elapsed path: a walk back from the end of the run whose parts add up to the time it covers
// (docs/algorithms.md 2.2).
#include "analysis/paths/elapsedsteps.h"

#include "analysis/graph/pathend.h"
#include "analysis/graph/taskwindow.h"
#include "analysis/paths/criticalpath.h"

namespace longpole {

std::uint32_t ElapsedSteps::before(std::uint32_t task, std::optional<bool> told)
{
    const Arrival arrival = arrivalOf(m_graph, task);
    const std::uint32_t source = m_graph.source[task];
    const std::uint32_t previous = m_previous(task);
    const TimeNs free = previous == noTask ? m_graph.run.begin : m_graph.end(previous);
    const bool isBlock = (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0;
    const bool overMessage = told ? *told : isHeldByMessage(m_graph, task, arrival, free, previous == noTask);
    // Whether the PE was still busy when the message arrived rests on an estimate of its arrival.
    const bool isGuess = !overMessage && source != noTask && !isBlock && arrival.isEstimated;
    compute(task, overMessage, overMessage ? arrival.isMended : isGuess);
    const ElapsedDelays delays = elapsedDelays(m_graph, task, arrival, free);
    if (overMessage) {
        afterMessage(task, arrival, delays, free);
        return source;
    }
    if (source != noTask) {
        gap(task, PathPart::Overhead, m_graph.begin[task] - delays.order, false, isGuess);
        m_time = std::min(m_time, free);
        return previous;
    }
    if (arrival.known) {  // sent by the run-time system outside any task
        if (!cameWhileIdle(m_graph, task, arrival))
            queued(task, std::max(free, arrival.received), free, arrival.isEstimated);
        gap(task, PathPart::Network, std::max(free, arrival.sent), true, arrival.isEstimated);
    }
    gap(task, m_graph.hasRanks && previous != noTask ? PathPart::Overhead : PathPart::Unexplained, free);
    return previous;
}

void ElapsedSteps::afterMessage(std::uint32_t task, const Arrival& arrival, const ElapsedDelays& delays, TimeNs free)
{
    const bool isBlock = (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0;
    const bool doubtful = arrival.isMended || arrival.isEstimated;
    // What the task still waited once its message was there and its PE free.
    const TimeNs held = m_graph.begin[task] - delays.message + (arrival.ready - arrival.left);
    if (!cameWhileIdle(m_graph, task, arrival)) {
        if (isBlock) gap(task, PathPart::Overhead, held, true, arrival.isMended);
        else if (m_graph.hasRanks) gap(task, PathPart::Network, held, true, doubtful);
        else queued(task, held, free, doubtful);
        m_time = std::min(m_time, std::max(arrival.ready, m_floor));
    }
    gap(task, PathPart::Network, arrival.sent, true, doubtful);
    gap(task, PathPart::Overhead, arrival.left, true, arrival.isMended);
}

// The message lay in the queue from `begin` on, but it did not wait for a turn while its PE idled.
void ElapsedSteps::queued(std::uint32_t task, TimeNs begin, TimeNs free, bool doubtful)
{
    const bool idled = (m_graph.flags[task] & ActivityGraph::AfterIdle) != 0;
    if (idled) gap(task, PathPart::Overhead, std::max(begin, free), true, doubtful);
    gap(task, PathPart::Queue, begin, true, doubtful);
}

void ElapsedSteps::compute(std::uint32_t task, bool overMessage, bool doubtful)
{
    const TimeNs begin = std::max(m_graph.begin[task], m_floor);
    const TimeRange counted = intersection({begin, m_time}, m_graph.activeOf(m_graph.pe[task]));
    if (!counted.isEmpty() || begin == m_time)
        m_profile.add(task, counted.isEmpty() ? TimeRange{begin, begin} : counted);
    append(task, PathPart::Compute, begin, overMessage, doubtful);
}

// What lies in the rank's start-up or shut-down is a step of its own.
void ElapsedSteps::append(std::uint32_t task, PathPart part, TimeNs begin, bool overMessage, bool doubtful)
{
    const TimeRange active = m_graph.activeOf(m_graph.pe[task]);
    if (m_time > active.end) {
        appendStep(task, PathPart::Startup, std::max(begin, active.end), overMessage, doubtful);
        if (begin >= active.end) return;
    }
    const bool isBefore = m_time < active.begin || (m_time == active.begin && begin < m_time);
    if (!isBefore) appendStep(task, part, std::max(begin, active.begin), overMessage, doubtful);
    if (begin < m_time || isBefore) appendStep(task, PathPart::Startup, begin, overMessage, doubtful);
}

void ElapsedSteps::appendStep(std::uint32_t task, PathPart part, TimeNs begin, bool overMessage, bool doubtful)
{
    const TimeNs weight = m_time - begin;
    growBig(m_path.steps);
    m_path.steps.push_back({.task = m_graph.id(task),
                            .pe = ProcessorId{m_graph.pe[task]},
                            .entry = EntryId{m_graph.entry[task]},
                            .begin = begin,
                            .end = m_time,
                            .part = part,
                            .edge = overMessage ? PathEdge::Message : PathEdge::Order,
                            .doubtful = doubtful});
    partOf(part) += weight;
    if (doubtful) m_path.doubtfulWeight += weight;
    m_time = begin;
}

TimeNs& ElapsedSteps::partOf(PathPart part)
{
    switch (part) {
    case PathPart::Compute: return m_path.parts.compute;
    case PathPart::Network: return m_path.parts.network;
    case PathPart::Queue: return m_path.parts.queue;
    case PathPart::Overhead: return m_path.parts.overhead;
    case PathPart::Startup: return m_path.parts.startup;
    case PathPart::Unexplained: break;
    }
    return m_path.parts.unexplained;
}

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
    const TimeNs until = to ? end.time : window.range.end;
    ElapsedSteps steps(window, path);
    steps.end(end, until - end.time, until);
    for (std::uint32_t task = end.task; task != noTask && !steps.isDone();) task = steps.before(task);
    steps.finish(window.range == graph.run ? graph.exclusiveByEntry : exclusiveByEntry(window));
    return path;
}

}  // namespace longpole
