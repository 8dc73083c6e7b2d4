// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/stagecuts.h"

#include "analysis/phases/phasequestions.h"
#include "core/base/translate.h"

namespace longpole {

Result<Stages> stagesByIteration(const std::vector<TimeRange>& chosen, Results& results, const PathModel& model,
                                 TimeRange range, const Progress& progress)
{
    if (!chosen.empty()) return iterationStages(range, chosen);
    const auto found = results.ask(PathPhasesQuestion{.path = {.mode = model.mode, .edges = model.edges},
                                                      .phases = {.options = {.count = 1}}},
                                   progress);
    if (!found) return found.error();
    const PathPhases& phases = **found;
    if (phases.phases.empty()) return Error{tr("Nothing repeats along the critical path."), QString(), QString()};
    return iterationStages(range, rangesOf(phasePieces(phases, phases.phases.front(), PhaseCut::Iterations)));
}

}  // namespace longpole
