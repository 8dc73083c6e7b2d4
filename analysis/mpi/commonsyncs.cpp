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

std::span<const CollectiveCalls::Call> CollectiveCalls::before(const Group& group, std::uint32_t call)
{
    const auto end = std::lower_bound(group.calls.begin(), group.calls.end(), call,
                                      [](const Call& one, std::uint32_t limit) { return one.call < limit; });
    return {group.calls.begin(), end};
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
CommonSync CollectiveCalls::lastOf(const Before& ownRank, std::span<const Call> own, const Before& theirRank,
                                   std::span<const Call> theirs, int& steps)
{
    const auto upTo = [](std::span<const Call> calls, std::int32_t instance) {
        const auto end = std::upper_bound(calls.begin(), calls.end(), instance,
                                          [](std::int32_t limit, const Call& one) { return limit < one.instance; });
        return calls.first(static_cast<std::size_t>(end - calls.begin()));
    };
    constexpr int mostLate = 64;  // instances to which the other came late; to look further back costs too much
    for (int late = 0; late < mostLate && !own.empty() && !theirs.empty() && steps > 0; --steps) {
        const Call& mine = own.back();
        const Call& other = theirs.back();
        if (mine.instance > other.instance) own = upTo(own, other.instance);
        else if (mine.instance < other.instance) theirs = upTo(theirs, mine.instance);
        else if (isNotBehind(ownRank.records.calls, mine.call, theirRank.records.calls, other.call))
            return {mine.call, other.call};
        else {
            ++late;
            own = own.first(own.size() - 1);
            theirs = theirs.first(theirs.size() - 1);
        }
    }
    return {};
}

// From the communicator that was used last on, until no other one can have a later call. Ranks that never meet in many
// of them are not worth a longer search.
CommonSync CollectiveCalls::last(const Before& own, const Before& theirs, const Recent& recent)
{
    CommonSync last;
    int steps = 1024;
    constexpr int stepsOfCommunicator = 4;
    const auto consider = [&](std::int32_t comm, std::int32_t root) {
        const Group* const mine = own.calls.group(comm, root);
        const Group* const other = mine != nullptr ? theirs.calls.group(comm, root) : nullptr;
        if (other == nullptr) return;
        const CommonSync found = lastOf(own, before(*mine, own.call), theirs, before(*other, theirs.call), steps);
        if (found.own != noWaitCall && (last.own == noWaitCall || found.own > last.own)) last = found;
    };
    for (std::size_t i = recent.m_latest; i != Recent::none && steps > 0; i = recent.m_comms[i].earlier) {
        if (last.own != noWaitCall && last.own >= recent.m_comms[i].lastUse) break;
        steps -= stepsOfCommunicator;
        const std::int32_t comm = own.calls.m_comms[i];
        if (!theirs.calls.m_places.contains(comm)) continue;
        consider(comm, -1);
        consider(comm, static_cast<std::int32_t>(own.rank));
        consider(comm, static_cast<std::int32_t>(theirs.rank));
    }
    return last;
}

std::vector<CommonSync> commonSyncs(const WaitRecords& records, std::span<const CollectiveCalls> collectives,
                                    std::uint32_t rank, const Progress& progress)
{
    constexpr std::size_t untilAsked = 1024;
    const WaitRank& own = records.ranks[rank];
    std::vector<CommonSync> found(own.waits.size());
    // By peer, the messages so far that can be the last before a wait. A message is dropped when a later one here
    // belongs to the same or an earlier call there, so the calls of both ascend.
    std::unordered_map<std::uint32_t, std::vector<CommonSync>> messages;
    CollectiveCalls::Recent recent(collectives[rank]);
    std::size_t next = 0;
    for (std::size_t i = 0; i < own.waits.size(); ++i) {
        if (i % untilAsked == 0 && progress.isCancelled()) break;
        const WaitCall& wait = own.waits[i];
        const std::uint32_t number = wait.call;
        recent.advance(number);
        for (; next < own.messages.size() && own.messages[next].own < number; ++next) {
            const WaitMessage& message = own.messages[next];
            if (!isNotBehind(own.calls, message.own, records.ranks[message.peer].calls, message.theirs)) continue;
            std::vector<CommonSync>& of = messages[message.peer];
            while (!of.empty() && of.back().theirs >= message.theirs) of.pop_back();
            of.push_back({message.own, message.theirs});
        }
        if (wait.culprit < 0 || wait.culprit >= static_cast<std::int64_t>(records.ranks.size())) continue;
        const auto culprit = static_cast<std::uint32_t>(wait.culprit);
        if (wait.culpritCall >= records.ranks[culprit].calls.size()) continue;
        CommonSync last = CollectiveCalls::last({collectives[rank], own, rank, number},
                                                {collectives[culprit], records.ranks[culprit], culprit,
                                                 wait.culpritCall},
                                                recent);
        if (const auto with = messages.find(culprit); with != messages.end()) {
            const auto end = std::lower_bound(with->second.begin(), with->second.end(), wait.culpritCall,
                                              [](const CommonSync& one, std::uint32_t call) {
                                                  return one.theirs < call;
                                              });
            if (end != with->second.begin() && (last.own == noWaitCall || std::prev(end)->own > last.own))
                last = *std::prev(end);
        }
        found[i] = last;
    }
    return found;
}

}  // namespace longpole
