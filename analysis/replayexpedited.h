// Which entry methods' messages run before everything that is queued: found in what overtook, and what waited.
#pragma once

#include "analysis/replayarrivals.h"
#include "analysis/replaylatencies.h"
#include "analysis/replaymodel.h"

namespace longpole {

// Sets the trait Expedited, by entry. A task overtook if its message was sent after that of a local task which ran
// later; it waited if another task of the queue began after it had arrived. What always overtook and never waited is
// expedited; of the run-time system's entries that did neither, those that are known to be. Needs Held and Glued. O(n).
void findExpedited(ReplayModel& model, const ReplayFacts& facts, const LatencyClasses& latencies);

}  // namespace longpole
