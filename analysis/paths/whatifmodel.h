// SPDX-License-Identifier: GPL-3.0-or-later
// What a path is made of when the run is changed or its slack is asked for: computation alone, or the run's fixed
// delays too.
#pragma once

#include "analysis/paths/criticalpath.h"

namespace longpole {

// Mode Work: edges as they say. Mode Elapsed: the recorded run again, with observed latencies, queue gaps and
// scheduling overhead kept as fixed delays (analysis/paths/elapseddelays.h) and the processors' order kept; factor one
// gives the duration exactly. Merges have no delay: a task cannot begin before they have left their source. Sweep is an
// approximation and answers nothing: error.
struct WhatIfModel {
    PathMode mode = PathMode::Work;
    Dependencies edges{};
};

}  // namespace longpole
