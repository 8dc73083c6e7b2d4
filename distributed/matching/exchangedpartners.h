// SPDX-License-Identifier: GPL-3.0-or-later
// What a process knows of other ranks, to which the ranks that it hosts have sent, from which they have received, or
// with which they have met: told by the processes that host these.
#pragma once

#include "distributed/matching/hosting.h"
#include "distributed/matching/matchingrows.h"
#include "importers/mpi/partners.h"

#include <cstdint>
#include <vector>

namespace longpole {

class ExchangedPartners final : public MpiPartners {
public:
    explicit ExchangedPartners(std::uint32_t firstRank) : m_first(firstRank) {}

    MpiPartner senderOf(std::uint32_t rank, std::uint32_t receive) const override { return of(rank).senders[receive]; }
    MpiPartner probedBy(std::uint32_t rank, std::uint32_t probe) const override { return of(rank).probed[probe]; }
    MpiPartner receiverOf(std::uint32_t rank, std::uint32_t send) const override { return of(rank).receivers[send]; }
    bool isSent(std::uint32_t rank, std::uint32_t receive) const override
    {
        return of(rank).senders[receive].isValid();
    }
    bool isReceived(std::uint32_t rank, std::uint32_t send) const override
    {
        return of(rank).receivers[send].isValid();
    }
    const MpiInstance* instanceOf(std::uint32_t rank, std::uint32_t part) const override
    {
        const Part& own = of(rank).parts[part];
        return own.instance == noInstance ? nullptr : &collectives[own.instance].instance;
    }
    std::uint32_t instanceNumber(std::uint32_t rank, std::uint32_t part) const override
    {
        const Part& own = of(rank).parts[part];
        return own.instance == noInstance ? noInstance : collectives[own.instance].number;
    }
    std::uint32_t positionOf(std::uint32_t rank, std::uint32_t part) const override
    {
        return of(rank).parts[part].position;
    }
    // Not valid for members that nothing here depends on.
    MpiPartner member(const MpiInstance& instance, std::uint32_t position) const override;
    MpiPartner lastOf(const MpiInstance& instance) const override { return member(instance, instance.latest); }
    MpiPartner lastUpTo(std::uint32_t rank, std::uint32_t part) const override
    {
        return member(*instanceOf(rank, part), of(rank).parts[part].latestUpTo);
    }
    std::vector<std::uint32_t> sourcesOf(std::uint32_t rank, std::uint32_t part) const override;
    const WindowFindings& windowsOf(std::uint32_t rank) const override { return windows[rank - m_first]; }
    MpiPartner windowPartner(const WindowMeeting& meeting) const override
    {
        return partnerOf(windowRows[meeting.with], meeting.with);
    }
    TimeNs pieceBegin(const MpiPartner& partner) const override { return partner.knownBegin; }

    // For the passes that fill it.
    struct Part {
        std::uint32_t instance = noInstance;  // in `collectives`
        std::uint32_t position = 0;
        std::uint32_t latestUpTo = 0;
    };
    struct Rank {
        std::vector<MpiPartner> senders;    // by receive
        std::vector<MpiPartner> probed;     // by probe
        std::vector<MpiPartner> receivers;  // by send
        std::vector<Part> parts;
    };
    struct Collective {
        MpiInstance instance;  // its firstMember is its place in `collectives`
        std::uint32_t number = noInstance;
        int owner = 0;
        std::uint32_t atOwner = 0;
        bool isCandidate = false;          // for a global synchronization
        std::vector<ShownMember> members;  // by position
    };
    const Rank& of(std::uint32_t rank) const { return ranks[rank - m_first]; }
    Rank& of(std::uint32_t rank) { return ranks[rank - m_first]; }

    std::vector<Rank> ranks;
    std::vector<Collective> collectives;
    std::vector<WindowRow> windowRows;    // of all ranks
    std::vector<WindowFindings> windows;  // by rank
    const MpiRunNames* names = nullptr;

private:
    std::uint32_t m_first;
};

}  // namespace longpole
