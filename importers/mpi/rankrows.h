// SPDX-License-Identifier: GPL-3.0-or-later
// Writes those rows of a rank that only matching knows: its calls with their waits, where its tasks come from, idle
// time, its messages and those it received, and the tiles that show them.
#pragma once

#include "core/trace/trace.h"
#include "importers/common/rowsink.h"
#include "importers/mpi/layout.h"
#include "importers/mpi/matching.h"
#include "importers/mpi/pieces.h"
#include "importers/mpi/syncs.h"
#include "importers/mpi/waits.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// A run after matching.
struct MatchedRun {
    const MpiLayout& layout;
    std::span<const MpiRank> ranks;
    const MpiMatches& matches;
    std::span<const TaskBegins> begins;
    std::span<const TimeRange> active;  // by rank: from the end of its MPI_Init to the begin of its MPI_Finalize
    std::span<const std::vector<MpiThreadWait>> threadWaits;  // by rank
    const Progress& progress;                                 // what is written is unfinished once it is cancelled
};

struct MpiRankTotals {
    TimeNs idle = 0;  // clipped to the run
    std::int64_t messages = 0;
    std::int64_t messagesMatched = 0;
    std::int64_t receivesUnmatched = 0;
};

// Finds what a rank's calls wait for and its tasks depend on, and writes those rows. `tasks`: how many tasks the rank
// has; `tiles`: its tiles, which lack messages and idle time. Ranks may be written in parallel. O(calls + tasks).
MpiRankTotals writeRankRows(const MatchedRun& run, std::uint32_t rank, std::uint32_t tasks, TileBuilder tiles,
                            RowSink& sink, ImportLog& log);

}  // namespace longpole
