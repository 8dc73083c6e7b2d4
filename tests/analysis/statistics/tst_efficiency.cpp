// SPDX-License-Identifier: GPL-3.0-or-later
// Efficiencies: the example of docs/algorithms.md 7.4, drawn ranges, phases between global synchronization points, and
// on random graphs the bounds and the sums that they are made of.
#include "analysis/paths/criticalpath.h"
#include "analysis/statistics/efficiency.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/mpi/mpiprogram.h"
#include "support/mpi/mpirows.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <ctime>

using namespace longpole;

namespace {

// Of a rank's code, in order, with a message from (rank, task) into some of it.
RawTask code(std::uint32_t rank, std::uint32_t number, TimeNs begin, TimeNs end)
{
    return {.id = {ProcessorId{rank}, number}, .begin = begin, .duration = end - begin, .entry = EntryId{0}};
}

QString ratiosOf(const Efficiency& e)
{
    return QStringLiteral("LB %1 Comm %2 Ser %3 Trf %4 PE %5")
        .arg(e.loadBalance, 0, 'f', 4)
        .arg(e.communication, 0, 'f', 4)
        .arg(e.serialization, 0, 'f', 4)
        .arg(e.transfer, 0, 'f', 4)
        .arg(e.parallel, 0, 'f', 4);
}

// Of a graph alone, all of whose tasks' time is useful.
Result<Efficiency> efficiencyOfGraph(const ActivityGraph& graph, const std::vector<bool>& isCounted, TimeRange range)
{
    const TimeRange inside = intersection(graph.run, range);
    const Result<CriticalPath> path = workPath(graph, dependencies(graph, EdgeLevel::Order), inside, std::nullopt,
                                               Progress{});
    if (!path) return path.error();
    UsefulTimes useful{.byProcessor = std::vector<TimeNs>(graph.byProcessor.size(), 0)};
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        useful.byProcessor[graph.pe[task]] += intersection({graph.begin[task], graph.end(task)}, inside).length();
    return efficiencyOf(std::move(useful), isCounted, inside, path->length);
}

bool isClose(double a, double b) { return std::abs(a - b) <= 1e-12; }

}  // namespace

class TestEfficiency : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    // Two ranks; calls 0 (MPI_Init), 1 (MPI_Barrier), 2 (MPI_Send), 3 (MPI_Finalize), code is region 4.
    std::shared_ptr<const TraceStore> meetings(const std::vector<WrittenCall>& calls, TimeNs end) const
    {
        MpiRows run;
        run.regions = {QStringLiteral("MPI_Init"), QStringLiteral("MPI_Barrier"), QStringLiteral("MPI_Send"),
                       QStringLiteral("MPI_Finalize"), QStringLiteral("code")};
        run.calls = 4;
        run.ranks.resize(2);
        for (std::size_t rank = 0; rank < 2; ++rank) {
            TimeNs time = 0;
            for (WrittenCall call : calls) {
                if (rank == 1) call.begin -= 2;  // rank 0 is the last to arrive
                run.ranks[rank].code.push_back({.begin = time, .end = call.begin, .entry = 4});
                run.ranks[rank].calls.push_back(call);
                time = call.end;
            }
            run.ranks[rank].code.push_back({.begin = time, .end = end, .entry = 4});
        }
        return store(run, m_folder.filePath(QStringLiteral("meetings.longpole")));
    }

    static WrittenCall call(TimeNs begin, TimeNs end, std::int64_t region, std::int64_t instance, bool isGlobal = true)
    {
        WrittenCall row;
        row.begin = begin;
        row.end = end;
        row.region = region;
        row.instance = instance;
        row.flags = isGlobal ? MpiCallFlag::Collective | MpiCallFlag::Synchronization : 0;
        return row;
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // T = 20, u = (10, 16, 12, 18), T_ideal = 18.5, times ten: rank 3 goes on with what rank 1 has done in its
    // first 2.5.
    void example()
    {
        std::vector<RawTask> tasks{code(0, 0, 0, 100), code(1, 0, 0, 25), code(1, 1, 40, 175),
                                   code(2, 0, 0, 120), code(3, 0, 0, 20), code(3, 1, 30, 190)};
        tasks.back().source = {ProcessorId{1}, 0};
        tasks.back().offset = 25;
        tasks.back().sent = 25;
        const auto graph = makeActivityGraph(tasks, {0, 200}, 4, {}, true);
        const auto found = efficiencyOfGraph(*graph, {}, graph->run);
        QVERIFY(found.ok());
        QCOMPARE(found->useful, (std::vector<TimeNs>{100, 160, 120, 180}));
        QCOMPARE(found->usefulMax, 180);
        QCOMPARE(found->usefulAverage, 140.0);
        QCOMPARE(found->ideal, 185);
        QCOMPARE(ratiosOf(*found), QStringLiteral("LB 0.7778 Comm 0.9000 Ser 0.9730 Trf 0.9250 PE 0.7000"));
        // A rank whose log is missing is no part of the average.
        const auto without = efficiencyOfGraph(*graph, {false, true, true, true}, graph->run);
        QCOMPARE(without->counted, 3);
        QCOMPARE(without->usefulAverage, (160.0 + 120 + 180) / 3);
    }

    void ranges_data()
    {
        QTest::addColumn<QByteArray>("drawing");
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("until");
        QTest::addColumn<QList<qint64>>("useful");
        QTest::addColumn<qint64>("ideal");
        const auto row = [](const char* name, const char* drawing, int from, int until, const QList<qint64>& useful,
                            int ideal) {
            QTest::newRow(name) << QByteArray(drawing) << qint64(from) << qint64(until) << useful << qint64(ideal);
        };
        const char* const late = "ranks\n0: AAAAA.BB..\n1: CC.....DDD\nA > D";
        row("late sender", late, 0, 10, {7, 5}, 8);  // A, D
        row("before the message", late, 0, 5, {5, 2}, 5);
        row("behind it", late, 5, 10, {2, 3}, 3);
        row("cut inside", late, 4, 8, {3, 1}, 3);
        row("nothing useful", late, 5, 6, {0, 0}, 0);
        row("longer than the run", late, -50, 50, {7, 5}, 8);
        const char* const barrier =
            "ranks\n0: AAA.....DDDD\n1: BBBBBB.EEE..\n2: CCCC....FF..\nV at 1:6\n"
            "A >> V\nC >> V\nV > D\nV > F\nV > E";
        row("barrier", barrier, 0, 12, {7, 9, 6}, 10);
        row("messages of tasks", "0: AAAA......\n1: ..BBB.....\n2: ......CCCC\nA@2 > B\nB > C", 0, 10, {4, 3, 4}, 9);
    }
    void ranges()
    {
        QFETCH(QByteArray, drawing);
        QFETCH(qint64, from);
        QFETCH(qint64, until);
        QFETCH(qint64, ideal);
        const auto graph = draw(drawing.constData()).graph();
        const auto found = efficiencyOfGraph(*graph, {}, {from, until});
        QVERIFY(found.ok());
        QTEST(QList<qint64>(found->useful.begin(), found->useful.end()), "useful");
        QCOMPARE(found->ideal, ideal);
        if (found->usefulMax == 0) QCOMPARE(ratiosOf(*found), ratiosOf(Efficiency{}));
    }

    void randomGraphs()
    {
        int below = 0;
        for (unsigned seed = 0; seed < 3000; ++seed) {
            const auto made = randomGraphOfAllKinds(seed);
            const auto graph = made.graph();
            const TimeNs middle = graph->run.begin + graph->run.length() / 3;
            const TimeRange before{graph->run.begin, middle}, behind{middle, graph->run.end};
            for (const TimeRange range : {graph->run, before, behind}) {
                const auto found = efficiencyOfGraph(*graph, {}, range);
                QVERIFY(found.ok());
                const auto part = clip(*graph, range);
                const auto path = workPath(*part, workHeads(*part, EdgeLevel::Order, Progress{}));
                QVERIFY(path.ok());
                QCOMPARE(found->ideal, path->length);
                QVERIFY(found->usefulMax <= found->ideal && found->ideal <= range.length());
                below += found->usefulMax < found->ideal && found->ideal < range.length();
                QVERIFY(isClose(found->parallel, found->loadBalance * found->communication));
                QVERIFY(isClose(found->communication, found->serialization * found->transfer));
                for (const double share :
                     {found->parallel, found->loadBalance, found->communication, found->serialization, found->transfer})
                    QVERIFY(share <= 1 && (share > 0 || found->usefulMax == 0));
            }
        }
        QVERIFY2(below > 300, qPrintable(QString::number(below)));
    }

    void phasesBetweenMeetings()
    {
        const auto trace = meetings({call(3, 5, 0, 0), call(20, 25, 1, 1), call(30, 31, 2, -1, false),
                                     call(40, 45, 1, 2), call(70, 72, 1, 3), call(95, 98, 3, 4)},
                                    100);
        QVERIFY(trace);
        const auto graph = loadActivityGraph(*trace, Progress{});
        QVERIFY(graph.ok());
        const auto namesOf = [&](std::size_t most) {
            const auto phases = efficiencyPhases(*trace, **graph, most, Startup::LeftOut, Progress{});
            QStringList names;
            for (const EfficiencyPhase& phase : *phases)
                names += QStringLiteral("%1 [%2, %3)").arg(phase.name).arg(phase.range.begin).arg(phase.range.end);
            return names.join(u'|');
        };
        QCOMPARE(namesOf(9),
                 QStringLiteral("0: begin to MPI_Barrier 1 [0, 20)|1: MPI_Barrier 1 to MPI_Barrier 2 [20, 40)|"
                                "2: MPI_Barrier 2 to MPI_Barrier 3 [40, 70)|3: MPI_Barrier 3 to end [70, 100)"));
        QCOMPARE(namesOf(2), QStringLiteral("0: begin to MPI_Barrier 2 [0, 40)|1: MPI_Barrier 2 to end [40, 100)"));
        QCOMPARE(namesOf(3),
                 QStringLiteral("0: begin to MPI_Barrier 2 [0, 40)|1: MPI_Barrier 2 to MPI_Barrier 3 [40, 70)|"
                                "2: MPI_Barrier 3 to end [70, 100)"));
        QCOMPARE(namesOf(1), QStringLiteral("0: 0 ns to 100 ns [0, 100)"));
        const auto phases = efficiencyPhases(*trace, **graph, 9, Startup::LeftOut, Progress{});
        QCOMPARE(phases->at(1).efficiency.useful, (std::vector<TimeNs>{14, 10}));  // 25-30, 31-40 and 25-28, 31-38
        std::vector<TimeNs> sum(2, 0);
        for (const EfficiencyPhase& phase : *phases)
            for (std::size_t rank = 0; rank < 2; ++rank) sum[rank] += phase.efficiency.useful[rank];
        QCOMPARE(sum, efficiency(*trace, **graph, trace->info().range(), Startup::LeftOut, Progress{})->useful);
    }

    // Numbers of meetings that std::hash would put into one bucket.
    void meetingsOfChosenNumbers()
    {
        constexpr std::int64_t many = 40'000, buckets = 42'043;
        MpiRows run{.ranks = std::vector<RankRows>(1),
                    .regions = {QStringLiteral("MPI_Barrier"), QStringLiteral("code")},
                    .calls = 1};
        for (std::int64_t i = 0; i < many; ++i) {
            run.ranks[0].code.push_back({.begin = 2 * i, .end = 2 * i + 1, .entry = 1});
            run.ranks[0].calls.push_back({.begin = 2 * i + 1,
                                          .end = 2 * i + 2,
                                          .instance = i * buckets,
                                          .flags = MpiCallFlag::Synchronization,
                                          .task = i});
        }
        const auto trace = store(run, m_folder.filePath(QStringLiteral("chosen.longpole")));
        QVERIFY(trace);
        const auto graph = loadActivityGraph(*trace, Progress{});
        QVERIFY(graph.ok());
        const std::clock_t start = std::clock();
        const auto phases = efficiencyPhases(*trace, **graph, 4, Startup::LeftOut, Progress{});
        QVERIFY2(phases.ok(), phases ? "" : qPrintable(phases.error().what));
        QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 3);
        QCOMPARE(phases->size(), std::size_t(4));
    }

    // Three ranks compute between barriers that take until 25 and 45: on an ideal network each waits for the slowest.
    void importedProgram()
    {
        constexpr TimeNs first[] = {10, 16, 12};
        constexpr TimeNs second[] = {8, 4, 10};
        ScriptedMpi program(3);
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            program.rank(rank).init(5).compute(first[rank]).barrier(20 - first[rank]);
            program.rank(rank).compute(second[rank]).barrier(20 - second[rank]).finalize(2);
        }
        program.info().begin = 5;
        const auto trace = longpole::importedProgram(program, m_folder.path());
        QVERIFY(trace);
        const auto graph = loadActivityGraph(*trace, Progress{});
        QVERIFY(graph.ok());
        const auto found = efficiency(*trace, **graph, trace->info().range(), Startup::LeftOut, Progress{});
        QCOMPARE(found->range, (TimeRange{5, 45}));  // until MPI_Finalize
        QCOMPARE(found->useful, (std::vector<TimeNs>{18, 20, 22}));
        QCOMPARE(found->ideal, 16 + 10);
        const auto phases = efficiencyPhases(*trace, **graph, 9, Startup::LeftOut, Progress{});
        QCOMPARE(phases->size(), std::size_t(3));
        QCOMPARE(phases->at(1).name, QStringLiteral("1: MPI_Barrier 1 to MPI_Barrier 2"));
        QCOMPARE(phases->at(1).range, (TimeRange{21, 35}));
        QCOMPARE(phases->at(1).efficiency.useful, (std::vector<TimeNs>{8, 4, 10}));
        QCOMPARE(phases->at(1).efficiency.ideal, 10);
        QCOMPARE(phases->at(2).efficiency.ideal, 0);
    }

    // A thread that computes, calls MPI inside and outside its region, and waits at a barrier for the rank's own one.
    void otherThreadsAreSaid()
    {
        ScriptedMpi program(1);
        program.sync("!$omp barrier", MpiSyncKind::Barrier);
        MpiThread& own = program.rank(0);
        MpiThread& other = program.addThread(0, "OMP thread 1");
        const auto meet = [](MpiThread& thread, TimeNs begin, TimeNs arrives, TimeNs leaves) {
            thread.at(begin).event([begin](MpiEvents& events) { events.beginTeam(begin, 1); }).enter("loop");
            thread.at(arrives).enter("!$omp barrier", MpiRegionKind::Runtime);
            thread.at(leaves).leave("!$omp barrier", MpiRegionKind::Runtime).leave("loop");
            thread.event([leaves](MpiEvents& events) { events.endTeam(leaves); });
        };
        own.init(10).compute(30);
        meet(own, 40, 90, 100);
        own.compute(40).finalize(10);
        meet(other, 41, 60, 100);  // waits from 60 to 90
        other.at(110).enter("work").compute(5).call("MPI_Iprobe", 3).compute(2).leave("work").call("MPI_Iprobe", 4);
        const auto trace = longpole::importedProgram(program, m_folder.path());
        QVERIFY(trace);
        const auto all = otherThreads(*trace, trace->info().range(), Progress{});
        QVERIFY(all.ok());
        QCOMPARE(all->count, 1);
        QCOMPARE(all->waited, 30);
        QCOMPARE(all->inMpi, 7);
        QCOMPARE(all->inRegions, (100 - 41 - 30) + 7);
        const auto part = otherThreads(*trace, {70, 116}, Progress{});
        QCOMPARE(part->waited, 20);
        QCOMPARE(part->inMpi, 1);
        QCOMPARE(part->inRegions, 10 + 5);
        QVERIFY(otherThreadsSentence(*all).contains(QStringLiteral("1 other thread")));
        QVERIFY(otherThreadsSentence({}).isEmpty());
    }

    void phasesWithoutMeetings()
    {
        const auto trace = meetings({call(3, 5, 0, 0), call(30, 31, 2, -1, false), call(95, 98, 3, 4)}, 100);
        QVERIFY(trace);
        const auto graph = loadActivityGraph(*trace, Progress{});
        const auto phases = efficiencyPhases(*trace, **graph, 3, Startup::LeftOut, Progress{});
        QVERIFY(phases.ok());
        QCOMPARE(phases->size(), std::size_t(3));
        QCOMPARE(phases->at(1).name, QStringLiteral("1: 33 ns to 66 ns"));
        QCOMPARE(phases->at(2).range, (TimeRange{66, 100}));
    }

    void cancelled()
    {
        const auto trace = meetings({call(20, 25, 1, 1)}, 100);
        const auto graph = loadActivityGraph(*trace, Progress{});
        const Progress stopped;
        stopped.cancel();
        const auto phases = efficiencyPhases(*trace, **graph, 3, Startup::LeftOut, stopped);
        QVERIFY(!phases.ok());
        QVERIFY(wasCancelled(phases.error()));
    }
};

LONGPOLE_TEST(TestEfficiency)
#include "tst_efficiency.moc"
