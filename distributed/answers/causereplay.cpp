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
constexpr std::size_t mostOnTheWay = 1 << 15;  // waits and times that a process tells another before it has heard

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

// A wait that has got all it will, on its way to that process.
struct HandedTime {
    std::uint32_t number = 0;
    TimeNs time = 0;
    std::uint32_t codes = 0;  // of what the rank that waited did since both met
};

class CauseReplay {
public:
    CauseReplay(Transport& transport, const Hosting& hosting, const CauseRecords& records,
                const std::vector<std::vector<CommonSync>>& meetings, const WaitChoice& choice,
                const Progress& progress, const Limit& most)
        : m_transport(transport), m_hosting(hosting), m_records(records), m_meetings(meetings), m_choice(choice),
          m_progress(progress), m_most(most), m_blamed(static_cast<std::size_t>(transport.processes())),
          m_isDivided(m_blamed.size()), m_toSend(m_blamed.size()), m_isHeard(m_blamed.size(), true),
          m_owesHearing(m_blamed.size(), false), m_costs(records.ranks.size())
    {
    }

    std::vector<CodeCost> run()
    {
        blame();
        limitCauses();
        orderTies();
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

    // For loops over waits: looks at Cancel and other processes now and then.
    bool isOverByNow()
    {
        constexpr std::uint32_t between = 256;
        return ++m_looks % between == 0 ? isOver(m_transport, m_progress) : m_transport.failed();
    }

    std::uint32_t numberOf(std::uint32_t rank) const { return m_records.first + rank; }

    // Tells the processes of culprits of the waits.
    void blame()
    {
        std::vector<std::vector<BlamedWait>> blamed(m_blamed.size());
        for (std::uint32_t rank = 0; rank < m_records.ranks.size() && !isOver(m_transport, m_progress); ++rank) {
            const WaitRank& own = m_records.ranks[rank];
            m_waits.emplace_back(own.waits.size());
            for (std::uint32_t place = 0; place < own.waits.size() && !isOverByNow(); ++place) {
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
            if (isOverByNow()) return;
            if (!m_hosting.hosts(from, wait.rank) || !m_records.hosts(wait.culprit)) return refuse(from);
            const WaitRank& culprit = m_records.rank(wait.culprit);
            const std::size_t calls = culprit.calls.size();
            if (wait.culpritCall >= calls || (wait.since != noWaitCall && wait.since >= calls)) return refuse(from);
            const std::size_t causes = waitsSince(culprit, wait.since, wait.culpritCall).size()
                                       + culprit.activity.effort(timeSince(culprit, wait.since, wait.culpritCall))
                                       + wait.effort;
            wait.effort = static_cast<std::uint32_t>(std::min<std::size_t>(causes, tooManyCauses));
        }
        m_isDivided[static_cast<std::size_t>(from)].resize(rows.size());
        m_blamed[static_cast<std::size_t>(from)] = std::move(rows);
    }

    template <typename Visit>
    void forEachBlamed(Visit visit)
    {
        for (std::vector<BlamedWait>& rows : m_blamed)
            for (BlamedWait& wait : rows) {
                if (isOverByNow()) return;
                visit(wait);
            }
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

    // What the rank that waited did since both met, by code.
    void timesOf(Place place, std::vector<CodeTime>& times)
    {
        times.clear();
        if (m_refused.contains(keyOfWait(numberOf(place.rank), place.wait))) return;
        const WaitRank& own = m_records.ranks[place.rank];
        m_pieces.clear();
        own.activity.times(timeSince(own, m_meetings[place.rank][place.wait].own, own.waits[place.wait].call),
                           m_pieces);
        for (const CodeTime& one : m_pieces) {
            if (!times.empty() && times.back().code == one.code)
                times.back().time = saturatingAdd(times.back().time, one.time);
            else times.push_back({one.code, noCallPath, one.time});
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
            for (std::uint32_t place = 0; place < m_waits[rank].size() && !isOverByNow(); ++place)
                if (m_waits[rank][place].handers == 0) handOut({rank, place});
    }

    // The wait has got all it will: now it is divided where its culprit is.
    void handOut(Place place)
    {
        const OwnWait& own = m_waits[place.rank][place.wait];
        if (own.number == noNumber) return;
        const auto culprit = static_cast<std::uint32_t>(m_records.ranks[place.rank].waits[place.wait].culprit);
        const int process = m_hosting.hostOf(culprit);
        if (process == m_transport.process()) m_ready.push_back(place);
        else m_toSend[static_cast<std::size_t>(process)].push_back(place);
    }

    // Nobody is told more than it can hold: the next waits follow when it has heard these.
    void handOn()
    {
        while (!m_transport.failed()) {
            divideReady();
            for (std::size_t to = 0; to < m_toSend.size(); ++to) tell(to);
            const bool hasAll = m_left == 0
                                && std::all_of(m_toSend.begin(), m_toSend.end(),
                                               [](const std::vector<Place>& some) { return some.empty(); });
            if (hasAll || isOver(m_transport, m_progress)) return;
            std::optional<Incoming> come = m_transport.receive(CausePassNumber::HandOn, Wait::Yes);
            for (; come; come = m_transport.receive(CausePassNumber::HandOn, Wait::No)) hear(come->from, come->bytes);
        }
    }

    void tell(std::size_t to)
    {
        std::vector<HandedTime> waits;
        std::vector<CodeTime> all, times;
        while (m_isHeard[to] && !m_toSend[to].empty() && waits.size() + all.size() < mostOnTheWay && !isOverByNow()) {
            const Place place = m_toSend[to].back();
            m_toSend[to].pop_back();
            timesOf(place, times);
            const OwnWait& own = m_waits[place.rank][place.wait];
            waits.push_back({own.number, own.handed, static_cast<std::uint32_t>(times.size())});
            all.insert(all.end(), times.begin(), times.end());
        }
        if (waits.empty() && !m_owesHearing[to]) return;
        Packer packer;
        packer.put(bool{m_owesHearing[to]});
        packer.putTable(waits, &HandedTime::number, &HandedTime::time, &HandedTime::codes);
        packer.putTable(all, &CodeTime::code, &CodeTime::time);
        m_owesHearing[to] = false;
        if (!waits.empty()) m_isHeard[to] = false;
        m_transport.send(static_cast<int>(to), CausePassNumber::HandOn, packer.take());
    }

    void hear(int from, const Payload& bytes)
    {
        const auto process = static_cast<std::size_t>(from);
        Unpacker unpacker(bytes);
        const bool hasHeard = unpacker.value<bool>();
        const auto waits = unpacker.table<HandedTime>(&HandedTime::number, &HandedTime::time, &HandedTime::codes);
        const auto all = unpacker.table<CodeTime>(&CodeTime::code, &CodeTime::time);
        if (!unpacker.isWhole()) return refuse(from);
        if (hasHeard) m_isHeard[process] = true;
        if (!waits.empty()) m_owesHearing[process] = true;
        std::span<const CodeTime> times(all);
        for (const HandedTime& wait : waits) {
            if (isOverByNow()) return;
            if (wait.codes > times.size()) return refuse(from);
            m_mine.assign(times.begin(), times.begin() + wait.codes);
            times = times.subspan(wait.codes);
            divide(from, wait.number, wait.time);
        }
    }

    void divideReady()
    {
        while (!m_ready.empty() && !isOverByNow()) {
            const Place next = m_ready.back();
            m_ready.pop_back();
            timesOf(next, m_mine);
            const OwnWait& own = m_waits[next.rank][next.wait];
            divide(m_transport.process(), own.number, own.handed);
        }
    }

    // m_mine: what the rank that waited did.
    void divide(int from, std::uint32_t number, TimeNs handed)
    {
        const auto process = static_cast<std::size_t>(from);
        if (number >= m_blamed[process].size() || m_isDivided[process][number] || handed < 0) return refuse(from);
        const BlamedWait& wait = m_blamed[process][number];
        const WaitRank& culprit = m_records.rank(wait.culprit);
        std::vector<CodeTime>& codes = m_theirs;
        codes.clear();
        if (wait.effort != tooManyCauses) {
            culprit.activity.times(timeSince(culprit, wait.since, wait.culpritCall), codes);
            keepExcess(codes, m_mine);
        }
        m_isDivided[process][number] = true;
        --m_left;
        const auto forEachLater = [&](const auto& visit) {
            for (const WaitCall& one : waitsBehind(wait))
                if (isLater(wait, one)) visit(one, culprit.calls.waited(one.call));
        };
        TimeNs whole = 0;
        for (const CodeTime& code : codes) whole = saturatingAdd(whole, code.time);
        forEachLater([&whole](const WaitCall&, TimeNs waited) { whole = saturatingAdd(whole, waited); });
        const bool isAny = (wait.own != 0 || handed != 0) && whole > 0;
        WaitShares shares(wait.own, handed, whole);
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
    std::vector<std::vector<BlamedWait>> m_blamed;  // by process that hosts the wait
    std::vector<std::vector<bool>> m_isDivided;     // likewise
    WaitSet m_refused;                              // with too many causes
    WaitPlaces m_order;                             // of waits that end together
    std::uint32_t m_looks = 0;
    std::uint64_t m_left = 0;                  // blamed waits that are not divided
    std::vector<Place> m_ready;                // for hosted culprits, of hosted ranks
    std::vector<std::vector<Place>> m_toSend;  // by process
    std::vector<bool> m_isHeard;               // whether it has heard what it was told
    std::vector<bool> m_owesHearing;           // whether it is to be told that what it told was heard
    std::vector<CodeTime> m_mine, m_theirs, m_pieces;
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
