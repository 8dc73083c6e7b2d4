// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a run that are compared with those of another: durations, paths and their waits, usage, and those of
// each entry method. Entry methods are told by chare and name, since ids change from build to build.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "analysis/paths/runpaths.h"
#include "analysis/phases/pathphases.h"
#include "analysis/phases/phases.h"
#include "analysis/results/results.h"
#include "analysis/statistics/utilization.h"
#include "analysis/waiting/idlelabels.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// Times in ns. Entry methods of the same chare and name count as one.
struct MethodFigures {
    QString chare{};
    QString name{};
    EntryId entry = noEntry;  // in its run; the first one of that name
    EntryKind kind = EntryKind::User;
    std::int64_t count = 0;     // executions
    TimeNs time = 0;            // exclusive, over all PEs
    std::int64_t messages = 0;  // created
    std::int64_t bytes = 0;
    TimeNs onWorkPath = 0;     // its time on the work path at messages
    TimeNs onElapsedPath = 0;  // its computing time on the elapsed path
    TimeNs queued = 0;         // over its tasks on the work path: from the arrival of their messages to their begins
    TimeNs inFlight = 0;       // likewise: from the sending of these messages to their arrival
    TimeNs meanGrain() const { return count > 0 ? time / count : 0; }
};

struct WorkPathLengths {
    TimeNs messages = 0, merges = 0, order = 0;
};

// A critical path as a string over entry methods, whose symbols are indices of RunFigures::methods.
struct MethodPath {
    PathString path{};
    CollapsedRuns searched{};                            // the path with each run of an entry method as one symbol
    std::vector<std::vector<std::uint32_t>> patterns{};  // what repeats in `searched`: bodies of loops
};

// The first phase that `longpole phases` finds of the run, if any, and the iterations that it cuts the run into.
struct OwnPhase {
    std::vector<std::uint32_t> pattern{};  // indices of RunFigures::methods, the mark first
    std::size_t instances = 0;
    std::vector<TimeRange> iterations{};
};

struct RunFigures {
    TraceInfo info{};
    QString stamp{};
    std::int64_t cutLogs = 0;               // logs that are missing or end too early: figures are too small
    Usage usage{};                          // sums over PEs
    std::vector<Usage> tenths{};            // of ten equal parts of the run, over PEs
    std::int64_t bytes = 0;                 // of the messages created
    std::vector<MethodFigures> methods{};   // that ran, by chare and name
    std::optional<WorkPathLengths> work{};  // none of a summary, or of a run without tasks
    PathParts elapsed{};                    // with work
    TimeNs queued = 0, inFlight = 0;        // sums over methods; with compute, how the chain of messages took its time
    TimeNs estimated = 0;                   // of queued and inFlight together: what rests on estimated receive times

    std::optional<IdleByCause> idle{};  // sums over PEs; with work

    MethodPath workAtMessages{};
    MethodPath elapsedPath{};
    OwnPhase phase{};

    TimeNs duration() const { return info.duration(); }
};

// Errors: damaged chunks; cancelled. O(tasks + messages) beyond the run's paths and idle causes.
struct RunFiguresQuestion {
    using Answer = RunFigures;
    static constexpr const char* id = "figures of the run";

    Result<std::shared_ptr<const RunFigures>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const RunFigures& figures);
    friend bool operator==(const RunFiguresQuestion&, const RunFiguresQuestion&) = default;
};

}  // namespace longpole
