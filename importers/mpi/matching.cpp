// SPDX-License-Identifier: GPL-3.0-or-later
// Matching of messages, rank by rank in parallel: FIFO per channel; then collectives and the points where all meet.
#include "importers/mpi/matching.h"

#include "core/base/parallel.h"
#include "importers/mpi/channelmatching.h"
#include "importers/mpi/collectives.h"
#include "importers/mpi/leftovers.h"
#include "importers/mpi/partners.h"
#include "importers/mpi/synchronization.h"

namespace longpole {
namespace {

void matchMessages(std::span<const MpiRank> ranks, unsigned threads, MpiMatches& matches, const Progress& progress)
{
    std::vector<MpiChannels> sent(ranks.size());
    matches.receiveOf.resize(ranks.size());
    matches.sendOf.resize(ranks.size());
    matches.probeOf.resize(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            if (progress.isCancelled()) return;
            const std::vector<MpiSend>& sends = ranks[rank].sends;
            matches.receiveOf[rank].resize(sends.size());
            matches.sendOf[rank].resize(ranks[rank].receives.size());
            matches.probeOf[rank].resize(ranks[rank].probes.size());
            sent[rank] = channelsOf(sends.size(), [&](std::size_t i) {
                return std::optional(MpiChannel{sends[i].to, sends[i].comm, sends[i].tag});
            });
        },
        threads);
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            if (progress.isCancelled()) return;
            const std::vector<MpiReceive>& receives = ranks[rank].receives;
            const MpiChannels received = channelsOf(receives.size(),
                                                    [&](std::size_t i) { return channelOf(receives[i]); });
            const auto receiver = static_cast<std::uint32_t>(rank);
            for (std::size_t i = 0; i < received.channels.size(); ++i) {
                const MpiChannel& channel = received.channels[i];
                if (channel.peer >= ranks.size()) continue;
                const std::span<const std::uint32_t> sends = sent[channel.peer].rowsOf(MpiChannel{receiver,
                                                                                                  channel.comm,
                                                                                                  channel.tag});
                matchChannel(
                    sends, received.rowsOf(i),
                    [&](std::uint32_t send) { return ranks[channel.peer].sends[send].isCancelled; },
                    [&](std::uint32_t receive) { return receives[receive].completion != noCall; },
                    [&](std::uint32_t send, std::uint32_t receive) {
                        matches.receiveOf[channel.peer][send] = {receiver, receive};
                        matches.sendOf[receiver][receive] = {channel.peer, send};
                    });
            }
            matchProbes(ranks[rank], received, [&](std::size_t probe, std::uint32_t receive) {
                matches.probeOf[rank][probe] = matches.sendOf[rank][receive];
            });
        },
        threads);
}

void matchWindows(std::span<const MpiRank> ranks, MpiMatches& matches, const Progress& progress)
{
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
        const std::vector<WindowRow> own = windowRowsOf(rank, ranks[rank], [](std::uint32_t) { return TimeNs{0}; });
        matches.windowRows.insert(matches.windowRows.end(), own.begin(), own.end());
    }
    matches.windows = findWindowMeetings(matches.windowRows, 0, ranks.size(), progress);
}

}  // namespace

Result<MpiMatches> matchMpi(std::span<const MpiRank> ranks, const MpiRunNames& names, unsigned threads, ImportLog& log,
                            const Progress& progress, const MpiBefore& before)
{
    MpiMatches matches;
    matchMessages(ranks, threads, matches, progress);
    if (!progress.isCancelled()) matchCollectives(ranks, names, before, threads, matches, log, progress);
    if (!progress.isCancelled()) matchWindows(ranks, matches, progress);
    if (!progress.isCancelled()) markGlobalSynchronizations(ranks, before, threads, matches);
    if (progress.isCancelled()) return cancelledError();

    const std::unique_ptr<MpiPartners> partners = partnersInMemory(ranks, matches);
    std::vector<ImportLog> leftovers(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            if (progress.isCancelled()) return;
            reportLeftovers(static_cast<std::uint32_t>(rank), ranks[rank], names, *partners, leftovers[rank]);
        },
        threads);
    for (const ImportLog& left : leftovers) log.merge(left);
    return matches;
}

}  // namespace longpole
