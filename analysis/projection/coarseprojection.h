// SPDX-License-Identifier: GPL-3.0-or-later
// First pictures of a projection that is still being counted, and projections of chosen stages alone.
#pragma once

#include "analysis/projection/projection.h"
#include "analysis/projection/stagecells.h"
#include "analysis/projection/stages.h"

#include <vector>

namespace longpole {

// The projection as far as it is counted. Rows that are not are taken from `coarse` (the same attribute, stages and
// PEs; may be null), else from the nearest row that is. Those cells, and the totals, are marked approximate; totals of
// additive attributes are extrapolated. O(cells).
Projection pictureOf(const Attribute& attribute, const StageCells& cells, const Projection* coarse);

// The same attribute and PEs over other stages: each cell takes the value at its middle, of additive attributes per
// time. All of it approximate. O(cells).
Projection resampled(const Projection& projection, const Stages& stages);

// Leaves out the stages that are not kept (by stage; their cells become NaN), and folds what is left: exactly with the
// cells that the projection is made of, else (`cells` null) approximately, cells weighted by their stages' lengths.
void keepStages(Projection& projection, const std::vector<bool>& kept, const StageCells* cells);

// Bytes that a projection holds.
std::int64_t bytesOf(const Projection& projection);

}  // namespace longpole
