// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/settledplace.h"

#include "importers/mpi/collectivecall.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace longpole {
namespace {

class Settlement {
public:
    Settlement(std::span<const MpiRank> ranks, const MpiMatches& matches, std::span<const MpiStanding> standings)
        : m_ranks(ranks), m_matches(matches), m_standings(standings)
    {
    }

    std::optional<SettledPart> find() const
    {
        for (std::uint32_t rank = 0; rank < m_ranks.size(); ++rank)
            if (!isRankSettled(rank)) return std::nullopt;
        return collectives();
    }

private:
    const MpiStanding::Counts& counts(std::uint32_t rank) const { return m_standings[rank].counts; }

    bool isRankSettled(std::uint32_t number) const
    {
        const MpiRank& rank = m_ranks[number];
        const MpiStanding& standing = m_standings[number];
        if (!standing.isSettled || !standing.hasStarted || standing.counts.calls == 0) return false;
        if (!rank.windowSteps.empty() && rank.windowSteps.front().call < standing.counts.calls) return false;
        return areSendsSettled(number) && areReceivesSettled(number) && areProbesSettled(number);
    }

    bool isBefore(std::uint32_t completion, std::uint32_t rank) const
    {
        return completion != noCall && completion < counts(rank).calls;
    }

    bool areSendsSettled(std::uint32_t rank) const
    {
        for (std::size_t i = 0; i < counts(rank).sends; ++i) {
            const MpiSend& send = m_ranks[rank].sends[i];
            const MpiPlace& to = m_matches.receiveOf[rank][i];
            if (send.isCancelled || !isBefore(send.completion, rank)) return false;
            if (!to.isValid() || to.index >= counts(to.rank).receives) return false;
        }
        return true;
    }

    bool areReceivesSettled(std::uint32_t rank) const
    {
        for (std::size_t i = 0; i < counts(rank).receives; ++i) {
            const MpiReceive& receive = m_ranks[rank].receives[i];
            if (receive.isEmpty) continue;  // nobody was to send anything
            const MpiPlace& from = m_matches.sendOf[rank][i];
            if (receive.isCancelled || !isBefore(receive.completion, rank)) return false;
            if (!from.isValid() || from.index >= counts(from.rank).sends) return false;
        }
        return true;
    }

    // As many messages were taken by probes as were received by calls that need such a probe.
    bool areProbesSettled(std::uint32_t rank) const
    {
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>, std::int64_t> taken;  // and not received
        for (std::size_t i = 0; i < counts(rank).probes; ++i) {
            const MpiProbe& probe = m_ranks[rank].probes[i];
            const MpiPlace& from = m_matches.probeOf[rank][i];
            if (!from.isValid() || from.index >= counts(from.rank).sends) return false;
            if (probe.takes) ++taken[{probe.from, probe.comm, probe.tag}];
        }
        for (std::size_t i = 0; i < counts(rank).receives; ++i) {
            const MpiReceive& receive = m_ranks[rank].receives[i];
            if (receive.isMatched && !receive.isEmpty) --taken[{receive.from, receive.comm, receive.tag}];
        }
        return std::all_of(taken.begin(), taken.end(), [](const auto& left) { return left.second == 0; });
    }

    // The instances before the place: all of their members are, and they are the first ones of the run, also when later
    // ones have come, all of whose members call after the place.
    std::optional<SettledPart> collectives() const
    {
        std::vector<std::uint32_t> members(m_matches.instances.size(), 0);
        std::uint32_t meeting = noInstance;
        TimeNs nextCall = maxTime;
        for (std::uint32_t rank = 0; rank < m_ranks.size(); ++rank) {
            const std::size_t parts = counts(rank).collectives;
            if (parts == 0) return std::nullopt;
            for (std::size_t part = 0; part < parts; ++part) {
                const std::uint32_t number = m_matches.instanceOf[rank][part];
                if (number == noInstance || !isBefore(m_ranks[rank].collectives[part].completion, rank))
                    return std::nullopt;
                ++members[number];
            }
            const std::uint32_t last = m_matches.instanceOf[rank][parts - 1];
            if (m_ranks[rank].collectives[parts - 1].call + std::size_t{1} != counts(rank).calls) return std::nullopt;
            if (rank > 0 && last != meeting) return std::nullopt;
            meeting = last;
            nextCall = std::min(nextCall, m_standings[rank].now);
        }
        if (!m_matches.instances[meeting].isGlobal || m_matches.instances[meeting].memberCount != m_ranks.size())
            return std::nullopt;
        return settledInstances(members, nextCall);
    }

    std::optional<SettledPart> settledInstances(const std::vector<std::uint32_t>& members, TimeNs nextCall) const
    {
        static const std::map<std::uint32_t, std::vector<std::uint32_t>> none;
        SettledPart settled;
        const auto isAfter = [](std::uint32_t count) { return count == 0; };
        const auto end = std::find_if(members.begin(), members.end(), isAfter);
        if (!std::all_of(end, members.end(), isAfter)) return std::nullopt;
        settled.instances = static_cast<std::uint32_t>(end - members.begin());
        for (std::uint32_t number = 0; number < settled.instances; ++number) {
            const MpiInstance& instance = m_matches.instances[number];
            if (members[number] != instance.memberCount || instance.kind == CollectiveKind::None || !instance.isComplete
                || instance.pairing != Pairing::Each || instance.latestBegin >= nextCall)
                return std::nullopt;
            const bool hasHub = m_ranks[instance.latestRank].calls[instance.latestCall].hub != noPiece;
            const auto known = m_matches.sources.find(instance.comm);
            const MemberPairs wanted = memberPairs(instance, hasHub,
                                                   known == m_matches.sources.end() ? none : known->second);
            settled.sources += wanted.sources;
            settled.pairs += wanted.pairs;
        }
        return settled;
    }

    std::span<const MpiRank> m_ranks;
    const MpiMatches& m_matches;
    std::span<const MpiStanding> m_standings;
};

}  // namespace

std::optional<SettledPart> settledUntil(std::span<const MpiRank> ranks, const MpiMatches& matches,
                                        std::span<const MpiStanding> standings)
{
    return Settlement(ranks, matches, standings).find();
}

bool maySettle(const MpiRank& rank)
{
    const auto isCancelled = [](const MpiSend& send) { return send.isCancelled; };
    const auto isGone = [](const MpiReceive& receive) { return receive.isCancelled && !receive.isEmpty; };
    return rank.windowSteps.empty() && std::none_of(rank.sends.begin(), rank.sends.end(), isCancelled)
           && std::none_of(rank.receives.begin(), rank.receives.end(), isGone);
}

void addSettled(const SettledPart& part, const MpiMatches& matches, std::size_t communicators, MpiBefore& before)
{
    before.sources += part.sources;
    before.pairs += part.pairs;
    before.collectives.resize(communicators);
    for (std::uint32_t number = 0; number < part.instances; ++number)
        if (const std::uint32_t comm = matches.instances[number].comm; comm < communicators) ++before.collectives[comm];
}

}  // namespace longpole
