// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of resolving an OTF2 archive's definitions, one file each.
#pragma once

#include "importers/otf2/run.h"

#include <map>

namespace longpole {

// The ranks of a run. World rank r is the r-th of MPI's own list of locations; processes that are not on it follow.
struct Otf2Ranks {
    std::uint32_t count = 0;
    std::uint32_t ofMpi = 0;                         // how many of them are on MPI's list
    std::map<std::uint64_t, std::uint32_t> masters;  // rank, by the location of its own thread of control
    std::uint32_t ofLocation(std::uint64_t location) const
    {
        const auto found = masters.find(location);
        return found == masters.end() ? otf2None : found->second;
    }
};

// Fills names.locations, names.ranks and locations. Error: more ranks than locations can be.
Result<Otf2Ranks> resolveOtf2Locations(const Otf2Definitions& definitions, Otf2Run& run);
// Error: more members than an archive of its size has.
Result<> resolveOtf2Comms(const Otf2Definitions& definitions, const Otf2Ranks& ranks, Otf2Run& run);
// Fills names.regions, regions, callRegions and the calling contexts.
void resolveOtf2Regions(const Otf2Definitions& definitions, Otf2Run& run);

}  // namespace longpole
