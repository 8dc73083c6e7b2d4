// SPDX-License-Identifier: GPL-3.0-or-later
// A recording that several processes have read, each the ranks that it hosts: what the rows of these are, with the
// names and numbers that they have in the trace of the whole run.
#pragma once

#include "core/base/progress.h"
#include "core/store/tracestore.h"
#include "distributed/matching/hosting.h"
#include "distributed/transport/transport.h"
#include "importers/mpi/source.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

struct HostedTrace {
    Hosting hosting;
    // All definitions and totals of the run, and the events of the hosted ranks, as a held trace
    // (TraceStore::openHeld).
    std::shared_ptr<const TraceStore> store;
    // The streams of rows that it was written as: their ordinals in a trace of the whole run, ascending, and of each
    // the id of the last chunk up to its end.
    std::vector<std::uint32_t> streams;
    std::vector<std::int64_t> streamEnds;
    std::vector<QString> files;  // of the source, at process 0; empty: it has none
};

struct HostingOptions {
    QString scratch;       // where each process keeps its part, compressed; empty: the system's folder for such files
    unsigned threads = 1;  // of each process
    // False: for answers only, which takes less time. Nothing to draw is made then, and no trace can be written.
    bool isForTrace = true;
};

// Reads, matches and keeps the run; all processes call it. `path`: as the importer's, seen by process 0; the others
// read the files that it names. What cannot be read is counted as the importer counts it. Errors: as importing; another
// process' error.
Result<HostedTrace> hostRecording(Transport& transport, const QString& path, const HostingOptions& options,
                                  const Progress& progress);

// The same of a source that every process has, with the same names for all ranks; each reads those that it hosts. It is
// no stranger's file: that its names are too many for its size is not looked for.
Result<HostedTrace> hostSource(Transport& transport, MpiSource& source, const Hosting& hosting,
                               const HostingOptions& options, const Progress& progress);

}  // namespace longpole
