// SPDX-License-Identifier: GPL-3.0-or-later
// The POP project's efficiencies of a run or of a part of it (docs/algorithms.md 7.4; formulas as on
// co-design.pop-coe.eu).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/statistics/otherthreads.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

// What an MPI run does before its ranks' MPI_Init has ended and after their MPI_Finalize has begun.
enum class Startup : std::uint8_t { LeftOut, Counted };

// Each in (0, 1]; parallel = loadBalance x communication, communication = serialization x transfer. All 0 if nothing
// useful was done.
struct Efficiency {
    TimeRange range;             // without start-up and shut-down: from the first MPI_Init's end to the last
                                 // MPI_Finalize's begin
    TimeNs ideal = 0;            // T_ideal: run time on an ideal network, the work path at level order, with what
                                 // ranks on it wait for their own threads and devices
    TimeNs usefulMax = 0;        // <= ideal <= length of the range
    double usefulAverage = 0;    // over ranks or PEs that have a log
    std::int64_t counted = 0;    // how many those are
    std::vector<TimeNs> useful;  // per rank or PE: time outside MPI, or in entry methods
    TimeNs leftOut = 0;          // start-up and shut-down in what was asked for, of all ranks
    TimeNs leftOutBusy = 0;      // of that, time outside MPI
    OtherThreads threads;        // of ranks, which the other figures leave out; not of phases
    double parallel = 0, loadBalance = 0, communication = 0, serialization = 0, transfer = 0;
};

// Of the run, or of what lies in the range. Message-driven runs: the same with PEs. O(tasks inside). Errors: cancelled.
Result<Efficiency> efficiency(const TraceStore& store, const ActivityGraph& graph, TimeRange range, Startup startup,
                              const Progress& progress);

// The steps of the first, for traces that each have the events of some of a run's ranks: useful times add up, what is
// left out is the same in each.
struct UsefulTimes {
    std::vector<TimeNs> byProcessor;  // by rank or PE
    TimeNs leftOut = 0, leftOutBusy = 0;
};
Result<UsefulTimes> usefulTimes(const TraceStore& store, std::size_t count, TimeRange range, Startup startup,
                                const Progress& progress);
// From the first rank's start to the last one's stop; all of a run without start-up.
TimeRange activeTime(const TraceStore& store);
// Those that are part of the average, by rank or PE.
std::vector<bool> countedProcessors(const TraceStore& store, std::size_t count);
// `ideal`: T_ideal in that range. `isCounted`: as above; empty: all.
Efficiency efficiencyOf(UsefulTimes useful, const std::vector<bool>& isCounted, TimeRange range, TimeNs ideal);

// A part of the run. An MPI run is cut at global synchronization points (flag Synchronization), where the last rank
// arrives: at most `most` parts, and if there are more points, at those nearest to equal parts. Other runs, and those
// without such a point, are cut into `most` equal parts.
struct EfficiencyPhase {
    TimeRange range;
    QString name;  // "0: begin to MPI_Barrier 12", "1: MPI_Barrier 12 to end"; "0: 0 ns to 20 ms"
    Efficiency efficiency;
};
// O(tasks + calls). Errors: damaged chunks, cancelled.
Result<std::vector<EfficiencyPhase>> efficiencyPhases(const TraceStore& store, const ActivityGraph& graph,
                                                      std::size_t most, Startup startup, const Progress& progress);

}  // namespace longpole
