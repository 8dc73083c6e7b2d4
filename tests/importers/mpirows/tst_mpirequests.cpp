// SPDX-License-Identifier: GPL-3.0-or-later
// Requests: the call that starts, the call that completes, on one thread and on several of a rank.
#include "importers/mpirows/readlocation.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <map>
#include <random>

using namespace longpole;
using namespace longpole::test;

class TestMpiRequests : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // What is completed, cancelled, empty, or never completed.
    void ofOneThread()
    {
        ScriptedMpi program(2);
        auto& rank = program.rank(0);
        rank.irecv(10, {1, 3, 80, 0}, 1).isend(11, {1, 4, 40, 0}, 1).icollective("MPI_Iallreduce", 12, noRank, 8, 1);
        rank.compute(5)
            .waitall({11, 10}, 6)
            .wait(12, 1)
            .irecv(10, {1, 5, 8, 0}, 1)
            .isend(13, {1, 4, 40, 0}, 1)
            .cancel(13, 1)
            .irecv(14, {1, 5, 8, 0}, 1)
            .waitNothing(14, 1);
        ReadLocation read(program);
        const MpiRank& mine = read.result.calls.rank;
        QCOMPARE(mine.receives.size(), std::size_t{3});
        QCOMPARE(mine.receives[0].call, 0u);
        QCOMPARE(mine.receives[0].completion, 3u);
        QCOMPARE(mine.receives[0].from, 1u);
        QCOMPARE(mine.receives[0].tag, 3);
        QCOMPARE(mine.receives[0].bytes, 80);
        QCOMPARE(mine.receives[1].call, 5u);
        QCOMPARE(mine.receives[1].completion, noCall);
        QCOMPARE(mine.sends[0].call, 1u);
        QCOMPARE(mine.sends[0].completion, 3u);
        QVERIFY(!mine.receives[1].isEmpty);
        QVERIFY(mine.receives[2].isEmpty);
        QVERIFY(mine.receives[2].isCancelled);
        QVERIFY(mine.sends[1].isCancelled);
        QCOMPARE(mine.collectives[0].call, 2u);
        QCOMPARE(mine.collectives[0].completion, 4u);
        QCOMPARE(mine.collectives[0].kind, CollectiveKind::NToN);
        QVERIFY(mine.calls[2].hub == noPiece);  // it is waited for later
        QCOMPARE(read.issues(), QString());
    }

    void table()
    {
        std::mt19937 random(11);
        RequestTable table;
        std::map<std::int64_t, std::uint32_t> known;
        for (std::uint32_t i = 0; i < 200000; ++i) {
            const auto request = static_cast<std::int64_t>(random() % 300) * (random() % 2 == 0 ? 1 : 1024);
            if (random() % 2 == 0) {
                table.insert({request, i, RequestKind::Send});
                known[request] = i;
            } else {
                const auto taken = table.take(request);
                QCOMPARE(taken.has_value(), known.contains(request));
                if (taken) QCOMPARE(taken->index, known[request]);
                known.erase(request);
            }
        }
        QCOMPARE(table.open().size(), known.size());
        for (const auto& [request, i] : known) QCOMPARE(table.find(request)->index, i);
    }

    // One thread starts what another completes; calls are numbered in the order of their begins.
    void ofSeveralThreads()
    {
        ScriptedMpi program(2);
        auto& main = program.rank(0);
        auto& worker = program.addThread(0, "worker");
        main.compute(1).irecv(1, {1, 0, 16, 0}, 1);
        worker.at(5).isend(2, {1, 9, 8, 0}, 1).wait(1, 10);
        main.at(4).wait(2, 3);
        ReadLocation first(program, 0, true);
        ReadLocation second(program, 2);
        QCOMPARE(first.result.calls.unknown.size(), std::size_t{1});
        std::vector<MpiCalls> threads;
        threads.push_back(std::move(first.result.calls));
        threads.push_back(std::move(second.result.calls));
        ImportLog log;
        const MpiRank rank = joinThreads(std::move(threads), log);
        QVERIFY(log.issues().empty());
        QCOMPARE(rank.calls.size(), std::size_t{4});
        QCOMPARE(rank.calls[1].begin, 4);
        QCOMPARE(rank.calls[2].location, 2u);
        QCOMPARE(rank.sends[0].call, 2u);
        QCOMPARE(rank.sends[0].completion, 1u);
        QCOMPARE(rank.receives[0].call, 0u);
        QCOMPARE(rank.receives[0].completion, 3u);
        QCOMPARE(rank.receives[0].bytes, 16);
    }

    // A receive that nobody posted counts where it came.
    void unknown()
    {
        ScriptedMpi program(2);
        auto& rank = program.rank(0);
        rank.begin("MPI_Wait").event([](MpiEvents& e) { e.received(77, 0, 1, 3, 8); }).end(2);
        rank.irecv(1, {1, 0, 16, 0}, 1).wait(1, 1);
        rank.begin("MPI_Wait").event([](MpiEvents& e) { e.sendCompleted(78); }).end(2);
        ReadLocation read(program);
        std::vector<MpiCalls> threads;
        threads.push_back(std::move(read.result.calls));
        ImportLog log;
        const MpiRank joined = joinThreads(std::move(threads), log);
        QCOMPARE(log.count(IssueKind::UnknownRequest), 2);
        QCOMPARE(joined.receives.size(), std::size_t{2});
        QCOMPARE(joined.receives[0].call, 0u);
        QCOMPARE(joined.receives[0].completion, 0u);
        QCOMPARE(joined.receives[0].tag, 3);
        QCOMPARE(joined.receives[1].call, 1u);
    }
};

LONGPOLE_TEST(TestMpiRequests)
#include "tst_mpirequests.moc"
