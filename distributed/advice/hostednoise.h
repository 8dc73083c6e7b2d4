// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that were stretched, of a run whose ranks several processes host.
#pragma once

#include "analysis/noise/noisesteps.h"
#include "distributed/recording/hostedtrace.h"

#include <vector>

namespace longpole {

// Recordings carry no CPU time of tasks: what is rare and spread counts as interrupted.
struct HostedNoise {
    Noise noise{};      // at process 0, without tasks and periods
    NoiseFound here{};  // of the hosted ranks
};

// All processes call it. What noise() finds in the whole run. Durations of all tasks go to process 0, equal ones as one
// with their number; where more than twelve million differ, they are rounded. Errors: damaged chunks, cancelled, at
// all.
Result<HostedNoise> hostedNoise(Transport& transport, const TraceStore& store, const Progress& progress);

// At process 0 the tasks that were interrupted, most lost first. All processes call it. noise() names the million tasks
// that have lost most, interrupted or not; here all of these are looked through on each process.
std::vector<StretchedTask> hostedInterruptions(Transport& transport, const HostedNoise& noise);

}  // namespace longpole
