// SPDX-License-Identifier: GPL-3.0-or-later
// The run that `analyze` names: a recording of an MPI program, or a folder of Charm++'s Projections logs, and what is
// answered of the latter.
#pragma once

#include "app/processes/allanswers.h"
#include "core/base/progress.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/transport.h"

#include <QString>

namespace longpole {

// All processes call it; process 0 sees what it is. `keepsParts`: a trace of parts is wanted, which only a recording
// gives. Errors: as hostRecording() and hostProjections().
Result<HostedTrace> hostRun(Transport& transport, const QString& path, const HostingOptions& options, bool keepsParts,
                            const Progress& progress);

// All processes call it, for a folder of logs: no waits, which are an MPI program's, and no phases, which Charm++'s
// commands look for along a path with inferred merges. False after a failure, which all know of.
bool answerFolder(Transport& transport, const HostedTrace& trace, const Progress& progress, AllAnswers& answers);

}  // namespace longpole
