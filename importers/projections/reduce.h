// SPDX-License-Identifier: GPL-3.0-or-later
// Trace reduction (Dooley, Arya, Kale, section 7.2): the logs of an imported Projections run once more, of some PEs or
// a part of the time only, as a trace that Projections and Longpole open. The original is read, never changed.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"
#include "importers/projections/files.h"
#include "importers/projections/sts.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// The files that a trace was imported from.
struct ProjectionsSource {
    ProjectionsFiles files;  // with the logs that the import read
    ProjectionsSymbols symbols;
    QByteArray symbolsText;  // of the .sts; empty: names are not known
};

// Finds the original of `trace` at `path` (where it was: trace.info().source) and checks that it is what was imported.
// A run whose own .sts names nothing gets one from the names that the import had. Errors: not a Projections trace;
// gone; changed; unreadable. Reads samples of all logs.
Result<ProjectionsSource> projectionsSource(const TraceStore& trace, const QString& path);

struct PathInterval {
    std::uint32_t pe = 0;
    TimeNs begin = 0;
    TimeNs end = 0;
};

// What is kept. Without a range the lines of a log are copied as they are. With one, records in it stay; what is open
// at its begin begins there, and what is open at its end ends there.
struct ProjectionsReduction {
    QString folder;                                 // where the files are written
    std::vector<std::uint32_t> pes;                 // empty: all that have a log
    std::optional<TimeRange> range;                 // in the trace's clock, see reducedRange
    std::optional<std::vector<PathInterval>> path;  // steps to write as intervals of the user event "Critical Path"
};

struct ReductionReport {
    QStringList files;             // absolute: .merges, .projrc, .sts, logs by PE
    std::int64_t bytesBefore = 0;  // of all files of the original
    std::int64_t bytesAfter = 0;
    std::vector<std::uint32_t> pes;         // whose logs were written
    std::vector<std::uint32_t> withoutLog;  // asked for, but the original has no log of them
    std::int64_t pathSteps = 0;             // written
    bool hasSymbols = false;                // an .sts that names entry methods
};

// Logs have whole microseconds: a range grows outward to the next ones. A side at or beyond the run's own end cuts
// nothing there and becomes minTime or maxTime.
TimeRange reducedRange(const TraceInfo& run, TimeRange range);

// Writes <program>.sts, .projrc, .merges and one log for each PE, compressed as the original's, binary ones as text.
// Files appear in the folder when all are complete. Several PEs at a time, each streaming. Errors: the folder is the
// original's own, has a trace of this name, or cannot be written; no log of these PEs; the disk is full; a log cannot
// be read; cancelled.
Result<ReductionReport> reduceProjections(const TraceStore& trace, const ProjectionsSource& source,
                                          const ProjectionsReduction& wanted, const Progress& progress);

}  // namespace longpole
