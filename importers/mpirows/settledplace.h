// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a place of a run that grows cuts it into what is known for good and what may still change.
#pragma once

#include "importers/mpi/matching.h"
#include "importers/mpirows/locationrows.h"

#include <cstdint>
#include <optional>
#include <span>

namespace longpole {

// The collective calls before the place, which are the first of the run's, and what they took of what PairAllowance
// has.
struct SettledPart {
    std::uint32_t instances = 0;
    std::int64_t sources = 0;
    std::int64_t pairs = 0;
};

// `standings`: by rank where it stands there. Nothing if a row before the place could become another one: if the last
// call of each rank is not one in which all meet, or anything before it has not found its partner, its completion or
// all of its members, or found them behind; if sends or receives were cancelled, as their messages may still turn up;
// or if windows were used.
std::optional<SettledPart> settledUntil(std::span<const MpiRank> ranks, const MpiMatches& matches,
                                        std::span<const MpiStanding> standings);
// False: with this no later place of the run is one, either.
bool maySettle(const MpiRank& rank);
// Adds them to what was before.
void addSettled(const SettledPart& part, const MpiMatches& matches, std::size_t communicators, MpiBefore& before);

}  // namespace longpole
