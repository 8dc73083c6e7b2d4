// SPDX-License-Identifier: GPL-3.0-or-later
// What the work path of a run whose ranks several processes host gains if regions cost nothing, or a factor.
#pragma once

#include "analysis/whatif/zeroing.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "distributed/answers/workpass.h"

#include <vector>

namespace longpole {

// What zeroing() finds for the work path at level Order in the graph of the whole run, at process 0; elsewhere nothing.
// `path`: hostedWorkPath() of the pass, which counts at process 0 only. One run of the pass, and one walk back, for
// every mostLanes of the regions asked about: of those on the path the
// `most` with most time on it, and never more than mostZeroed(). All processes call it. Errors: cancelled; a
// factor below zero, or so large that lengths overflow; at all of them.
Result<std::vector<WhatIfAnswer>> hostedZeroing(WorkPass& pass, const CriticalPath& path, Rational factor,
                                                const Progress& progress,
                                                std::int64_t most = limits::zeroedEntries.free);

}  // namespace longpole
