// SPDX-License-Identifier: GPL-3.0-or-later
// The two machines that run a replay: processors that take what is queued, and processors that keep their recorded
// order.
#pragma once

#include "analysis/replay/model.h"
#include "analysis/replay/times.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace longpole {

// What a machine runs: the model, under a question, with messages that arrive as `reading` says.
struct ReplayInput {
    const ReplayModel& model;
    const ReplayQuestion& question;
    const ReplayTimes& times;
    ArrivalReading reading = ArrivalReading::Likely;
    bool keepsTimes = true;          // whether begins and lengths are wanted, or only the duration
    bool startsFixedAtOnce = false;  // tasks without a known cause arrive when the run begins
};

// Messages that arrive while a processor runs a task are looked at when that has ended, in the order of arrival, as
// Charm++'s scheduler does; those that a task sends to its own processor are in the queue at once. O(n log q).
// Errors: cancelled.
Result<ReplayedRun> runQueues(const ReplayInput& input, const Progress& progress);

// Every processor runs its tasks in the recorded order; with nothing else changed, exactly when it did. O(n).
// Errors: cancelled.
Result<ReplayedRun> runRecordedOrder(const ReplayInput& input, const Progress& progress);

}  // namespace longpole
