// SPDX-License-Identifier: GPL-3.0-or-later
// The id of each row of the timeline, computed from what the row shows, so that parallel workers need not ask for it.
#pragma once

#include "core/base/ids.h"

#include <cstdint>

namespace longpole {

// No two of these are ever the same, as long as each is given numbers below 2^28 (processors and lanes: together below
// 2^30). Importers take all ids from here.
constexpr TrackId processorTrack(std::uint32_t pe) { return TrackId{pe}; }
// Threads and streams of a run with so many processors, numbered through.
constexpr TrackId laneTrack(std::uint32_t processors, std::uint32_t lane) { return TrackId{processors + lane}; }
constexpr TrackId userEventTrack(std::uint32_t pe) { return TrackId{0x40000000u + pe}; }
constexpr TrackId virtualRankTrack(std::uint32_t rank) { return TrackId{0x50000000u + rank}; }  // one of AMPI
constexpr TrackId groupTrack(std::uint32_t number) { return TrackId{0x60000000u + number}; }    // a process or a host
constexpr TrackId rootTrack{0x70000000u};

}  // namespace longpole
