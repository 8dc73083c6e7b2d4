// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/stagecuts.h"

#include "core/base/translate.h"

namespace longpole {

PathPhasesQuestion firstPhaseOf(const PathModel& model)
{
    const EdgeLevel edges = model.mode == PathMode::Work ? EdgeLevel::Merges : model.edges;
    return {.path = {.mode = model.mode, .edges = edges}, .phases = {.options = {.count = 1}}};
}

PathModel phaseModel(PathModel shown)
{
    if (shown.mode == PathMode::Work && keepsOrder(shown.edges)) shown.edges = EdgeLevel::Merges;
    return shown;
}

Result<Stages> stagesByIteration(const PathPhases& phases, TimeRange range)
{
    if (phases.phases.empty()) return Error{tr("Nothing repeats along the critical path."), QString(), QString()};
    return iterationStages(range, rangesOf(phasePieces(phases, phases.phases.front(), PhaseCut::Iterations)));
}

}  // namespace longpole
