// SPDX-License-Identifier: GPL-3.0-or-later
// The edges of all ranks of a run that lies in memory.
#pragma once

#include "core/base/parallel.h"
#include "importers/mpi/partners.h"
#include "importers/mpi/waits.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

inline std::vector<std::vector<MpiEdge>> mpiEdges(std::span<const MpiRank> ranks, const MpiMatches& matches,
                                                  std::span<ImportLog> logs, unsigned threads)
{
    const std::unique_ptr<MpiPartners> partners = partnersInMemory(ranks, matches);
    std::vector<std::vector<MpiEdge>> edges(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            edges[rank] = mpiEdgesOf(static_cast<std::uint32_t>(rank), ranks[rank], *partners, logs[rank], Progress());
        },
        threads);
    return edges;
}

}  // namespace longpole
