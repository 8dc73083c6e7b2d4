// SPDX-License-Identifier: GPL-3.0-or-later
// Splits the time of a graph task among its entry method and the executions nested in it: at any moment it belongs to
// the innermost one.
#pragma once

#include "analysis/graph/activitygraph.h"

#include <algorithm>
#include <vector>

namespace longpole {

// Calls add(taskIndex, entry, time) for the parts of `part`, which lies in the task; they add up to exactly its length.
// `started(taskIndex, entry)` is called once for every nested execution with a piece that ends at part.begin or later
// and begins at part.end or before. O(pieces), no allocation without pieces.
template <typename Add, typename Started>
void attributeToExecutions(const ActivityGraph& graph, std::uint32_t task, TimeRange part, Add add, Started started)
{
    const TimeNs begin = part.begin;
    const TimeNs end = part.end;
    const std::span<const ActivityGraph::Inner> pieces = graph.inner.empty() ? std::span<const ActivityGraph::Inner>()
                                                                             : graph.innerOf(task);
    if (pieces.empty()) {
        add(graph.taskIndex[task], graph.entry[task], end - begin);
        return;
    }
    struct Open {
        TimeNs end;
        std::uint32_t taskIndex, entry;
    };
    const Open outer{end, graph.taskIndex[task], graph.entry[task]};
    std::vector<Open> open;  // innermost last
    TimeNs cursor = begin;
    const auto advance = [&](TimeNs to) {
        while (!open.empty() && open.back().end <= to) {
            const TimeNs until = std::max(cursor, open.back().end);
            add(open.back().taskIndex, open.back().entry, until - cursor);
            cursor = until;
            open.pop_back();
        }
        const Open& innermost = open.empty() ? outer : open.back();
        add(innermost.taskIndex, innermost.entry, to - cursor);
        cursor = to;
    };
    std::uint32_t newest = graph.taskIndex[task];  // executions start in the order of their index
    for (const ActivityGraph::Inner& piece : pieces) {
        if (piece.begin > end) break;
        if (piece.end < begin) continue;
        advance(std::max(piece.begin, cursor));
        open.push_back({std::min(piece.end, end), piece.taskIndex, piece.entry});
        if (piece.taskIndex <= newest) continue;
        newest = piece.taskIndex;
        started(piece.taskIndex, piece.entry);
    }
    advance(end);
}

// The same by entry method: add(entry, time), started(entry).
template <typename Add, typename Started>
void attributeToInnermost(const ActivityGraph& graph, std::uint32_t task, TimeRange part, Add add, Started started)
{
    attributeToExecutions(
        graph, task, part, [&add](std::uint32_t, std::uint32_t entry, TimeNs time) { add(entry, time); },
        [&started](std::uint32_t, std::uint32_t entry) { started(entry); });
}

// The part from the task's begin to `end`.
template <typename Add>
void attributeToInnermost(const ActivityGraph& graph, std::uint32_t task, TimeNs end, Add add)
{
    attributeToInnermost(graph, task, {graph.begin[task], end}, add, [](std::uint32_t) {});
}

}  // namespace longpole
