// SPDX-License-Identifier: GPL-3.0-or-later
// Every send is offered to the process that hosts its receiver, which finds the receive that got it and answers. Both
// then know of each other what waits and dependencies take (docs/algorithms.md 1.2).
#include "distributed/matching/passes.h"
#include "importers/mpi/channelmatching.h"

#include <numeric>
#include <span>

namespace longpole {
namespace {

TimeNs pieceBeginOf(const HostedRanks& hosted, std::size_t local, std::uint32_t piece)
{
    return local < hosted.begins.size() && piece != noPiece ? hosted.begins[local].at(piece) : 0;
}

std::vector<std::vector<OfferedSend>> offersOf(const Transport& transport, const HostedRanks& hosted)
{
    std::vector<std::vector<OfferedSend>> offers(static_cast<std::size_t>(transport.processes()));
    const std::uint32_t first = hosted.hosting.first(transport.process());
    for (std::size_t local = 0; local < hosted.ranks.size(); ++local) {
        const MpiRank& rank = hosted.ranks[local];
        for (std::uint32_t row = 0; row < rank.sends.size(); ++row) {
            const MpiSend& send = rank.sends[row];
            if (send.to >= hosted.hosting.ranks()) continue;
            const MpiCall& call = rank.calls[send.call];
            offers[static_cast<std::size_t>(hosted.hosting.hostOf(send.to))].push_back(
                {.from = first + static_cast<std::uint32_t>(local),
                 .row = row,
                 .to = send.to,
                 .comm = send.comm,
                 .tag = send.tag,
                 .call = send.call,
                 .piece = call.piece,
                 .isCancelled = send.isCancelled,
                 .begin = call.begin,
                 .pieceBegin = pieceBeginOf(hosted, local, call.piece),
                 .bytes = send.bytes});
        }
    }
    return offers;
}

// The offers that came, by process.
using Offers = std::vector<std::vector<OfferedSend>>;

Offers takeOffers(Transport& transport, const HostedRanks& hosted)
{
    const auto self = static_cast<std::size_t>(transport.process());
    Offers given = offersOf(transport, hosted);
    Offers offers(given.size());
    offers[self].swap(given[self]);  // stay here
    std::vector<Payload> packed;
    for (std::vector<OfferedSend>& rows : given) {
        Packer packer;
        if (!rows.empty()) put(packer, rows);
        packed.push_back(packer.take());
        std::vector<OfferedSend>().swap(rows);
    }
    transport.exchange(MatchingPass::OfferSends, std::move(packed), [&](int from, Payload bytes) {
        Unpacker unpacker(bytes);
        std::vector<OfferedSend>& rows = offers[static_cast<std::size_t>(from)];
        take(unpacker, rows);
        for (const OfferedSend& row : rows)
            if (!hosted.hosting.hosts(from, row.from) || !hosted.hosting.hosts(transport.process(), row.to))
                unpacker.refuse();
        if (unpacker.isWhole()) return;
        rows.clear();
        refuse(transport, from);
    });
    return offers;
}

// One rank's receives against what was offered to it.
class RankOffers {
public:
    RankOffers(const HostedRanks& hosted, std::size_t local, const Offers& offers)
        : m_hosted(hosted), m_rank(hosted.ranks[local]), m_local(local), m_offers(offers)
    {
    }

    struct Place {
        std::uint32_t process = 0;
        std::uint32_t row = 0;  // of its offers
    };
    // `answers`: by process, as long as its offers.
    void match(std::span<const Place> places, std::vector<std::vector<AnsweredSend>>& answers,
               ExchangedPartners::Rank& partners)
    {
        const MpiChannels offered = channelsOf(places.size(), [&](std::size_t i) {
            const OfferedSend& send = at(places[i]);
            return std::optional(MpiChannel{send.from, send.comm, send.tag});
        });
        const MpiChannels received = channelsOf(m_rank.receives.size(),
                                                [&](std::size_t i) { return channelOf(m_rank.receives[i]); });
        for (std::size_t i = 0; i < received.channels.size(); ++i) {
            matchChannel(
                offered.rowsOf(received.channels[i]), received.rowsOf(i),
                [&](std::uint32_t send) { return at(places[send]).isCancelled; },
                [&](std::uint32_t receive) { return m_rank.receives[receive].completion != noCall; },
                [&](std::uint32_t send, std::uint32_t receive) {
                    const Place& place = places[send];
                    partners.senders[receive] = senderOf(at(place));
                    answers[place.process][place.row] = answerOf(receive);
                });
        }
        matchProbes(m_rank, received, [&](std::size_t probe, std::uint32_t receive) {
            partners.probed[probe] = partners.senders[receive];
        });
    }

private:
    const OfferedSend& at(const Place& place) const { return m_offers[place.process][place.row]; }
    static MpiPartner senderOf(const OfferedSend& send)
    {
        MpiPartner sender;
        sender.rank = send.from;
        sender.row = send.row;
        sender.call = send.call;
        sender.piece = send.piece;
        sender.begin = send.begin;
        sender.knownBegin = send.pieceBegin;
        sender.bytes = send.bytes;
        return sender;
    }
    AnsweredSend answerOf(std::uint32_t row) const
    {
        const MpiReceive& receive = m_rank.receives[row];
        const MpiCall& posted = m_rank.calls[receive.call];
        return {.isMatched = true,
                .row = row,
                .call = receive.call,
                .piece = posted.piece,
                .begin = posted.begin,
                .pieceBegin = pieceBeginOf(m_hosted, m_local, posted.piece),
                .bytes = receive.bytes};
    }

    const HostedRanks& m_hosted;
    const MpiRank& m_rank;
    std::size_t m_local;
    const Offers& m_offers;
};

// Notes the answers of one process at the sends that were offered to it, in their order.
bool noteAnswers(const HostedRanks& hosted, int from, const std::vector<AnsweredSend>& answers,
                 ExchangedPartners& partners)
{
    std::size_t next = 0;
    for (std::size_t local = 0; local < hosted.ranks.size(); ++local) {
        const std::vector<MpiSend>& sends = hosted.ranks[local].sends;
        for (std::size_t row = 0; row < sends.size(); ++row) {
            if (!hosted.hosting.hosts(from, sends[row].to)) continue;
            if (next == answers.size()) return false;
            const AnsweredSend& answer = answers[next++];
            if (!answer.isMatched) continue;
            MpiPartner& receiver = partners.ranks[local].receivers[row];
            receiver.rank = sends[row].to;
            receiver.row = answer.row;
            receiver.call = answer.call;
            receiver.piece = answer.piece;
            receiver.begin = answer.begin;
            receiver.knownBegin = answer.pieceBegin;
            receiver.bytes = answer.bytes;
        }
    }
    return next == answers.size();
}

}  // namespace

ReceivedSends matchSends(Transport& transport, const HostedRanks& hosted, ExchangedPartners& partners)
{
    const Offers offers = takeOffers(transport, hosted);
    const std::uint32_t first = hosted.hosting.first(transport.process());
    const auto forEachOffer = [&](const auto& each) {
        for (std::uint32_t process = 0; process < offers.size(); ++process)
            for (std::uint32_t row = 0; row < offers[process].size(); ++row)
                each(offers[process][row].to - first, RankOffers::Place{process, row});
    };
    std::vector<std::size_t> next(hosted.ranks.size() + 1, 0);  // by rank: where its next offer goes
    forEachOffer([&next](std::uint32_t local, RankOffers::Place) { ++next[local + 1]; });
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<RankOffers::Place> places(next.back());
    forEachOffer([&](std::uint32_t local, RankOffers::Place place) { places[next[local]++] = place; });
    std::vector<std::vector<AnsweredSend>> answers(offers.size());
    for (std::size_t process = 0; process < offers.size(); ++process) answers[process].resize(offers[process].size());
    std::size_t begin = 0;
    for (std::size_t local = 0; local < hosted.ranks.size() && !transport.failed(); ++local) {
        const std::size_t end = next[local];
        RankOffers(hosted, local, offers)
            .match(std::span(places).subspan(begin, end - begin), answers, partners.ranks[local]);
        begin = end;
        transport.pulse();
    }
    ReceivedSends received(offers.size());
    std::vector<Payload> packed;
    for (std::size_t process = 0; process < offers.size(); ++process) {
        for (std::size_t row = 0; row < answers[process].size(); ++row)
            if (answers[process][row].isMatched)
                received[process].push_back({offers[process][row].to - first, answers[process][row].row});
        const bool isSelf = static_cast<int>(process) == transport.process();
        Packer packer;
        if (!isSelf && !answers[process].empty()) put(packer, answers[process]);
        packed.push_back(packer.take());
        if (isSelf && !noteAnswers(hosted, transport.process(), answers[process], partners))
            refuse(transport, transport.process());
    }
    transport.exchange(MatchingPass::AnswerSends, std::move(packed), [&](int from, Payload bytes) {
        Unpacker unpacker(bytes);
        std::vector<AnsweredSend> rows;
        take(unpacker, rows);
        if (!unpacker.isWhole() || !noteAnswers(hosted, from, rows, partners)) refuse(transport, from);
    });
    return received;
}

}  // namespace longpole
