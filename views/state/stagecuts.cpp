// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/stagecuts.h"

#include "analysis/phases/pathphases.h"
#include "core/base/translate.h"

namespace longpole {

Result<Stages> stagesByIteration(const std::vector<TimeRange>& chosen, PathResults* results, const PathModel& model,
                                 TimeRange range, const Progress& progress)
{
    if (!chosen.empty()) return iterationStages(range, chosen);
    const auto path = results->path({.mode = model.mode, .edges = model.edges}, progress);
    if (!path) return path.error();
    const auto found = pathPhases(**path, {.options = {.count = 1}}, progress);
    if (!found) return found.error();
    if (found->phases.empty()) return Error{tr("Nothing repeats along the critical path."), QString(), QString()};
    return iterationStages(range, rangesOf(phasePieces(*found, found->phases.front(), PhaseCut::Iterations)));
}

}  // namespace longpole
