// When messages arrived, of which today's Charm++ logs nothing: between bounds that the order of the record gives.
//
// A message that ended an idle period of its processor arrived when its task began: those are exact samples of latency.
// Every other one arrived in [sent + least latency, the end of the task before its own]. A queue of equal priorities
// starts tasks in the order in which they got into it: at the send time if the sender ran on the same processor, else
// when the scheduler looked at the network, which is at the end of the task that ran when they arrived. So along a
// processor's record the lower bounds are raised to the running maximum of that order, the upper ones lowered to the
// running minimum from behind. Tasks that run before everything queued - reductions and other messages of the run-time
// system - keep to no such order and are left out.
#pragma once

#include "analysis/activitygraph.h"
#include "analysis/replaymodel.h"

#include <vector>

namespace longpole {

// What the trace holds besides the graph; empty where there is no trace.
struct ReplayFacts {
    std::vector<std::uint32_t> nodeOf;     // of each PE; messages inside a node have latencies of their own
    std::vector<std::uint8_t> isSystem;    // by entry: of the run-time system
    std::vector<std::uint8_t> isExpedited; // by entry: known to be so where the trace does not tell
    std::vector<std::uint32_t> bytes;      // by graph task: of the message that started it
};

// Fills traits (Expedited, Glued, Fixed, Held), delay, gap, bySize, ordered and outOfOrder. O(n log n).
void findArrivals(ReplayModel& model, const ReplayFacts& facts);

}  // namespace longpole
