// SPDX-License-Identifier: GPL-3.0-or-later
// Stages by the iterations of a repeated phase, as views ask for them.
#pragma once

#include "analysis/projection/stages.h"
#include "core/base/progress.h"
#include "views/state/pathquestion.h"

#include <vector>

namespace longpole {

// Of `chosen`, the iterations that show; if there are none, of the first phase of the path. Errors: nothing repeats,
// cancelled, those of the path.
Result<Stages> stagesByIteration(const std::vector<TimeRange>& chosen, Results& results, const PathModel& model,
                                 TimeRange range, const Progress& progress);

}  // namespace longpole
