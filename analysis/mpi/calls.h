// SPDX-License-Identifier: GPL-3.0-or-later
// The MPI calls of a run as rows in memory, and sums over them: the time of each call name on each rank, and the
// imbalance of synchronizing calls (Korkhov et al., section 5.2).
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/kinds.h"

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

// The calls that overlap the range, and those without a length that begin in it, by begin, on all tracks of a rank.
// Errors, here and below: damaged chunks, the trace has no ranks.
Result<std::vector<MpiCallRow>> mpiCalls(const TraceStore& store, std::uint32_t rank, TimeRange range);
// The call number `seq` of a rank; empty if there is none. Reads O(log n) chunks.
Result<std::optional<MpiCallRow>> mpiCall(const TraceStore& store, std::uint32_t rank, std::int64_t seq);
// Error: the trace has no ranks.
Result<> requireRanks(const TraceStore& store);
// The tracks that hold a rank's calls: its own, then those of its threads.
std::vector<TrackId> mpiTracks(const TraceStore& store, std::uint32_t rank);
// Likewise, with rows of that kind. O(the rank's threads).
std::vector<TrackId> tracksOfRank(const TraceStore& store, std::uint32_t rank, ChunkKind kind);
// One more than the largest rank.
std::uint32_t rankCount(const TraceStore& store);

// Times are cut at the ends of the range; `calls`, `bytes` and `notSynchronizing` are of the calls that begin in it
// (those of start-up at the run's begin), so that the sums of two halves are those of the whole.
struct MpiSums {
    std::int64_t calls = 0;
    TimeNs time = 0, waitBefore = 0, execution = 0, waitAfter = 0;
    std::int64_t bytes = 0;
    TimeNs syncWait = 0, syncExecution = 0;  // of calls that the imbalance is about: see inImbalance()
    std::int64_t notSynchronizing = 0;       // collectives that the imbalance leaves out
    TimeNs wait() const { return saturatingAdd(waitBefore, waitAfter); }
    MpiSums& operator+=(const MpiSums& other);
    friend bool operator==(const MpiSums&, const MpiSums&) = default;
};

// Sums over a range of time, by call name and rank.
struct MpiProfile {
    struct Cell {
        std::uint32_t rank = 0;
        MpiSums sums;
    };
    TimeRange range;              // the part of the range asked for that lies in the run
    std::vector<RegionId> calls;  // the call names that occur, by total time, largest first
    std::uint32_t ranks = 0;
    std::vector<Cell> cells;             // by call, then rank; only where there are calls
    std::vector<std::size_t> firstCell;  // by call, and one more
    std::vector<MpiSums> byRank;
    std::vector<TimeNs> program;  // by rank: time of its own thread outside MPI, while it was recorded
    MpiSums total;
    std::span<const Cell> cellsOf(std::size_t call) const
    {
        return std::span(cells).subspan(firstCell[call], firstCell[call + 1] - firstCell[call]);
    }
    const MpiSums& cell(std::size_t call, std::uint32_t rank) const;  // zeros where there are none. O(log ranks)
    MpiSums ofCall(std::size_t call) const;                           // on all ranks
    TimeNs outside() const;                                           // time outside MPI of all ranks
};
// O(calls in the range). Further error: cancelled.
Result<MpiProfile> mpiProfile(const TraceStore& store, TimeRange range, const Progress& progress);

// One of call names only, of sums over all ranks, which stand as those of one rank; by name.
struct MpiCallSums {
    RegionId call{};
    MpiSums sums;
};
MpiProfile profileOfCalls(TimeRange range, std::vector<MpiCallSums> calls);
// The same by the place that made the calls (a call path), on each rank, over the whole run; by path, call and rank.
// The sums of all are those of mpiProfile(). Errors as there.
struct MpiSiteSums {
    std::uint32_t path = noCallPath;
    RegionId call{};
    std::uint32_t rank = 0;
    MpiSums sums;
};
Result<std::vector<MpiSiteSums>> mpiSites(const TraceStore& store, const Progress& progress);

// Whether a call with these flags takes part in the paper's ratios: a synchronizing blocking collective
// (docs/algorithms.md 7.1).
bool inImbalance(std::uint16_t flags);

// The ratios of Korkhov et al. for synchronizing blocking collectives; empty if the denominator is 0.
struct MpiImbalance {
    std::optional<double> ofCall;         // wait / execution
    std::optional<double> ofProcess;      // wait / (execution + program): the formula of the paper's text
    std::optional<double> waitExecution;  // wait / execution of a process or program: what the paper's table prints
    friend bool operator==(const MpiImbalance&, const MpiImbalance&) = default;
};
MpiImbalance imbalanceOf(TimeNs wait, TimeNs execution, TimeNs program);
MpiImbalance imbalanceOfCall(const MpiCallRow& row);  // ofCall only
MpiImbalance imbalanceOfCall(const MpiSums& sums);    // of a name, on one rank or all; ofCall only
MpiImbalance imbalanceOfProcess(const MpiProfile& profile, std::uint32_t rank);
MpiImbalance imbalanceOfProgram(const MpiProfile& profile);

// Whether the trace has the events of all ranks. What calls waited for the others is not known.
bool hasAllRanks(const TraceStore& store);

}  // namespace longpole
