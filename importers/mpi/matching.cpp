// SPDX-License-Identifier: GPL-3.0-or-later
// Matching of messages, rank by rank in parallel: FIFO per channel; then collectives and the points where all meet.
#include "importers/mpi/matching.h"

#include "core/base/parallel.h"
#include "importers/mpi/channels.h"
#include "importers/mpi/collectives.h"
#include "importers/mpi/synchronization.h"

#include <optional>

namespace longpole {
namespace {

// The k-th send of a channel belongs to its k-th receive. Cancelled sends count as far as receives would be left over.
void matchChannel(std::uint32_t sender, const MpiRank& from, std::span<const std::uint32_t> sends,
                  std::uint32_t receiver, std::span<const std::uint32_t> receives, MpiMatches& matches)
{
    std::size_t live = 0;
    for (const std::uint32_t send : sends) live += from.sends[send].isCancelled ? 0u : 1u;
    std::size_t freed = std::min(receives.size() - std::min(receives.size(), live), sends.size() - live);
    std::size_t next = 0;
    for (const std::uint32_t send : sends) {
        if (next == receives.size()) return;
        if (from.sends[send].isCancelled) {
            if (freed == 0) continue;
            --freed;
        }
        const std::uint32_t receive = receives[next++];
        matches.receiveOf[sender][send] = {receiver, receive};
        matches.sendOf[receiver][receive] = {sender, send};
    }
}

bool isReceived(const MpiReceive& receive) { return receive.completion != noCall && !receive.isCancelled; }

std::optional<MpiChannel> channelOf(const MpiReceive& receive)
{
    if (!isReceived(receive)) return std::nullopt;
    return MpiChannel{receive.from, receive.comm, receive.tag};
}

// A probe finds the first message of its channel that no receive was posted for and no other probe has taken.
void matchProbes(std::uint32_t rank, const MpiRank& mine, const MpiChannels& received, MpiMatches& matches)
{
    struct Taken {
        std::size_t next = 0;   // of the channel's receives: not posted yet
        std::size_t taken = 0;  // messages
    };
    std::vector<Taken> states(received.channels.size());
    for (std::size_t i = 0; i < mine.probes.size(); ++i) {
        const MpiProbe& probe = mine.probes[i];
        const MpiChannel wanted{probe.from, probe.comm, probe.tag};
        const auto found = std::lower_bound(received.channels.begin(), received.channels.end(), wanted);
        if (found == received.channels.end() || *found != wanted) continue;
        const auto channel = static_cast<std::size_t>(found - received.channels.begin());
        const std::span<const std::uint32_t> rows = received.rowsOf(channel);
        Taken& state = states[channel];
        for (; state.next < rows.size() && mine.receives[rows[state.next]].call < probe.call; ++state.next)
            state.taken += mine.receives[rows[state.next]].isMatched ? 0u : 1u;
        if (state.taken < rows.size()) matches.probeOf[rank][i] = matches.sendOf[rank][rows[state.taken]];
        state.taken += probe.takes ? 1 : 0;
    }
}

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
                matchChannel(channel.peer, ranks[channel.peer],
                             sent[channel.peer].rowsOf(MpiChannel{receiver, channel.comm, channel.tag}), receiver,
                             received.rowsOf(i), matches);
            }
            matchProbes(receiver, ranks[rank], received, matches);
        },
        threads);
}

// Counts a rank's messages without a partner and requests without an end, with the first place of each kind.
struct Leftovers {
    struct Counter {
        std::int64_t count = 0;
        std::uint32_t first = 0;
        void add(std::size_t row)
        {
            if (count++ == 0) first = static_cast<std::uint32_t>(row);
        }
    };
    Counter sends, receives;
    std::int64_t unfinished = 0;
    std::int64_t cancelled = 0;
};

Leftovers leftoversOf(const MpiRank& rank, const std::vector<MpiPlace>& receiveOf, const std::vector<MpiPlace>& sendOf)
{
    Leftovers left;
    for (std::size_t i = 0; i < rank.sends.size(); ++i) {
        const MpiSend& send = rank.sends[i];
        if (send.isCancelled) ++left.cancelled;
        else if (send.completion == noCall) ++left.unfinished;
        if (!send.isCancelled && !receiveOf[i].isValid()) left.sends.add(i);
    }
    for (std::size_t i = 0; i < rank.receives.size(); ++i) {
        const MpiReceive& receive = rank.receives[i];
        if (receive.isEmpty) continue;
        if (receive.isCancelled) ++left.cancelled;
        else if (receive.completion == noCall) ++left.unfinished;
        else if (!sendOf[i].isValid()) left.receives.add(i);
    }
    for (const MpiCollectivePart& part : rank.collectives) left.unfinished += part.completion == noCall ? 1 : 0;
    return left;
}

void report(std::span<const MpiRank> ranks, const MpiRunNames& names, const std::vector<Leftovers>& leftovers,
            ImportLog& log)
{
    const auto place = [&](std::size_t from, std::size_t to, std::uint32_t comm, std::int32_t tag) {
        return QStringLiteral("from rank %1 to rank %2 with tag %3 on %4")
            .arg(QString::number(from), QString::number(to), QString::number(tag), communicatorName(names, comm));
    };
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const Leftovers& left = leftovers[rank];
        if (left.sends.count > 0) {
            const MpiSend& send = ranks[rank].sends[left.sends.first];
            log.addAt(IssueKind::UnmatchedSend, place(rank, send.to, send.comm, send.tag), left.sends.count);
        }
        if (left.receives.count > 0) {
            const MpiReceive& receive = ranks[rank].receives[left.receives.first];
            log.addAt(IssueKind::UnmatchedReceive, place(receive.from, rank, receive.comm, receive.tag),
                      left.receives.count);
        }
        if (left.unfinished > 0)
            log.addAt(IssueKind::UnfinishedRequest, QStringLiteral("rank %1").arg(rank), left.unfinished);
        if (left.cancelled > 0)
            log.addAt(IssueKind::CancelledRequest, QStringLiteral("rank %1").arg(rank), left.cancelled);
    }
}

}  // namespace

Result<MpiMatches> matchMpi(std::span<const MpiRank> ranks, const MpiRunNames& names, unsigned threads, ImportLog& log,
                            const Progress& progress)
{
    MpiMatches matches;
    matchMessages(ranks, threads, matches, progress);
    if (!progress.isCancelled()) matchCollectives(ranks, names, threads, matches, log, progress);
    if (!progress.isCancelled()) markGlobalSynchronizations(ranks, threads, matches);
    if (progress.isCancelled()) return cancelledError();

    std::vector<Leftovers> leftovers(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            if (progress.isCancelled()) return;
            leftovers[rank] = leftoversOf(ranks[rank], matches.receiveOf[rank], matches.sendOf[rank]);
        },
        threads);
    report(ranks, names, leftovers, log);
    return matches;
}

}  // namespace longpole
