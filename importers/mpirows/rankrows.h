// SPDX-License-Identifier: GPL-3.0-or-later
// Writes those rows of a rank that only matching knows: its calls with their waits, where its tasks come from, idle
// time, its messages and those it received, and the tiles that show them.
#pragma once

#include "core/trace/trace.h"
#include "importers/common/rowsink.h"
#include "importers/mpi/partners.h"
#include "importers/mpi/waits.h"
#include "importers/mpirows/latertiles.h"
#include "importers/mpirows/layout.h"
#include "importers/mpirows/pieces.h"
#include "importers/mpirows/syncs.h"

#include <cstdint>
#include <map>
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
    bool isBroken = false;  // tiles of an earlier import do not fit
};

struct RankLatency {
    TimeNs least = maxTime;
    std::int64_t messages = 0;
};

// What a rank's rows have come to at a place of a run that grows.
struct RankSoFar {
    std::uint32_t calls = 0;
    std::uint32_t sends = 0;
    std::uint32_t tasks = 0;
    std::int64_t idleRows = 0;
    std::int64_t mergeRows = 0;
    std::int64_t deliveries = 0;
    TimeNs idle = 0;
    std::map<std::uint32_t, RankLatency> latencies{};  // by source rank
    std::vector<MpiEdge> edges{};                      // into tasks that begin from there on
};

// A rank of which a part is matched and written, after those that are settled.
struct GrowingRank {
    std::span<const RankSoFar> before{};  // by rank; empty: nothing is
    std::uint32_t instances = 0;          // before
    // What the part has until the place that the next one goes on from, and tasks of the whole rank.
    std::uint32_t calls = 0;
    std::uint32_t sends = 0;
    std::uint32_t tasks = 0;
    RankSoFar* reached = nullptr;  // gets what the rows have come to there; null: there is no such place
    // Idle time and messages before; gets those until the place. Null: there is neither.
    LaterTiles* tiles = nullptr;
    bool isLast = true;  // the run ends with the part: what is known of the rank as a whole is written, too
    std::vector<MpiEdge>* edges = nullptr;  // of the part, where they are known already; are taken
};

// Finds what a rank's calls wait for and its tasks depend on, and writes those rows. `tiles`: its tiles, which lack
// messages and idle time; only the last part takes them. Ranks may be written in parallel; once `progress` is
// cancelled, what is written is unfinished. O(calls + tasks).
MpiRankTotals writeRankRows(const MpiLayout& layout, const MatchedRank& rank, const MpiPartners& partners,
                            TileBuilder&& tiles, RowSink& sink, ImportLog& log, const Progress& progress,
                            const GrowingRank& growing = {});

}  // namespace longpole
