// SPDX-License-Identifier: GPL-3.0-or-later
// A replayed run as a trace of its own, which opens like any other: a second timeline under the first.
#pragma once

#include "analysis/replay/replay.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

namespace longpole {

// Writes what `replay` made of the trace: its executions at their new times, those nested in them and their pieces
// along with them (in proportion, where a length changed), messages as they were sent then, idling where a processor
// waited. Same entry methods, objects and processors; the run lasts as long as the replay says. What is neither
// execution nor message - user events, counters, packing - is left out. `change`: what was changed, in words. Replaces
// the file. O(n log n) time; the rows of sixteen processors at a time. Errors: damaged chunks, what the disk said,
// cancelled.
Result<> writeReplayedTrace(const TraceStore& store, const ReplayModel& model, const ReplayedRun& run,
                            const QString& change, const QString& file, const Progress& progress);

// Whether a trace was written so.
bool isReplayed(const TraceInfo& info);
// And with that change. It is known by its words, so one written in another language is taken for another change.
bool isReplayedWith(const TraceInfo& info, const QString& change);

}  // namespace longpole
