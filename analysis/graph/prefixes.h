// SPDX-License-Identifier: GPL-3.0-or-later
// The task prefixes of one PE: its graph tasks cut where they sent a message and where they end, numbered as the PE's
// own table would number them (Dooley, Arya, Kale 2010, sections 3 and 4).
#pragma once

#include "analysis/base/compacttimes.h"
#include "analysis/graph/activitygraph.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

// A task that sent m messages has m + 1 prefixes, in order of (offset, message), the one that ends with it last. Those
// of nested executions are the outermost's. Messages created outside any task have no prefix.
struct Prefixes {
    static constexpr std::uint32_t endOfTask = 0xffffffffu;

    std::vector<std::uint32_t> first;    // by rank (position in ActivityGraph::byProcessor) and, at the end, size()
    std::vector<std::uint32_t> message;  // MessageId::index on the PE; endOfTask
    CompactTimes offset;                 // end - begin of the task, within its duration

    std::size_t size() const { return message.size(); }
    std::size_t lastOf(std::size_t rank) const { return first[rank + 1] - 1; }
    // The first prefix of a task that holds its first `wanted` ns; its last one if none does. O(log n).
    std::size_t holding(std::size_t rank, TimeNs wanted) const;
};

// O(tasks and messages of the PE), sorted only where the log is out of order. Errors: damaged chunks; no such PE;
// cancelled; more than 2^32 - 2 prefixes.
Result<Prefixes> readPrefixes(const TraceStore& store, const ActivityGraph& graph, ProcessorId pe,
                              const Progress& progress);

constexpr std::uint32_t noPrefix = 0xffffffffu;
// The prefix that each message of the PE ended, by MessageId::index; noPrefix where there is none, and nothing for the
// messages after the last one that has one.
std::vector<std::uint32_t> prefixesByMessage(const Prefixes& prefixes);

// The place of a graph task among those of its PE. O(log n).
std::size_t rankOf(const ActivityGraph& graph, std::uint32_t task);

}  // namespace longpole
