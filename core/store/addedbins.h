// SPDX-License-Identifier: GPL-3.0-or-later
// How bins of several tracks become one.
#pragma once

#include "core/store/tiles.h"

namespace longpole {

// Adds a bin of another track. An entry's time adds up where both have the same dominant entry, else the larger one
// stays.
void addBin(TileBin& sum, const TileBin& bin);

}  // namespace longpole
