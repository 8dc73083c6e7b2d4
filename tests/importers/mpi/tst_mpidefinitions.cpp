// SPDX-License-Identifier: GPL-3.0-or-later
// What calls waited for and what pieces of code depend on, in random programs, against the definitions of
// docs/algorithms.md 7.1 and 7.2, spelled out.
#include "importers/mpi/waitedrun.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <random>
#include <span>

using namespace longpole;

namespace {

// The definitions, once more: for every call look at everything.
class Definitions {
public:
    Definitions(const MpiRun& run, const MpiMatches& matches) : m_run(run), m_matches(matches)
    {
        for (const MpiRank& rank : run.ranks) waits.emplace_back(rank.calls.size());
        for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
            for (std::uint32_t call = 0; call < run.ranks[rank].calls.size(); ++call) messages(rank, call);
            wrongOrder(rank);
        }
        for (const MpiInstance& instance : matches.instances) collective(instance);
    }

    struct Wait {
        TimeNs before = 0, after = 0, severity = 0;
        WaitPattern pattern = WaitPattern::None;
        TimeNs sent = minTime;  // of a late sender
        std::uint32_t source = 0;
        bool sameSource = false, otherSource = false;
    };
    std::vector<std::vector<Wait>> waits;

private:
    const MpiCall& call(std::uint32_t rank, std::uint32_t number) const { return m_run.ranks[rank].calls[number]; }
    QString name(std::uint32_t rank, std::uint32_t number) const
    {
        return m_run.names.regions[call(rank, number).region].name;
    }

    void messages(std::uint32_t rank, std::uint32_t number)
    {
        if (name(rank, number) == QLatin1String("MPI_Test")) return;
        const MpiRank& self = m_run.ranks[rank];
        const MpiCall& own = call(rank, number);
        Wait& wait = waits[rank][number];
        for (std::size_t i = 0; i < self.receives.size(); ++i) {
            const MpiPlace from = m_matches.sendOf[rank][i];
            if (self.receives[i].completion != number || !from.isValid()) continue;
            const TimeNs sent = call(from.rank, m_run.ranks[from.rank].sends[from.index].call).begin;
            const TimeNs severity = std::max<TimeNs>(0, std::min(sent, own.end) - own.begin);
            if (severity > wait.severity)
                wait = {severity, 0, severity, WaitPattern::LateSender, sent, from.rank, false, false};
        }
        if (wait.severity > 0) return;
        for (std::size_t i = 0; i < self.sends.size(); ++i) {
            const MpiPlace to = m_matches.receiveOf[rank][i];
            if (self.sends[i].completion != number || self.sends[i].isCancelled || !to.isValid()) continue;
            const TimeNs posted = call(to.rank, m_run.ranks[to.rank].receives[to.index].call).begin;
            const TimeNs severity = own.end <= posted ? 0 : std::max<TimeNs>(0, posted - own.begin);
            if (severity > wait.severity)
                wait = {severity, 0, severity, WaitPattern::LateReceiver, minTime, 0, false, false};
        }
    }

    void wrongOrder(std::uint32_t rank)
    {
        std::deque<std::uint32_t> recent;  // calls with a late sender
        for (std::uint32_t number = 0; number < m_run.ranks[rank].calls.size(); ++number) {
            const auto& receives = m_run.ranks[rank].receives;
            for (std::size_t i = 0; i < receives.size(); ++i) {
                const MpiPlace from = m_matches.sendOf[rank][i];
                if (receives[i].completion != number || !from.isValid()) continue;
                const TimeNs sent = call(from.rank, m_run.ranks[from.rank].sends[from.index].call).begin;
                for (const std::uint32_t earlier : recent) {
                    Wait& wait = waits[rank][earlier];
                    if (wait.sent <= sent || wait.sameSource || wait.otherSource) continue;
                    (wait.source == from.rank ? wait.sameSource : wait.otherSource) = true;
                }
            }
            if (waits[rank][number].pattern == WaitPattern::LateSender) recent.push_back(number);
            if (recent.size() > 100) recent.pop_front();
        }
    }

    struct Member {
        std::uint32_t rank, start, completion;
        TimeNs begin;
    };
    static TimeNs latest(const std::vector<Member>& members, std::size_t count, std::int64_t without = -1)
    {
        TimeNs latest = minTime;
        for (std::size_t i = 0; i < count; ++i)
            if (members[i].rank != without) latest = std::max(latest, members[i].begin);
        return latest;
    }

    void collective(const MpiInstance& instance)
    {
        const CollectiveKind kind = instance.kind;
        if (!instance.isComplete || kind == CollectiveKind::None || kind == CollectiveKind::Loose) return;
        std::vector<Member> members;
        TimeNs earliest = maxTime;
        bool isBlocking = true;
        for (std::uint32_t i = 0; i < instance.memberCount; ++i) {
            const MpiPlace place = m_matches.members[instance.firstMember + i];
            const MpiCollectivePart& part = m_run.ranks[place.rank].collectives[place.index];
            members.push_back({place.rank, part.call, part.completion, call(place.rank, part.call).begin});
            if (part.completion != noCall) earliest = std::min(earliest, call(place.rank, part.completion).end);
            isBlocking &= part.completion == part.call;
        }
        const TimeNs last = latest(members, members.size());
        if (kind == CollectiveKind::Lifetime && last > earliest) return;
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (members[i].completion == noCall
                || name(members[i].rank, members[i].completion) == QLatin1String("MPI_Test"))
                continue;
            member(instance, members, i, isBlocking, earliest);
        }
    }

    void member(const MpiInstance& instance, const std::vector<Member>& members, std::size_t i, bool isBlocking,
                TimeNs earliest)
    {
        const Member& self = members[i];
        const MpiCall& own = call(self.rank, self.completion);
        const TimeNs last = latest(members, members.size());
        const bool isRoot = instance.root == static_cast<std::int64_t>(self.rank);
        TimeNs awaited = minTime;
        WaitPattern pattern = WaitPattern::None;
        switch (instance.kind) {
        case CollectiveKind::Barrier:
        case CollectiveKind::Lifetime:
            awaited = last;
            pattern = WaitPattern::WaitAtBarrier;
            break;
        case CollectiveKind::NToN:
            awaited = last;
            pattern = WaitPattern::WaitAtNxN;
            break;
        case CollectiveKind::NToOne:
            if (isRoot) awaited = latest(members, members.size(), instance.root);
            pattern = WaitPattern::EarlyReduce;
            break;
        case CollectiveKind::OneToN:
            for (const Member& other : members)
                if (!isRoot && static_cast<std::int64_t>(other.rank) == instance.root) awaited = other.begin;
            pattern = WaitPattern::LateBroadcast;
            break;
        case CollectiveKind::Prefix:
            awaited = latest(members, i + 1);
            pattern = WaitPattern::EarlyScan;
            break;
        default: break;
        }
        Wait& wait = waits[self.rank][self.completion];
        const TimeNs reached = std::min(awaited, own.end);
        const TimeNs severity = reached > own.begin ? reached - own.begin : 0;
        if (severity > wait.severity) {
            wait.before = wait.severity = severity;
            wait.pattern = pattern;
        }
        if (!isBlocking) return;
        if (last <= earliest) {
            wait.before = last - own.begin;
            wait.after = own.end - earliest;
        } else if (instance.kind == CollectiveKind::Barrier || instance.kind == CollectiveKind::NToN) {
            wait.after = std::max<TimeNs>(0, own.end - std::max(earliest, std::min(last, own.end)));
        }
    }

    const MpiRun& m_run;
    const MpiMatches& m_matches;
};

using EdgeKey = std::tuple<std::uint32_t, std::uint32_t, TimeNs, std::uint32_t, std::int64_t, std::uint32_t>;

EdgeKey keyOf(std::uint32_t rank, const MpiEdge& e)
{
    return {rank, e.piece, -e.left, e.sourceRank, e.message, e.source};
}

// All edges that the definitions name; those against time only counted.
class DefinedEdges {
public:
    DefinedEdges(const MpiRun& run, const MpiMatches& matches) : m_run(run), m_matches(matches)
    {
        for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) messages(rank);
        for (const MpiInstance& instance : matches.instances)
            if (instance.memberCount > 1) collective(instance);
        std::sort(edges.begin(), edges.end());
    }
    std::vector<EdgeKey> edges;
    std::int64_t negative = 0;

private:
    const MpiCall& call(std::uint32_t rank, std::uint32_t number) const { return m_run.ranks[rank].calls[number]; }

    void add(std::uint32_t rank, std::uint32_t piece, TimeNs at, std::uint32_t sourceRank, std::uint32_t source,
             TimeNs left, std::int64_t message = -1)
    {
        if (left > at) ++negative;
        else edges.push_back(keyOf(rank, {piece, sourceRank, source, left, 0, message}));
    }
    void addCalls(std::uint32_t fromRank, std::uint32_t from, std::uint32_t toRank, std::uint32_t to,
                  std::int64_t message = -1)
    {
        add(toRank, call(toRank, to).after, call(toRank, to).end, fromRank, call(fromRank, from).piece,
            call(fromRank, from).begin, message);
    }

    void messages(std::uint32_t rank)
    {
        for (std::uint32_t i = 0; i < m_run.ranks[rank].sends.size(); ++i) {
            const MpiSend& s = m_run.ranks[rank].sends[i];
            const MpiPlace to = m_matches.receiveOf[rank][i];
            if (!to.isValid()) continue;
            const MpiReceive& r = m_run.ranks[to.rank].receives[to.index];
            addCalls(rank, s.call, to.rank, r.completion, i);
            if (s.completion == noCall || s.isCancelled || to.rank == rank) continue;
            const TimeNs posted = call(to.rank, r.call).begin;
            const bool waits = posted > call(rank, s.completion).begin && posted < call(rank, s.completion).end;
            if (s.isSynchronous || waits) addCalls(to.rank, r.call, rank, s.completion);
        }
    }

    void collective(const MpiInstance& instance)
    {
        const bool isLifetime = instance.kind == CollectiveKind::Lifetime;
        if (isLifetime && (!instance.isComplete || instance.latestBegin > instance.earliestEnd)) return;
        const bool meet = isLifetime || instance.kind == CollectiveKind::Barrier
                          || instance.kind == CollectiveKind::NToN;
        const MpiPlace latest = m_matches.members[instance.firstMember + instance.latest];
        const std::uint32_t lastCall = m_run.ranks[latest.rank].collectives[latest.index].call;
        const MpiCall& last = call(latest.rank, lastCall);
        for (std::uint32_t i = 0; i < instance.memberCount; ++i) {
            const MpiPlace a = m_matches.members[instance.firstMember + i];
            const MpiCollectivePart& from = m_run.ranks[a.rank].collectives[a.index];
            if (meet && a.rank != latest.rank) {
                add(latest.rank, last.hub, last.begin, a.rank, call(a.rank, from.call).piece,
                    call(a.rank, from.call).begin);
                if (from.completion != noCall)
                    add(a.rank, call(a.rank, from.completion).after, call(a.rank, from.completion).end, latest.rank,
                        last.hub, last.begin);
            }
            for (std::uint32_t j = 0; j < instance.memberCount && !meet; ++j) {
                const MpiPlace b = m_matches.members[instance.firstMember + j];
                const MpiCollectivePart& to = m_run.ranks[b.rank].collectives[b.index];
                const bool depends = (instance.kind == CollectiveKind::OneToN
                                      && static_cast<std::int64_t>(a.rank) == instance.root)
                                     || (instance.kind == CollectiveKind::NToOne
                                         && static_cast<std::int64_t>(b.rank) == instance.root)
                                     || (instance.kind == CollectiveKind::Prefix && i < j);
                if (depends && i != j && to.completion != noCall) addCalls(a.rank, from.call, b.rank, to.completion);
            }
        }
    }

    const MpiRun& m_run;
    const MpiMatches& m_matches;
};

}  // namespace

class TestMpiDefinitions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void randomPrograms()
    {
        std::array<std::int64_t, waitPatterns> seen{};
        std::int64_t wrong = 0, edges = 0;
        for (std::uint32_t seed = 0; seed < 3000; ++seed) {
            const MpiRun run = randomRun(seed);
            const Waited found = waited(run, 2);
            const Definitions defined(run, found.matches);
            for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
                for (std::size_t call = 0; call < run.ranks[rank].calls.size(); ++call) {
                    const MpiWait& wait = found.waits[rank][call];
                    checkWait(wait, defined.waits[rank][call], run.ranks[rank].calls[call]);
                    ++seen[static_cast<std::size_t>(wait.pattern)];
                    wrong += defined.waits[rank][call].sameSource || defined.waits[rank][call].otherSource;
                }
            }
            checkEdges(run, found);
            for (const auto& ofRank : found.edges) edges += static_cast<std::int64_t>(ofRank.size());
            checkPaper(run, found);
            if (seed % 10 == 0) checkInvariance(run, found, seed);
            if (QTest::currentTestFailed()) QFAIL(qPrintable(QStringLiteral("seed %1").arg(seed)));
        }
        const auto ofCalls = std::span(seen).first(static_cast<std::size_t>(WaitPattern::OmpBarrier));
        for (const std::int64_t count : ofCalls) QVERIFY2(count > 100, qPrintable(QString::number(count)));
        QVERIFY2(wrong > 100, qPrintable(QString::number(wrong)));
        QVERIFY2(edges > 10000, qPrintable(QString::number(edges)));
    }

private:
    static void checkWait(const MpiWait& wait, const Definitions::Wait& defined, const MpiCall& call)
    {
        QCOMPARE(wait.before, defined.before);
        QCOMPARE(wait.after, defined.after);
        QCOMPARE(wait.severity, defined.severity);
        QCOMPARE(wait.pattern, defined.pattern);
        QCOMPARE((wait.flags & MpiCallFlag::WrongOrderSameSource) != 0, defined.sameSource);
        QCOMPARE((wait.flags & MpiCallFlag::WrongOrderDifferentSource) != 0, defined.otherSource);
        QVERIFY(wait.before >= 0 && wait.after >= 0);
        QVERIFY(wait.before + wait.after <= call.end - call.begin);
        QVERIFY(wait.severity <= wait.before);
        QCOMPARE(wait.culprit >= 0, wait.before > 0);
        QCOMPARE(wait.culpritCall != noCall, wait.before > 0);
    }

    static void checkEdges(const MpiRun& run, const Waited& found)
    {
        const DefinedEdges defined(run, found.matches);
        std::vector<EdgeKey> keys;
        for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank)
            for (const MpiEdge& edge : found.edges[rank]) keys.push_back(keyOf(rank, edge));
        QVERIFY(std::is_sorted(keys.begin(), keys.end()));
        QVERIFY(keys == defined.edges);
        QCOMPARE(found.negative(), defined.negative);
    }

    // Blocking collectives: the paper's formulas hold if and only if nobody left before the last came.
    static void checkPaper(const MpiRun& run, const Waited& found)
    {
        for (const MpiInstance& instance : found.matches.instances) {
            const bool counts = instance.isComplete && instance.kind != CollectiveKind::None
                                && instance.kind != CollectiveKind::Loose;
            for (std::uint32_t i = 0; i < instance.memberCount && counts; ++i) {
                const MpiPlace place = found.matches.members[instance.firstMember + i];
                const MpiCollectivePart& part = run.ranks[place.rank].collectives[place.index];
                if (part.completion != part.call) continue;
                const MpiCall& call = run.ranks[place.rank].calls[part.call];
                const MpiWait& wait = found.waits[place.rank][part.call];
                const bool holds = wait.before == instance.latestBegin - call.begin
                                   && wait.after == call.end - instance.earliestEnd;
                if (instance.latestBegin <= instance.earliestEnd) QVERIFY(holds);
                QCOMPARE((wait.flags & MpiCallFlag::NotSynchronizing) == 0,
                         instance.latestBegin <= instance.earliestEnd);
            }
        }
    }

    static void checkInvariance(const MpiRun& run, const Waited& found, std::uint32_t seed)
    {
        std::vector<std::uint32_t> order(run.ranks.size());
        std::iota(order.begin(), order.end(), 0u);
        std::shuffle(order.begin(), order.end(), std::mt19937(seed));
        const Waited moved = waited(permuted(run, order));
        const Waited later = waited(shifted(run, 1'000'000'000'000));
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            for (std::size_t call = 0; call < found.waits[rank].size(); ++call) {
                const auto figures = [](const MpiWait& w) {
                    return std::tuple(w.before, w.after, w.severity, w.pattern);
                };
                QVERIFY(figures(found.waits[rank][call]) == figures(moved.waits[order[rank]][call]));
                QVERIFY(figures(found.waits[rank][call]) == figures(later.waits[rank][call]));
                QCOMPARE(found.waits[rank][call].flags, later.waits[rank][call].flags);
            }
            QCOMPARE(found.edges[rank].size(), later.edges[rank].size());
        }
        // Of several that arrive last at once the lowest rank has the hub: only the sum stays.
        const auto edges = [](const Waited& all) {
            std::size_t count = 0;
            for (const auto& ofRank : all.edges) count += ofRank.size();
            return count;
        };
        QCOMPARE(edges(found), edges(moved));
        QCOMPARE(found.negative(), moved.negative());
    }
};

LONGPOLE_TEST(TestMpiDefinitions)
#include "tst_mpidefinitions.moc"
