// SPDX-License-Identifier: GPL-3.0-or-later
// Partners of MPI calls: messages by channel, collectives by communicator, and the points where all ranks meet; drawn,
// and against the definitions on random programs.
#include "importers/mpi/matching.h"
#include "support/mpi/mpiranks.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QRegularExpression>
#include <QTest>

#include <map>

using namespace longpole;

namespace {

QString issuesOf(const ImportLog& log)
{
    QStringList texts;
    for (const Issue& issue : log.issues())
        texts += QStringLiteral("%1*%2 %3").arg(issue.kind, QString::number(issue.count), issue.place);
    return texts.join(QStringLiteral("; "));
}

// "1.0>0.1": send 0 of rank 1 is receive 1 of rank 0.
QString messagesOf(const MpiMatches& matches)
{
    QStringList texts;
    for (std::size_t rank = 0; rank < matches.receiveOf.size(); ++rank) {
        for (std::size_t send = 0; send < matches.receiveOf[rank].size(); ++send) {
            const MpiPlace& to = matches.receiveOf[rank][send];
            if (to.isValid()) texts += QStringLiteral("%1.%2>%3.%4").arg(rank).arg(send).arg(to.rank).arg(to.index);
        }
    }
    return texts.join(u' ');
}

// "kind members latest S_max E_min flags": "1 0.0,1.0 L1 10-11 csg".
QString instancesOf(const MpiMatches& matches)
{
    QStringList texts;
    for (const MpiInstance& instance : matches.instances) {
        QStringList members;
        for (std::uint32_t i = 0; i < instance.memberCount; ++i) {
            const MpiPlace& member = matches.members[instance.firstMember + i];
            members += QStringLiteral("%1.%2").arg(member.rank).arg(member.index);
        }
        texts += QStringLiteral("%1 %2 L%3 %4-%5 %6%7%8")
                     .arg(static_cast<int>(instance.kind))
                     .arg(members.join(u','))
                     .arg(matches.members[instance.firstMember + instance.latest].rank)
                     .arg(instance.latestBegin)
                     .arg(instance.earliestEnd)
                     .arg(instance.isComplete ? QStringLiteral("c") : QString(),
                          instance.isSynchronizing ? QStringLiteral("s") : QString(),
                          instance.isGlobal ? QStringLiteral("g") : QString());
    }
    return texts.join(QStringLiteral("; "));
}

// From the definitions, each pair looked at.
void checkMessages(const MpiRun& run, const MpiMatches& matches)
{
    for (std::uint32_t to = 0; to < run.ranks.size(); ++to) {
        std::vector<std::vector<bool>> isTaken;
        for (const MpiRank& rank : run.ranks) isTaken.emplace_back(rank.sends.size(), false);
        const auto& receives = run.ranks[to].receives;
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>, std::size_t> left, live;
        for (const MpiReceive& r : receives)
            if (r.completion != noCall && !r.isCancelled) ++left[{r.from, r.comm, r.tag}];
        for (std::uint32_t from = 0; from < run.ranks.size(); ++from)
            for (const MpiSend& s : run.ranks[from].sends)
                if (s.to == to && !s.isCancelled) ++live[{from, s.comm, s.tag}];
        for (std::size_t i = 0; i < receives.size(); ++i) {
            const MpiReceive& r = receives[i];
            MpiPlace expected;
            if (r.completion != noCall && !r.isCancelled && r.from < run.ranks.size()) {
                const std::tuple channel{r.from, r.comm, r.tag};
                const std::vector<MpiSend>& sends = run.ranks[r.from].sends;
                for (std::uint32_t k = 0; k < sends.size(); ++k) {
                    const MpiSend& s = sends[k];
                    if (s.to != to || s.comm != r.comm || s.tag != r.tag || isTaken[r.from][k]) continue;
                    if (s.isCancelled && left[channel] <= live[channel]) continue;
                    expected = {r.from, k};
                    isTaken[r.from][k] = true;
                    if (!s.isCancelled) --live[channel];
                    --left[channel];
                    break;
                }
            }
            QVERIFY(matches.sendOf[to][i] == expected);
            if (expected.isValid())
                QVERIFY((matches.receiveOf[expected.rank][expected.index]
                         == MpiPlace{to, static_cast<std::uint32_t>(i)}));
        }
    }
}

// The calls between which something is pending, as (rank, call) pairs in both directions.
struct Pending {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> calls;
};

std::vector<Pending> pendingOf(const MpiRun& run, const MpiMatches& matches)
{
    std::vector<Pending> all;
    for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
        for (const MpiSend& s : run.ranks[rank].sends)
            if (s.completion != noCall && !s.isCancelled) all.push_back({{{rank, s.call}, {rank, s.completion}}});
        for (std::size_t i = 0; i < run.ranks[rank].receives.size(); ++i) {
            const MpiReceive& r = run.ranks[rank].receives[i];
            if (r.completion == noCall || r.isCancelled) continue;
            all.push_back({{{rank, r.call}, {rank, r.completion}}});
            const MpiPlace from = matches.sendOf[rank][i];
            if (from.isValid())
                all.push_back({{{from.rank, run.ranks[from.rank].sends[from.index].call}, {rank, r.completion}}});
        }
    }
    for (const MpiInstance& instance : matches.instances) {
        if (instance.kind == CollectiveKind::None || instance.kind == CollectiveKind::Loose) continue;
        Pending pending;
        for (std::uint32_t i = 0; i < instance.memberCount; ++i) {
            const MpiPlace member = matches.members[instance.firstMember + i];
            const MpiCollectivePart& part = run.ranks[member.rank].collectives[member.index];
            pending.calls.emplace_back(member.rank, part.call);
            if (part.completion != noCall) pending.calls.emplace_back(member.rank, part.completion);
        }
        all.push_back(pending);
    }
    return all;
}

bool isGlobal(const MpiRun& run, const MpiMatches& matches, const MpiInstance& instance,
              const std::vector<Pending>& pending)
{
    const bool meet = instance.kind == CollectiveKind::Barrier || instance.kind == CollectiveKind::NToN
                      || instance.kind == CollectiveKind::Lifetime;
    if (!meet || !instance.isComplete || instance.latestBegin > instance.earliestEnd) return false;
    std::map<std::uint32_t, std::uint32_t> callOf;
    for (std::uint32_t i = 0; i < instance.memberCount; ++i) {
        const MpiPlace member = matches.members[instance.firstMember + i];
        const MpiCollectivePart& part = run.ranks[member.rank].collectives[member.index];
        if (part.completion != part.call) return false;
        callOf[member.rank] = part.call;
    }
    for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank)
        if (!run.ranks[rank].calls.empty() && !callOf.contains(rank)) return false;
    for (const Pending& one : pending) {
        bool before = false, after = false;
        for (const auto& [rank, call] : one.calls) {
            before |= call < callOf[rank];
            after |= call > callOf[rank];
        }
        if (before && after) return false;
    }
    return true;
}

}  // namespace

class TestMpiMatching : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void messages_data()
    {
        QTest::addColumn<QStringList>("lines");
        QTest::addColumn<QString>("messages");
        QTest::addColumn<QString>("issues");
        const auto row = [](const char* name, std::initializer_list<const char*> lines, const char* messages,
                            const char* issues) {
            QTest::newRow(name) << linesOf(lines) << QString::fromLatin1(messages) << QString::fromLatin1(issues);
        };
        row("in order of posting", {"Send>1 0-1 Send>1 2-3", "Irecv<0=a 0-1 Irecv<0=b 1-2 Wait:b 4-5 Wait:a 6-7"},
            "0.0>1.0 0.1>1.1", "");
        row("tags apart", {"Send>1#1 0-1 Send>1#2 2-3", "Recv<0#2 0-4 Recv<0#1 5-7"}, "0.0>1.1 0.1>1.0", "");
        row("communicators apart", {"Send>1@1 0-1 Send>1@0 2-3", "Recv<0@0 0-4 Recv<0@1 5-7"}, "0.0>1.1 0.1>1.0", "");
        row("senders apart", {"Send>2 0-1", "Send>2 0-1", "Recv<1 0-2 Recv<0 3-4"}, "0.0>2.1 1.0>2.0", "");
        row("to itself", {"Isend>0=a 0-1 Recv<0 1-2 Wait:a 2-3"}, "0.0>0.0", "");
        row("no partner", {"Send>1 0-1 Send>1 2-3", "Recv<0 0-4", "Recv<1#4 0-4"}, "0.0>1.0",
            "unmatched_receive*1 from rank 1 to rank 2 with tag 4 on MPI_COMM_WORLD; "
            "unmatched_send*1 from rank 0 to rank 1 with tag 0 on MPI_COMM_WORLD");
        row("a rank that is not there", {"Recv<7 0-1"}, "",
            "unmatched_receive*1 from rank 7 to rank 0 with tag 0 on MPI_COMM_WORLD");
        row("cancelled", {"Isend>1=a 0-1 Cancel!a 1-2 Send>1 3-4", "Irecv<0=b 0-1 Cancel!b 1-2 Recv<0 3-4"}, "0.1>1.1",
            "cancelled_request*2 rank 0");
        row("freed, but received", {"Isend>1=a 0-1 Request_free!a 1-2 Send>1 3-4", "Recv<0 0-2 Recv<0 3-4"},
            "0.0>1.0 0.1>1.1", "cancelled_request*1 rank 0");
        row("never completed", {"Isend>1=a 0-1", "Irecv<0=b 0-1 Recv<0 3-4"}, "0.0>1.1", "unfinished_request*2 rank 0");
        row("cut", {"Send>1 0-1", "Recv<0 0-?"}, "",
            "unfinished_request*1 rank 1; unmatched_send*1 from rank 0 to rank 1 with tag 0 on MPI_COMM_WORLD");
    }
    void messages()
    {
        QFETCH(QStringList, lines);
        const MpiRun run = drawnRun(lines);
        ImportLog log;
        const auto matches = matchMpi(run.ranks, run.names, 2, log, Progress{});
        QVERIFY(matches.ok());
        QTEST(messagesOf(*matches), "messages");
        QTEST(issuesOf(log), "issues");
        checkMessages(run, *matches);
    }

    // A receive that was posted for one channel takes its message, also if nobody hears of it; at the end of the
    // channel it need not have come.
    void placesOfReceivesThatDoNotEnd_data()
    {
        QTest::addColumn<QStringList>("lines");
        QTest::addColumn<QString>("messages");
        const auto row = [](const char* name, std::initializer_list<const char*> lines, const char* messages) {
            QTest::newRow(name) << linesOf(lines) << QString::fromLatin1(messages);
        };
        row("first", {"Send>1 0-1 Send>1 2-3", "Irecv<0=a 0-1 Recv<0 3-4"}, "0.1>1.1");
        row("last", {"Send>1 0-1", "Recv<0 0-1 Irecv<0=a 2-3"}, "0.0>1.0");
        row("last, behind a send that was cancelled",
            {"Isend>1=a 0-1 Cancel!a 1-2 Send>1 3-4", "Recv<0 0-4 Irecv<0=b 5-6"}, "0.1>1.0");
        row("cancelled", {"Send>1 0-1", "Irecv<0=a 0-1 Cancel!a 1-2 Recv<0 3-4"}, "0.0>1.1");
        row("probed behind it", {"Send>1 0-1 Send>1 2-3", "Irecv<0=a 0-1 Probe<0 3-4 Recv<0 4-5"}, "0.1>1.1");
    }
    void placesOfReceivesThatDoNotEnd()
    {
        QFETCH(QStringList, lines);
        MpiRun run = drawnRun(lines);
        for (MpiReceive& receive : run.ranks[1].receives) receive.isPlaced = true;
        ImportLog log;
        const auto matches = matchMpi(run.ranks, run.names, 1, log, Progress{});
        QVERIFY(matches.ok());
        QTEST(messagesOf(*matches), "messages");
        for (const MpiPlace& probed : matches->probeOf[1]) QVERIFY(probed == (MpiPlace{0, 1}));
    }

    void collectives_data()
    {
        QTest::addColumn<QStringList>("lines");
        QTest::addColumn<QString>("instances");
        QTest::addColumn<QString>("issues");
        const auto row = [](const char* name, std::initializer_list<const char*> lines, const char* instances,
                            const char* issues) {
            QTest::newRow(name) << linesOf(lines) << QString::fromLatin1(instances) << QString::fromLatin1(issues);
        };
        row("a barrier", {"Barrier 0-11", "Barrier 4-12", "Barrier 10-11", "Barrier 6-13"},
            "1 0.0,1.0,2.0,3.0 L2 10-11 csg", "");
        row("ties: the lowest rank", {"Barrier 0-11", "Barrier 4-12", "Barrier 4-11"}, "1 0.0,1.0,2.0 L1 4-11 csg", "");
        row("one leaves early", {"Barrier 0-3", "Barrier 4-12"}, "1 0.0,1.0 L1 4-3 c", "");
        row("by communicator", {"Barrier@1 0-2 Allreduce 3-9", "Barrier@1 1-2 Allreduce 4-9", "Allreduce 1-9"},
            "1 0.0,1.0 L1 1-2 cs; 2 0.1,1.1,2.0 L1 4-9 csg", "");
        row("alone", {"Barrier@2 0-2 Barrier 4-6", "Barrier 4-6 Barrier@2 8-9"},
            "1 0.0 L0 0-2 cs; 1 0.1,1.0 L0 4-6 csg; 1 1.1 L1 8-9 cs", "");
        row("non-blocking", {"Ibarrier=a 0-1 Wait:a 5-9", "Ibarrier=a 3-4 Wait:a 5-6"}, "1 0.0,1.0 L1 3-6 cs", "");
        row("different calls", {"Bcast^0 0-2 Barrier 4-6", "Reduce^0 0-3 Barrier 4-7"},
            "0 0.0,1.0 L0 0-2 ; 1 0.1,1.1 L0 4-6 csg",
            "mismatched_collective*1 MPI_COMM_WORLD, collective call 0: rank 0 calls MPI_Bcast with root 0, rank 1 "
            "calls "
            "MPI_Reduce with root 0");
        row("the same kind, another call", {"Alltoall 0-2", "Allreduce 0-3"}, "0 0.0,1.0 L0 0-2 ",
            "mismatched_collective*1 MPI_COMM_WORLD, collective call 0: rank 0 calls MPI_Alltoall, rank 1 calls "
            "MPI_Allreduce");
        row("different roots", {"Bcast^0 0-2", "Bcast^1 0-3"}, "0 0.0,1.0 L0 0-2 ",
            "mismatched_collective*1 MPI_COMM_WORLD, collective call 0: rank 0 calls MPI_Bcast with root 0, rank 1 "
            "calls "
            "MPI_Bcast with root 1");
        row("start-up is one call", {"Init 0-2", "Init_thread 0-3"}, "6 0.0,1.0 L0 0-2 csg", "");
        row("a member is missing", {"Barrier 0-2", "Barrier 1-2", ""}, "1 0.0,1.0 L1 1-2 ",
            "incomplete_collective*1 MPI_COMM_WORLD, collective call 0: 2 of 3 members");
        row("cut", {"Barrier 0-?", "Barrier 1-2"}, "1 0.0,1.0 L1 1-2 ",
            "incomplete_collective*1 MPI_COMM_WORLD, collective call 0: 2 of 2 members; unfinished_request*1 rank 0");
        row("no member", {"Barrier@1 0-2", "Barrier@1 0-2", "Barrier@1 0-2"}, "1 0.0,1.0 L0 0-2 cs",
            "mismatched_collective*1 rank 2 calls MPI_Barrier on first two, of which it is no member");
        row("a message across", {"Send>1 0-1 Barrier 2-5 Barrier 7-9", "Barrier 2-5 Recv<0 5-6 Barrier 7-9"},
            "1 0.0,1.0 L0 2-5 cs; 1 0.1,1.1 L0 7-9 csg", "");
        row("a request across", {"Irecv<1=a 0-1 Barrier 2-5 Wait:a 5-7", "Barrier 2-5 Send>0 5-6"},
            "1 0.0,1.0 L0 2-5 cs", "");
        row("a root's call does not meet", {"Bcast^0 0-3", "Bcast^0 0-3"}, "3 0.0,1.0 L0 0-3 cs", "");
    }
    void collectives()
    {
        QFETCH(QStringList, lines);
        const MpiRun run = drawnRun(lines);
        ImportLog log;
        const auto matches = matchMpi(run.ranks, run.names, 2, log, Progress{});
        QVERIFY(matches.ok());
        QTEST(instancesOf(*matches), "instances");
        QTEST(issuesOf(log), "issues");
    }
    // Nobody waits for a root that sends nothing; in a barrier everybody does.
    // If all give to all and meet, they do.
    void callsWithoutDataHoldNobodyUp()
    {
        MpiRun run = drawnRun({QStringLiteral("Bcast^0 0-3 Barrier 4-7 Allreduce 8-9 Allreduce 20-30"),
                               QStringLiteral("Bcast^0 0-3 Barrier 5-7 Allreduce 10-11 Allreduce 25-30")});
        for (MpiRank& rank : run.ranks)
            for (MpiCollectivePart& part : rank.collectives) part.moved = {};
        ImportLog log;
        const auto matches = matchMpi(run.ranks, run.names, 2, log, Progress{});
        QVERIFY(matches.ok());
        QCOMPARE(matches->instances.size(), 4u);
        QCOMPARE(matches->instances[0].kind, CollectiveKind::Loose);
        QCOMPARE(matches->instances[1].kind, CollectiveKind::Barrier);
        QCOMPARE(matches->instances[2].kind, CollectiveKind::Loose);
        QCOMPARE(matches->instances[3].kind, CollectiveKind::NToN);
        QCOMPARE(issuesOf(log), QString());
    }

    // As many communicators of one rank each as ranks, and hardly a call.
    void communicatorsOfOneRankEach()
    {
        constexpr std::uint32_t many = 20'000;
        MpiRun run;
        run.names.ranks = many;
        run.ranks.resize(many);
        for (std::uint32_t i = 0; i < many; ++i) run.addCommunicator(QStringLiteral("MPI_COMM_SELF"), {}, true);
        for (const std::uint32_t rank : {7u, many - 1}) {
            run.addCall(rank, QStringLiteral("MPI_Barrier"), 0, 1);
            run.ranks[rank].collectives.push_back({0, 0, many - 1, CollectiveKind::Barrier, noRank, {}});
        }
        ImportLog log;
        const auto matches = matchMpi(run.ranks, run.names, 2, log, Progress{});
        QVERIFY(matches.ok());
        QCOMPARE(matches->instances.size(), 2u);
        QCOMPARE(matches->instances[0].memberCount, 1u);
        QCOMPARE(issuesOf(log), QString());
    }

    // A call of another thread that goes on across a barrier: the run does not meet there.
    void callOfAnotherThread()
    {
        MpiRun run = drawnRun(linesOf({"Test 0-4 Barrier 1-3 Barrier 5-6", "Barrier 2-3 Barrier 5-6"}));
        run.ranks[0].calls[0].location = 2;
        ImportLog log;
        const auto matches = matchMpi(run.ranks, run.names, 1, log, Progress{});
        QVERIFY(matches.ok());
        QCOMPARE(instancesOf(*matches), QStringLiteral("1 0.0,1.0 L1 2-3 cs; 1 0.1,1.1 L0 5-6 csg"));
    }

    void randomPrograms()
    {
        int global = 0, partners = 0;
        for (std::uint32_t seed = 0; seed < 3000; ++seed) {
            const MpiRun run = randomRun(seed);
            ImportLog log, log1;
            const auto matches = matchMpi(run.ranks, run.names, 2, log, Progress{});
            const auto matches1 = matchMpi(run.ranks, run.names, 1, log1, Progress{});
            QVERIFY(matches.ok() && matches1.ok());
            QCOMPARE(messagesOf(*matches), messagesOf(*matches1));
            QCOMPARE(instancesOf(*matches), instancesOf(*matches1));
            QCOMPARE(issuesOf(log), issuesOf(log1));
            checkMessages(run, *matches);
            const std::vector<Pending> pending = pendingOf(run, *matches);
            for (const MpiInstance& instance : matches->instances) {
                QCOMPARE(instance.isGlobal, isGlobal(run, *matches, instance, pending));
                global += instance.isGlobal;
            }
            checkInstances(run, *matches);
            for (const auto& receives : matches->sendOf)
                for (const MpiPlace& from : receives) partners += from.isValid();
            if (QTest::currentTestFailed()) QFAIL(qPrintable(QStringLiteral("seed %1").arg(seed)));
        }
        QVERIFY2(global > 300, qPrintable(QString::number(global)));
        QVERIFY2(partners > 5000, qPrintable(QString::number(partners)));
    }

    void nothingFromProcNull()
    {
        MpiRun run = drawnRun(linesOf({"Irecv<1=a 0-1 Irecv<1=b 0-1 Wait!a 2-3 Wait!b 2-3"}));
        run.ranks[0].receives[0].isEmpty = true;
        ImportLog log;
        Progress progress;
        QVERIFY(matchMpi(run.ranks, run.names, 1, log, progress).ok());
        QCOMPARE(issuesOf(log), QStringLiteral("cancelled_request*1 rank 0"));
    }

    void cancelled()
    {
        const MpiRun run = randomRun(1);
        ImportLog log;
        Progress progress;
        progress.cancel();
        const auto matches = matchMpi(run.ranks, run.names, 2, log, progress);
        QVERIFY(!matches.ok());
        QVERIFY(wasCancelled(matches.error()));
    }

private:
    // Every part is in the instance of its number on its communicator, and the instance's figures are those of its
    // members.
    static void checkInstances(const MpiRun& run, const MpiMatches& matches)
    {
        std::map<std::tuple<std::uint32_t, std::uint32_t, int>, std::uint32_t> known;
        for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
            std::map<std::uint32_t, int> numbers;
            const auto& parts = run.ranks[rank].collectives;
            for (std::uint32_t i = 0; i < parts.size(); ++i) {
                const std::uint32_t instance = matches.instanceOf[rank][i];
                QVERIFY(instance < matches.instances.size());
                const std::uint32_t self = parts[i].comm == 2 ? rank : 0;
                const std::tuple key{parts[i].comm, self, numbers[parts[i].comm]++};
                QCOMPARE(known.try_emplace(key, instance).first->second, instance);
                QVERIFY((matches.members[matches.memberOf[rank][i]] == MpiPlace{rank, i}));
            }
        }
        QCOMPARE(known.size(), matches.instances.size());
        TimeNs before = minTime;
        for (const MpiInstance& instance : matches.instances) {
            TimeNs latest = minTime, earliest = maxTime;
            for (std::uint32_t i = 0; i < instance.memberCount; ++i) {
                const MpiPlace member = matches.members[instance.firstMember + i];
                const MpiRank& rank = run.ranks[member.rank];
                const MpiCollectivePart& part = rank.collectives[member.index];
                latest = std::max(latest, rank.calls[part.call].begin);
                if (part.completion != noCall) earliest = std::min(earliest, rank.calls[part.completion].end);
            }
            QCOMPARE(instance.latestBegin, latest);
            QCOMPARE(instance.earliestEnd, earliest);
            QVERIFY(before <= latest);
            before = latest;
        }
    }
};

LONGPOLE_TEST(TestMpiMatching)
#include "tst_mpimatching.moc"
