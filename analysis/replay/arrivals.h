// SPDX-License-Identifier: GPL-3.0-or-later
// When messages arrived, of which today's Charm++ logs nothing: between bounds that the order of the record gives.
//
// A message that ended an idle period of its processor arrived when its task began: those are exact samples of latency.
// Every other one arrived in [sent + least latency, the end of the task before its own]. A queue of equal priorities
// starts tasks in the order in which they got into it: at the send time if the sender ran on the same processor, else
// when the scheduler looked at the network, which is at the end of the step (a task, and what went on after it with the
// same message) that ran when they arrived. So along a
// processor's record the lower bounds are raised to the running maximum of that order, the upper ones lowered to the
// running minimum from behind. Where the queue had priorities (discipline.h) that holds among equals; what came before
// others was not there yet when one of those was taken. Newest first says nothing of arrivals. Tasks that run before
// everything queued - reductions and other messages of the run-time system - keep to no order and are left out.
#pragma once

#include "analysis/queues/processorrecord.h"
#include "analysis/replay/model.h"

namespace longpole {

// Fills traits (Expedited, Glued, Fixed, Held), delay, gap, usualGap, usualLatency, bySize, discipline, ordered and
// outOfOrder.
// O(n log n) time; while it runs, about 100 bytes for each task of the largest processor or of an eighth of all tasks.
// Cancelled: some of that, or nothing.
void findArrivals(ReplayModel& model, const ReplayFacts& facts, const Progress& progress);

}  // namespace longpole
