// SPDX-License-Identifier: GPL-3.0-or-later
// Every part of a collective call goes to the process that owns the call, which puts its members' parts together; each
// process that hosts members hears what it is, where its own stand, and those members that they depend on
// (docs/algorithms.md 1.2).
#include "distributed/matching/callteller.h"
#include "distributed/matching/givenparts.h"
#include "distributed/matching/ownedcalls.h"
#include "distributed/matching/passes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace longpole {

std::vector<OwnedCollective> matchParts(Transport& transport, const HostedRanks& hosted, ExchangedPartners& partners,
                                        MatchingLogs& logs)
{
    OwnedCalls owned(transport, hosted, takeParts(transport, hosted, logs));
    gatherLogs(transport, owned, logs);
    const std::vector<std::uint32_t> numbers = numbersOf(transport, hosted, owned);
    const auto hasCalls = [](const MpiRank& rank) { return !rank.calls.empty(); };
    const auto ranksWithCalls = reduceOne(transport,
                                          static_cast<std::uint64_t>(std::count_if(hosted.ranks.begin(),
                                                                                   hosted.ranks.end(), hasCalls)),
                                          [](std::uint64_t& into, const std::uint64_t& from) { into += from; });
    CallTeller teller(hosted, transport.processes(), static_cast<std::size_t>(ranksWithCalls));
    for (std::uint32_t i = 0; i < numbers.size() && !transport.failed(); ++i) {
        teller.tell(owned.collectives()[i], i, numbers[i], owned.partsOf(i));
        transport.pulse();
    }
    owned.forgetParts();
    transport.exchange(MatchingPass::ShowCollectives, teller.take(), [&](int from, Payload bytes) {
        if (!noteCollectives(hosted, transport.process(), from, std::move(bytes), partners)) refuse(transport, from);
    });
    return owned.take();
}

}  // namespace longpole
