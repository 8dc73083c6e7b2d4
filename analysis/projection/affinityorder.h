// SPDX-License-Identifier: GPL-3.0-or-later
// Processors in an order in which those that exchange most stand next to each other.
#pragma once

#include "analysis/statistics/commmatrix.h"
#include "core/base/ids.h"

#include <cstddef>
#include <span>
#include <vector>

namespace longpole {

// Positions in `pes`. Pairs are taken by the bytes they exchange in both directions (then messages, then numbers); each
// joins two ends of chains; the chains stand in the order of their first members. O(pairs log pairs).
std::vector<std::size_t> affinityOrder(std::span<const CommCell> cells, std::span<const ProcessorId> pes);

}  // namespace longpole
