// SPDX-License-Identifier: GPL-3.0-or-later
// Small MPI programs written by hand as traces: every row of them.
#include "core/trace/columns.h"
#include "importers/mpirows/importedrun.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QRegularExpression>

using namespace longpole;
using namespace longpole::test;

class TestMpiTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // A receive that waits for its sender, between MPI_Init and MPI_Finalize.
    void lateSender()
    {
        ScriptedMpi program(2);
        program.rank(0).init(2).compute(10).send(1, 5, 100, 3).compute(5).finalize(1);
        program.rank(1).init(2).compute(4).recv(0, 5, 100, 10).compute(3).finalize(2);
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QCOMPARE(tasksOf(*store, 0),
                 lines("0+0 before MPI_Init\n0+0 MPI_Init\n2+10 MPI_Init to MPI_Send\n"
                       "15+5 MPI_Send to MPI_Finalize\n20+0 MPI_Finalize\n21+0 after MPI_Finalize"));
        QCOMPARE(tasksOf(*store, 1),
                 lines("0+0 before MPI_Init\n0+0 MPI_Init\n2+4 MPI_Init to MPI_Recv\n"
                       "16+3 MPI_Recv to MPI_Finalize\n19+0 MPI_Finalize\n21+0 after MPI_Finalize"));
        // Link, source PE, row, offset, latency, message, creator: through the hub of the last to arrive.
        QCOMPARE(
            rowsOf(*store, ChunkKind::TaskSource, TrackId{0}),
            lines(
                "0 0 0 0 0 -1 -1\n5 1 0 0 0 -1 1\n0 0 0 0 0 -1 -1\n0 0 0 0 0 -1 -1\n5 1 3 3 1 -1 1\n0 0 0 0 0 -1 -1"));
        QCOMPARE(
            rowsOf(*store, ChunkKind::TaskSource, TrackId{1}),
            lines("0 0 0 0 0 -1 -1\n0 0 0 0 0 -1 -1\n5 0 1 0 2 -1 0\n1 0 2 10 4 0 0\n0 0 0 0 0 -1 -1\n5 0 4 0 1 -1 0"));
        // Sent, task, offset, entry, bytes, kind, destinations, duration, event, type.
        QCOMPARE(rowsOf(*store, ChunkKind::Message, TrackId{0}), lines("12 2 10 1 100 0 1 3 0 0"));
        QCOMPARE(rowsOf(*store, ChunkKind::MessageExecutions, TrackId{0}), lines("1"));
        // Begin, duration, region, seq, comm, peer, tag, bytes, three parts, pattern, severity, culprit, its seq,
        // instance, task, flags, path, sent.
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{0}),
                 lines("0 2 0 0 4 -1 -1 0 0 2 0 0 0 -1 -1 0 0 65 0 0\n"
                       "12 3 1 1 4 1 5 100 0 3 0 0 0 -1 -1 -1 2 0 0 100\n"
                       "20 1 2 2 4 -1 -1 0 0 1 0 0 0 -1 -1 1 3 65 0 0"));
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{1}),
                 lines("0 2 0 0 4 -1 -1 0 0 2 0 0 0 -1 -1 0 0 65 0 0\n"
                       "6 10 3 1 4 0 5 100 6 4 0 1 6 0 1 -1 2 0 0 0\n"
                       "19 2 2 2 4 -1 -1 0 0 2 0 0 0 -1 -1 1 3 65 0 0"));
        QCOMPARE(rowsOf(*store, ChunkKind::Idle, TrackId{1}), lines("6 6"));
        QCOMPARE(rowsOf(*store, ChunkKind::Latency, TrackId{1}), lines("0 4 1"));
        const TraceInfo& info = store->info();
        QCOMPARE(info.busy, 22);
        QCOMPARE(info.idle, 6);
        QCOMPARE(info.overhead(), 14);
        QCOMPARE(info.processors, 2);
        QCOMPARE(info.messages, 1);
        QCOMPARE(info.messagesMatched, 1);
        QCOMPARE(info.executionsUnmatched, 0);
        QCOMPARE(info.records, 12);
        QVERIFY(info.hasRanks());
        QCOMPARE(issuesOf(*store), QString());
        checkMpiSums(*store);
        QCOMPARE(store->entry(EntryId{0})->kind, EntryKind::System);
        QCOMPARE(store->region(RegionId{4})->kind, RegionKind::Communicator);
        QCOMPARE(store->region(RegionId{4})->number, 2);
        QCOMPARE(store->region(RegionId{1})->kind, RegionKind::MpiCall);
        QCOMPARE(store->processors()[1].name, QStringLiteral("Rank 1"));
        QCOMPARE(store->processors()[1].kind, TrackKind::Rank);
    }

    // What was received is there when the Waitall ends; of several messages the latest sent leads, the other merges.
    void waitall()
    {
        ScriptedMpi program(3);
        program.rank(0)
            .irecv(1, {1, 0, 10, 0}, 1)
            .irecv(2, {2, 0, 20, 0}, 1)
            .compute(3)
            .waitall({1, 2}, 10)
            .compute(1)
            .call("MPI_Pcontrol", 0);
        program.rank(1).at(1).counter("c", 0).compute(5).isend(7, {0, 0, 10, 0}, 2).wait(7, 1);
        program.rank(2).at(1).counter("c", 0).compute(8).send(0, 0, 20, 2);
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        // The piece after the Waitall, row 3 (before, between the Irecvs, after them): sent at 9 by rank 2, at 6 by
        // rank 1.
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, TrackId{0}).at(3), QStringLiteral("1 2 0 8 6 0 2"));
        QCOMPARE(rowsOf(*store, ChunkKind::Merge, TrackId{0}), lines("3 1 0 5 0 1"));
        // Irecv: the peer of what came; Waitall: several, their bytes, and the later of the two waits.
        const auto columns = {std::size_t{MpiCallColumn::Begin},   std::size_t{MpiCallColumn::Peer},
                              std::size_t{MpiCallColumn::Bytes},   std::size_t{MpiCallColumn::WaitBefore},
                              std::size_t{MpiCallColumn::Culprit}, std::size_t{MpiCallColumn::Flags}};
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{0}, columns),
                 lines("0 1 0 0 -1 0\n1 2 0 0 -1 0\n5 -1 30 4 2 128\n16 -1 0 0 -1 0"));
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{1}, columns), lines("6 0 10 0 -1 0\n8 0 0 0 -1 128"));
        checkMpiSums(*store);
    }

    // Sub-communicators meet by themselves; a broadcast and a reduction go one way.
    void collectives()
    {
        ScriptedMpi program(4);
        const std::uint32_t low = program.addCommunicator("low", {0, 1});
        const std::uint32_t high = program.addCommunicator("high", {3, 2});
        for (std::uint32_t rank = 0; rank < 4; ++rank) program.rank(rank).counter("c", 0);
        program.rank(0).compute(4).allreduce(8, 4, low).compute(2).bcast(0, 64, 1).compute(1).reduce(3, 8, 1);
        program.rank(1).compute(6).allreduce(8, 2, low).compute(1).bcast(0, 64, 3).compute(1).reduce(3, 8, 1);
        program.rank(2).compute(1).barrier(4, high).compute(3).bcast(0, 64, 4).compute(1).reduce(3, 8, 1);
        program.rank(3).compute(3).barrier(2, high).compute(5).bcast(0, 64, 1).compute(0).reduce(3, 8, 4);
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        const auto columns = {std::size_t{MpiCallColumn::Begin},      std::size_t{MpiCallColumn::Duration},
                              std::size_t{MpiCallColumn::Comm},       std::size_t{MpiCallColumn::Peer},
                              std::size_t{MpiCallColumn::WaitBefore}, std::size_t{MpiCallColumn::WaitAfter},
                              std::size_t{MpiCallColumn::Pattern},    std::size_t{MpiCallColumn::Culprit}};
        const auto comm = [&](std::uint32_t number) {
            return QString::number(program.names().regions.size() + number);
        };
        const QString lowComm = comm(low), highComm = comm(high), world = comm(0);
        // Rank 0: allreduce 4..8, its partner came at 6; bcast 10..11; reduce 12..13, where rank 1 comes last at 13.
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{0}, columns),
                 (QStringList{QStringLiteral("4 4 %1 -1 2 0 4 1").arg(lowComm),
                              QStringLiteral("10 1 %1 0 0 0 0 -1").arg(world),
                              QStringLiteral("12 1 %1 3 1 0 0 1").arg(world)}));
        // Rank 2: barrier 1..5, waits for rank 3 until 3; bcast 8..12 waits for the root until 10.
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{2}, columns),
                 (QStringList{QStringLiteral("1 4 %1 -1 2 0 3 3").arg(highComm),
                              QStringLiteral("8 4 %1 0 2 1 6 0").arg(world),
                              QStringLiteral("13 1 %1 3 0 1 0 -1").arg(world)}));
        // Rank 3 enters the reduction at 11 as its root; ranks 1 and 2 come last, at 13.
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{3}, columns).at(2),
                 QStringLiteral("11 4 %1 3 2 2 5 1").arg(world));
        // What follows the root's reduction needs the others' code before it: the latest leads, the others merge.
        const QStringList sources = rowsOf(*store, ChunkKind::TaskSource, TrackId{3});
        QVERIFY(sources.last().startsWith(QStringLiteral("5 1 ")));
        QCOMPARE(rowsOf(*store, ChunkKind::Merge, TrackId{3}, {MergeColumn::SourcePe, MergeColumn::Link}),
                 lines("0 5\n2 5"));
        QCOMPARE(store->region(RegionId{static_cast<std::uint32_t>(program.names().regions.size()) + low})->name,
                 QStringLiteral("low"));
        checkMpiSums(*store);
    }

    // A non-blocking collective: it begins at its call and waits where it is completed.
    void nonBlockingCollective()
    {
        ScriptedMpi program(2);
        program.rank(0).icollective("MPI_Iallreduce", 1, noRank, 8, 1).compute(2).wait(1, 7);
        program.rank(1).at(6).icollective("MPI_Iallreduce", 1, noRank, 8, 1).compute(2).wait(1, 1);
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QCOMPARE(tasksOf(*store, 1),
                 lines("6+0 before MPI_Iallreduce\n7+2 MPI_Iallreduce to MPI_Wait\n10+0 after MPI_Wait"));
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, TrackId{0}).last(), QStringLiteral("5 1 0 0 4 -1 1"));
        const auto columns = {std::size_t{MpiCallColumn::WaitBefore}, std::size_t{MpiCallColumn::Instance}};
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{0}, columns), lines("0 0\n3 0"));
    }

    // Threads and streams hang below their rank; their calls hang on what the rank does.
    void threads()
    {
        ScriptedMpi program(2);
        auto& rank = program.rank(0).enter("main").compute(20).enter("join").compute(5).leave("join");
        rank.send(1, 1, 8, 2).compute(3).leave("main");
        auto& worker = program.addThread(0, "worker");
        worker.at(4).enter("loop", MpiRegionKind::Runtime).compute(2).send(1, 2, 16, 1).compute(1);
        worker.recv(1, 3, 24, 7).leave("loop", MpiRegionKind::Runtime);
        program.addThread(1, "stream", TrackKind::Stream)
            .at(1)
            .enter("kernel", MpiRegionKind::Runtime)
            .compute(5)
            .leave("kernel", MpiRegionKind::Runtime);
        program.rank(1).recv(0, 2, 16, 8).send(0, 3, 24, 1).recv(0, 1, 8, 20);
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QCOMPARE(tasksOf(*store, 0), lines("0+20 main\n20+5 join\n27+3 main"));
        // Sends in the order of their calls: the worker's at 6, hanging on the rank's task then; the rank's own at 25.
        QCOMPARE(rowsOf(*store, ChunkKind::Message, TrackId{0},
                        {MessageColumn::Sent, MessageColumn::Task, MessageColumn::Offset, MessageColumn::Bytes}),
                 lines("6 0 6 16\n25 1 5 8"));
        // What the worker receives at 15 is for the task that begins next, at 20.
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, TrackId{0}),
                 lines("0 0 0 0 0 -1 -1\n1 1 1 0 12 0 1\n0 0 0 0 0 -1 -1"));
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{2},
                        {MpiCallColumn::Begin, MpiCallColumn::Seq, MpiCallColumn::Task, MpiCallColumn::Bytes}),
                 lines("6 0 0 16\n8 1 0 24"));
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{0},
                        {MpiCallColumn::Begin, MpiCallColumn::Seq, MpiCallColumn::Task}),
                 lines("25 2 1"));
        QCOMPARE(rowsOf(*store, ChunkKind::Interval, TrackId{0}).size(), 2);
        QCOMPARE(rowsOf(*store, ChunkKind::Interval, TrackId{2},
                        {IntervalColumn::Begin, IntervalColumn::Duration, IntervalColumn::Nested}),
                 lines("4 11 8"));
        QCOMPARE(store->track(TrackId{2})->parent, TrackId{0});
        QCOMPARE(store->track(TrackId{2})->name, QStringLiteral("worker"));
        QCOMPARE(store->track(TrackId{3})->kind, TrackKind::Stream);
        QCOMPARE(store->info().messagesMatched, 3);
        QCOMPARE(store->info().records, 20);
        const auto profile = store->profile();
        QCOMPARE(std::accumulate(profile.begin(), profile.end(), std::int64_t{0},
                                 [](std::int64_t sum, const ProfileRow& row) { return sum + row.messages; }),
                 3);
        checkMpiSums(*store);
    }

    // A call of another thread hangs on nothing while the rank itself is in one, and brings it nothing at its end.
    void threadsInsideCalls()
    {
        ScriptedMpi program(1);
        program.rank(0).enter("main").compute(5).call("MPI_Probe", 20).compute(5).leave("main");
        program.addThread(0, "worker")
            .at(8)
            .send(0, 1, 8, 2)
            .recv(0, 1, 8, 3)
            .at(26)
            .send(0, 2, 8, 1)
            .at(29)
            .recv(0, 2, 8, 4);
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QCOMPARE(rowsOf(*store, ChunkKind::Message, TrackId{0}, {MessageColumn::Sent, MessageColumn::Task}),
                 lines("8 -1\n26 1"));
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, TrackId{0}, {TaskSourceColumn::Link}), lines("0\n0"));
        QCOMPARE(store->info().messagesMatched, 2);
        QCOMPARE(store->info().duration(), 33);

        // After the rank's last task, though its records go on.
        ScriptedMpi late(1);
        late.rank(0).enter("main").compute(5).leave("main").event([](MpiEvents& events) { events.span(0, 50); });
        late.addThread(0, "worker").at(8).send(0, 1, 8, 2).recv(0, 1, 8, 3);
        const auto other = importedProgram(late, folder.path());
        QVERIFY(other);
        QCOMPARE(rowsOf(*other, ChunkKind::Message, TrackId{0}, {MessageColumn::Task}), lines("-1"));
        QCOMPARE(other->info().duration(), 50);
    }

    // With very many calls among the names code is named after one border only, so that entry methods stay few.
    void manyCalls()
    {
        ScriptedMpi program(1);
        for (int i = 0; i < 1100; ++i) program.region(qPrintable(QStringLiteral("MPI_X%1").arg(i)), MpiRegionKind::Mpi);
        program.rank(0)
            .counter("c", 0)
            .compute(1)
            .call("MPI_X7", 2)
            .compute(3)
            .call("MPI_X1099", 2)
            .compute(4)
            .counter("c", 0);
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QCOMPARE(tasksOf(*store, 0), lines("0+1 before MPI_X7\n3+3 after MPI_X7\n8+4 after MPI_X1099"));
        QVERIFY(index(store->entries().back().id) < 5000);
    }
};

LONGPOLE_TEST(TestMpiTrace)
#include "tst_mpitrace.moc"
