// SPDX-License-Identifier: GPL-3.0-or-later
// Finds which calls form one collective call: the k-th on a communicator of each of its members.
#pragma once

#include "importers/mpi/matching.h"

#include <vector>

namespace longpole {

// A communicator's members as far as the run has such ranks, each once, in its order.
std::vector<std::uint32_t> existingOnce(const std::vector<std::uint32_t>& members, std::size_t ranks);

// Fills instances, members, instanceOf, memberOf and latestUpTo. O(n) and a sort of the instances.
void matchCollectives(std::span<const MpiRank> ranks, const MpiRunNames& names, const MpiBefore& before,
                      unsigned threads, MpiMatches& matches, ImportLog& log, const Progress& progress);

}  // namespace longpole
