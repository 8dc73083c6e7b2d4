// SPDX-License-Identifier: GPL-3.0-or-later
// What a replay says that following a piece of advice saves: which question that is, and what becomes of the advice
// with the answer (docs/algorithms.md 5).
#pragma once

#include "analysis/results/results.h"
#include "analysis/scheduling/advice.h"

#include <vector>

namespace longpole {

// Of runs with more tasks a replay takes longer than all else of the expert: those are told how to ask for it.
constexpr std::int64_t mostReplayedTasks = 300'000;

// Sets the question that stands for the advice, if the replay has one: the load (even on all PEs), the network (no
// time), the entry method whose own time counts (half of it). Nothing of an MPI run, which cannot be replayed.
void nameReplay(Advice& advice, const TraceStore& store);

// The advice with what the replay says of it, or with why nothing can be said; and its effect anew.
void takePrediction(Advice& advice, const Prediction& prediction, const TraceStore& store);

// Both for all advice; what is not a question of the replay gets no limit but its own. Errors: those of the replay.
Result<> replayAdvice(std::vector<Advice>& advice, Results& results, const Progress& progress);

}  // namespace longpole
