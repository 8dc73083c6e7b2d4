// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks of one processor as columns in their order: what the graph says of them, copied so that passes over them
// read memory in order, and what such passes find out.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/progress.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace longpole {

// What a replay needs of the trace that the graph does not hold; empty where there is no trace.
struct ReplayFacts {
    std::vector<std::uint32_t> nodeOf;      // of each PE; messages inside a node have latencies of their own
    std::vector<std::uint8_t> isSystem;     // by entry: of the run-time system
    std::vector<std::uint8_t> isExpedited;  // by entry: known to be expedited, for cases that the trace does not show
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
        AfterIdle = 8,  // its processor had idled before it, or it was the first task
        // from here on as ReplayModel's traits; the task runs on in the scheduler's step of the task before
        Glued = 16,
        Fixed = 32,
        Held = 64,
        Expedited = 128
    };
    std::vector<TimeNs> begin;
    std::vector<TimeNs> end;
    std::vector<TimeNs> sent;            // where Known
    std::vector<std::uint32_t> latency;  // from sent to the receive time, known or estimated; clamped
    std::vector<std::uint8_t> kind;
    std::vector<std::uint8_t> latencyClass;  // see LatencyClasses
    std::vector<std::uint32_t> entry;
    std::vector<std::uint32_t> number;  // which of its sender's messages it is; 0: unknown
    TimeNs runBegin = 0;

    std::size_t size() const { return begin.size(); }
    bool is(std::size_t k, int kinds) const { return (kind[k] & kinds) != 0; }
    TimeNs freeBefore(std::size_t k) const { return k == 0 ? runBegin : end[k - 1]; }
};

// The records of all processors, made anew for each pass and only a few at a time, since all records of a long run
// would take as much memory as its graph. Graph, facts and progress must outlive it.
class ProcessorRecords {
public:
    // Records of so many tasks, or of an eighth of all tasks, are made at once; if one processor has more, still all of
    // its tasks.
    ProcessorRecords(const ActivityGraph& graph, const ReplayFacts& facts, const Progress& progress,
                     std::size_t atOnce = std::size_t{1} << 19);

    std::size_t size() const { return m_kinds.size(); }
    // For loops over one of the records, too.
    bool isCancelled() const { return m_progress.isCancelled(); }
    // How many processors, the first ones, have more than so many tasks together; all if they have no more.
    std::size_t firstWithMoreThan(std::size_t tasks) const;

    // Calls use(pe, record) for each processor, in their order, until it returns false. What use() sets in record.kind
    // stays for later passes; Held and Expedited are not set at first. Cancelled: leaves out the others. O(n).
    void each(const std::function<bool(std::size_t, ProcessorRecord&)>& use);
    // Calls use(pe, record) for all processors, or the first `most`, on several threads; the same.
    void eachAtOnce(const std::function<void(std::size_t, ProcessorRecord&)>& use,
                    std::size_t most = std::numeric_limits<std::size_t>::max());

private:
    void make(std::size_t first, std::size_t last);
    std::size_t batchFrom(std::size_t first) const;

    const ActivityGraph& m_graph;
    const ReplayFacts& m_facts;
    const Progress& m_progress;
    std::size_t m_atOnce;
    std::vector<std::vector<std::uint8_t>> m_kinds;  // by processor; empty until its record was made once
    std::vector<ProcessorRecord> m_made;             // those from m_first on
    std::size_t m_first = 0;
};

}  // namespace longpole
