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

// A stay of the path on one processor during a stage; may be several steps of the path.
struct GridVisit {
    std::size_t place = 0;  // of the processor among the PEs
    TimeNs time = 0;        // ns that the path computes there within the stage; > 0
    friend bool operator==(const GridVisit&, const GridVisit&) = default;
};

// The visits of each stage in the order of the path. Only what computes on one of `pes` counts. O(steps + stages
// crossed).
std::vector<std::vector<GridVisit>> gridPath(const CriticalPath& path, const Stages& stages,
                                             std::span<const ProcessorId> pes);

}  // namespace longpole
