// SPDX-License-Identifier: GPL-3.0-or-later
// The elapsed path: a walk back from the end of the run whose parts add up to the time it covers
// (docs/algorithms.md 2.2).
#include "analysis/paths/elapsedsteps.h"

#include "analysis/graph/pathend.h"
#include "analysis/graph/taskwindow.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/timerange.h"

namespace longpole {

void ElapsedParts::end(const ElapsedTask& task, TimeNs time, TimeNs until)
{
    m_time = until;
    gap(task, PathPart::Unexplained, time);
    m_time = time;
}

void ElapsedParts::before(const ElapsedTask& task, bool overMessage)
{
    const Arrival& arrival = task.arrival;
    // Whether the PE was still busy when the message arrived rests on an estimate of its arrival.
    const bool isGuess = !overMessage && task.hasSource && !task.isBlock && arrival.isEstimated;
    compute(task, overMessage, overMessage ? arrival.isMended : isGuess);
    if (overMessage) return afterMessage(task);
    if (task.hasSource) {
        gap(task, PathPart::Overhead, task.begin - task.delays.order, false, isGuess);
        m_time = std::min(m_time, task.free);
        return;
    }
    if (arrival.known) {  // sent by the run-time system outside any task
        if (!task.cameWhileIdle) queued(task, std::max(task.free, arrival.received), arrival.isEstimated);
        gap(task, PathPart::Network, std::max(task.free, arrival.sent), true, arrival.isEstimated);
    }
    gap(task, task.isOfRank && !task.isFirst ? PathPart::Overhead : PathPart::Unexplained, task.free);
}

void ElapsedParts::afterMessage(const ElapsedTask& task)
{
    const Arrival& arrival = task.arrival;
    const bool doubtful = arrival.isMended || arrival.isEstimated;
    // What the task still waited once its message was there and its PE free.
    const TimeNs held = task.begin - task.delays.message + (arrival.ready - arrival.left);
    if (!task.cameWhileIdle) {
        if (task.isBlock) gap(task, PathPart::Overhead, held, true, arrival.isMended);
        else if (task.isOfRank) gap(task, PathPart::Network, held, true, doubtful);
        else queued(task, held, doubtful);
        m_time = std::min(m_time, std::max(arrival.ready, m_floor));
    }
    gap(task, PathPart::Network, arrival.sent, true, doubtful);
    gap(task, PathPart::Overhead, arrival.left, true, arrival.isMended);
}

// The message lay in the queue from `begin` on, but it did not wait for a turn while its PE idled.
void ElapsedParts::queued(const ElapsedTask& task, TimeNs begin, bool doubtful)
{
    if (task.idled) gap(task, PathPart::Overhead, std::max(begin, task.free), true, doubtful);
    gap(task, PathPart::Queue, begin, true, doubtful);
}

void ElapsedParts::compute(const ElapsedTask& task, bool overMessage, bool doubtful)
{
    const TimeNs begin = std::max(task.begin, m_floor);
    const TimeRange counted = intersection({begin, m_time}, task.active);
    if (!counted.isEmpty() || begin == m_time) count(task, counted.isEmpty() ? TimeRange{begin, begin} : counted);
    append(task, PathPart::Compute, begin, overMessage, doubtful);
}

// What lies in the rank's start-up or shut-down is a step of its own.
void ElapsedParts::append(const ElapsedTask& task, PathPart part, TimeNs begin, bool overMessage, bool doubtful)
{
    const TimeRange active = task.active;
    if (m_time > active.end) {
        appendStep(task, PathPart::Startup, std::max(begin, active.end), overMessage, doubtful);
        if (begin >= active.end) return;
    }
    const bool isBefore = m_time < active.begin || (m_time == active.begin && begin < m_time);
    if (!isBefore) appendStep(task, part, std::max(begin, active.begin), overMessage, doubtful);
    if (begin < m_time || isBefore) appendStep(task, PathPart::Startup, begin, overMessage, doubtful);
}

void ElapsedParts::appendStep(const ElapsedTask& task, PathPart part, TimeNs begin, bool overMessage, bool doubtful)
{
    take({.task = task.task,
          .pe = task.task.pe,
          .entry = task.entry,
          .begin = begin,
          .end = m_time,
          .part = part,
          .edge = overMessage ? PathEdge::Message : PathEdge::Order,
          .doubtful = doubtful});
    m_time = begin;
}

TimeNs& partOf(PathParts& parts, PathPart part)
{
    switch (part) {
    case PathPart::Compute: return parts.compute;
    case PathPart::Network: return parts.network;
    case PathPart::Queue: return parts.queue;
    case PathPart::Overhead: return parts.overhead;
    case PathPart::Startup: return parts.startup;
    case PathPart::Unexplained: break;
    }
    return parts.unexplained;
}

ElapsedTask ElapsedSteps::named(std::uint32_t task) const
{
    ElapsedTask named;
    named.task = m_graph.id(task);
    named.entry = EntryId{m_graph.entry[task]};
    named.begin = m_graph.begin[task];
    named.active = m_graph.activeOf(m_graph.pe[task]);
    return named;
}

void ElapsedSteps::end(PathEnd end, TimeNs after, TimeNs until)
{
    m_at = end.task;
    ElapsedParts::end(named(end.task), until - after, until);
    setTime(end.time);
}

std::uint32_t ElapsedSteps::before(std::uint32_t task, std::optional<bool> told)
{
    m_at = task;
    const std::uint32_t source = m_graph.source[task];
    const std::uint32_t previous = m_previous(task);
    ElapsedTask at = named(task);
    at.arrival = arrivalOf(m_graph, task);
    at.free = previous == noTask ? m_graph.run.begin : m_graph.end(previous);
    at.delays = elapsedDelays(m_graph, task, at.arrival, at.free);
    at.isFirst = previous == noTask;
    at.hasSource = source != noTask;
    at.isOfRank = m_graph.hasRanks;
    at.isBlock = (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0;
    at.idled = (m_graph.flags[task] & ActivityGraph::AfterIdle) != 0;
    at.cameWhileIdle = cameWhileIdle(m_graph, task, at.arrival);
    const bool overMessage = told ? *told : isHeldByMessage(m_graph, task, at.arrival, at.free, at.isFirst);
    ElapsedParts::before(at, overMessage);
    return overMessage ? source : previous;
}

void ElapsedSteps::take(const PathStep& step)
{
    growBig(m_path.steps);
    m_path.steps.push_back(step);
    partOf(m_path.parts, step.part) += step.weight();
    if (step.doubtful) m_path.doubtfulWeight += step.weight();
}

namespace {

// The part of the range in which no rank had started yet, or all had ended.
TimeNs startupIn(const ActivityGraph& graph, TimeRange range)
{
    if (graph.active.empty()) return 0;
    TimeRange active{maxTime, minTime};
    for (const TimeRange& one : graph.active) {
        active.begin = std::min(active.begin, one.begin);
        active.end = std::max(active.end, one.end);
    }
    return range.length() - overlap(range, active);
}

}  // namespace

Result<CriticalPath> elapsedPath(const ActivityGraph& graph, std::optional<TaskId> to, const Progress& progress)
{
    return elapsedPath(graph, graph.run, to, progress);
}

Result<CriticalPath> elapsedPath(const ActivityGraph& graph, TimeRange range, std::optional<TaskId> to,
                                 const Progress& progress)
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
            path.length = window.range.length();
            path.parts.startup = startupIn(graph, window.range);
            path.parts.unexplained = path.length - path.parts.startup;
            return path;
        }
        end.time = window.end(end.task);
    }
    path.to = to.value_or(graph.id(end.task));
    const TimeNs until = to ? end.time : window.range.end;
    ElapsedSteps steps(window, path);
    steps.end(end, until - end.time, until);
    for (std::uint32_t task = end.task; task != noTask && !steps.isDone();) {
        if (progress.isCancelled()) return cancelledError();
        task = steps.before(task);
    }
    steps.finish(window.range == graph.run ? graph.exclusiveByEntry : exclusiveByEntry(window));
    return path;
}

}  // namespace longpole
