// SPDX-License-Identifier: GPL-3.0-or-later
// What each MPI call waited for: the parts wait-before, execution and wait-after (Korkhov et al., section 5.2) and
// Scalasca's wait state with its culprit (docs/algorithms.md 7.1, 7.2). Also the edges between pieces of code
// (docs/algorithms.md 1.2).
#pragma once

#include "core/base/progress.h"
#include "core/base/timerange.h"
#include "core/trace/kinds.h"
#include "importers/mpi/matching.h"
#include "importers/mpi/partners.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// Parts of one call; before + execution + after is its length and none is negative.
struct MpiWait {
    TimeNs before = 0;
    TimeNs after = 0;
    TimeNs severity = 0;
    WaitPattern pattern = WaitPattern::None;
    std::int32_t culprit = -1;  // world rank; without a pattern: who came last, where `before` is not 0
    std::uint32_t culpritCall = noCall;
    std::uint16_t flags = 0;  // MpiCallFlag
};

// What a call's name says about how it completes requests or looks for messages.
struct MpiCompletion {
    bool isTest = false;
    bool isWait = false;
    bool isQuickProbe = false;
    bool isFence = false;
};
// By region.
std::vector<MpiCompletion> mpiCompletions(const MpiRunNames& names);

// For all calls of all ranks; of `names` only the regions are read. Blocking collective calls that synchronize (S_max
// <= E_min) have the paper's parts whatever their kind, the others those of their wait state. The wait of a
// non-blocking collective counts in the call that completes it. A Test call has one if a loop of failed ones came
// before it. O(n) after matching. Unfinished if it is cancelled.
std::vector<std::vector<MpiWait>> mpiWaits(std::span<const MpiRank> ranks, const MpiRunNames& names,
                                           const MpiMatches& matches, unsigned threads,
                                           const Progress& progress = Progress());
// Of the calls of one rank: a large run has no room for all of them at once. Unfinished if it is cancelled.
std::vector<MpiWait> mpiWaitsOf(std::uint32_t rank, const MpiRank& self, std::span<const MpiCompletion> completions,
                                const MpiPartners& partners, const Progress& progress);

// An edge into the start of a piece, out of piece `source` of rank `sourceRank`: it leaves that piece at its end, where
// a call of the rank's own thread began, or inside it if the call was another thread's. There are edges for
// point-to-point data, from a receiver back to a sender that waited for it, and for collectives, through their hub if
// they have one.
struct MpiEdge {
    std::uint32_t piece = noPiece;  // on the rank whose list it is in
    std::uint32_t sourceRank = 0;
    std::uint32_t source = noPiece;
    TimeNs left = 0;            // when the remote call began: sent time
    TimeNs sourceBegin = 0;     // when piece `source` began, as far as the partners know
    std::int64_t message = -1;  // row in the source rank's messages; -1: no message
    Link link = Link::Collective;
};

// Calls of kind Prefix, those whose last member has no hub, and those of neighbours have an edge for every pair of
// members that depend on each other if there are at most this many (neighbours), and limits::memberPairs allows all of
// the run's; else one from the last to arrive: enough for the elapsed path, and a lower bound for work.
constexpr std::uint32_t mostPairedMembers = 64;

// Of a rank, by (piece, latest `left` first, lowest rank, message): the first of a piece is what the elapsed path
// follows. Edges against time (left after the piece's begin) are dropped and counted as negative latencies in the
// rank's log.
std::vector<MpiEdge> mpiEdgesOf(std::uint32_t rank, const MpiRank& self, const MpiPartners& partners, ImportLog& log,
                                const Progress& progress);

}  // namespace longpole
