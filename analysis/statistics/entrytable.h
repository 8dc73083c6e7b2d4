// SPDX-License-Identifier: GPL-3.0-or-later
// The entry methods of a run with all that is known of each: how often, how long, how fine-grained, what they sent.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

// Times in ns. share = exclusive / busy time of the run. Grain: of the time its tasks ran themselves; exact. Where no
// entry method is named, it is about what was created outside of tasks.
struct EntryFigures {
    EntryId entry = noEntry;
    QString name{};  // for people
    std::int64_t count = 0;
    TimeNs time = 0;  // with nested executions
    TimeNs exclusive = 0;
    TimeNs inMpi = 0;  // of the exclusive time, that of MPI calls
    double share = 0;
    bool hasGrain = false;  // its tasks are known; MPI calls have none
    double meanGrain = 0;
    TimeNs medianGrain = 0;
    TimeNs grain95 = 0;  // 95 % are not above
    TimeNs mostGrain = 0;
    std::int64_t messages = 0;  // created
    std::int64_t bytes = 0;
};

// Of the whole run, most exclusive time first. O(tasks). Errors: damaged chunks; cancelled.
Result<std::vector<EntryFigures>> entryTable(const TraceStore& store, const Progress& progress);

}  // namespace longpole
