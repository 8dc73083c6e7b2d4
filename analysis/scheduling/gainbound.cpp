// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/gainbound.h"

#include "analysis/paths/elapseddelays.h"
#include "analysis/waiting/queuewindows.h"

namespace longpole {

namespace {

std::uint32_t lastEnd(const ActivityGraph& graph)
{
    std::uint32_t last = noTask;
    for (const std::span<const std::uint32_t> tasks : graph.byProcessor)
        for (const std::uint32_t task : tasks)
            if (last == noTask || graph.end(task) > graph.end(last)) last = task;
    return last;
}

void findBusiest(const QueueWindows& windows, const ActivityGraph& graph, GainBound& bound)
{
    for (std::uint32_t pe = 0; pe < graph.byProcessor.size(); ++pe) {
        TimeNs busy = 0;
        for (std::size_t i = 0; i < graph.byProcessor[pe].size(); ++i) busy += windows.length(pe, i);
        if (busy <= bound.busiest) continue;
        bound.busiest = busy;
        bound.busiestPe = pe;
    }
}

// The longest that the task's message can have waited for its turn.
TimeNs longestWait(const QueueWindows& windows, const ActivityGraph& graph, std::uint32_t task)
{
    const TimeNs begin = graph.begin[task];
    if ((graph.flags[task] & ActivityGraph::BlockEdge) != 0 && graph.source[task] != noTask)
        return begin - arrivalOf(graph, task).left;
    const QueueWindow window = windows.of(task);
    const bool isKnown = (graph.flags[task] & (ActivityGraph::HasReceived | ActivityGraph::Estimated))
                         == ActivityGraph::HasReceived;
    if (isKnown) return begin - window.received;
    const Arrival arrival = arrivalOf(graph, task);
    const TimeNs earliest = arrival.known ? arrival.sent : graph.run.begin;
    return begin - std::clamp(std::max(earliest, windows.lastIdleEnd(task)), earliest, std::max(earliest, begin));
}

}  // namespace

GainBound gainBound(const ActivityGraph& graph, const CriticalPath& path, const ProcessorIdle& idle)
{
    const QueueWindows windows(graph, idle);
    GainBound found{.path = path.length};
    findBusiest(windows, graph, found);
    for (std::uint32_t task = lastEnd(graph); task != noTask; task = graph.source[task]) {
        // What a task without a known sender waited for before it came can have been a queue all along.
        const bool isRoot = graph.source[task] == noTask;
        found.queue += isRoot ? std::max<TimeNs>(0, graph.begin[task] - graph.run.begin)
                              : longestWait(windows, graph, task);
    }
    found.spare = graph.run.length() - std::max(found.path, found.busiest);
    return found;
}

}  // namespace longpole
