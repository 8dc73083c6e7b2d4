// SPDX-License-Identifier: GPL-3.0-or-later
// Writes those rows of a rank that only matching knows: its calls with their waits, where its tasks come from, idle
// time, its messages and those it received, and the tiles that show them.
#pragma once

#include "core/trace/trace.h"
#include "importers/common/rowsink.h"
#include "importers/mpi/partners.h"
#include "importers/mpi/waits.h"
#include "importers/mpirows/layout.h"
#include "importers/mpirows/pieces.h"
#include "importers/mpirows/syncs.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// A rank after matching.
struct MatchedRank {
    std::uint32_t rank = 0;
    const MpiRank& self;
    const TaskBegins& begins;
    TimeRange active;  // from the end of its MPI_Init to the begin of its MPI_Finalize
    const std::vector<MpiThreadWait>& threadWaits;
    std::uint32_t tasks = 0;
};

struct MpiRankTotals {
    TimeNs idle = 0;  // clipped to the run
    std::int64_t messages = 0;
    std::int64_t messagesMatched = 0;
    std::int64_t receivesUnmatched = 0;
};

// Finds what a rank's calls wait for and its tasks depend on, and writes those rows. `tiles`: its tiles, which lack
// messages and idle time. Ranks may be written in parallel; once `progress` is cancelled, what is written is
// unfinished. O(calls + tasks).
MpiRankTotals writeRankRows(const MpiLayout& layout, const MatchedRank& rank, const MpiPartners& partners,
                            TileBuilder tiles, RowSink& sink, ImportLog& log, const Progress& progress);

}  // namespace longpole
