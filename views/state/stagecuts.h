// SPDX-License-Identifier: GPL-3.0-or-later
// Stages that are the iterations of a phase of the critical path.
#pragma once

#include "analysis/phases/phasequestions.h"
#include "analysis/projection/stages.h"

namespace longpole {

// The question whose answer stagesByIteration needs.
PathPhasesQuestion firstPhaseOf(const PathModel& model);

// Error: nothing repeats.
Result<Stages> stagesByIteration(const PathPhases& phases, TimeRange range);

}  // namespace longpole
