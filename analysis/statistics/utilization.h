// SPDX-License-Identifier: GPL-3.0-or-later
// User, idle and overhead time per PE and over the course of the run; in each place the three add up exactly.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

struct Usage {
    TimeNs user = 0;
    TimeNs idle = 0;
    TimeNs overhead = 0;
    TimeNs sum() const { return saturatingAdd(saturatingAdd(user, idle), overhead); }
    friend bool operator==(const Usage&, const Usage&) = default;
};

struct Utilization {
    TimeRange run;
    std::vector<ProcessorId> pes;    // without comm threads
    std::vector<Usage> perPe;        // sums to the run's length each
    std::vector<TimeNs> stageEdges;  // stages + 1: begin + (i x T) div stages
                                     // (docs/command-line.md, "What is the same everywhere")
    std::vector<Usage> perStage;     // over all PEs; sums to length x PEs each
    bool stagesAreExact = true;      // false: bins that cross an edge were split in proportion; totals stay exact
    Usage total;                     // T x PEs
};

// Whether the trace has no log of this PE or rank: its time counts as overhead, but nobody knows what it did.
bool lacksLog(const TraceStore& store, ProcessorId pe);

// Of MPI runs: by stage, what of its overhead is start-up or shut-down, which is paid once and no loss to look for. Of
// other runs 0. O(ranks x stages).
std::vector<TimeNs> startTimes(const TraceStore& store, const std::vector<TimeNs>& stageEdges,
                               const std::vector<Usage>& perStage);
// Whether most of what is not busy is that.
inline bool isStarting(const Usage& usage, TimeNs start)
{
    return start > saturatingAdd(usage.idle, usage.overhead) / 2;
}

// O(PEs + tiles). Errors: damaged chunks; cancelled.
Result<Utilization> utilization(const TraceStore& store, int stages, const Progress& progress);

}  // namespace longpole
