// SPDX-License-Identifier: GPL-3.0-or-later
// What the calls of a run waited for, with its matches and edges, as the importers find it.
#pragma once

#include "importers/mpi/waits.h"
#include "support/mpi/mpiedges.h"
#include "support/mpi/mpiranks.h"

#include <cstdint>
#include <vector>

namespace longpole {

struct Waited {
    MpiMatches matches;
    std::vector<std::vector<MpiWait>> waits;
    std::vector<std::vector<MpiEdge>> edges;
    std::vector<ImportLog> logs;
    std::int64_t negative() const
    {
        std::int64_t count = 0;
        for (const ImportLog& log : logs) count += log.count(IssueKind::NegativeLatency);
        return count;
    }
};

inline Waited waited(const MpiRun& run, unsigned threads = 1)
{
    ImportLog log;
    Waited result;
    result.matches = *matchMpi(run.ranks, run.names, threads, log, Progress{});
    result.waits = mpiWaits(run.ranks, run.names, result.matches, threads);
    result.logs.resize(run.ranks.size());
    result.edges = mpiEdges(run.ranks, result.matches, result.logs, threads);
    return result;
}

}  // namespace longpole
