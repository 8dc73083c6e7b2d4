// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep of Korkhov et al. (2023, section 5): of each group of intervals that overlap, the longest; on one process,
// or by all, each in a part of the time.
#pragma once

#include "distributed/algorithms/shuffle.h"

namespace longpole {

// What is done about groups that reach from one part into the next.
enum class Boundary : std::uint8_t {
    Simple,    // nothing: such a group counts once in every part (the paper's own measurements)
    Overlap,   // the part where it begins also gets the intervals of it that others have
    Master,    // process 0 tells each part which group it continues, and takes the longest of shared groups
    Stitched,  // parts know how far those before them reach, and process 0 puts their groups together
};

struct SweepResult {
    TimeNs length = 0;                  // at process 0, as the rest
    std::vector<CodeInterval> longest;  // of each group, in order
};

// Of sorted intervals.
SweepResult sweepIntervals(const std::vector<CodeInterval>& sorted);
// Everything at process 0.
SweepResult sequentialSweep(Transport& transport, const LossGraph& graph, TimeNs threshold);
// `part`: this process' intervals, sorted, from the shuffle.
SweepResult parallelSweep(Transport& transport, const std::vector<CodeInterval>& part, Boundary boundary);

}  // namespace longpole
