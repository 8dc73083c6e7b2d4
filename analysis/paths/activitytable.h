// SPDX-License-Identifier: GPL-3.0-or-later
// The activity tables of Dooley, Arya, Kale 2010 (section 4, figures 2 and 3): what each PE's run-time system would
// have recorded, one row per task prefix.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/prefixes.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// A row of a PE's table, named by (pe, index) as the paper's edges name it; index counts the prefixes of the PE's graph
// tasks in order of their ends from 0.
struct PrefixId {
    ProcessorId pe{};
    std::int64_t index = -1;  // -1: none
    friend auto operator<=>(const PrefixId&, const PrefixId&) = default;
};

// An incoming dependency and the length of the longest path that comes in over it. In the paper the message brings it.
struct IncomingPath {
    PathEdge edge = PathEdge::Start;
    PrefixId prefix{};
    TimeNs length = 0;
    friend bool operator==(const IncomingPath&, const IncomingPath&) = default;
};

constexpr std::size_t fewMerged = 2;

// A prefix ends where a message is sent (`message` is valid) or where the task ends. length: longest path up to its
// end, incoming.length + end - begin. incoming: the maximal one, which the table keeps; merged: the others, which it
// forgets, longest first, then smallest (pe, index). All prefixes of a task have the same ones; only its first row
// lists them all, the others fewMerged.
struct ActivityRow {
    std::int64_t index = 0;
    TaskId task{};
    EntryId entry = noEntry;
    MessageId message{};
    TimeNs begin = 0;  // of the task
    TimeNs end = 0;    // of the prefix
    TimeNs length = 0;
    IncomingPath incoming{};
    std::vector<IncomingPath> merged{};
    std::size_t mergedCount = 0;
    bool isFirst = true;  // of its task
};

// The table of one PE: 8 bytes a row, 32 a task and 16 an incoming dependency.
class ActivityTable {
public:
    ProcessorId pe() const { return m_pe; }
    EdgeLevel edges() const { return m_edges; }
    std::size_t size() const { return m_prefixes.size(); }
    std::size_t tasks() const { return m_tasks.size(); }
    ActivityRow row(std::size_t index) const;  // O(log tasks)
    // The row in which a graph task ends; empty if it is none of this PE. O(log tasks).
    std::optional<std::size_t> endOf(TaskId task) const;
    std::int64_t bytes() const;

private:
    friend class TableBuilder;
    struct Task {
        TimeNs begin = 0;
        std::size_t firstIncoming = 0;
        std::uint32_t taskIndex = 0;
        std::uint32_t entry = 0;
    };
    // An IncomingPath; noPrefix: it has no name yet.
    struct Incoming {
        TimeNs length;
        std::uint32_t prefix;
        std::uint32_t pe : 28;
        std::uint32_t edge : 4;
        IncomingPath path() const
        {
            const std::int64_t index = prefix == noPrefix ? -1 : std::int64_t{prefix};
            return {static_cast<PathEdge>(edge), {ProcessorId{pe}, index}, length};
        }
    };
    static_assert(mostIds <= 1u << 28);
    ProcessorId m_pe{};
    EdgeLevel m_edges = EdgeLevel::Order;
    Prefixes m_prefixes;
    std::vector<Task> m_tasks;
    std::vector<Incoming> m_incoming;  // by task; of each the one that is kept first
};

// The table of `pe` at the edge level of `heads`. Of equally long paths the one is kept that the work path takes
// (predecessorOf). Prefixes of other PEs are numbered one PE per thread at a time, of large PEs one at a time, so
// memory is that of the table and a few of those. O(messages and tasks of the PEs that lead into it). Errors: damaged
// chunks; no such PE; cancelled.
Result<ActivityTable> activityTable(const TraceStore& store, const ActivityGraph& graph, const WorkHeads& heads,
                                    ProcessorId pe, const Progress& progress);

}  // namespace longpole
