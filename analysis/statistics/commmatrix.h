// SPDX-License-Identifier: GPL-3.0-or-later
// Who sent how much to whom: messages and their deliveries from PE to PE, from node to node, or from the entry method
// that created a message to the one that executed it (the call table).
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
    TimeRange range{};                              // messages that are delivered in it; empty: all of the logs
    std::vector<ProcessorId> pes{};                 // both ends are among these; empty: all
    std::optional<ProcessorId> fromPe{}, toPe{};    // only messages from this PE, to that one
    std::optional<EntryId> fromEntry{}, toEntry{};  // only messages that this entry method created, that one executed;
                                                    // noEntry: created outside tasks
    friend bool operator==(const CommRequest&, const CommRequest&) = default;
};

// One pair: PE, node or entry id of both ends; noSender for what was created outside tasks (by Entry), noReceiver for
// what no task took. Bytes are those of the messages as they were created.
struct CommCell {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t messages = 0;  // that came from there to here and nowhere else
    std::int64_t bytes = 0;
    std::int64_t deliveries = 0;  // of these and of shared messages: a broadcast has one for each execution
    std::int64_t deliveredBytes = 0;
    friend bool operator==(const CommCell&, const CommCell&) = default;
};
constexpr std::uint32_t noSender = index(noEntry);
constexpr std::uint32_t noReceiver = index(noEntry);

// Of MPI: what the cells of a matrix have.
enum class CommTraffic : std::uint8_t { Messages, Collective, Both };

// Only pairs that exchanged something, by from, then to. Messages and bytes of the cells, `unattributed` and
// `unexecuted` add up to `total`, which on a whole trace is that of the table of messages; deliveries of the cells are
// the sum of how often each message was executed (of MPI: received).
struct CommMatrix {
    CommBy by = CommBy::Pe;
    CommTraffic traffic = CommTraffic::Messages;
    std::vector<CommCell> cells;
    CommCell total;                   // from and to mean nothing, here and below
    CommCell outside;                 // exactly one end is among the chosen PEs: not in the cells
    CommCell inNode;                  // of the cells: both ends on one node
    CommCell unattributed;            // messages of the chosen PEs with several deliveries: they belong to no one cell
    CommCell unexecuted;              // messages of the chosen PEs that nobody executed or received
    std::int64_t unknownSenders = 0;  // executions on the chosen PEs without a known message
    std::vector<CommCell> collective{};  // of MPI, apart from messages: bytes in collective calls, by from, then to
    bool hasCollective = true;           // false: they lead between too many pairs, and are left out
};

// O(tasks + messages), 4 bytes per message of the trace; by entry also 2 bytes per task. Comm threads count: they send.
// Unattributed and unexecuted messages are those created in the range. Errors: damaged chunks; cancelled.
Result<CommMatrix> commMatrix(const TraceStore& store, const CommRequest& request, const Progress& progress);

// What collective calls moved, in all.
std::int64_t collectiveBytes(const CommMatrix& matrix);
// The same with other cells: those of collective calls have their bytes as delivered ones and no deliveries. By entry
// there are none. `total.deliveredBytes` is that of the cells.
CommMatrix withTraffic(const CommMatrix& matrix, CommTraffic traffic);

// Sums of the cells' deliveries by one end, by id.
struct CommSum {
    std::uint32_t id = 0;
    std::int64_t sent = 0, sentBytes = 0;
    std::int64_t received = 0, receivedBytes = 0;
    std::int64_t inner = 0, innerBytes = 0;  // from an end to itself; part of both
};
std::vector<CommSum> commSums(std::span<const CommCell> cells);

}  // namespace longpole
