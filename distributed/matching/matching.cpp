// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/matching/matching.h"

#include "core/base/translate.h"
#include "distributed/matching/passes.h"
#include "importers/mpi/leftovers.h"

namespace longpole {

void refuse(Transport& transport, int from)
{
    transport.fail(Error{.what = tr("Process %1 told process %2 what cannot be.").arg(from).arg(transport.process()),
                         .where = QString(),
                         .hint = tr("The processes may run different versions of the program.")});
}

Result<std::unique_ptr<MpiPartners>> exchangePartners(Transport& transport, const HostedRanks& hosted,
                                                      MatchingLogs& logs)
{
    const std::uint32_t first = hosted.hosting.first(transport.process());
    auto partners = std::make_unique<ExchangedPartners>(first);
    partners->names = &hosted.names;
    for (const MpiRank& rank : hosted.ranks) {
        ExchangedPartners::Rank& own = partners->ranks.emplace_back();
        own.senders.resize(rank.receives.size());
        own.probed.resize(rank.probes.size());
        own.receivers.resize(rank.sends.size());
        own.parts.resize(rank.collectives.size());
    }
    const ReceivedSends received = matchSends(transport, hosted, *partners);
    const std::vector<OwnedCollective> owned = matchParts(transport, hosted, *partners, logs);
    matchWindows(transport, hosted, *partners);
    findGlobals(transport, hosted, received, owned, *partners);
    if (transport.failed()) return transport.failure();
    for (std::size_t local = 0; local < hosted.ranks.size(); ++local)
        reportLeftovers(first + static_cast<std::uint32_t>(local), hosted.ranks[local], hosted.names, *partners,
                        logs.leftovers);
    return std::unique_ptr<MpiPartners>(std::move(partners));
}

}  // namespace longpole
