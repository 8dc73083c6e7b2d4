// SPDX-License-Identifier: GPL-3.0-or-later
// The run that `analyze` names: a recording of an MPI program, or a folder of Charm++'s Projections logs.
#pragma once

#include "core/base/progress.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/transport.h"

#include <QString>

namespace longpole {

// All processes call it; process 0 sees what it is. Errors: as hostRecording() and hostProjections().
Result<HostedTrace> hostRun(Transport& transport, const QString& path, const HostingOptions& options,
                            const Progress& progress);

}  // namespace longpole
