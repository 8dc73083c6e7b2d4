// SPDX-License-Identifier: GPL-3.0-or-later
// Loops of failed polls, and which call ended the waiting of each (docs/algorithms.md 7.2).
#pragma once

#include "importers/mpi/rank.h"

namespace longpole {

// By call: the call before it on the same thread, if that is a loop of polls that found nothing; else noCall. Empty if
// the rank has no such loops.
std::vector<std::uint32_t> loopsBefore(const MpiRank& rank);

}  // namespace longpole
