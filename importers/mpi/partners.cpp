// SPDX-License-Identifier: GPL-3.0-or-later
// Partners of a run that one process has read as a whole.
#include "importers/mpi/partners.h"

#include "importers/mpi/taskbegins.h"

namespace longpole {
namespace {

class PartnersInMemory final : public MpiPartners {
public:
    PartnersInMemory(std::span<const MpiRank> ranks, const MpiMatches& matches, std::span<const TaskBegins> begins)
        : m_ranks(ranks), m_matches(matches), m_begins(begins)
    {
    }

    MpiPartner senderOf(std::uint32_t rank, std::uint32_t receive) const override
    {
        return sender(m_matches.sendOf[rank][receive]);
    }
    MpiPartner probedBy(std::uint32_t rank, std::uint32_t probe) const override
    {
        return sender(m_matches.probeOf[rank][probe]);
    }
    MpiPartner receiverOf(std::uint32_t rank, std::uint32_t send) const override
    {
        const MpiPlace& to = m_matches.receiveOf[rank][send];
        if (!to.isValid()) return {};
        const MpiReceive& receive = m_ranks[to.rank].receives[to.index];
        return partner(to, receive.call, receive.bytes);
    }
    bool isSent(std::uint32_t rank, std::uint32_t receive) const override
    {
        return m_matches.sendOf[rank][receive].isValid();
    }
    bool isReceived(std::uint32_t rank, std::uint32_t send) const override
    {
        return m_matches.receiveOf[rank][send].isValid();
    }

    const MpiInstance* instanceOf(std::uint32_t rank, std::uint32_t part) const override
    {
        const std::uint32_t number = m_matches.instanceOf[rank][part];
        return number == noInstance ? nullptr : &m_matches.instances[number];
    }
    std::uint32_t instanceNumber(std::uint32_t rank, std::uint32_t part) const override
    {
        return m_matches.instanceOf[rank][part];
    }
    std::uint32_t positionOf(std::uint32_t rank, std::uint32_t part) const override
    {
        return m_matches.memberOf[rank][part] - instanceOf(rank, part)->firstMember;
    }
    MpiPartner member(const MpiInstance& instance, std::uint32_t position) const override
    {
        return memberIn(instance.firstMember + position);
    }
    MpiPartner lastOf(const MpiInstance& instance) const override { return member(instance, instance.latest); }
    MpiPartner lastUpTo(std::uint32_t rank, std::uint32_t part) const override
    {
        return memberIn(m_matches.latestUpTo[m_matches.memberOf[rank][part]]);
    }
    std::vector<std::uint32_t> sourcesOf(std::uint32_t rank, std::uint32_t part) const override
    {
        const MpiInstance& instance = *instanceOf(rank, part);
        std::vector<std::uint32_t> positions = m_matches.sourceRows(instance, m_matches.memberOf[rank][part]);
        for (std::uint32_t& position : positions) position -= instance.firstMember;
        return positions;
    }

    const WindowFindings& windowsOf(std::uint32_t rank) const override { return m_matches.windows[rank]; }
    MpiPartner windowPartner(const WindowMeeting& meeting) const override
    {
        const WindowRow& with = m_matches.windowRows[meeting.with];
        return partner({with.rank, meeting.with}, with.call, 0);
    }

    TimeNs pieceBegin(const MpiPartner& partner) const override
    {
        return partner.rank < m_begins.size() ? m_begins[partner.rank].at(partner.piece) : 0;
    }

private:
    MpiPartner partner(const MpiPlace& place, std::uint32_t number, std::int64_t bytes) const
    {
        const MpiCall& call = m_ranks[place.rank].calls[number];
        return {place.rank, place.index, number, call.piece, call.hub, call.begin, 0, bytes};
    }
    MpiPartner sender(const MpiPlace& from) const
    {
        if (!from.isValid()) return {};
        const MpiSend& send = m_ranks[from.rank].sends[from.index];
        return partner(from, send.call, send.bytes);
    }
    MpiPartner memberIn(std::uint32_t row) const
    {
        const MpiPlace& place = m_matches.members[row];
        const MpiCollectivePart& part = m_ranks[place.rank].collectives[place.index];
        return partner(place, part.call, part.moved.sent);
    }

    std::span<const MpiRank> m_ranks;
    const MpiMatches& m_matches;
    std::span<const TaskBegins> m_begins;
};

}  // namespace

std::unique_ptr<MpiPartners> partnersInMemory(std::span<const MpiRank> ranks, const MpiMatches& matches,
                                              std::span<const TaskBegins> begins)
{
    return std::make_unique<PartnersInMemory>(ranks, matches, begins);
}

}  // namespace longpole
