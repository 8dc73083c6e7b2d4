// SPDX-License-Identifier: GPL-3.0-or-later
// Which entry methods' messages run before everything that is queued, whatever a program asks for: found in what
// overtook, and what waited.
#pragma once

#include "analysis/queues/latencies.h"
#include "analysis/queues/processorrecord.h"

namespace longpole {

// Sets the kind Expedited, by entry. A task overtook if its message was sent after that of a local task which ran
// later; it waited if another task of the queue began after it had arrived. Of the run-time system's entries, and of
// group broadcasts, what overtook more often than it waited is expedited; of those that did neither, those that are
// known to be. Other entry methods of the user's that overtake have a priority, which a question may take from them
// (discipline.h). Needs Held. O(n).
void findExpedited(ProcessorRecords& records, const ReplayFacts& facts, const LatencyClasses& latencies);

}  // namespace longpole
