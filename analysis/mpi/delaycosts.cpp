// SPDX-License-Identifier: GPL-3.0-or-later
// Goes through the waits of a run backward in time. Each divides its own time and what later waits have handed to it
// among the code that its culprit ran in excess and the culprit's own waits.
#include "analysis/mpi/delaycosts.h"

#include "analysis/mpi/commonsyncs.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/shares.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace longpole {

namespace {

struct Wait {
    std::uint32_t rank = 0;
    std::uint32_t call = 0;
    CommonSync since{};
    TimeNs handed = 0;  // time that it got from the waits it caused
    TimeNs end = 0;
};

// The causes of a wait, which share its time in proportion to these times.
struct Parts {
    TimeNs whole = 0;
    std::vector<CodeTime> code;                           // what the culprit ran more than the rank that waited
    std::vector<std::pair<std::uint32_t, TimeNs>> waits;  // of the culprit: index in m_waits, time
};

// Whether, of two waits that end together, b is one of a's culprit before the call that a waited for, so that a hands
// time to b.
bool leadsTo(const WaitCall& a, const Wait& b)
{
    return a.culprit == static_cast<std::int32_t>(b.rank) && b.call < a.culpritCall;
}

class Replay {
public:
    Replay(const WaitRecords& records, const WaitChoice& choice, const Progress& progress)
        : m_records(records), m_choice(choice), m_progress(progress)
    {
    }

    Result<DelayCosts> run()
    {
        gatherWaits();
        orderWaits();
        constexpr std::size_t batch = 8192;
        std::vector<Parts> parts(batch);
        for (std::size_t first = 0; first < m_order.size(); first += batch) {
            if (m_progress.isCancelled()) return cancelledError();
            const std::size_t count = std::min(batch, m_order.size() - first);
            constexpr std::size_t together = 64;
            parallelFor((count + together - 1) / together, [&](std::size_t block) {
                for (std::size_t i = block * together; i < std::min(count, (block + 1) * together); ++i)
                    find(m_order[first + i], parts[i]);
            });
            for (std::size_t i = 0; i < count; ++i) handOn(m_order[first + i], parts[i]);
            m_progress.report(static_cast<double>(first + count) / static_cast<double>(m_order.size()));
        }
        return costs();
    }

private:
    const WaitCall& callOf(const Wait& wait) const { return m_records.ranks[wait.rank].calls[wait.call]; }

    void gatherWaits()
    {
        const auto ranks = static_cast<std::uint32_t>(m_records.ranks.size());
        m_firstWait.assign(ranks + 1, 0);
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            m_firstWait[rank + 1] = m_firstWait[rank] + m_records.ranks[rank].waits.size();
        m_waits.resize(m_firstWait.back());
        std::vector<CollectiveCalls> collectives;
        collectives.reserve(ranks);
        for (const WaitRank& rank : m_records.ranks) collectives.emplace_back(rank);
        parallelFor(ranks, [&](std::size_t rank) {
            if (m_progress.isCancelled()) return;
            const WaitRank& records = m_records.ranks[rank];
            const auto syncs = commonSyncs(m_records, collectives, static_cast<std::uint32_t>(rank));
            for (std::size_t i = 0; i < syncs.size(); ++i) {
                const std::uint32_t call = records.waits[i];
                m_waits[m_firstWait[rank] + i] = {static_cast<std::uint32_t>(rank), call, syncs[i], 0,
                                                  records.calls[call].wait().end};
            }
        });
    }

    // Latest end first. Of waits that end together, one that hands time to another comes before that.
    void orderWaits()
    {
        m_order.resize(m_waits.size());
        std::iota(m_order.begin(), m_order.end(), 0u);
        std::sort(m_order.begin(), m_order.end(), [this](std::uint32_t a, std::uint32_t b) {
            return m_waits[a].end != m_waits[b].end ? m_waits[a].end > m_waits[b].end : a > b;
        });
        for (std::size_t first = 0; first < m_order.size();) {
            std::size_t last = first + 1;
            while (last < m_order.size() && m_waits[m_order[last]].end == m_waits[m_order[first]].end) ++last;
            if (last - first > 1) orderTie({m_order.begin() + std::ptrdiff_t(first), last - first});
            first = last;
        }
        m_place.resize(m_order.size());
        for (std::uint32_t i = 0; i < m_order.size(); ++i) m_place[m_order[i]] = i;
    }

    // Orders waits that end together. Each leads to one other at most, the wait of its culprit. Cycles, which occur if
    // clocks disagree, are broken anywhere.
    void orderTie(std::span<std::uint32_t> tie) const
    {
        constexpr std::size_t none = static_cast<std::size_t>(-1);
        std::unordered_map<std::uint32_t, std::size_t> ofRank;
        for (std::size_t i = 0; i < tie.size(); ++i) ofRank.try_emplace(m_waits[tie[i]].rank, i);
        std::vector<std::size_t> next(tie.size(), none), leading(tie.size(), 0);
        for (std::size_t i = 0; i < tie.size(); ++i) {
            const WaitCall& call = callOf(m_waits[tie[i]]);
            const auto found = call.culprit < 0 ? ofRank.end() : ofRank.find(static_cast<std::uint32_t>(call.culprit));
            if (found == ofRank.end() || !leadsTo(call, m_waits[tie[found->second]])) continue;
            next[i] = found->second;
            ++leading[found->second];
        }
        std::vector<std::uint32_t> ordered;
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

    // From the end of the wait in the call in which both ranks last met to the begin of the call `until`.
    static TimeRange interval(const WaitRank& rank, std::uint32_t since, std::uint32_t until)
    {
        return {since == noWaitCall ? minTime : rank.calls[since].wait().end, rank.calls[until].begin};
    }

    void find(std::uint32_t number, Parts& parts) const
    {
        parts.whole = 0;
        parts.code.clear();
        parts.waits.clear();
        const Wait& wait = m_waits[number];
        const WaitCall& call = callOf(wait);
        if (call.culprit < 0 || static_cast<std::size_t>(call.culprit) >= m_records.ranks.size()) return;
        const WaitRank& own = m_records.ranks[wait.rank];
        const WaitRank& culprit = m_records.ranks[static_cast<std::size_t>(call.culprit)];
        if (call.culpritCall >= culprit.calls.size()) return;
        std::vector<CodeTime> mine;
        culprit.activity.times(interval(culprit, wait.since.theirs, call.culpritCall), parts.code);
        own.activity.times(interval(own, wait.since.own, wait.call), mine);
        keepExcess(parts.code, mine);
        for (const CodeTime& code : parts.code) parts.whole = saturatingAdd(parts.whole, code.time);
        addWaits(number, culprit, parts);
    }

    static void keepExcess(std::vector<CodeTime>& theirs, const std::vector<CodeTime>& mine)
    {
        auto own = mine.begin();
        std::size_t kept = 0;
        for (const CodeTime& code : theirs) {
            while (own != mine.end() && own->code < code.code) ++own;
            const TimeNs excess = own != mine.end() && own->code == code.code ? code.time - own->time : code.time;
            if (excess > 0) theirs[kept++] = {code.code, excess};
        }
        theirs.resize(kept);
    }

    // Adds the culprit's waits since both met. One that has been dealt with already, as clocks disagree, is left out.
    void addWaits(std::uint32_t number, const WaitRank& culprit, Parts& parts) const
    {
        const Wait& wait = m_waits[number];
        const WaitCall& call = callOf(wait);
        const std::size_t offset = m_firstWait[static_cast<std::size_t>(call.culprit)];
        auto next = culprit.waits.begin();
        if (wait.since.theirs != noWaitCall)
            next = std::upper_bound(culprit.waits.begin(), culprit.waits.end(), wait.since.theirs);
        for (; next != culprit.waits.end() && *next < call.culpritCall; ++next) {
            const auto other = static_cast<std::uint32_t>(offset + std::size_t(next - culprit.waits.begin()));
            if (m_place[other] <= m_place[number]) continue;
            parts.waits.emplace_back(other, culprit.calls[*next].severity);
            parts.whole = saturatingAdd(parts.whole, culprit.calls[*next].severity);
        }
    }

    void handOn(std::uint32_t number, const Parts& parts)
    {
        const Wait& wait = m_waits[number];
        const WaitCall& call = callOf(wait);
        const bool isChosen = m_choice.takes(wait.rank)
                              && m_choice.takesSeverity(call.pattern, call.flags, call.wait());
        const TimeNs own = isChosen ? call.severity : 0;
        if ((own == 0 && wait.handed == 0) || parts.whole <= 0) return;
        Shares direct(own, parts.whole);
        Shares propagated(wait.handed, parts.whole);
        const auto culprit = static_cast<std::uint32_t>(call.culprit);
        for (const CodeTime& code : parts.code) {
            DelayCost& cost = m_costs[{code.code, culprit}];
            cost.direct = saturatingAdd(cost.direct, direct.next(code.time));
            cost.propagated = saturatingAdd(cost.propagated, propagated.next(code.time));
        }
        for (const auto& [other, time] : parts.waits) {
            const TimeNs part = saturatingAdd(direct.next(time), propagated.next(time));
            m_waits[other].handed = saturatingAdd(m_waits[other].handed, part);
        }
    }

    DelayCosts costs() const
    {
        DelayCosts result;
        for (const auto& [key, cost] : m_costs) {
            if (cost.sum() == 0) continue;
            const auto entry = static_cast<EntryId>(key.first);
            result.byRank.push_back({entry, key.second, cost.direct, cost.propagated});
            if (result.byEntry.empty() || result.byEntry.back().entry != entry)
                result.byEntry.push_back({.entry = entry});
            DelayCost& sum = result.byEntry.back();
            sum.direct = saturatingAdd(sum.direct, cost.direct);
            sum.propagated = saturatingAdd(sum.propagated, cost.propagated);
        }
        const auto isLarger = [](const DelayCost& a, const DelayCost& b) { return a.sum() > b.sum(); };
        std::stable_sort(result.byEntry.begin(), result.byEntry.end(), isLarger);
        std::stable_sort(result.byRank.begin(), result.byRank.end(), isLarger);
        return result;
    }

    const WaitRecords& m_records;
    const WaitChoice& m_choice;
    const Progress& m_progress;
    std::vector<std::size_t> m_firstWait;                                  // by rank: its first one in m_waits
    std::vector<Wait> m_waits;                                             // sorted by rank, then call
    std::vector<std::uint32_t> m_order;                                    // waits in the order they are dealt with
    std::vector<std::uint32_t> m_place;                                    // by wait: its place in that order
    std::map<std::pair<std::uint32_t, std::uint32_t>, DelayCost> m_costs;  // by (code, rank)
};

}  // namespace

Result<DelayCosts> delayCosts(const TraceStore& store, const WaitChoice& choice, const Progress& progress)
{
    const auto records = waitRecords(store, progress);
    if (!records) return records.error();
    return delayCosts(*records, choice, progress);
}

Result<DelayCosts> delayCosts(const WaitRecords& records, const WaitChoice& choice, const Progress& progress)
{
    return Replay(records, choice, progress).run();
}

}  // namespace longpole
