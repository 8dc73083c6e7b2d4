// SPDX-License-Identifier: GPL-3.0-or-later
// Each process that hosts members of a collective call is told what it is, where its own members stand, and those
// members that they depend on.
#pragma once

#include "distributed/matching/matchingrows.h"
#include "distributed/matching/passes.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

class CallTeller {
public:
    CallTeller(const HostedRanks& hosted, int processes, std::size_t ranksWithCalls)
        : m_hosted(hosted), m_ranksWithCalls(ranksWithCalls), m_shown(static_cast<std::size_t>(processes))
    {
    }

    void tell(const OwnedCollective& owned, std::uint32_t place, std::uint32_t number,
              std::span<const GivenPart> parts);
    // What was told, by process.
    std::vector<Payload> take();

private:
    // What one process is told.
    struct Shown {
        std::vector<FoundCollective> found;
        std::vector<ShownMember> members;
        std::vector<PlacedPart> parts;
    };

    // The positions of the members that waits and edges of a process' own ones look at (importers/mpi/waits.cpp,
    // edges.cpp), in order.
    std::vector<std::uint32_t> wantedBy(int process, const MpiInstance& instance, std::span<const GivenPart> parts,
                                        const std::vector<std::uint32_t>& own, const std::vector<std::uint32_t>& upTo);

    const HostedRanks& m_hosted;
    std::size_t m_ranksWithCalls;
    std::vector<Shown> m_shown;
    std::vector<bool> m_isWanted;  // by position; of the call that is looked at
};

// What process `from` told into the partners. False: that cannot be.
bool noteCollectives(const HostedRanks& hosted, int process, int from, Payload bytes, ExchangedPartners& partners);

}  // namespace longpole
