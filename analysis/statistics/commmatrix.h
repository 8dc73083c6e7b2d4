// SPDX-License-Identifier: GPL-3.0-or-later
// Who sent how much to whom: messages and bytes from PE to PE, from node to node, or from the entry method that created
// a message to the one that executed it (the call table).
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <optional>
#include <span>
#include <vector>

namespace longpole {

enum class CommBy : std::uint8_t { Pe, Node, Entry };

struct CommRequest {
    CommBy by = CommBy::Pe;
    TimeRange range{};                              // messages whose execution begins in it; empty: all of the logs
    std::vector<ProcessorId> pes{};                 // both ends are among these; empty: all
    std::optional<ProcessorId> fromPe{}, toPe{};    // only messages from this PE, to that one
    std::optional<EntryId> fromEntry{}, toEntry{};  // only messages that this entry method created, that one executed;
                                                    // noEntry: created outside tasks
    friend bool operator==(const CommRequest&, const CommRequest&) = default;
};

// One pair: PE, node or entry id of both ends; noSender for what was created outside tasks (by Entry).
// A broadcast counts once per execution; bytes are those of the executed message.
struct CommCell {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    friend bool operator==(const CommCell&, const CommCell&) = default;
};
constexpr std::uint32_t noSender = index(noEntry);

// Only pairs that exchanged something, by from, then to. On a whole trace:
//   sum of the cells' messages = executions whose creation is known = sum of how often each creation was executed
//   tasks = that + unattributed        creations - unexecuted = messages_matched of `longpole info`
struct CommMatrix {
    CommBy by = CommBy::Pe;
    std::vector<CommCell> cells;
    CommCell total;                 // of the cells; from and to mean nothing
    CommCell outside;               // exactly one end is among the chosen PEs: not in the cells
    CommCell inNode;                // of the cells: both ends on one node
    std::int64_t unattributed = 0;  // executions on the chosen PEs without a known creation
    CommCell unexecuted;            // creations on the chosen PEs in the range that nobody executed
};

// O(tasks + messages); by entry also 2 bytes per task of the trace. Comm threads count: they send. Errors: damaged
// chunks; cancelled.
Result<CommMatrix> commMatrix(const TraceStore& store, const CommRequest& request, const Progress& progress);

// Sums of the cells by one end, by id.
struct CommSum {
    std::uint32_t id = 0;
    std::int64_t sentMessages = 0, sentBytes = 0;
    std::int64_t receivedMessages = 0, receivedBytes = 0;
    std::int64_t innerMessages = 0, innerBytes = 0;  // from an end to itself; part of both
};
std::vector<CommSum> commSums(std::span<const CommCell> cells);

}  // namespace longpole
