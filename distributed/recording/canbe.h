// SPDX-License-Identifier: GPL-3.0-or-later
// Whether what another process says of a run can be: every number names something that there is. What it says wrongly
// otherwise is a wrong answer, no memory that is not ours.
#pragma once

#include "importers/mpirows/layout.h"
#include "importers/mpirows/locationrows.h"
#include "importers/recording/run.h"

namespace longpole {

// Of locations those of ranks come first, by rank.
bool canBe(const MpiRunNames& names);
bool canBe(const RecordingRegions& regions, const MpiRunNames& names);
bool canBe(const RecordingNumbers& numbers, const MpiRunNames& names);
bool canBe(const RecordedRank& rank);
bool canBe(const MpiLocationResult& result, const MpiLayout& layout);

}  // namespace longpole
