// SPDX-License-Identifier: GPL-3.0-or-later
// The trace of a whole run as one file, which process 0 puts together from what each process has written of its ranks.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/storedanswers.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/recording/keptchoice.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

// All processes call it; `file` is process 0's. Byte for byte the file that an import of the recording writes, whatever
// the number of processes. Rows go as they lie compressed in the parts, some megabytes at a time, so process 0 needs no
// more memory than for its own part. Errors: what the disk said; another process' error; cancelled. Nothing is left
// then.
Result<> writeWholeTrace(Transport& transport, const HostedTrace& trace, const QString& file, const Progress& progress);

// All processes call it: at process 0 the events of all, as a trace that it holds for itself in `scratch` (empty: the
// system's folder for such files), for answers that look at all ranks or PEs at once; elsewhere null. Of one process it
// is its own part. Errors: as above.
Result<std::shared_ptr<const TraceStore>> gatheredTrace(Transport& transport, const HostedTrace& trace,
                                                        const QString& scratch, const Progress& progress);

// What a trace holds that has not room for all events.
struct KeptTrace {
    std::vector<KeptWish> wishes;  // of which the first are granted, as many as have room
    std::size_t asked = 0;         // so many of them must be: somebody named them
    std::int64_t bytes = 0;        // of events, about
    StoredAnswers answers{};
};

// The same with all definitions and sums, but the events that are granted only (TraceInfo::isPart), and the answers.
// `kept` is process 0's. If all ranks have room it is the whole trace. The same bytes whatever the number of processes.
// Errors also: what was asked for has no room.
Result<> writeKeptTrace(Transport& transport, const HostedTrace& trace, const KeptTrace& kept, const QString& file,
                        const Progress& progress);

}  // namespace longpole
