// SPDX-License-Identifier: GPL-3.0-or-later
// The passes that matching is made of; all processes make them in this order.
#pragma once

#include "distributed/matching/exchangedpartners.h"
#include "distributed/matching/matching.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace longpole {

// Numbers of passes on the transport.
enum MatchingPass : std::uint16_t {
    OfferSends = 100,
    AnswerSends,
    GiveParts,
    NumberCollectives,
    ShowCollectives,
    TellEpochs,
    TellExtents
};

// The sends of other processes' ranks that hosted ranks received: by process, in the order of its offers.
struct ReceivedSend {
    std::uint32_t rank = 0;
    std::uint32_t receive = 0;
};
using ReceivedSends = std::vector<std::vector<ReceivedSend>>;

// The collective calls that a process put together.
struct OwnedCollective : CollectiveKey {
    MpiInstance instance;
    bool blocks = false;  // its first member
};

ReceivedSends matchSends(Transport& transport, const HostedRanks& hosted, ExchangedPartners& partners);
std::vector<OwnedCollective> matchParts(Transport& transport, const HostedRanks& hosted, ExchangedPartners& partners,
                                        MatchingLogs& logs);
void matchWindows(Transport& transport, const HostedRanks& hosted, ExchangedPartners& partners);
// cross(a, b) for the epochs of what depends on each other at windows. `epochs`: by hosted rank, then call.
void crossWindows(Transport& transport, const HostedRanks& hosted, const ExchangedPartners& partners,
                  const std::vector<std::vector<std::uint32_t>>& epochs,
                  const std::function<void(std::uint32_t, std::uint32_t)>& cross);
void findGlobals(Transport& transport, const HostedRanks& hosted, const ReceivedSends& received,
                 const std::vector<OwnedCollective>& owned, ExchangedPartners& partners);

// Stops the analysis: what came from another process cannot be.
void refuse(Transport& transport, int from);

}  // namespace longpole
