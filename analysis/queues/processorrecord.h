// SPDX-License-Identifier: GPL-3.0-or-later
// What the graph says of the tasks of one processor, in their order, gathered so that passes over them read memory in
// order; and what is found out about them.
#pragma once

#include "analysis/graph/activitygraph.h"

#include <cstdint>
#include <vector>

namespace longpole {

// What the trace holds besides the graph; empty where there is no trace.
struct ReplayFacts {
    std::vector<std::uint32_t> nodeOf;      // of each PE; messages inside a node have latencies of their own
    std::vector<std::uint8_t> isSystem;     // by entry: of the run-time system
    std::vector<std::uint8_t> isExpedited;  // by entry: known to be so where the trace does not tell
    std::vector<std::uint32_t> bytes;       // by graph task: of the message that started it
    std::vector<std::uint8_t> follows;      // by graph task: see broadcasts.h
    std::vector<std::uint32_t> numbers;     // by graph task: see broadcasts.h; or empty
};

// Struct of arrays, one element a task.
struct ProcessorRecord {
    enum Kind : std::uint8_t {
        Known = 1,      // when it was sent
        Local = 2,      // from the same processor
        Logged = 4,     // when it was received
        AfterIdle = 8,  // its processor had idled, or it was the first
        Glued = 16,     // ReplayModel's traits from here on; what goes on in the step of the scheduler before it
        Fixed = 32,
        Held = 64,
        Expedited = 128
    };
    std::vector<TimeNs> begin;
    std::vector<TimeNs> end;
    std::vector<TimeNs> sent;            // where Known
    std::vector<std::uint32_t> latency;  // received, or estimated to be, so long after that; clamped
    std::vector<std::uint8_t> kind;
    std::vector<std::uint8_t> latencyClass;  // see LatencyClasses
    std::vector<std::uint32_t> entry;
    std::vector<std::uint32_t> number;  // of the sender's messages; 0: unknown
    TimeNs runBegin = 0;

    std::size_t size() const { return begin.size(); }
    bool is(std::size_t k, int kinds) const { return (kind[k] & kinds) != 0; }
    TimeNs freeBefore(std::size_t k) const { return k == 0 ? runBegin : end[k - 1]; }
};

// One per processor; Held and Expedited are not set yet. O(n).
std::vector<ProcessorRecord> processorRecords(const ActivityGraph& graph, const ReplayFacts& facts);

}  // namespace longpole
