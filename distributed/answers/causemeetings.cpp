// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/causemeetings.h"

#include "core/base/translate.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/cancelled.h"

#include <algorithm>
#include <map>
#include <utility>

namespace longpole {
namespace {

constexpr std::size_t windowOfCalls = 8;       // collective calls of a rank before its wait
constexpr std::size_t waitsOfRound = 1 << 15;  // that a process asks about at once
constexpr std::int32_t inNoGroup = -2;         // no call has that root

// What is asked of another process: about these waits of a rank, with some of its collective calls.
struct AskedRank {
    std::uint32_t rank = 0;
    std::uint32_t meetings = 0;
    std::uint32_t waits = 0;
};
struct AskedMeeting {
    std::int32_t instance = -1;
    std::int32_t comm = -1;
    std::int32_t root = -1;
    std::uint32_t call = 0;
    TimeNs end = 0;  // of the wait in it
};
struct AskedWait {
    std::uint32_t call = 0;
    std::uint32_t from = 0;  // of the collective calls from here on none is missing
    std::uint32_t culprit = 0;
    std::uint32_t culpritCall = 0;
};
struct Asked {
    std::vector<AskedRank> ranks;
    std::vector<AskedMeeting> meetings;
    std::vector<AskedWait> waits;
};
struct FoundMeeting {
    std::uint32_t own = noWaitCall;
    std::uint32_t theirs = noWaitCall;
    bool isKnown = true;
};

Payload packed(const Asked& asked)
{
    if (asked.waits.empty()) return {};
    Packer packer;
    packer.putTable(asked.ranks, &AskedRank::rank, &AskedRank::meetings, &AskedRank::waits);
    packer.putTable(asked.meetings, &AskedMeeting::instance, &AskedMeeting::comm, &AskedMeeting::root,
                    &AskedMeeting::call, &AskedMeeting::end);
    packer.putTable(asked.waits, &AskedWait::call, &AskedWait::from, &AskedWait::culprit, &AskedWait::culpritCall);
    return packer.take();
}

Asked unpacked(Unpacker& unpacker)
{
    Asked asked;
    asked.ranks = unpacker.table<AskedRank>(&AskedRank::rank, &AskedRank::meetings, &AskedRank::waits);
    asked.meetings = unpacker.table<AskedMeeting>(&AskedMeeting::instance, &AskedMeeting::comm, &AskedMeeting::root,
                                                  &AskedMeeting::call, &AskedMeeting::end);
    asked.waits = unpacker.table<AskedWait>(&AskedWait::call, &AskedWait::from, &AskedWait::culprit,
                                            &AskedWait::culpritCall);
    return asked;
}

// A rank's collective calls as they are sent; which of them are the first of their group.
struct SentCalls {
    std::vector<AskedMeeting> meetings;
    std::vector<std::size_t> firsts;
};

SentCalls sentCalls(const WaitRank& rank)
{
    SentCalls sent;
    const std::vector<bool> isInGroup = CollectiveCalls::inGroups(rank.collectives);
    std::map<std::pair<std::int32_t, std::int32_t>, bool> seen;
    for (std::size_t i = 0; i < rank.collectives.size(); ++i) {
        const WaitCollective& call = rank.collectives[i];
        const std::int32_t root = isInGroup[i] ? call.root : inNoGroup;
        if (!std::exchange(seen[{call.comm, root}], true)) sent.firsts.push_back(i);
        sent.meetings.push_back({call.instance, call.comm, root, call.call, rank.calls.wait(call.call).end});
    }
    return sent;
}

// Puts a rank's calls together for one process, as waits ask for them in order.
class CallWindows {
public:
    CallWindows(const SentCalls& calls, std::size_t most, std::vector<AskedMeeting>& into)
        : m_calls(calls), m_most(most), m_into(into)
    {
    }
    // Adds the last ones before the call. Returns from which call on none is missing; 0: none at all is.
    std::uint32_t addBefore(std::uint32_t call)
    {
        const std::vector<AskedMeeting>& all = m_calls.meetings;
        const auto isBefore = [](const AskedMeeting& one, std::uint32_t limit) { return one.call < limit; };
        const auto end = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), call, isBefore)
                                                  - all.begin());
        const std::size_t begin = end > m_most ? end - m_most : 0;
        for (; m_first < m_calls.firsts.size() && m_calls.firsts[m_first] < begin; ++m_first)
            if (m_calls.firsts[m_first] >= m_next) m_into.push_back(all[m_calls.firsts[m_first]]);
        for (m_next = std::max(m_next, begin); m_next < end; ++m_next) m_into.push_back(all[m_next]);
        return begin == 0 ? 0 : all[begin].call;
    }

private:
    const SentCalls& m_calls;
    std::size_t m_most;
    std::vector<AskedMeeting>& m_into;
    std::size_t m_first = 0;  // of the firsts: the next one
    std::size_t m_next = 0;   // all before are there, or are not asked for
};

class MeetingSearch {
public:
    MeetingSearch(Transport& transport, const Hosting& hosting, const CauseRecords& records, const Progress& progress)
        : m_transport(transport), m_hosting(hosting), m_records(records), m_progress(progress),
          m_open(records.ranks.size())
    {
        m_collectives.reserve(records.ranks.size());
        for (const WaitRank& rank : records.ranks) m_collectives.emplace_back(rank);
    }

    std::vector<std::vector<CommonSync>> find()
    {
        for (std::size_t rank = 0; rank < m_records.ranks.size() && !isOver(m_transport, m_progress); ++rank)
            findHere(rank);
        for (const std::size_t most : {windowOfCalls, static_cast<std::size_t>(-1)}) askInRounds(most);
        return std::move(m_found);
    }

private:
    struct Question {
        std::uint32_t rank = 0;  // among the hosted
        std::uint32_t wait = 0;
    };

    // Messages, and collective calls with ranks that are hosted here, too.
    void findHere(std::size_t local)
    {
        const WaitRank& own = m_records.ranks[local];
        std::vector<CommonSync>& found = m_found.emplace_back(own.waits.size());
        MeetingMessages messages;
        CollectiveCalls::Recent recent(m_collectives[local]);
        std::size_t next = 0;
        for (std::uint32_t i = 0; i < own.waits.size(); ++i) {
            const WaitCall& wait = own.waits[i];
            recent.advance(wait.call);
            for (; next < own.messages.size() && own.messages[next].own < wait.call; ++next)
                messages.add(own.messages[next]);
            if (!m_records.hasCulprit(wait)) continue;
            const auto culprit = static_cast<std::uint32_t>(wait.culprit);
            found[i] = messages.lastBefore(culprit, wait.culpritCall);
            if (!m_records.hosts(culprit)) {
                m_open[local].push_back(i);
                continue;
            }
            const auto rank = static_cast<std::uint32_t>(m_records.first + local);
            const auto last = CollectiveCalls::last({m_collectives[local], own, rank, wait.call},
                                                    {m_collectives[culprit - m_records.first], m_records.rank(culprit),
                                                     culprit, wait.culpritCall},
                                                    recent);
            found[i] = laterOf(last.value_or(CommonSync{}), found[i]);
        }
    }

    // Of each rank at most so many calls before a wait. What could not be told stays open.
    void askInRounds(std::size_t most)
    {
        std::vector<std::vector<std::uint32_t>> open(m_open.size());
        open.swap(m_open);
        std::size_t rank = 0;
        const auto hasMore = [&] {
            while (rank < open.size() && open[rank].empty()) ++rank;
            return rank < open.size();
        };
        while (goesOn(m_transport, m_progress, hasMore())) {
            std::vector<Asked> asked(static_cast<std::size_t>(m_transport.processes()));
            m_asked.assign(asked.size(), {});
            for (std::size_t waits = 0; rank < open.size() && waits < waitsOfRound; ++rank) {
                waits += open[rank].size();
                addRank(static_cast<std::uint32_t>(rank), open[rank], most, asked);
            }
            std::vector<Payload> questions;
            questions.reserve(asked.size());
            for (const Asked& one : asked) questions.push_back(packed(one));
            std::vector<Payload> answers(asked.size());
            m_transport.exchange(CausePassNumber::AskMeetings, std::move(questions),
                                 [&](int from, const Payload& bytes) { answer(from, bytes, answers); });
            m_transport.exchange(CausePassNumber::TellMeetings, std::move(answers),
                                 [this](int from, const Payload& bytes) { hear(from, bytes); });
        }
    }

    void addRank(std::uint32_t local, const std::vector<std::uint32_t>& waits, std::size_t most,
                 std::vector<Asked>& asked)
    {
        if (waits.empty()) return;
        const WaitRank& own = m_records.ranks[local];
        const SentCalls calls = sentCalls(own);
        std::map<int, CallWindows> windows;
        for (const std::uint32_t place : waits) {
            const WaitCall& wait = own.waits[place];
            const auto culprit = static_cast<std::uint32_t>(wait.culprit);
            const int process = m_hosting.hostOf(culprit);
            Asked& to = asked[static_cast<std::size_t>(process)];
            const auto [window, isFirst] = windows.try_emplace(process, calls, most, to.meetings);
            if (isFirst) to.ranks.push_back({m_records.first + local, 0, 0});
            const std::size_t before = to.meetings.size();
            const std::uint32_t from = window->second.addBefore(wait.call);
            to.ranks.back().meetings += static_cast<std::uint32_t>(to.meetings.size() - before);
            ++to.ranks.back().waits;
            to.waits.push_back({wait.call, from, culprit, wait.culpritCall});
            m_asked[static_cast<std::size_t>(process)].push_back({local, place});
        }
    }

    void answer(int from, const Payload& bytes, std::vector<Payload>& answers)
    {
        Unpacker unpacker(bytes);
        const Asked asked = unpacked(unpacker);
        std::size_t meetings = 0, waits = 0;
        for (const AskedRank& rank : asked.ranks) {
            meetings += rank.meetings;
            waits += rank.waits;
        }
        if (!unpacker.isWhole() || meetings != asked.meetings.size() || waits != asked.waits.size())
            return refuse(from);
        std::vector<FoundMeeting> found;
        found.reserve(asked.waits.size());
        std::span<const AskedMeeting> nextMeetings(asked.meetings);
        std::span<const AskedWait> nextWaits(asked.waits);
        for (const AskedRank& rank : asked.ranks) {
            if (!answerRank(rank.rank, nextMeetings.first(rank.meetings), nextWaits.first(rank.waits), found))
                return refuse(from);
            nextMeetings = nextMeetings.subspan(rank.meetings);
            nextWaits = nextWaits.subspan(rank.waits);
            m_transport.pulse();
        }
        Packer packer;
        packer.putTable(found, &FoundMeeting::own, &FoundMeeting::theirs, &FoundMeeting::isKnown);
        answers[static_cast<std::size_t>(from)] = packer.take();
    }

    // The calls of the other rank are numbered among themselves.
    bool answerRank(std::uint32_t rank, std::span<const AskedMeeting> meetings, std::span<const AskedWait> waits,
                    std::vector<FoundMeeting>& found) const
    {
        WaitRank window;
        std::vector<std::uint32_t> calls;
        window.calls.resize(meetings.size());
        for (std::uint32_t i = 0; i < meetings.size(); ++i) {
            if (i > 0 && meetings[i].call <= calls.back()) return false;
            calls.push_back(meetings[i].call);
            window.calls.set(i, meetings[i].end, 0);
            window.collectives.push_back({meetings[i].instance, meetings[i].comm, meetings[i].root, i});
        }
        window.calls.close();
        const CollectiveCalls own(window);
        CollectiveCalls::Recent recent(own);
        const auto placeOf = [&calls](std::uint32_t call) {
            return static_cast<std::uint32_t>(std::lower_bound(calls.begin(), calls.end(), call) - calls.begin());
        };
        std::uint32_t before = 0;
        for (const AskedWait& wait : waits) {
            if (!m_records.hosts(wait.culprit) || wait.call < before) return false;
            const WaitRank& culprit = m_records.rank(wait.culprit);
            if (wait.culpritCall >= culprit.calls.size()) return false;
            before = wait.call;
            const std::uint32_t limit = placeOf(wait.call);
            recent.advance(limit);
            const auto last = CollectiveCalls::last({own, window, rank, limit, std::min(limit, placeOf(wait.from))},
                                                    {m_collectives[wait.culprit - m_records.first], culprit,
                                                     wait.culprit, wait.culpritCall},
                                                    recent);
            if (!last) found.push_back({noWaitCall, noWaitCall, false});
            else if (last->own == noWaitCall) found.push_back({});
            else found.push_back({calls[last->own], last->theirs, true});
        }
        return true;
    }

    void hear(int from, const Payload& bytes)
    {
        Unpacker unpacker(bytes);
        const auto found = unpacker.table<FoundMeeting>(&FoundMeeting::own, &FoundMeeting::theirs,
                                                        &FoundMeeting::isKnown);
        const std::vector<Question>& asked = m_asked[static_cast<std::size_t>(from)];
        if (!unpacker.isWhole() || found.size() != asked.size()) return refuse(from);
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto [rank, wait] = asked[i];
            CommonSync& own = m_found[rank][wait];
            if (!found[i].isKnown) {
                m_open[rank].push_back(wait);
                continue;
            }
            const WaitCall& call = m_records.ranks[rank].waits[wait];
            const bool isNone = found[i].own == noWaitCall;
            if (!isNone && (found[i].own >= call.call || found[i].theirs >= call.culpritCall)) return refuse(from);
            own = laterOf(isNone ? CommonSync{} : CommonSync{found[i].own, found[i].theirs}, own);
        }
    }

    void refuse(int from)
    {
        m_transport.fail({tr("Process %1 told process %2 what cannot be.").arg(from).arg(m_transport.process()),
                          QString(), QString()});
    }

    Transport& m_transport;
    const Hosting& m_hosting;
    const CauseRecords& m_records;
    const Progress& m_progress;
    std::vector<CollectiveCalls> m_collectives;      // by hosted rank
    std::vector<std::vector<CommonSync>> m_found;    // by hosted rank and wait
    std::vector<std::vector<std::uint32_t>> m_open;  // by hosted rank: waits whose meeting is not known
    std::vector<std::vector<Question>> m_asked;      // by process, in this round
};

}  // namespace

Result<std::vector<std::vector<CommonSync>>> causeMeetings(Transport& transport, const Hosting& hosting,
                                                           const CauseRecords& records, const Progress& progress)
{
    auto found = MeetingSearch(transport, hosting, records, progress).find();
    if (transport.failed()) return transport.failure();
    return found;
}

}  // namespace longpole
