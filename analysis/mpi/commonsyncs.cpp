// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/commonsyncs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace longpole {

namespace {

// Both waited in these calls as long as they had to; true if the other's wait ended no later.
bool isNotBehind(const CallTimes& own, std::uint32_t ownCall, const CallTimes& theirs, std::uint32_t theirCall)
{
    return theirs.wait(theirCall).end <= own.wait(ownCall).end;
}

}  // namespace

CollectiveCalls::CollectiveCalls(const WaitRank& rank)
{
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> groups;
    m_uses.reserve(rank.collectives.size());
    for (const WaitCollective& call : rank.collectives) {
        const auto [place, isFirst] = m_places.try_emplace(call.comm, static_cast<std::uint32_t>(m_comms.size()));
        if (isFirst) m_comms.push_back(call.comm);
        m_uses.push_back({place->second, call.call});
        const auto [found, isNew] = groups.try_emplace({call.comm, call.root}, m_groups.size());
        if (isNew) m_groups.push_back({call.comm, call.root, {}});
        std::vector<Call>& calls = m_groups[found->second].calls;
        if (calls.empty() || calls.back().instance < call.instance) calls.push_back({call.instance, call.call});
    }
    std::sort(m_groups.begin(), m_groups.end(),
              [](const Group& a, const Group& b) { return std::tie(a.comm, a.root) < std::tie(b.comm, b.root); });
}

const CollectiveCalls::Group* CollectiveCalls::group(std::int32_t comm, std::int32_t root) const
{
    const auto found = std::lower_bound(m_groups.begin(), m_groups.end(), std::pair(comm, root),
                                        [](const Group& group, const std::pair<std::int32_t, std::int32_t>& wanted) {
                                            return std::pair(group.comm, group.root) < wanted;
                                        });
    return found != m_groups.end() && found->comm == comm && found->root == root ? &*found : nullptr;
}

std::vector<bool> CollectiveCalls::inGroups(const std::vector<WaitCollective>& collectives)
{
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> latest;
    std::vector<bool> isIn;
    isIn.reserve(collectives.size());
    for (const WaitCollective& call : collectives) {
        const auto [found, isFirst] = latest.try_emplace({call.comm, call.root}, call.instance);
        isIn.push_back(isFirst || found->second < call.instance);
        if (isIn.back()) found->second = call.instance;
    }
    return isIn;
}

std::span<const CollectiveCalls::Call> CollectiveCalls::before(const Group& group, std::uint32_t call,
                                                               std::uint32_t from)
{
    const auto isBefore = [](const Call& one, std::uint32_t limit) { return one.call < limit; };
    const auto end = std::lower_bound(group.calls.begin(), group.calls.end(), call, isBefore);
    return {from > 0 ? std::lower_bound(group.calls.begin(), end, from, isBefore) : group.calls.begin(), end};
}

CollectiveCalls::Recent::Recent(const CollectiveCalls& calls) : m_calls(calls), m_comms(calls.m_comms.size()) {}

void CollectiveCalls::Recent::advance(std::uint32_t call)
{
    for (; m_next < m_calls.m_uses.size() && m_calls.m_uses[m_next].call < call; ++m_next)
        use(m_calls.m_uses[m_next].comm, m_calls.m_uses[m_next].call);
}

void CollectiveCalls::Recent::use(std::size_t comm, std::uint32_t call)
{
    Comm& used = m_comms[comm];
    used.lastUse = call;
    if (m_latest == comm) return;
    if (used.later != none) m_comms[used.later].earlier = used.earlier;
    if (used.earlier != none) m_comms[used.earlier].later = used.later;
    used.later = none;
    used.earlier = m_latest;
    if (m_latest != none) m_comms[m_latest].later = comm;
    m_latest = comm;
}

// Searches back for the last instance, which both sides number alike, that both have and in which the other rank was
// not behind; in so many steps.
CollectiveCalls::Meeting CollectiveCalls::lastOf(const Before& ownRank, const Group& ownGroup, const Before& theirRank,
                                                 const Group& theirGroup, int& steps)
{
    const auto upTo = [](std::span<const Call> calls, std::int32_t instance) {
        const auto end = std::upper_bound(calls.begin(), calls.end(), instance,
                                          [](std::int32_t limit, const Call& one) { return limit < one.instance; });
        return calls.first(static_cast<std::size_t>(end - calls.begin()));
    };
    std::span<const Call> own = before(ownGroup, ownRank.call, ownRank.from);
    std::span<const Call> theirs = before(theirGroup, theirRank.call);
    constexpr int mostLate = 64;  // instances to which the other came late; to look further back costs too much
    int late = 0;
    for (; late < mostLate && !own.empty() && !theirs.empty() && steps > 0; --steps) {
        const Call& mine = own.back();
        const Call& other = theirs.back();
        if (mine.instance > other.instance) own = upTo(own, other.instance);
        else if (mine.instance < other.instance) theirs = upTo(theirs, mine.instance);
        else if (isNotBehind(ownRank.records.calls, mine.call, theirRank.records.calls, other.call))
            return {{mine.call, other.call}, false};
        else {
            ++late;
            own = own.first(own.size() - 1);
            theirs = theirs.first(theirs.size() - 1);
        }
    }
    const bool isCut = ownRank.from > 0 && !before(ownGroup, std::min(ownRank.from, ownRank.call)).empty();
    return {{}, isCut && own.empty() && !theirs.empty() && late < mostLate && steps > 0};
}

// From the communicator that was used last on, until no other one can have a later call. Ranks that never meet in many
// of them are not worth a longer search.
std::optional<CommonSync> CollectiveCalls::last(const Before& own, const Before& theirs, const Recent& recent)
{
    CommonSync last;
    bool isDoubtful = false;  // it is not known how many steps have been taken
    bool isUnknown = false;
    int steps = 1024;
    constexpr int stepsOfCommunicator = 4;
    const auto consider = [&](std::int32_t comm, std::int32_t root) {
        const Group* const mine = own.calls.group(comm, root);
        const Group* const other = mine != nullptr ? theirs.calls.group(comm, root) : nullptr;
        if (other == nullptr) return;
        const Meeting found = lastOf(own, *mine, theirs, *other, steps);
        // A meeting among the calls that are not there would be earlier than one that was found.
        if (found.isDoubtful && last.own == noWaitCall) isUnknown = true;
        const CommonSync later = laterOf(last, found.sync);
        if (isDoubtful && later != last) isUnknown = true;
        isDoubtful = isDoubtful || found.isDoubtful;
        last = later;
    };
    for (std::size_t i = recent.m_latest; i != Recent::none && steps > 0 && !isUnknown; i = recent.m_comms[i].earlier) {
        if (last.own != noWaitCall && last.own >= recent.m_comms[i].lastUse) break;
        if (isDoubtful || recent.m_comms[i].lastUse < own.from) return {};
        steps -= stepsOfCommunicator;
        const std::int32_t comm = own.calls.m_comms[i];
        if (!theirs.calls.m_places.contains(comm)) continue;
        consider(comm, -1);
        consider(comm, static_cast<std::int32_t>(own.rank));
        consider(comm, static_cast<std::int32_t>(theirs.rank));
    }
    return isUnknown ? std::nullopt : std::optional(last);
}

void MeetingMessages::add(const WaitMessage& message)
{
    std::vector<CommonSync>& of = m_ofPeer[message.peer];
    while (!of.empty() && of.back().theirs >= message.theirs) of.pop_back();
    of.push_back({message.own, message.theirs});
}

CommonSync MeetingMessages::lastBefore(std::uint32_t peer, std::uint32_t call) const
{
    const auto with = m_ofPeer.find(peer);
    if (with == m_ofPeer.end()) return {};
    const auto end = std::lower_bound(with->second.begin(), with->second.end(), call,
                                      [](const CommonSync& one, std::uint32_t limit) { return one.theirs < limit; });
    return end != with->second.begin() ? *std::prev(end) : CommonSync{};
}

std::vector<CommonSync> commonSyncs(const WaitRecords& records, std::span<const CollectiveCalls> collectives,
                                    std::uint32_t rank, const Progress& progress)
{
    constexpr std::size_t untilAsked = 1024;
    const WaitRank& own = records.ranks[rank];
    std::vector<CommonSync> found(own.waits.size());
    MeetingMessages messages;
    CollectiveCalls::Recent recent(collectives[rank]);
    std::size_t next = 0;
    for (std::size_t i = 0; i < own.waits.size(); ++i) {
        if (i % untilAsked == 0 && progress.isCancelled()) break;
        const WaitCall& wait = own.waits[i];
        const std::uint32_t number = wait.call;
        recent.advance(number);
        for (; next < own.messages.size() && own.messages[next].own < number; ++next) {
            const WaitMessage& message = own.messages[next];
            if (isNotBehind(own.calls, message.own, records.ranks[message.peer].calls, message.theirs))
                messages.add(message);
        }
        if (wait.culprit < 0 || wait.culprit >= static_cast<std::int64_t>(records.ranks.size())) continue;
        const auto culprit = static_cast<std::uint32_t>(wait.culprit);
        if (wait.culpritCall >= records.ranks[culprit].calls.size()) continue;
        const auto last = CollectiveCalls::last({collectives[rank], own, rank, number},
                                                {collectives[culprit], records.ranks[culprit], culprit,
                                                 wait.culpritCall},
                                                recent);
        found[i] = laterOf(last.value_or(CommonSync{}), messages.lastBefore(culprit, wait.culpritCall));
    }
    return found;
}

}  // namespace longpole
