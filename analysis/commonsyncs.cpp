// Goes over a rank's calls in order and keeps, per other rank, the messages that may be the last one before a wait.
#include "analysis/commonsyncs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace longpole {

CollectiveCalls::CollectiveCalls(const WaitRank& rank)
{
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> groups;
    for (std::uint32_t number = 0; number < rank.calls.size(); ++number) {
        const WaitCall& call = rank.calls[number];
        if (call.instance < 0) continue;
        const auto [found, isNew] = groups.try_emplace({call.comm, call.root}, m_groups.size());
        if (isNew) m_groups.push_back({call.comm, call.root, {}});
        std::vector<Call>& calls = m_groups[found->second].calls;
        if (calls.empty() || calls.back().instance < call.instance) calls.push_back({call.instance, number});
    }
    std::sort(m_groups.begin(), m_groups.end(), [](const Group& a, const Group& b) {
        return std::tie(a.comm, a.root) < std::tie(b.comm, b.root);
    });
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

// Instances are the same numbers on both sides; one may lack some of them.
CommonSync CollectiveCalls::lastOf(std::span<const Call> own, std::span<const Call> theirs)
{
    const auto upTo = [](std::span<const Call> calls, std::int32_t instance) {
        const auto end = std::upper_bound(calls.begin(), calls.end(), instance,
                                          [](std::int32_t limit, const Call& one) { return limit < one.instance; });
        return calls.first(static_cast<std::size_t>(end - calls.begin()));
    };
    while (!own.empty() && !theirs.empty()) {
        const std::int32_t mine = own.back().instance;
        const std::int32_t other = theirs.back().instance;
        if (mine == other) return {own.back().call, theirs.back().call};
        if (mine > other) own = upTo(own, other);
        else theirs = upTo(theirs, mine);
    }
    return {};
}

CommonSync CollectiveCalls::last(const CollectiveCalls& own, std::uint32_t ownRank, std::uint32_t ownCall,
                                 const CollectiveCalls& theirs, std::uint32_t theirRank, std::uint32_t theirCall)
{
    CommonSync last;
    const auto consider = [&](const Group* mine) {
        if (mine == nullptr) return;
        const Group* const other = theirs.group(mine->comm, mine->root);
        if (other == nullptr) return;
        const CommonSync found = lastOf(before(*mine, ownCall), before(*other, theirCall));
        if (found.own != noWaitCall && (last.own == noWaitCall || found.own > last.own)) last = found;
    };
    for (std::size_t i = 0; i < own.m_groups.size(); ++i) {
        const std::int32_t comm = own.m_groups[i].comm;
        if (i > 0 && own.m_groups[i - 1].comm == comm) continue;
        consider(own.group(comm, -1));
        consider(own.group(comm, static_cast<std::int32_t>(ownRank)));
        consider(own.group(comm, static_cast<std::int32_t>(theirRank)));
    }
    return last;
}

std::vector<CommonSync> commonSyncs(const WaitRecords& records, std::span<const CollectiveCalls> collectives,
                                    std::uint32_t rank)
{
    const WaitRank& own = records.ranks[rank];
    std::vector<CommonSync> found(own.waits.size());
    // Per peer: messages of which none has both an earlier call there and a later one here than another; so both ascend.
    std::unordered_map<std::uint32_t, std::vector<CommonSync>> messages;
    std::size_t next = 0;
    for (std::size_t i = 0; i < own.waits.size(); ++i) {
        const std::uint32_t number = own.waits[i];
        const WaitCall& wait = own.calls[number];
        for (; next < own.messages.size() && own.messages[next].own < number; ++next) {
            std::vector<CommonSync>& of = messages[own.messages[next].peer];
            while (!of.empty() && of.back().theirs >= own.messages[next].theirs) of.pop_back();
            of.push_back({own.messages[next].own, own.messages[next].theirs});
        }
        if (wait.culprit < 0 || wait.culprit >= static_cast<std::int64_t>(records.ranks.size())) continue;
        const auto culprit = static_cast<std::uint32_t>(wait.culprit);
        if (wait.culpritCall >= records.ranks[culprit].calls.size()) continue;
        CommonSync last = CollectiveCalls::last(collectives[rank], rank, number, collectives[culprit], culprit,
                                                wait.culpritCall);
        if (const auto with = messages.find(culprit); with != messages.end()) {
            const auto end = std::lower_bound(with->second.begin(), with->second.end(), wait.culpritCall,
                                              [](const CommonSync& one, std::uint32_t call) { return one.theirs < call; });
            if (end != with->second.begin() && (last.own == noWaitCall || std::prev(end)->own > last.own))
                last = *std::prev(end);
        }
        found[i] = last;
    }
    return found;
}

}  // namespace longpole
