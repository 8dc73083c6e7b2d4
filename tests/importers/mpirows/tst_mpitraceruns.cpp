// SPDX-License-Identifier: GPL-3.0-or-later
// MPI runs as a whole: hosts, start-up, next to nothing, damage, errors, and what must add up in larger ones.
#include "core/trace/columns.h"
#include "importers/mpirows/importedrun.h"
#include "importers/mpirows/trace.h"
#include "support/mpi/mpiring.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QRegularExpression>

using namespace longpole;
using namespace longpole::test;

class TestMpiTraceRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // Hosts are nodes; a rank is its process.
    void hosts()
    {
        ScriptedMpi program(3);
        program.setHost(0, "alpha");
        program.setHost(1, "beta");
        program.setHost(2, "alpha");
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QCOMPARE(store->processors()[0].node, 0u);
        QCOMPARE(store->processors()[1].node, 1u);
        QCOMPARE(store->processors()[2].node, 0u);
        QCOMPARE(store->processors()[2].process, 2u);
        const Track* host = store->track(store->track(TrackId{2})->parent);
        QCOMPARE(host->name, QStringLiteral("alpha"));
        QCOMPARE(host->kind, TrackKind::Node);
        QCOMPARE(store->track(host->parent)->kind, TrackKind::Root);
    }

    // Time before the run's begin stands in the rows and counts nowhere.
    void startUpIsNotCounted()
    {
        ScriptedMpi program(1);
        program.info().begin = 15;
        program.rank(0).enter("main").compute(10).init(5).compute(10).leave("main");
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QCOMPARE(tasksOf(*store, 0), lines("0+10 main\n10+0 MPI_Init\n15+10 main"));
        QCOMPARE(store->info().before, 15);
        QCOMPARE(store->info().startup, 0);
        QCOMPARE(store->info().duration(), 10);
        QCOMPARE(store->info().busy, 10);
        QCOMPARE(store->info().idle, 0);
        QCOMPARE(store->profile()[0].exclusive, 10);
    }

    // Runs with next to nothing in them.
    void nearlyEmpty()
    {
        const ImportFolder folder;
        ScriptedMpi none(0);
        auto store = importedProgram(none, folder.path());
        QVERIFY(store);
        QCOMPARE(store->info().processors, 0);
        QCOMPARE(store->info().duration(), 0);

        ScriptedMpi silent(2);
        silent.rank(0).counter("c", 1).compute(5).counter("c", 2);
        silent.setMissing(1);
        store = importedProgram(silent, folder.path());
        QVERIFY(store);
        QVERIFY(store->processors()[0].hasLog);
        QVERIFY(!store->processors()[1].hasLog);
        QCOMPARE(tasksOf(*store, 0), lines("0+5 outside MPI"));
        QCOMPARE(tasksOf(*store, 1), QStringList());
        QCOMPARE(store->info().busy, 5);
        QCOMPARE(store->info().overhead(), 5);

        ScriptedMpi alone(1);
        alone.rank(0).init(1).compute(4).barrier(2).compute(3).send(0, 0, 8, 1).recv(0, 0, 8, 1).finalize(1);
        store = importedProgram(alone, folder.path());
        QVERIFY(store);
        QCOMPARE(store->info().busy, 7);
        QCOMPARE(store->info().messagesMatched, 1);
        QCOMPARE(issuesOf(*store), QString());
        checkMpiSums(*store);
    }

    // Damage is counted where it is, and everything else is imported.
    void damage()
    {
        ScriptedMpi program(2);
        program.rank(0)
            .isend(1, {1, 0, 8, 0}, 1)
            .enter("f")
            .compute(1)
            .leave("g")
            .recv(1, 4, 8, 2)
            .begin("MPI_Recv")
            .compute(9)
            .counter("c", 0);
        program.rank(1).recv(0, 0, 8, 2).irecv(3, {0, 0, 8, 0}, 1).end(1);
        const ImportFolder folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QCOMPARE(issuesOf(*store),
                 QStringLiteral("leave_without_enter*1@rank 1; open_region*1@rank 0; region_mismatch*1@rank 0; "
                                "unfinished_request*2@rank 0; "
                                "unmatched_receive*1@from rank 1 to rank 0 with tag 4 on MPI_COMM_WORLD"));
        QCOMPARE(store->info().executionsUnmatched, 1);
        QCOMPARE(rowsOf(*store, ChunkKind::MpiCall, TrackId{0}, {MpiCallColumn::Duration, MpiCallColumn::Flags}),
                 lines("1 0\n2 16\n9 32"));
    }

    // A ring that meets now and then: sums, and the same bytes whatever the threads.
    void ring_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("hasThreads");
        QTest::newRow("one") << 1 << false;
        QTest::newRow("four") << 4 << false;
        QTest::newRow("four with threads") << 4 << true;
        QTest::newRow("many") << 37 << true;
    }
    void ring()
    {
        QFETCH(int, ranks);
        QFETCH(bool, hasThreads);
        const auto count = static_cast<std::uint32_t>(ranks);
        const auto import = [&](const ImportFolder& folder, unsigned threads) {
            ScriptedMpi program(count);
            fillRing(program, {.ranks = count, .steps = 200, .hasThreads = hasThreads});
            return importedProgram(program, folder.path(), threads);
        };
        const ImportFolder one, four;
        const auto store = import(one, 1);
        QVERIFY(store);
        QVERIFY(import(four, 4));
        QVERIFY(one.bytes() == four.bytes());
        checkMpiSums(*store);
        QCOMPARE(issuesOf(*store), QString());
        QCOMPARE(store->info().messages, 200 * (hasThreads ? 3 : 2) * ranks);
        QCOMPARE(store->info().messagesMatched, store->info().messages);
    }

    // An error of the source, or a cancelled import, leaves nothing behind.
    void stopped()
    {
        const ImportFolder folder;
        ScriptedMpi program(3);
        fillRing(program, {.ranks = 3, .steps = 5});
        program.fail(1, QStringLiteral("The archive is damaged."));
        const QString target = folder.path() + QStringLiteral("/program.longpole");
        const auto failed = importMpiRun(program, target, {}, Progress{});
        QVERIFY(!failed);
        QCOMPARE(failed.error().what, QStringLiteral("The archive is damaged."));
        QCOMPARE(folder.files(), QStringList());

        ScriptedMpi other(3);
        fillRing(other, {.ranks = 3, .steps = 5});
        const Progress progress;
        progress.cancel();
        const auto cancelled = importMpiRun(other, target, {}, progress);
        QVERIFY(!cancelled);
        QVERIFY(wasCancelled(cancelled.error()));
        QCOMPARE(folder.files(), QStringList());

        const auto nowhere = importMpiRun(other, QStringLiteral("/nowhere/at/all.longpole"), {}, Progress{});
        QVERIFY(!nowhere);
    }
};

LONGPOLE_TEST(TestMpiTraceRuns)
#include "tst_mpitraceruns.moc"
