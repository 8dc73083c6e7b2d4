// SPDX-License-Identifier: GPL-3.0-or-later
// Stages by the iterations of a repeated phase, as views ask for them.
#pragma once

#include "analysis/phases/phasequestions.h"
#include "analysis/projection/stages.h"

namespace longpole {

// What to ask about the path for such stages: its first phase.
PathPhasesQuestion firstPhaseOf(const PathModel& model);

// Errors: nothing repeats.
Result<Stages> stagesByIteration(const PathPhases& phases, TimeRange range);

}  // namespace longpole
