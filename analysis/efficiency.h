// The POP project's efficiencies of a run or of a part of it (ALGORITHMS 7.4; formulas as on co-design.pop-coe.eu).
#pragma once

#include "analysis/activitygraph.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/tracestore.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Each in (0, 1]; parallel = loadBalance x communication, communication = serialization x transfer. All 0 if nothing
// useful was done.
struct Efficiency {
    TimeRange range;
    TimeNs ideal = 0;          // T_ideal: run time on an ideal network, the work path at level order
    TimeNs usefulMax = 0;
    double usefulAverage = 0;
    std::vector<TimeNs> useful;  // per rank or PE: time outside MPI, or in entry methods
    double parallel = 0, loadBalance = 0, communication = 0, serialization = 0, transfer = 0;
};

// Of the run, or of what lies in the range. Message-driven runs: the same with PEs.
Result<Efficiency> efficiency(const TraceStore& store, const ActivityGraph& graph, TimeRange range,
                              const Progress& progress);

// Between the global synchronization points of an MPI run (flag Synchronization), at most `most` of them: consecutive
// parts of the run. Else `most` equal parts.
struct EfficiencyPhase {
    TimeRange range;
    QString name;              // "0: MPI_Barrier 12 to MPI_Allreduce 13"
    Efficiency efficiency;
};
Result<std::vector<EfficiencyPhase>> efficiencyPhases(const TraceStore& store, const ActivityGraph& graph,
                                                      std::size_t most, const Progress& progress);

}  // namespace longpole
