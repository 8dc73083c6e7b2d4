// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the tasks of all PEs, PE after PE, into an ActivityGraph: one order by time that every edge follows, checked
// edges, and the derived arrays. Shared by the loader, by hand-made graphs and by clipping.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/progress.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

// Graph tasks PE after PE, each PE's in begin order. A position counts over all PEs.
struct TaskColumns {
    std::vector<std::size_t> first;  // position of each PE's first task, and the number of all: PEs + 1
    std::vector<TimeNs> begin;
    CompactTimes duration;
    std::vector<std::uint32_t> taskIndex;  // empty: each task's place on its PE
    std::vector<std::uint32_t> entry;
    std::vector<std::uint32_t> source;        // position; noTask
    CompactTimes offset;                      // from the begin of the source, as logged
    CompactTimes latency;                     // begin - send time, where hasSent
    CompactTimes queued;                      // begin - receive time, where ActivityGraph::HasReceived
    std::vector<std::uint8_t> flags;          // ActivityGraph::Flag and hasSent
    std::vector<MergeEdge> merges;            // positions instead of graph tasks; in any order
    std::vector<ActivityGraph::Inner> inner;  // Inner::task is a position; in any order

    static constexpr std::uint8_t hasSent = 128;  // a flag that the graph does not keep

    void resize(std::size_t size);                // all per-task columns, to their "nothing known" values
    TimeNs sent(std::size_t position) const;      // minTime if unknown
    TimeNs received(std::size_t position) const;  // minTime if unknown
    void setSent(std::size_t position, TimeNs time);
    void setReceived(std::size_t position, TimeNs time);
    void moveBegin(std::size_t position, TimeNs to);  // send and receive times stay
};

struct GraphFrame {
    TimeRange run;
    std::uint32_t processors = 0;
    bool hasRanks = false;
    std::vector<TimeNs> exclusiveByEntry;
    std::vector<Issue> issues;  // met before; the builder adds its own
    std::vector<TimeRange> active{};
};

// Kinds of the issues that the builder adds.
constexpr const char* edgeClamped = "graph_edge_clamped";    // sent after the execution began or its sender ended
constexpr const char* edgeDropped = "graph_edge_dropped";    // sender begins after the execution
constexpr const char* tieCycle = "graph_tie_cycle";          // tasks at one instant that wait for each other
constexpr const char* mergeDropped = "graph_merge_dropped";  // its source does not end before the task, or is itself
constexpr const char* taskTrimmed = "graph_task_trimmed";    // reaches into the next task of its PE, or out of the run

// Order: (begin, pe, index), but at equal begins a sender goes before what it sent and what merges after what it merged
// with (Kahn inside the tie, smallest (pe, index) first; an edge that closes a cycle of ties is dropped). Consumes the
// columns one by one, so that at most one of them exists twice. Null when cancelled.
std::shared_ptr<ActivityGraph> buildGraph(TaskColumns columns, GraphFrame frame, const Progress& progress);

// Positions in order of (begin, position), the inverse of that, and the PE of each task in that order.
struct TimeOrder {
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> graphTaskAt;
    std::vector<std::uint32_t> pe;
};

// A bucket sort, which relies on each PE's tasks being in begin order. O(n), cache friendly.
TimeOrder timeOrder(const TaskColumns& columns);

}  // namespace longpole
