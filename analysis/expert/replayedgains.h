// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the replay what advice would save, so that no gain is shown that `longpole replay` denies.
#pragma once

#include "analysis/results/results.h"
#include "analysis/scheduling/advice.h"

#include <vector>

namespace longpole {

// Fills in the prediction of all advice that says what to replay and has none yet, and the sentences that follow from
// it. What a replay cannot say stays open and is a doubt. Errors: cancelled.
Result<> predictGains(std::vector<Advice>& advice, Results& results, const Progress& progress);

}  // namespace longpole
