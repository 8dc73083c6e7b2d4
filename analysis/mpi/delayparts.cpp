// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/delayparts.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

// Whether, of two waits that end together, b is one of a's culprit before the call that a waited for, so that a hands
// time to b.
bool leadsTo(const TiedWait& a, const TiedWait& b)
{
    return a.culprit == static_cast<std::int32_t>(b.rank) && b.call < a.culpritCall;
}

class CostSum {
public:
    void add(const CodeCost& cost)
    {
        m_sum.direct = saturatingAdd(m_sum.direct, cost.direct);
        m_sum.propagated = saturatingAdd(m_sum.propagated, cost.propagated);
        if (cost.path != noCallPath)
            m_places[cost.path] = saturatingAdd(m_places[cost.path], cost.direct + cost.propagated);
    }
    DelayCost of(std::uint32_t code, std::uint32_t rank) const
    {
        const auto most = std::max_element(m_places.begin(), m_places.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        return {static_cast<EntryId>(code), rank, m_sum.direct, m_sum.propagated,
                most != m_places.end() ? most->first : noCallPath};
    }

private:
    DelayCost m_sum;
    std::map<std::uint32_t, TimeNs> m_places;  // by call path
};

}  // namespace

TimeRange timeSince(const WaitRank& rank, std::uint32_t since, std::uint32_t until)
{
    return {since == noWaitCall ? minTime : rank.calls.wait(since).end, rank.calls.begin(until)};
}

std::span<const WaitCall> waitsSince(const WaitRank& culprit, std::uint32_t since, std::uint32_t culpritCall)
{
    const auto isBefore = [](const WaitCall& one, std::uint32_t limit) { return one.call < limit; };
    const auto begin = culprit.waits.begin(), end = culprit.waits.end();
    const auto first = since == noWaitCall ? begin : std::lower_bound(begin, end, since + 1, isBefore);
    return {first, std::lower_bound(first, end, culpritCall, isBefore)};
}

void keepExcess(std::vector<CodeTime>& theirs, const std::vector<CodeTime>& mine)
{
    auto own = mine.begin();
    std::size_t kept = 0;
    for (std::size_t first = 0, last = 0; first < theirs.size(); first = last) {
        const std::uint32_t code = theirs[first].code;
        TimeNs time = 0, ownTime = 0;
        for (; last < theirs.size() && theirs[last].code == code; ++last) time = saturatingAdd(time, theirs[last].time);
        while (own != mine.end() && own->code < code) ++own;
        for (; own != mine.end() && own->code == code; ++own) ownTime = saturatingAdd(ownTime, own->time);
        Shares excess(std::max<TimeNs>(0, time - ownTime), time);
        for (; first < last; ++first)
            if (const TimeNs part = excess.next(theirs[first].time); part > 0)
                theirs[kept++] = {code, theirs[first].path, part};
    }
    theirs.resize(kept);
}

void orderTiedWaits(std::span<TiedWait> tie)
{
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::unordered_map<std::uint32_t, std::size_t> ofRank;
    for (std::size_t i = 0; i < tie.size(); ++i) ofRank.try_emplace(tie[i].rank, i);
    std::vector<std::size_t> next(tie.size(), none), leading(tie.size(), 0);
    for (std::size_t i = 0; i < tie.size(); ++i) {
        const auto found = tie[i].culprit < 0 ? ofRank.end() : ofRank.find(static_cast<std::uint32_t>(tie[i].culprit));
        if (found == ofRank.end() || !leadsTo(tie[i], tie[found->second])) continue;
        next[i] = found->second;
        ++leading[found->second];
    }
    std::vector<TiedWait> ordered;
    ordered.reserve(tie.size());
    std::vector<bool> isPlaced(tie.size(), false);
    const auto place = [&](std::size_t i) {
        for (; i != none && !isPlaced[i]; i = next[i]) {
            ordered.push_back(tie[i]);
            isPlaced[i] = true;
            if (next[i] != none && --leading[next[i]] > 0) break;
        }
    };
    for (std::size_t i = 0; i < tie.size(); ++i)
        if (leading[i] == 0) place(i);
    for (std::size_t i = 0; i < tie.size(); ++i) place(i);
    std::copy(ordered.begin(), ordered.end(), tie.begin());
}

DelayCosts sumOfCosts(const std::vector<CodeCost>& costs)
{
    std::map<std::uint32_t, CostSum> ofCodes;
    std::map<std::pair<std::uint32_t, std::uint32_t>, CostSum> ofRanks;  // by (code, rank)
    for (const CodeCost& cost : costs) {
        if (cost.direct + cost.propagated == 0) continue;
        ofCodes[cost.code].add(cost);
        ofRanks[{cost.code, cost.rank}].add(cost);
    }
    DelayCosts result;
    for (const auto& [code, sum] : ofCodes) result.byEntry.push_back(sum.of(code, DelayCost().rank));
    for (const auto& [key, sum] : ofRanks) result.byRank.push_back(sum.of(key.first, key.second));
    const auto isLarger = [](const DelayCost& a, const DelayCost& b) { return a.sum() > b.sum(); };
    std::stable_sort(result.byEntry.begin(), result.byEntry.end(), isLarger);
    std::stable_sort(result.byRank.begin(), result.byRank.end(), isLarger);
    return result;
}

}  // namespace longpole
