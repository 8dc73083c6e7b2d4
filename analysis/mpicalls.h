// The MPI calls of a run in memory, and the sums that views and commands show of them: the paper's imbalance (Korkhov
// et al., section 5.2), time per call and rank, per communicator.
#pragma once

#include "core/columns.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/tracestore.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

struct MpiCallRow {
    TrackId track{};
    std::uint32_t rank = 0;
    TimeRange range;
    RegionId region{};
    std::int64_t seq = 0;
    std::int64_t comm = -1;
    std::int64_t peer = -1;
    std::int64_t tag = -1;
    std::int64_t bytes = 0;
    TimeNs waitBefore = 0, execution = 0, waitAfter = 0;
    WaitPattern pattern = WaitPattern::None;
    TimeNs severity = 0;
    std::int64_t culprit = -1;
    std::int64_t culpritSeq = -1;
    std::int64_t instance = -1;
    std::int64_t task = -1;
    std::uint16_t flags = 0;
};

// Calls that overlap the range, by begin, on the tracks of a rank. Errors: damaged chunks, the trace has no ranks.
Result<std::vector<MpiCallRow>> mpiCalls(const TraceStore& store, std::uint32_t rank, TimeRange range);
// The call number `seq` of a rank; nothing if there is none. O(log n).
Result<std::optional<MpiCallRow>> mpiCall(const TraceStore& store, std::uint32_t rank, std::int64_t seq);

struct MpiSums {
    std::int64_t calls = 0;
    TimeNs time = 0, waitBefore = 0, execution = 0, waitAfter = 0;
    std::int64_t bytes = 0;
    TimeNs wait() const { return waitBefore + waitAfter; }
};

// Sums over a range of time (calls clipped to it), by call name and rank.
struct MpiProfile {
    std::vector<RegionId> calls;       // names that occur, by total time, largest first
    std::uint32_t ranks = 0;
    std::vector<MpiSums> cells;        // [call * ranks + rank]
    std::vector<MpiSums> byRank;
    std::vector<TimeNs> program;       // per rank: time outside MPI
    MpiSums total;
    const MpiSums& cell(std::size_t call, std::size_t rank) const { return cells[call * ranks + rank]; }
};
Result<MpiProfile> mpiProfile(const TraceStore& store, TimeRange range, const Progress& progress);

// The paper's ratios; nothing where the denominator is 0. Synchronizing blocking collectives only (ALGORITHMS 7.1).
struct MpiImbalance {
    std::optional<double> ofCall;            // wait / execution
    std::optional<double> ofProcess;         // wait / (execution + program), as the paper's text says
    std::optional<double> waitExecution;     // wait / execution of process or program, as the paper's table prints
};

}  // namespace longpole
