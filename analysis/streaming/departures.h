// SPDX-License-Identifier: GPL-3.0-or-later
// Where the path leaves each rank of an MPI run, and how many others take it there: a running program's call tells its
// carrier when it begins, a stored trace only what the call's partners waited for.
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct Departure {
    std::uint32_t row = 0;        // of the rank's task
    std::uint32_t receivers = 0;  // at least one
    TimeNs offset = 0;            // from its begin
};

class Departures {
public:
    // Two passes over what tasks came from; 16 bytes an edge while it reads, then a departure. The edges back from a
    // receiver to the sender that waited for it are none: nothing was sent along them. Errors: damaged chunks,
    // cancelled.
    static Result<Departures> read(const TraceStore& store, const Progress& progress);

    // `place`: of the rank among the store's processors. By (row, offset).
    std::span<const Departure> ofRank(std::size_t place) const { return m_ofRank[place]; }
    // The number of one among its rank's; `none` if there is none. O(log n).
    static constexpr std::uint32_t none = 0xffffffffu;
    std::uint32_t find(std::size_t place, std::uint32_t row, TimeNs offset) const;

private:
    std::vector<std::vector<Departure>> m_ofRank;
};

// The place of a PE or rank among the store's processors; their number if it is none of them. O(1) where they are
// numbered from 0 on, else O(log n).
std::size_t placeOf(const TraceStore& store, std::uint32_t pe);

}  // namespace longpole
