// SPDX-License-Identifier: GPL-3.0-or-later
// The pair of MPI calls between which a task of a rank lies: profiles by "code between calls" group tasks by it.
#pragma once

#include "core/base/result.h"
#include "core/store/rows.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

constexpr std::int64_t noNeighbourCall = -1;  // the rank's begin or end

struct CallPair {
    std::int64_t before = noNeighbourCall;  // region of the call
    std::int64_t after = noNeighbourCall;
};

// Answers for the tasks of one rank. O(1) amortised if tasks are asked about in ascending order, else O(log calls), as
// of the executions nested in a task and the task in turn; holds 12 bytes a call.
class CallPairs {
public:
    CallPairs(const TraceStore& store, TrackId track);
    // Errors: damaged chunks.
    Result<CallPair> of(std::uint32_t taskIndex);

private:
    Result<> read();

    const TraceStore& m_store;
    TrackId m_track;
    std::optional<Result<>> m_read;     // what came of reading the calls, once
    std::vector<std::int64_t> m_tasks;  // of each call the task that follows it, or of one before where that is later
    std::vector<std::uint32_t> m_regions;  // of each call
    std::size_t m_next = 0;                // the first call that is not before the task asked about last
};

// "MPI_Recv to MPI_Send", "begin to MPI_Init".
QString callPairName(const TraceStore& store, const CallPair& pair);

}  // namespace longpole
