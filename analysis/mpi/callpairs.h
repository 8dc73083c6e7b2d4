// SPDX-License-Identifier: GPL-3.0-or-later
// The pair of MPI calls between which a task of a rank lies: profiles by "code between calls" group tasks by it.
#pragma once

#include "core/base/result.h"
#include "core/store/rows.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace longpole {

constexpr std::int64_t noNeighbourCall = -1;  // the rank's begin or end

struct CallPair {
    std::int64_t before = noNeighbourCall;  // region of the call
    std::int64_t after = noNeighbourCall;
};

// Answers for the tasks of one rank. O(1) amortised if tasks are asked about in ascending order; holds a chunk of
// calls.
class CallPairs {
public:
    CallPairs(const TraceStore& store, TrackId track);
    // Errors: damaged chunks.
    Result<CallPair> of(std::uint32_t taskIndex);

private:
    Result<> rewind();

    const TraceStore& m_store;
    TrackId m_track;
    std::optional<RowScan<MpiRow>> m_calls;
    const MpiRow* m_call = nullptr;  // the first call that is not before the task asked about last
    std::int64_t m_before = noNeighbourCall;
    std::uint32_t m_task = 0;
};

// "MPI_Recv to MPI_Send", "begin to MPI_Init".
QString callPairName(const TraceStore& store, const CallPair& pair);

}  // namespace longpole
