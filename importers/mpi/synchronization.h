// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the collective calls at which the whole run meets, so that nothing depends on anything across them.
#pragma once

#include "importers/mpi/matching.h"

namespace longpole {

// Sets isGlobal of blocking calls in which every member waits for all, that synchronize, that every rank with calls is
// a member of, and that no message, request or other collective call is pending across (docs/algorithms.md 1.2). O(n).
void markGlobalSynchronizations(std::span<const MpiRank> ranks, const MpiBefore& before, unsigned threads,
                                MpiMatches& matches);

}  // namespace longpole
