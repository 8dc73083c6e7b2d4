// SPDX-License-Identifier: GPL-3.0-or-later
// Stages that are the iterations of a phase of the critical path.
#pragma once

#include "analysis/phases/phasequestions.h"
#include "analysis/projection/stages.h"

namespace longpole {

// The question whose answer stagesByIteration needs.
PathPhasesQuestion firstPhaseOf(const PathModel& model);

// The path along which phases are searched where `shown` shows: iterations are the program's, which the order in which
// PEs happened to run their tasks hides, so the scheduled path gives way to that over merges, as in reports.
PathModel phaseModel(PathModel shown);

// Error: nothing repeats.
Result<Stages> stagesByIteration(const PathPhases& phases, TimeRange range);

}  // namespace longpole
