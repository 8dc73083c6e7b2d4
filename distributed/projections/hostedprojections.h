// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of Projections logs that several processes have read, each the PEs that it hosts: what the rows of these are
// in the trace of the whole run.
#pragma once

#include "core/base/progress.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/transport.h"

#include <QString>

namespace longpole {

// Reads, matches and keeps the run; all processes call it. `path`: as the importer's, seen by process 0; the others
// read the logs that it names. What cannot be read or matched is counted as the importer counts it, and wrong keys are
// repaired as it does. The calls of AMPI's ranks are there for a trace only, all at process 0. Errors: as importing;
// another process' error.
Result<HostedTrace> hostProjections(Transport& transport, const QString& path, const HostingOptions& options,
                                    const Progress& progress);

}  // namespace longpole
