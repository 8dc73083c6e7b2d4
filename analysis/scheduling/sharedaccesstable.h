// SPDX-License-Identifier: GPL-3.0-or-later
// The entries of a distributed table, put together from the stats of its operations.
#pragma once

#include "analysis/scheduling/sharedaccessstats.h"

#include <span>
#include <vector>

namespace longpole {

// By key. O(samples log samples).
std::vector<TableEntry> tableEntries(std::span<const SharedSample> samples);

}  // namespace longpole
