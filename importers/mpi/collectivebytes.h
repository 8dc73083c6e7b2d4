// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes that a rank sends to others and receives from others in a collective call, by what the call means
// (docs/algorithms.md 7.6), from what sources have of them.
#pragma once

#include "importers/mpi/source.h"

#include <cstdint>

namespace longpole {

enum class CollectiveShape : std::uint8_t {
    None,  // moves nothing
    Bcast,
    Scatter,
    Gather,
    Reduce,
    Allreduce,
    Allgather,
    Alltoall,
    ReduceScatter,
    Scan,
    Exscan,
    Neighbours
};

// A member of a communicator.
struct CollectiveMember {
    std::int64_t members = 1;
    std::int64_t place = 0;
    bool isRoot = false;
};

// From the bytes of one argument, as recordings before version 4 have them: what the member receives where it has a
// receive buffer, else what it sends, with its own part. Parts of unequal sizes count as equal ones.
MpiMoved movedByArgument(CollectiveShape shape, const CollectiveMember& member, std::int64_t bytes);

// From Score-P's counts, which have the member's own part, too.
MpiMoved movedByScoreP(CollectiveShape shape, const CollectiveMember& member, MpiMoved counted);

}  // namespace longpole
