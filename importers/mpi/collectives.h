// SPDX-License-Identifier: GPL-3.0-or-later
// Finds which calls form one collective call: the k-th on a communicator of each of its members.
#pragma once

#include "importers/mpi/matching.h"

#include <QString>

namespace longpole {

// "MPI_COMM_WORLD", or its number where it has no name.
QString communicatorName(const MpiRunNames& names, std::uint32_t comm);

// Fills instances, members, instanceOf, memberOf and latestUpTo. O(n) and a sort of the instances.
void matchCollectives(std::span<const MpiRank> ranks, const MpiRunNames& names, unsigned threads, MpiMatches& matches,
                      ImportLog& log, const Progress& progress);

}  // namespace longpole
