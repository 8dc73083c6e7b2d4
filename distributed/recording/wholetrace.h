// SPDX-License-Identifier: GPL-3.0-or-later
// The trace of a whole run as one file, which process 0 puts together from what each process has written of its ranks.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "distributed/recording/hostedtrace.h"

#include <QString>

namespace longpole {

// All processes call it; `file` is process 0's. Byte for byte the file that an import of the recording writes, whatever
// the number of processes. Rows go as they lie compressed in the parts, some megabytes at a time, so process 0 needs no
// more memory than for its own part. Errors: what the disk said; another process' error; cancelled. Nothing is left
// then.
Result<> writeWholeTrace(Transport& transport, const HostedTrace& trace, const QString& file, const Progress& progress);

}  // namespace longpole
