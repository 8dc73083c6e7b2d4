// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/causereplay.h"

#include "core/base/drawnhash.h"
#include "core/base/translate.h"
#include "distributed/answers/waitorder.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/cancelled.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
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

struct HandedTime {
    std::uint32_t number = 0;
    TimeNs time = 0;
};

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
                const TimeRange time = own.calls.wait(wait.call);
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

    // Waits that have more causes than are left for them are not looked into.
    void limitCauses()
    {
        std::vector<CountedCauses> causes;
        forEachBlamed([&causes](const BlamedWait& wait) {
            causes.push_back({keyOfWait(wait.rank, wait.place), wait.effort});
        });
        m_refused = waitsBeyond(m_transport, m_records, causes, m_most);
        forEachBlamed([this](BlamedWait& wait) {
            if (m_refused.contains(keyOfWait(wait.rank, wait.place))) wait.effort = tooManyCauses;
        });
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

    // Where a wait may hand time to another that ends at the same time, it counts which of the two comes first.
    void orderTies()
    {
        std::vector<TimeNs> instants;
        forEachBlamed([&](const BlamedWait& wait) {
            const WaitRank& culprit = m_records.rank(wait.culprit);
            for (const WaitCall& one : waitsBehind(wait))
                if (culprit.calls.wait(one.call).end == wait.end) instants.push_back(wait.end);
        });
        m_order = orderOfTies(m_transport, m_records, std::move(instants));
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
        for (std::uint64_t round = 0; goesOn(m_transport, m_progress, round < own); ++round) {
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
    std::vector<std::vector<OwnWait>> m_waits;      // by hosted rank
    std::vector<std::vector<Place>> m_asked;        // by process that hosts the culprit
    std::vector<std::vector<BlamedWait>> m_blamed;  // by process that hosts the wait
    std::vector<std::vector<BlamedParts>> m_parts;  // likewise
    std::vector<CodeTime> m_codes;                  // excess
    WaitSet m_refused;                              // with too many causes
    WaitPlaces m_order;                             // of waits that end together
    std::uint64_t m_left = 0;                       // blamed waits that are not divided
    std::vector<HandedTime> m_ready;                // for hosted culprits, of hosted ranks
    std::vector<std::vector<HandedTime>> m_toSend;  // by process
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
