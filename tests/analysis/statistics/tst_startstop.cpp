// SPDX-License-Identifier: GPL-3.0-or-later
// Start-up and shut-down of MPI ranks, barriers of threads, and the bytes of collective calls: on drawn programs with
// exact figures, and on archives, where all sums must hold.
#include "analysis/asked.h"
#include "analysis/base/cells.h"
#include "analysis/expert/expertquestions.h"
#include "analysis/graph/activitygraph.h"
#include "analysis/mpi/waitstates.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/statistics/commmatrix.h"
#include "analysis/statistics/efficiency.h"
#include "core/store/rows.h"
#include "importers/common/importer.h"

#include "support/mpi/mpiprogram.h"
#include "support/testmain.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <numeric>

using namespace longpole;

namespace {

QStringList cellLines(const char* text) { return QString::fromLatin1(text).split(u'|'); }

std::shared_ptr<const ActivityGraph> graphOf(const TraceStore& store)
{
    const auto graph = loadActivityGraph(store, Progress{});
    return graph ? *graph : nullptr;
}

TimeNs sumOf(const std::vector<TimeNs>& times) { return std::accumulate(times.begin(), times.end(), TimeNs{0}); }

// "0>1 8", in the order of the cells.
QStringList textOf(const std::vector<CommCell>& cells)
{
    QStringList lines;
    for (const CommCell& cell : cells) lines += QStringLiteral("%1>%2 %3").arg(cell.from).arg(cell.to).arg(cell.bytes);
    return lines;
}

QStringList collectiveBytes(ScriptedMpi& program)
{
    const QTemporaryDir folder;
    program.info().format = recordingFormat;
    const auto store = importedProgram(program, folder.path());
    const auto matrix = commMatrix(*store, {}, Progress{});
    return matrix ? textOf(matrix->collective) : QStringList{toText(matrix.error())};
}

// Both ranks compute before and after; rank 0 is late in MPI_Init, rank 1 in MPI_Finalize.
std::shared_ptr<const TraceStore> startedAndStopped(const QString& folder)
{
    ScriptedMpi program(2);
    program.rank(0).compute(20).init(30).compute(100).barrier(60).compute(10).finalize(50);
    program.rank(1).enter("early").compute(5).leave("early").init(45).compute(150).barrier(10).compute(30).finalize(30);
    return importedProgram(program, folder);
}

}  // namespace

class TestStartStop : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void theElapsedPathHasAPartForIt()
    {
        const QTemporaryDir folder;
        const auto store = startedAndStopped(folder.path());
        QVERIFY(store);
        const auto path = elapsedPath(*graphOf(*store));
        QVERIFY(path.ok());
        QCOMPARE(path->parts.sum(), path->length);
        QCOMPARE(path->length, path->duration);
        QCOMPARE(path->parts.startup, 50 + 30);  // on rank 1: until 50 of 0 to 270, and from 240 on
        QCOMPARE(path->parts.compute, 150 + 30);
        QCOMPARE(path->parts.network + path->parts.overhead, 10);
        QCOMPARE(path->parts.unexplained, 0);
        TimeNs profile = 0;
        for (const PathProfileRow& row : path->profile) profile += row.time;
        QCOMPARE(profile, path->parts.compute);
        for (std::size_t i = 1; i < path->steps.size(); ++i) QCOMPARE(path->steps[i].begin, path->steps[i - 1].end);
    }

    void noWaitIsInIt()
    {
        const QTemporaryDir folder;
        const auto store = startedAndStopped(folder.path());
        QVERIFY(store);
        const auto waits = waitStates(*store, {}, Progress{});
        QVERIFY(waits.ok());
        QCOMPARE(waits->states.size(), 1u);
        QCOMPARE(waits->states[0].kind, WaitStateKind::WaitAtBarrier);
        QCOMPARE(waits->total, 50);  // rank 0's, from 150 to 200
    }

    void efficienciesLeaveItOut()
    {
        const QTemporaryDir folder;
        const auto store = startedAndStopped(folder.path());
        QVERIFY(store);
        const auto graph = graphOf(*store);
        const auto without = efficiency(*store, *graph, store->info().range(), Startup::LeftOut, Progress{});
        QVERIFY(without.ok());
        QCOMPARE(without->useful, (std::vector<TimeNs>{110, 180}));
        QCOMPARE(without->range, (TimeRange{50, 240}));
        QCOMPARE(without->leftOutBusy, 5);
        QCOMPARE(without->leftOut, 50 + 50 + 50 + 30);
        QCOMPARE(sumOf(without->useful) + without->leftOutBusy, store->info().busy);
        const auto with = efficiency(*store, *graph, store->info().range(), Startup::Counted, Progress{});
        QVERIFY(with.ok());
        QCOMPARE(with->useful, (std::vector<TimeNs>{110, 185}));
        QCOMPARE(with->range, store->info().range());
        QCOMPARE(with->leftOut, 0);
    }

    // What ranks wait in MPI_Finalize is no wait of the run, but who reads its figures is told.
    void whoWaitsForTheLastIsTold_data()
    {
        QTest::addColumn<int>("longer");  // the part of the run's 1,000 that rank 1 computes beyond rank 0
        QTest::addColumn<bool>("isTold");
        QTest::newRow("together") << 0 << false;
        QTest::newRow("one a little later") << 80 << false;  // 80 of 2,000
        QTest::newRow("one half of the run later") << 500 << true;
    }
    void whoWaitsForTheLastIsTold()
    {
        QFETCH(int, longer);
        QFETCH(bool, isTold);
        ScriptedMpi program(2);
        program.rank(0).compute(10).init(10).compute(970 - longer).finalize(10 + longer);
        program.rank(1).compute(10).init(10).compute(970).finalize(10);
        const QTemporaryDir folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        const auto health = asked(store, HealthQuestion{});
        QVERIFY(health);
        const auto startUp = std::ranges::find((*health)->checks, CheckId::StartUp, &Check::id);
        QVERIFY(startUp != (*health)->checks.end());
        QCOMPARE(startUp->level, isTold ? CheckLevel::Doubtful : CheckLevel::Passed);
        QCOMPARE(startUp->value, isTold ? double(longer) / double(2 * store->info().duration()) : 0.0);
        QCOMPARE(startUp->says.contains(QLatin1String("rank 1: for 500 ns in all")), isTold);
    }

    // A thread's barrier: the other thread's region is the cause, and the rank's wait is none of the network.
    void threadsWaitAsWell()
    {
        ScriptedMpi program(1);
        program.sync("!$omp barrier", MpiSyncKind::Barrier);
        MpiThread& own = program.rank(0);
        MpiThread& other = program.addThread(0, "OMP thread 1");
        const auto member = [](MpiThread& thread, TimeNs arrives) {
            thread.at(0).event([](MpiEvents& events) { events.beginTeam(0, 1); }).enter("loop").at(arrives);
            thread.enter("!$omp barrier", MpiRegionKind::Runtime).at(100);
            thread.leave("!$omp barrier", MpiRegionKind::Runtime).leave("loop");
        };
        member(own, 20);
        member(other, 90);
        own.enter("rest").compute(50).leave("rest");
        const QTemporaryDir folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        const auto waits = waitStates(*store, {}, Progress{});
        QVERIFY2(waits.ok(), waits.ok() ? "" : qPrintable(toText(waits.error())));
        QCOMPARE(waits->states.size(), 1u);
        QCOMPARE(waits->states[0].kind, WaitStateKind::OmpBarrier);
        QCOMPARE(waits->states[0].time, 70);
        QCOMPARE(waits->states[0].onRanks, 70);
        QCOMPARE(waits->unexplained, 0);
        QCOMPARE(waits->causes.size(), 1u);
        QCOMPARE(nameOfCode(*store, waits->causes[0].entry), QStringLiteral("loop"));
        QCOMPARE(waits->causes[0].direct, 70);
        const WaitInstance& worst = waits->states[0].worst.at(0);
        QCOMPARE(nameOfCode(*store, worst.meanwhile.entry), QStringLiteral("loop"));
        QCOMPARE(store->track(worst.culpritTrack)->name, QStringLiteral("OMP thread 1"));
        const auto graph = graphOf(*store);
        const auto found = efficiency(*store, *graph, store->info().range(), Startup::LeftOut, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->usefulMax, 70);
        QCOMPARE(found->ideal, 150);
        QCOMPARE(store->info().idle, 70);
    }

    void collectiveCallsMoveBytes()
    {
        ScriptedMpi bcast(3);
        for (std::uint32_t rank = 0; rank < 3; ++rank) bcast.rank(rank).bcast(1, 100, 5).barrier(5);
        QCOMPARE(collectiveBytes(bcast), cellLines("1>0 100|1>2 100"));
        ScriptedMpi reduce(3);
        for (std::uint32_t rank = 0; rank < 3; ++rank) reduce.rank(rank).reduce(2, 8, 5).reduce(2, 8, 5);
        QCOMPARE(collectiveBytes(reduce), cellLines("0>2 16|1>2 16"));
        ScriptedMpi all(2);
        for (std::uint32_t rank = 0; rank < 2; ++rank)
            all.rank(rank)
                .allreduce(8, 5)
                .collective("MPI_Alltoall", noRank, 80, 5)
                .collective("MPI_Allgather", noRank, 60, 5);
        QCOMPARE(collectiveBytes(all), cellLines("0>1 148|1>0 148"));
        ScriptedMpi scan(3);
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            const MpiMoved moved{4 * (2 - std::int64_t(rank)), 4 * std::int64_t(rank)};
            scan.rank(rank)
                .begin("MPI_Scan")
                .event([=](MpiEvents& events) { events.collective(blocking, 0, noRank, moved, CollectiveKind::None); })
                .end(5);
        }
        QCOMPARE(collectiveBytes(scan), cellLines("0>1 4|0>2 4|1>2 4"));
    }

    void sumsOfArchivesHold_data()
    {
        QTest::addColumn<QString>("anchor");
        for (const QString& parent :
             {QStringLiteral(LONGPOLE_TEST_DATA "/otf2"), QStringLiteral(LONGPOLE_SHARED_TRACES "/otf2")})
            for (const QFileInfo& folder : QDir(parent).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
                const QFileInfoList anchors = QDir(folder.filePath()).entryInfoList({QStringLiteral("*.otf2")});
                if (!anchors.isEmpty()) QTest::addRow("%s", qPrintable(folder.filePath())) << anchors[0].filePath();
            }
    }

    void sumsOfArchivesHold()
    {
        QFETCH(QString, anchor);
        const Importer* const importer = importerFor(anchor);
        if (importer == nullptr) QSKIP("built without OTF2");
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("trace.longpole"));
        const auto report = importer->import(anchor, file, {}, Progress{});
        if (!report) QSKIP("built without OTF2");
        const auto store = TraceStore::open(file);
        QVERIFY(store.ok());
        const TraceInfo& info = (*store)->info();
        QVERIFY(info.startup + info.shutdown <= info.overhead());
        const auto graph = graphOf(**store);
        const auto path = elapsedPath(*graph);
        QVERIFY(path.ok());
        QCOMPARE(path->parts.sum(), info.duration());
        const auto found = efficiency(**store, *graph, info.range(), Startup::LeftOut, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(sumOf(found->useful) + found->leftOutBusy, info.busy);
        QVERIFY(found->usefulMax <= found->ideal && found->ideal <= found->range.length());
        QVERIFY(qAbs(found->parallel - found->loadBalance * found->communication) < 1e-9);
        QVERIFY(qAbs(found->communication - found->serialization * found->transfer) < 1e-9);
        // No wait is in start-up or shut-down, and ranks' idle time is none of it.
        for (const Processor& processor : (*store)->processors()) {
            auto idle = (*store)->rows<IdleRow>(processor.track, IdleRow::All);
            for (const IdleRow& row : idle) {
                QVERIFY(row.begin() >= processor.started);
                QVERIFY(row.begin() < processor.stopping);
            }
        }
    }
};

LONGPOLE_TEST(TestStartStop)

#include "tst_startstop.moc"
