// SPDX-License-Identifier: GPL-3.0-or-later
// Stages by the iterations of a repeated phase, as views ask for them.
#pragma once

#include "analysis/projection/stages.h"
#include "views/state/pathresults.h"

#include <memory>
#include <vector>

namespace longpole {

// Of `chosen`, the iterations that show; if there are none, of the first phase of the path. Errors: nothing repeats,
// cancelled, those of the path.
Result<Stages> stagesByIteration(const std::vector<TimeRange>& chosen, PathResults* results, const PathModel& model,
                                 TimeRange range, const Progress& progress);

}  // namespace longpole
