// SPDX-License-Identifier: GPL-3.0-or-later
// How a task came to begin when it did, and what of that the elapsed what-if model keeps when everything before it
// changes: latencies, gaps of queue and scheduler, and the processors' order (docs/algorithms.md 2.2, 3).
#pragma once

#include "analysis/graph/activitygraph.h"

#include <algorithm>

namespace longpole {

// The message of a task with its times brought into order: left <= sent <= received <= begin of the task.
struct Arrival {
    bool known = false;  // the trace says when it was sent
    TimeNs left = 0;     // the sender's prefix on the path ends here
    TimeNs sent = 0;
    TimeNs received = 0;
    TimeNs ready = 0;  // the task could begin from here on, as far as its message goes
    bool isEstimated = false;
    bool isMended = false;  // repaired or clamped
};

// The message of a task that began at `begin`, in a run from `runBegin` on, of which nobody knows when it was received.
inline Arrival arrivalOf(TimeNs runBegin, TimeNs begin, TimeNs left, TimeNs sent)
{
    Arrival arrival;
    arrival.known = true;
    arrival.left = std::clamp(left, std::min(runBegin, begin), begin);
    arrival.sent = arrival.received = arrival.ready = std::clamp(sent, arrival.left, begin);
    return arrival;
}

// O(1), O(log n) for a message that was sent apart from its source.
inline Arrival arrivalOf(const ActivityGraph& graph, std::uint32_t task)
{
    const TimeNs begin = graph.begin[task];
    const std::uint32_t source = graph.source[task];
    const std::uint8_t flags = graph.flags[task];
    const bool isApart = (flags & ActivityGraph::SentApart) != 0;
    if (source == noTask && !isApart) return {};
    const TimeNs sent = isApart ? graph.sent(task) : graph.begin[source] + graph.offset[task];
    const TimeNs left = source != noTask ? graph.begin[source] + graph.offset[task] : sent;
    Arrival arrival = arrivalOf(graph.run.begin, begin, left, sent);
    if ((flags & ActivityGraph::HasReceived) != 0)
        arrival.received = std::clamp(saturatingSubtract(begin, graph.queued[task]), arrival.sent, begin);
    arrival.ready = arrival.received;
    // A Structured Dagger block goes on where the block before it ended: nothing travels.
    if ((flags & ActivityGraph::BlockEdge) != 0) {
        arrival.sent = arrival.received = begin;
        arrival.ready = arrival.left;
    }
    arrival.isEstimated = (flags & ActivityGraph::Estimated) != 0;
    arrival.isMended = (flags & (ActivityGraph::Repaired | ActivityGraph::Clamped)) != 0;
    return arrival;
}

// Whether a PE that was free from `free` on had to wait for the message. A rank waits only if the message left after it
// had come to the call (docs/algorithms.md 2.2, MPI).
inline bool isFreeFirst(const ActivityGraph& graph, const Arrival& arrival, TimeNs free)
{
    return graph.hasRanks ? free < arrival.ready : free <= arrival.ready;
}

// Whether the message can only have come when the PE stopped idling: nobody recorded when it came, and a PE that idles
// begins what arrives. The causes of idling take it that way too.
inline bool cameWhileIdle(const ActivityGraph& graph, std::uint32_t task, const Arrival& arrival)
{
    return !graph.hasRanks && arrival.isEstimated && (graph.flags[task] & ActivityGraph::AfterIdle) != 0
           && (graph.flags[task] & ActivityGraph::BlockEdge) == 0;
}

// Whether the message and not the task before it on the PE decided when a task began, which its PE was free for from
// `free` on (the end of the task before it; the run's begin without one).
inline bool isHeldByMessage(const ActivityGraph& graph, std::uint32_t task, const Arrival& arrival, TimeNs free,
                            bool isFirst)
{
    if (graph.source[task] == noTask) return false;
    return isFirst || (graph.flags[task] & ActivityGraph::AfterIdle) != 0 || isFreeFirst(graph, arrival, free);
}

// The fixed delays before a task:
//     begin' = max(free' + order, source begin' + offset' + message)
// with free' the end' of the task before it on its PE, or the run's begin; the second only with a source. On the run as
// it was recorded, begin' is begin, and the dependency that elapsedPath follows is one that decides it.
struct ElapsedDelays {
    TimeNs order = 0;
    TimeNs message = 0;
};

// Of a task with a source. `isFreeFirst`: see there; `idled`: its PE did before it.
inline ElapsedDelays delaysOf(const Arrival& arrival, TimeNs begin, TimeNs free, bool isFreeFirst, bool idled)
{
    if (isFreeFirst) return {begin - arrival.ready, begin - arrival.left};
    // The PE idled after it was free, so the message came later than estimated, and the order held nothing up.
    if (idled) return {0, begin - arrival.left};
    return {begin - free, begin - free + arrival.ready - arrival.left};
}

inline ElapsedDelays elapsedDelays(const ActivityGraph& graph, std::uint32_t task, const Arrival& arrival, TimeNs free)
{
    const TimeNs begin = graph.begin[task];
    if (graph.source[task] == noTask) return {begin - free, 0};
    const bool idled = (graph.flags[task] & ActivityGraph::AfterIdle) != 0;
    return delaysOf(arrival, begin, free, isFreeFirst(graph, arrival, free), idled);
}

inline ElapsedDelays elapsedDelays(const ActivityGraph& graph, std::uint32_t task, TimeNs free)
{
    return elapsedDelays(graph, task, graph.source[task] != noTask ? arrivalOf(graph, task) : Arrival{}, free);
}

// What follows the last end of the run in the elapsed model: a fixed delay as well. O(PEs).
inline TimeNs delayAfterLastEnd(const ActivityGraph& graph)
{
    TimeNs last = graph.run.begin;
    for (const std::span<const std::uint32_t> tasks : graph.byProcessor)
        if (!tasks.empty()) last = std::max(last, graph.end(tasks.back()));
    return std::max<TimeNs>(graph.run.end - last, 0);
}

}  // namespace longpole
