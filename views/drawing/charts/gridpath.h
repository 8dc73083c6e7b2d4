// SPDX-License-Identifier: GPL-3.0-or-later
// Where the critical path runs on a grid of processors, stage by stage.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "analysis/projection/stages.h"
#include "core/base/ids.h"

#include <cstddef>
#include <span>
#include <vector>

namespace longpole {

// A stay of the path on one processor during a stage. Neighbouring steps on the same one are one stay.
struct GridVisit {
    std::size_t place = 0;  // among the PEs
    TimeNs time = 0;        // ns of the path there within the stage, above zero
    friend bool operator==(const GridVisit&, const GridVisit&) = default;
};

// By stage, in the order of the path. Times add up to what of the path computes on these PEs in the stages.
// O(steps + stages crossed).
std::vector<std::vector<GridVisit>> gridPath(const CriticalPath& path, const Stages& stages,
                                             std::span<const ProcessorId> pes);

}  // namespace longpole
