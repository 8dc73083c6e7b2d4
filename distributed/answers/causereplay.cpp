// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/causereplay.h"

#include "core/base/drawnhash.h"
#include "core/base/translate.h"
#include "distributed/answers/tiedtasks.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/cancelled.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace longpole {
namespace {

constexpr std::uint32_t noNumber = 0xffffffffu;
constexpr std::size_t timesOfRound = 1 << 15;  // waits whose times a process tells another at once

// A wait, for the process that hosts whom it was for; its number is its place in the table.
struct BlamedWait {
    std::uint32_t rank = 0;
    std::uint32_t place = 0;  // among the rank's waits
    std::uint32_t culprit = 0;
    std::uint32_t culpritCall = 0;
    std::uint32_t since = noWaitCall;  // the culprit's call in which both last met
    TimeNs end = 0;
    TimeNs own = 0;            // of it, that is to be put down to code
    std::uint32_t effort = 0;  // of what the rank that waited did; then all causes, at most
};

template <typename Visit>
auto withBlameColumns(Visit visit)
{
    return visit(&BlamedWait::rank, &BlamedWait::place, &BlamedWait::culprit, &BlamedWait::culpritCall,
                 &BlamedWait::since, &BlamedWait::end, &BlamedWait::own, &BlamedWait::effort);
}

// What that process keeps of it.
struct BlamedParts {
    std::size_t firstCode = 0, lastCode = 0;
    bool isDivided = false;
};

// A wait for process 0, which puts them in order.
struct OrderedWait {
    TimeNs end = 0;
    TiedWait wait;
};

struct HandedTime {
    std::uint32_t number = 0;
    TimeNs time = 0;
};

std::uint64_t keyOfWait(std::uint32_t rank, std::uint32_t place) { return std::uint64_t{rank} << 32u | place; }

// The latest first, as one process goes through them that knows all.
void orderWaits(std::vector<OrderedWait>& waits)
{
    std::sort(waits.begin(), waits.end(), [](const OrderedWait& a, const OrderedWait& b) {
        return std::tie(a.end, a.wait.rank, a.wait.place) > std::tie(b.end, b.wait.rank, b.wait.place);
    });
    std::vector<TiedWait> tie;
    for (std::size_t first = 0, last = 0; first < waits.size(); first = last) {
        tie.clear();
        for (; last < waits.size() && waits[last].end == waits[first].end; ++last) tie.push_back(waits[last].wait);
        if (tie.size() < 2) continue;
        orderTiedWaits(tie);
        for (std::size_t i = 0; i < tie.size(); ++i) waits[first + i].wait = tie[i];
    }
}

class CauseReplay {
public:
    CauseReplay(Transport& transport, const Hosting& hosting, const CauseRecords& records,
                const std::vector<std::vector<CommonSync>>& meetings, const WaitChoice& choice,
                const Progress& progress, const Limit& most)
        : m_transport(transport), m_hosting(hosting), m_records(records), m_meetings(meetings), m_choice(choice),
          m_progress(progress), m_most(most), m_asked(static_cast<std::size_t>(transport.processes())),
          m_blamed(m_asked.size()), m_parts(m_asked.size()), m_toSend(m_asked.size()), m_costs(records.ranks.size())
    {
    }

    std::vector<CodeCost> run()
    {
        blame();
        limitCauses();
        orderTies();
        tellTimes();
        if (!isOver(m_transport, m_progress)) countHanders();
        if (!isOver(m_transport, m_progress)) handOn();
        m_transport.quiet(CausePassNumber::HandOn, [this](int from, const Payload& bytes) { hear(from, bytes); });
        return costs();
    }

private:
    struct OwnWait {
        std::uint32_t number = noNumber;  // at the process that hosts the culprit; noNumber: nobody is to blame
        std::uint32_t handers = 0;        // waits that may hand time to it and are not divided yet
        TimeNs handed = 0;
    };
    struct Place {
        std::uint32_t rank = 0;  // among the hosted
        std::uint32_t wait = 0;
    };

    TimeRange timeOf(std::uint32_t rank, std::uint32_t wait) const
    {
        const WaitRank& own = m_records.ranks[rank];
        return own.calls.wait(own.waits[wait].call);
    }
    std::uint32_t numberOf(std::uint32_t rank) const { return m_records.first + rank; }

    // Tells the processes of culprits of the waits.
    void blame()
    {
        std::vector<std::vector<BlamedWait>> blamed(m_asked.size());
        for (std::uint32_t rank = 0; rank < m_records.ranks.size() && !isOver(m_transport, m_progress); ++rank) {
            const WaitRank& own = m_records.ranks[rank];
            m_waits.emplace_back(own.waits.size());
            for (std::uint32_t place = 0; place < own.waits.size(); ++place) {
                const WaitCall& wait = own.waits[place];
                if (!m_records.hasCulprit(wait)) continue;
                const auto culprit = static_cast<std::uint32_t>(wait.culprit);
                const auto process = static_cast<std::size_t>(m_hosting.hostOf(culprit));
                const TimeRange time = timeOf(rank, place);
                const CommonSync& since = m_meetings[rank][place];
                const bool isChosen = m_choice.takes(numberOf(rank))
                                      && m_choice.takesSeverity(wait.pattern, wait.flags, time);
                const std::size_t effort = own.activity.effort(timeSince(own, since.own, wait.call));
                m_waits[rank][place].number = static_cast<std::uint32_t>(blamed[process].size());
                m_asked[process].push_back({rank, place});
                blamed[process].push_back({numberOf(rank), place, culprit, wait.culpritCall, since.theirs, time.end,
                                           isChosen ? time.length() : 0,
                                           static_cast<std::uint32_t>(std::min<std::size_t>(effort, tooManyCauses))});
            }
        }
        std::vector<Payload> packed;
        for (std::vector<BlamedWait>& rows : blamed) {
            Packer packer;
            if (!rows.empty()) withBlameColumns([&](auto... columns) { packer.putTable(rows, columns...); });
            std::vector<BlamedWait>().swap(rows);
            packed.push_back(packer.take());
        }
        m_transport.exchange(CausePassNumber::BlameWaits, std::move(packed),
                             [this](int from, const Payload& bytes) { noteBlamed(from, bytes); });
    }

    void noteBlamed(int from, const Payload& bytes)
    {
        Unpacker unpacker(bytes);
        std::vector<BlamedWait> rows = withBlameColumns([&](auto... columns) {
            return unpacker.table<BlamedWait>(columns...);
        });
        if (!unpacker.isWhole()) return refuse(from);
        for (BlamedWait& wait : rows) {
            if (!m_hosting.hosts(from, wait.rank) || !m_records.hosts(wait.culprit)) return refuse(from);
            const WaitRank& culprit = m_records.rank(wait.culprit);
            const std::size_t calls = culprit.calls.size();
            if (wait.culpritCall >= calls || (wait.since != noWaitCall && wait.since >= calls)) return refuse(from);
            const std::size_t causes = waitsSince(culprit, wait.since, wait.culpritCall).size()
                                       + culprit.activity.effort(timeSince(culprit, wait.since, wait.culpritCall))
                                       + wait.effort;
            wait.effort = static_cast<std::uint32_t>(std::min<std::size_t>(causes, tooManyCauses));
        }
        m_parts[static_cast<std::size_t>(from)].resize(rows.size());
        m_blamed[static_cast<std::size_t>(from)] = std::move(rows);
    }

    template <typename Visit>
    void forEachBlamed(Visit visit)
    {
        for (std::vector<BlamedWait>& rows : m_blamed)
            for (BlamedWait& wait : rows) visit(wait);
    }

    // Where all have more causes together than they may, process 0 says which waits are not looked into: in the order
    // in which time is handed on those that go beyond the limit.
    void limitCauses()
    {
        struct Sums {
            std::int64_t waits = 0, causes = 0;
        };
        Sums sums;
        for (const WaitRank& rank : m_records.ranks) sums.waits += static_cast<std::int64_t>(rank.waits.size());
        forEachBlamed([&sums](const BlamedWait& wait) { sums.causes = saturatingAdd(sums.causes, wait.effort); });
        sums = reduceOne(m_transport, sums, [](Sums& into, const Sums& from) {
            into.waits += from.waits;
            into.causes = saturatingAdd(into.causes, from.causes);
        });
        const std::int64_t most = m_most.of(sums.waits);
        if (sums.causes <= most) return;
        // The process of a culprit knows the causes, that of the wait what else the order follows from.
        std::vector<OrderedWait> all = gathered(ownWaits({}));
        std::vector<BlamedWait> own;
        forEachBlamed([&own](const BlamedWait& wait) { own.push_back(wait); });
        const std::vector<Payload> parts = m_transport.gather(toBytes(own));
        std::vector<std::uint64_t> refused;
        if (m_transport.isRoot()) {
            std::unordered_map<std::uint64_t, std::uint32_t, DrawnHash> causes;
            for (const Payload& bytes : parts)
                for (const BlamedWait& wait : recordsOf<BlamedWait>(m_transport, bytes))
                    causes[keyOfWait(wait.rank, wait.place)] = wait.effort;
            orderWaits(all);
            std::int64_t left = most;
            for (const OrderedWait& one : all) {
                const auto known = causes.find(keyOfWait(one.wait.rank, one.wait.place));
                if (known == causes.end()) continue;
                if (known->second > left) refused.push_back(known->first);
                else left -= known->second;
            }
        }
        const auto told = recordsOf<std::uint64_t>(m_transport, m_transport.broadcast(toBytes(refused)));
        m_refused.insert(told.begin(), told.end());
        forEachBlamed([this](BlamedWait& wait) {
            if (m_refused.contains(keyOfWait(wait.rank, wait.place))) wait.effort = tooManyCauses;
        });
    }

    // The hosted ones; those that end at one of these times, or all.
    std::vector<OrderedWait> ownWaits(std::optional<std::span<const TimeNs>> instants) const
    {
        std::vector<OrderedWait> waits;
        for (std::uint32_t rank = 0; rank < m_records.ranks.size(); ++rank)
            for (std::uint32_t place = 0; place < m_records.ranks[rank].waits.size(); ++place) {
                const TimeNs end = timeOf(rank, place).end;
                if (instants && !std::binary_search(instants->begin(), instants->end(), end)) continue;
                const WaitCall& wait = m_records.ranks[rank].waits[place];
                waits.push_back({end, {numberOf(rank), place, wait.call, wait.culprit, wait.culpritCall}});
            }
        return waits;
    }

    // Of all processes, at process 0.
    std::vector<OrderedWait> gathered(const std::vector<OrderedWait>& own)
    {
        std::vector<OrderedWait> all;
        for (const Payload& bytes : m_transport.gather(toBytes(own))) {
            const auto part = recordsOf<OrderedWait>(m_transport, bytes);
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }

    std::span<const WaitCall> waitsBehind(const BlamedWait& wait) const
    {
        if (wait.effort == tooManyCauses) return {};
        return waitsSince(m_records.rank(wait.culprit), wait.since, wait.culpritCall);
    }
    std::uint32_t placeOf(const BlamedWait& wait, const WaitCall& one) const
    {
        return static_cast<std::uint32_t>(&one - m_records.rank(wait.culprit).waits.data());
    }

    // Where a wait may hand time to another that ends at the same time, process 0 says which of the two comes first.
    void orderTies()
    {
        std::vector<TimeNs> own;
        forEachBlamed([&](const BlamedWait& wait) {
            const WaitRank& culprit = m_records.rank(wait.culprit);
            for (const WaitCall& one : waitsBehind(wait))
                if (culprit.calls.wait(one.call).end == wait.end) own.push_back(wait.end);
        });
        const std::vector<TimeNs> instants = commonInstants(m_transport, std::move(own));
        if (instants.empty() || m_transport.failed()) return;
        std::vector<OrderedWait> all = gathered(ownWaits(std::span(instants)));
        std::vector<std::uint64_t> order;
        if (m_transport.isRoot()) {
            orderWaits(all);
            for (const OrderedWait& one : all) order.push_back(keyOfWait(one.wait.rank, one.wait.place));
        }
        order = recordsOf<std::uint64_t>(m_transport, m_transport.broadcast(toBytes(order)));
        for (std::uint32_t i = 0; i < order.size(); ++i) m_order[order[i]] = i;
    }

    // Whether the culprit's wait is dealt with later. If not, as clocks disagree, it is left out.
    bool isLater(const BlamedWait& wait, const WaitCall& one) const
    {
        const TimeNs end = m_records.rank(wait.culprit).calls.wait(one.call).end;
        if (end != wait.end) return end < wait.end;
        const auto first = m_order.find(keyOfWait(wait.rank, wait.place));
        const auto other = m_order.find(keyOfWait(wait.culprit, placeOf(wait, one)));
        return first != m_order.end() && other != m_order.end() && first->second < other->second;
    }

    // Tells the processes of culprits what those that waited did since both met, by code.
    void tellTimes()
    {
        std::uint64_t own = 0;
        for (const std::vector<Place>& waits : m_asked)
            own = std::max<std::uint64_t>(own, (waits.size() + timesOfRound - 1) / timesOfRound);
        const std::uint64_t rounds = reduceOne(m_transport, own, [](std::uint64_t& into, const std::uint64_t& from) {
            into = std::max(into, from);
        });
        for (std::uint64_t round = 0; round < rounds && !isOver(m_transport, m_progress); ++round) {
            std::vector<Payload> packed;
            for (const std::vector<Place>& waits : m_asked) {
                const std::size_t first = std::min<std::size_t>(round * timesOfRound, waits.size());
                const std::size_t count = std::min(timesOfRound, waits.size() - first);
                packed.push_back(packedTimes(std::span(waits).subspan(first, count)));
            }
            m_transport.exchange(CausePassNumber::TellTimes, std::move(packed),
                                 [&](int from, const Payload& bytes) { noteTimes(from, round * timesOfRound, bytes); });
        }
    }

    Payload packedTimes(std::span<const Place> waits)
    {
        if (waits.empty()) return {};
        std::vector<std::uint32_t> counts;
        std::vector<CodeTime> all, times;
        for (const auto& [rank, place] : waits) {
            const std::size_t before = all.size();
            const WaitRank& own = m_records.ranks[rank];
            times.clear();
            if (!m_refused.contains(keyOfWait(numberOf(rank), place)))
                own.activity.times(timeSince(own, m_meetings[rank][place].own, own.waits[place].call), times);
            for (const CodeTime& one : times) {
                if (all.size() > before && all.back().code == one.code)
                    all.back().time = saturatingAdd(all.back().time, one.time);
                else all.push_back({one.code, noCallPath, one.time});
            }
            counts.push_back(static_cast<std::uint32_t>(all.size() - before));
            m_transport.pulse();
        }
        Packer packer;
        packer.putNumbers(counts);
        packer.putTable(all, &CodeTime::code, &CodeTime::time);
        return packer.take();
    }

    // `first`: the number of the first of these waits.
    void noteTimes(int from, std::size_t first, const Payload& bytes)
    {
        Unpacker unpacker(bytes);
        const auto counts = unpacker.numbers<std::uint32_t>();
        const auto all = unpacker.table<CodeTime>(&CodeTime::code, &CodeTime::time);
        const std::vector<BlamedWait>& blamed = m_blamed[static_cast<std::size_t>(from)];
        std::vector<BlamedParts>& parts = m_parts[static_cast<std::size_t>(from)];
        if (!unpacker.isWhole() || first > blamed.size() || counts.size() > blamed.size() - first) return refuse(from);
        std::vector<CodeTime> mine, theirs;
        std::size_t next = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i] > all.size() - next) return refuse(from);
            mine.assign(all.begin() + static_cast<std::ptrdiff_t>(next),
                        all.begin() + static_cast<std::ptrdiff_t>(next + counts[i]));
            next += counts[i];
            const BlamedWait& wait = blamed[first + i];
            if (wait.effort == tooManyCauses) continue;
            const WaitRank& culprit = m_records.rank(wait.culprit);
            culprit.activity.times(timeSince(culprit, wait.since, wait.culpritCall), theirs);
            keepExcess(theirs, mine);
            parts[first + i].firstCode = m_codes.size();
            m_codes.insert(m_codes.end(), theirs.begin(), theirs.end());
            parts[first + i].lastCode = m_codes.size();
            m_transport.pulse();
        }
    }

    OwnWait& culpritsWait(const BlamedWait& wait, const WaitCall& one)
    {
        return m_waits[wait.culprit - m_records.first][placeOf(wait, one)];
    }

    void countHanders()
    {
        forEachBlamed([this](const BlamedWait& wait) {
            ++m_left;
            for (const WaitCall& one : waitsBehind(wait))
                if (isLater(wait, one)) ++culpritsWait(wait, one).handers;
        });
        for (std::uint32_t rank = 0; rank < m_waits.size(); ++rank)
            for (std::uint32_t place = 0; place < m_waits[rank].size(); ++place)
                if (m_waits[rank][place].handers == 0) handOut({rank, place});
    }

    // The wait has got all it will: now it is divided where its culprit is.
    void handOut(Place place)
    {
        const OwnWait& own = m_waits[place.rank][place.wait];
        if (own.number == noNumber) return;
        const auto culprit = static_cast<std::uint32_t>(m_records.ranks[place.rank].waits[place.wait].culprit);
        const int process = m_hosting.hostOf(culprit);
        if (process == m_transport.process()) m_ready.push_back({own.number, own.handed});
        else m_toSend[static_cast<std::size_t>(process)].push_back({own.number, own.handed});
    }

    void handOn()
    {
        while (!m_transport.failed()) {
            divideReady();
            for (std::size_t to = 0; to < m_toSend.size(); ++to) {
                if (m_toSend[to].empty()) continue;
                Packer packer;
                packer.putTable(m_toSend[to], &HandedTime::number, &HandedTime::time);
                m_toSend[to].clear();
                m_transport.send(static_cast<int>(to), CausePassNumber::HandOn, packer.take());
            }
            if (m_left == 0 || isOver(m_transport, m_progress)) return;
            std::optional<Incoming> come = m_transport.receive(CausePassNumber::HandOn, Wait::Yes);
            for (; come; come = m_transport.receive(CausePassNumber::HandOn, Wait::No)) hear(come->from, come->bytes);
        }
    }

    void hear(int from, const Payload& bytes)
    {
        Unpacker unpacker(bytes);
        const auto rows = unpacker.table<HandedTime>(&HandedTime::number, &HandedTime::time);
        if (!unpacker.isWhole()) return refuse(from);
        for (const HandedTime& row : rows) divide(from, row);
    }

    void divideReady()
    {
        while (!m_ready.empty() && !m_transport.failed()) {
            const HandedTime next = m_ready.back();
            m_ready.pop_back();
            divide(m_transport.process(), next);
            m_transport.pulse();
        }
    }

    void divide(int from, const HandedTime& handed)
    {
        const auto process = static_cast<std::size_t>(from);
        if (handed.number >= m_blamed[process].size() || m_parts[process][handed.number].isDivided || handed.time < 0)
            return refuse(from);
        const BlamedWait& wait = m_blamed[process][handed.number];
        BlamedParts& parts = m_parts[process][handed.number];
        const WaitRank& culprit = m_records.rank(wait.culprit);
        const auto codes = std::span<const CodeTime>(m_codes).subspan(parts.firstCode,
                                                                      parts.lastCode - parts.firstCode);
        parts.isDivided = true;
        --m_left;
        const auto forEachLater = [&](const auto& visit) {
            for (const WaitCall& one : waitsBehind(wait))
                if (isLater(wait, one)) visit(one, culprit.calls.waited(one.call));
        };
        TimeNs whole = 0;
        for (const CodeTime& code : codes) whole = saturatingAdd(whole, code.time);
        forEachLater([&whole](const WaitCall&, TimeNs waited) { whole = saturatingAdd(whole, waited); });
        const bool isAny = (wait.own != 0 || handed.time != 0) && whole > 0;
        WaitShares shares(wait.own, handed.time, whole);
        for (const CodeTime& code : codes)
            if (isAny)
                shares.addCode(code.time,
                               m_costs[wait.culprit - m_records.first][std::uint64_t{code.code} << 32u | code.path]);
        forEachLater([&](const WaitCall& one, TimeNs waited) {
            OwnWait& other = culpritsWait(wait, one);
            if (isAny) other.handed = saturatingAdd(other.handed, shares.ofWait(waited));
            if (--other.handers == 0) handOut({wait.culprit - m_records.first, placeOf(wait, one)});
        });
    }

    std::vector<CodeCost> costs() const
    {
        std::vector<CodeCost> all;
        for (std::uint32_t rank = 0; rank < m_costs.size(); ++rank)
            for (const auto& [key, cost] : m_costs[rank])
                if (cost.sum() != 0)
                    all.push_back({numberOf(rank), static_cast<std::uint32_t>(key >> 32u),
                                   static_cast<std::uint32_t>(key), cost.direct, cost.propagated});
        return all;
    }

    void refuse(int from)
    {
        m_transport.fail({tr("Process %1 told process %2 what cannot be.").arg(from).arg(m_transport.process()),
                          QString(), QString()});
    }

    Transport& m_transport;
    const Hosting& m_hosting;
    const CauseRecords& m_records;
    const std::vector<std::vector<CommonSync>>& m_meetings;
    const WaitChoice& m_choice;
    const Progress& m_progress;
    const Limit& m_most;
    std::vector<std::vector<OwnWait>> m_waits;                            // by hosted rank
    std::vector<std::vector<Place>> m_asked;                              // by process that hosts the culprit
    std::vector<std::vector<BlamedWait>> m_blamed;                        // by process that hosts the wait
    std::vector<std::vector<BlamedParts>> m_parts;                        // likewise
    std::vector<CodeTime> m_codes;                                        // excess
    std::unordered_set<std::uint64_t, DrawnHash> m_refused;               // with too many causes; by rank and place
    std::unordered_map<std::uint64_t, std::uint32_t, DrawnHash> m_order;  // of waits that end together
    std::uint64_t m_left = 0;                                             // blamed waits that are not divided
    std::vector<HandedTime> m_ready;                                      // for hosted culprits, of hosted ranks
    std::vector<std::vector<HandedTime>> m_toSend;                        // by process
    std::vector<std::unordered_map<std::uint64_t, DelayCost, DrawnHash>> m_costs;  // by hosted rank, code and path
};

}  // namespace

Result<std::vector<CodeCost>> hostedDelayCosts(Transport& transport, const Hosting& hosting,
                                               const CauseRecords& records,
                                               const std::vector<std::vector<CommonSync>>& meetings,
                                               const WaitChoice& choice, const Progress& progress, const Limit& most)
{
    std::vector<CodeCost> costs = CauseReplay(transport, hosting, records, meetings, choice, progress, most).run();
    if (transport.failed()) return transport.failure();
    return costs;
}

}  // namespace longpole
