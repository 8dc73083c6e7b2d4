// SPDX-License-Identifier: GPL-3.0-or-later
// Iterations as the objects of a program go through them: what every object runs once in each. A critical path alone
// does not show all of them: it ends in the longest chain, not in the last one, and may take a way around one.
#pragma once

#include "analysis/phases/pathphases.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

namespace longpole {

// Gives each phase, where the program allows, a mark that its objects run about as often as the path does, and its
// rounds: the k-th begins, or if the mark ends an iteration the next one, when the first of these objects runs it for
// the k-th time. Of MPI runs ranks are the objects, and the mark is a call from one place (findCallRounds). Other
// phases stay as they are. `range`: only what begins in it; empty: the whole run. O(tasks, calls). Errors: damaged
// chunks; cancelled.
Result<> findRounds(const TraceStore& store, TimeRange range, PathPhases& phases, const Progress& progress);

}  // namespace longpole
