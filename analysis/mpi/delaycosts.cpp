// SPDX-License-Identifier: GPL-3.0-or-later
// Goes through the waits of a run backward in time. Each divides its own time and what later waits have handed to it
// among the code that its culprit ran in excess and the culprit's own waits.
#include "analysis/mpi/delaycosts.h"

#include "analysis/mpi/commonsyncs.h"
#include "analysis/mpi/delayparts.h"
#include "core/base/drawnhash.h"
#include "core/base/parallel.h"
#include "core/base/result.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

// One of WaitRank::waits, which has the same place among those of its rank.
struct Wait {
    std::uint32_t rank = 0;
    CommonSync since{};
    std::uint32_t causes = 0;  // at most; tooManyCauses: is not looked into
    TimeNs handed = 0;         // time that it got from the waits it caused
};

// The causes of a wait, which share its time in proportion to these times.
struct Parts {
    TimeNs whole = 0;
    std::vector<CodeTime> code;                           // what the culprit ran more than the rank that waited
    std::vector<std::pair<std::uint32_t, TimeNs>> waits;  // of the culprit: index in m_waits, time
};

class Replay {
public:
    Replay(WaitRecords records, const WaitChoice& choice, const Progress& progress, const Limit& most)
        : m_records(std::move(records)), m_choice(choice), m_progress(progress), m_most(most)
    {
    }

    Result<DelayCosts> run()
    {
        gatherWaits();
        if (m_progress.isCancelled()) return cancelledError();  // some waits are not known then
        orderWaits();
        limitCauses();
        Batch known, wanted;
        const auto all = static_cast<double>(std::max<std::size_t>(1, m_order.size()));
        do {
            if (m_progress.isCancelled()) return cancelledError();
            wanted.first = known.last;
            wanted.last = endOfBatch(wanted.first);
            divide(known, wanted);
            std::swap(known, wanted);
            m_progress.report(static_cast<double>(known.first) / all);
        } while (known.first < known.last);
        return costs();
    }

private:
    // Waits whose causes are found before any is divided among them, and causes of these; room for so many causes stays
    // for each.
    struct Batch {
        std::size_t first = 0, last = 0;  // in m_order
        std::vector<Parts> parts{mostTogether};
    };
    static constexpr std::size_t mostTogether = 1 << 16;
    static constexpr std::uint32_t causesTogether = 1 << 20;
    static constexpr std::uint32_t mostKept = 64;

    const WaitCall& callOf(std::uint32_t number) const
    {
        const std::uint32_t rank = m_waits[number].rank;
        return m_records.ranks[rank].waits[number - m_firstWait[rank]];
    }
    TimeRange timeOf(std::uint32_t number) const
    {
        return m_records.ranks[m_waits[number].rank].calls.wait(callOf(number).call);
    }
    TimeNs endOf(std::uint32_t number) const { return timeOf(number).end; }

    void gatherWaits()
    {
        const auto ranks = static_cast<std::uint32_t>(m_records.ranks.size());
        m_firstWait.assign(ranks + 1, 0);
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            m_firstWait[rank + 1] = m_firstWait[rank] + m_records.ranks[rank].waits.size();
        m_waits.resize(m_firstWait.back());
        m_costs.resize(ranks);
        std::vector<CollectiveCalls> collectives;
        collectives.reserve(ranks);
        for (WaitRank& rank : m_records.ranks) {
            collectives.emplace_back(rank);
            std::vector<WaitCollective>().swap(rank.collectives);
        }
        parallelFor(ranks, [&](std::size_t rank) {
            if (m_progress.isCancelled()) return;
            const auto syncs = commonSyncs(m_records, collectives, static_cast<std::uint32_t>(rank), m_progress);
            for (std::size_t i = 0; i < syncs.size(); ++i) {
                Wait& wait = m_waits[m_firstWait[rank] + i];
                wait = {.rank = static_cast<std::uint32_t>(rank), .since = syncs[i]};
                wait.causes = causesOf(wait, m_records.ranks[rank].waits[i]);
            }
        });
        for (WaitRank& rank : m_records.ranks) std::vector<WaitMessage>().swap(rank.messages);
    }

    // The causes of each wait are its own alone, so that their number grows as the square of the waits if ranks never
    // meet. In the order in which time is handed on, those that go beyond the limit have none.
    void limitCauses()
    {
        std::int64_t left = std::min(m_most.of(static_cast<std::int64_t>(m_waits.size())), m_records.mostCauses);
        for (const std::uint32_t number : m_order) {
            std::uint32_t& causes = m_waits[number].causes;
            if (causes > left) causes = tooManyCauses;
            else left -= causes;
        }
    }

    std::size_t endOfBatch(std::size_t first) const
    {
        std::size_t last = first;
        for (std::uint32_t left = causesTogether; last < m_order.size() && last - first < mostTogether; ++last) {
            const std::uint32_t causes = m_waits[m_order[last]].causes;
            if (causes == tooManyCauses) continue;
            if (causes > left && last > first) break;
            left -= std::min(left, causes);
        }
        return last;
    }

    bool isBefore(std::uint32_t a, std::uint32_t b) const
    {
        const TimeNs endOfA = endOf(a), endOfB = endOf(b);
        return endOfA != endOfB ? endOfA > endOfB : a > b;
    }

    // Latest end first. Of waits that end together, one that hands time to another comes before that.
    void orderWaits()
    {
        mergeRanks();
        for (std::size_t first = 0; first < m_order.size();) {
            std::size_t last = first + 1;
            const TimeNs end = endOf(m_order[first]);
            while (last < m_order.size() && endOf(m_order[last]) == end) ++last;
            if (last - first > 1) orderTie({m_order.begin() + std::ptrdiff_t(first), last - first});
            first = last;
        }
        for (std::uint32_t i = 0; i < m_order.size(); ++i) m_place[m_order[i]] = i;
    }

    // The waits of a rank are in order but for those of several threads, so that its latest ones need only be merged
    // with those of other ranks.
    void mergeRanks()
    {
        std::vector<std::uint32_t>& ofRanks = m_place;  // until m_order is there
        ofRanks.resize(m_waits.size());
        const auto at = [&](std::size_t place) { return ofRanks.begin() + std::ptrdiff_t(place); };
        const auto isLater = [this](std::uint32_t a, std::uint32_t b) { return isBefore(a, b); };
        parallelFor(m_records.ranks.size(), [&](std::size_t rank) {
            const auto first = at(m_firstWait[rank]), last = at(m_firstWait[rank + 1]);
            std::iota(first, last, static_cast<std::uint32_t>(m_firstWait[rank]));
            std::reverse(first, last);
            if (!std::is_sorted(first, last, isLater)) std::sort(first, last, isLater);
        });
        struct Head {
            TimeNs end;
            std::uint32_t wait;
            std::size_t next;  // place behind it in ofRanks
            std::size_t last;
            bool operator<(const Head& other) const { return std::tie(end, wait) < std::tie(other.end, other.wait); }
        };
        std::priority_queue<Head> heads;
        const auto push = [&](std::size_t place, std::size_t last) {
            if (place < last) heads.push({endOf(ofRanks[place]), ofRanks[place], place + 1, last});
        };
        for (std::size_t rank = 0; rank + 1 < m_firstWait.size(); ++rank)
            push(m_firstWait[rank], m_firstWait[rank + 1]);
        m_order.reserve(m_waits.size());
        while (!heads.empty()) {
            const Head head = heads.top();
            heads.pop();
            m_order.push_back(head.wait);
            push(head.next, head.last);
        }
    }

    void orderTie(std::span<std::uint32_t> tie) const
    {
        std::vector<TiedWait> waits;
        waits.reserve(tie.size());
        for (const std::uint32_t number : tie) {
            const WaitCall& call = callOf(number);
            const std::uint32_t rank = m_waits[number].rank;
            waits.push_back({rank, static_cast<std::uint32_t>(number - m_firstWait[rank]), call.call, call.culprit,
                             call.culpritCall});
        }
        orderTiedWaits(waits);
        for (std::size_t i = 0; i < tie.size(); ++i)
            tie[i] = static_cast<std::uint32_t>(m_firstWait[waits[i].rank] + waits[i].place);
    }

    // Null if the rank or its call is not known.
    const WaitRank* culpritOf(const WaitCall& call) const
    {
        if (call.culprit < 0 || static_cast<std::size_t>(call.culprit) >= m_records.ranks.size()) return nullptr;
        const WaitRank& culprit = m_records.ranks[static_cast<std::size_t>(call.culprit)];
        return call.culpritCall < culprit.calls.size() ? &culprit : nullptr;
    }

    // How many causes find() looks at.
    std::uint32_t causesOf(const Wait& wait, const WaitCall& call) const
    {
        const WaitRank* const culprit = culpritOf(call);
        if (culprit == nullptr) return 0;
        const WaitRank& own = m_records.ranks[wait.rank];
        const std::size_t causes = waitsSince(*culprit, wait.since.theirs, call.culpritCall).size()
                                   + culprit->activity.effort(timeSince(*culprit, wait.since.theirs, call.culpritCall))
                                   + own.activity.effort(timeSince(own, wait.since.own, call.call));
        return static_cast<std::uint32_t>(std::min<std::size_t>(causes, tooManyCauses));
    }

    // Hands on the time of the waits whose causes are known, while those of the next ones are looked for: what is
    // handed to a wait does not change what it is divided among.
    void divide(Batch& known, Batch& wanted)
    {
        constexpr std::size_t together = 256;
        const std::size_t count = wanted.last - wanted.first;
        parallelFor(1 + (count + together - 1) / together, [&](std::size_t turn) {
            if (turn == 0) return handOn(known);
            for (std::size_t i = (turn - 1) * together; i < std::min(count, turn * together); ++i)
                find(m_order[wanted.first + i], wanted.parts[i]);
        });
    }

    void handOn(Batch& batch)
    {
        for (std::size_t i = 0; i < batch.last - batch.first; ++i) handOn(m_order[batch.first + i], batch.parts[i]);
        for (std::size_t i = 0; i < batch.last - batch.first; ++i)
            if (m_waits[m_order[batch.first + i]].causes > mostKept) batch.parts[i] = {};
    }

    void find(std::uint32_t number, Parts& parts) const
    {
        parts.whole = 0;
        parts.code.clear();
        parts.waits.clear();
        const Wait& wait = m_waits[number];
        const WaitCall& call = callOf(number);
        const WaitRank* const culprit = culpritOf(call);
        if (culprit == nullptr || wait.causes == tooManyCauses) return;
        const WaitRank& own = m_records.ranks[wait.rank];
        std::vector<CodeTime> mine;
        culprit->activity.times(timeSince(*culprit, wait.since.theirs, call.culpritCall), parts.code);
        own.activity.times(timeSince(own, wait.since.own, call.call), mine);
        keepExcess(parts.code, mine);
        for (const CodeTime& code : parts.code) parts.whole = saturatingAdd(parts.whole, code.time);
        addWaits(number, *culprit, parts);
    }

    // Adds these waits. One that has been dealt with already, as clocks disagree, is left out.
    void addWaits(std::uint32_t number, const WaitRank& culprit, Parts& parts) const
    {
        const WaitCall& call = callOf(number);
        const std::size_t offset = m_firstWait[static_cast<std::size_t>(call.culprit)];
        for (const WaitCall& one : waitsSince(culprit, m_waits[number].since.theirs, call.culpritCall)) {
            const auto other = static_cast<std::uint32_t>(offset + std::size_t(&one - culprit.waits.data()));
            if (m_place[other] <= m_place[number]) continue;
            const TimeNs waited = culprit.calls.waited(one.call);
            parts.waits.emplace_back(other, waited);
            parts.whole = saturatingAdd(parts.whole, waited);
        }
    }

    void handOn(std::uint32_t number, const Parts& parts)
    {
        const Wait& wait = m_waits[number];
        const WaitCall& call = callOf(number);
        const TimeRange time = timeOf(number);
        const bool isChosen = m_choice.takes(wait.rank) && m_choice.takesSeverity(call.pattern, call.flags, time);
        const TimeNs own = isChosen ? time.length() : 0;
        if ((own == 0 && wait.handed == 0) || parts.whole <= 0) return;
        WaitShares shares(own, wait.handed, parts.whole);
        const auto culprit = static_cast<std::uint32_t>(call.culprit);
        for (const CodeTime& code : parts.code)
            shares.addCode(code.time, m_costs[culprit][std::uint64_t{code.code} << 32 | code.path]);
        for (const auto& [other, waited] : parts.waits)
            m_waits[other].handed = saturatingAdd(m_waits[other].handed, shares.ofWait(waited));
    }

    DelayCosts costs() const
    {
        std::vector<CodeCost> all;
        for (std::uint32_t rank = 0; rank < m_costs.size(); ++rank)
            for (const auto& [key, cost] : m_costs[rank])
                all.push_back({rank, static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key),
                               cost.direct, cost.propagated});
        return sumOfCosts(all);
    }

    WaitRecords m_records;
    const WaitChoice& m_choice;
    const Progress& m_progress;
    const Limit& m_most;
    std::vector<std::size_t> m_firstWait;  // by rank: its first one in m_waits
    std::vector<Wait> m_waits;             // those of each rank in order
    std::vector<std::uint32_t> m_order;    // waits in the order they are dealt with
    std::vector<std::uint32_t> m_place;    // by wait: its place in that order
    std::vector<std::unordered_map<std::uint64_t, DelayCost, DrawnHash>> m_costs;  // by rank, then code and path
};

}  // namespace

Result<DelayCosts> delayCosts(const TraceStore& store, const WaitChoice& choice, const Progress& progress,
                              const Limit& most)
{
    auto records = waitRecords(store, progress);
    if (!records) return records.error();
    return delayCosts(std::move(*records), choice, progress, most);
}

Result<DelayCosts> delayCosts(WaitRecords records, const WaitChoice& choice, const Progress& progress,
                              const Limit& most)
{
    return Replay(std::move(records), choice, progress, most).run();
}

}  // namespace longpole
