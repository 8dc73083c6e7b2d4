// SPDX-License-Identifier: GPL-3.0-or-later
// Critical paths of imported MPI programs: as long as their closed forms say, whatever exchanges and meets.
#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "support/mpi/mpiring.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

namespace {

std::shared_ptr<const ActivityGraph> graphOf(ScriptedMpi& program, const QTemporaryDir& folder,
                                             std::shared_ptr<const TraceStore>& store)
{
    store = importedProgram(program, folder.path());
    if (!store) return nullptr;
    const auto graph = loadActivityGraph(*store, Progress{});
    return graph ? *graph : nullptr;
}

TimeNs workOf(const ActivityGraph& graph, EdgeLevel level)
{
    const Dependencies edges = dependencies(graph, level);
    const auto path = workPath(graph, edges, graph.run);
    return path ? path->length : -1;
}

// "begin-end part rank", for the steps that take time.
QStringList stepsOf(const CriticalPath& path)
{
    const char* const parts[] = {"compute", "network", "queue", "overhead", "unexplained", "startup"};
    QStringList steps;
    for (const PathStep& step : path.steps)
        if (step.weight() > 0)
            steps << QStringLiteral("%1-%2 %3 %4")
                         .arg(step.begin)
                         .arg(step.end)
                         .arg(QLatin1String(parts[static_cast<int>(step.part)]))
                         .arg(index(step.pe));
    return steps;
}

}  // namespace

class TestMpiPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // The receiver waits for the sender: its path goes there and comes back with the message.
    void lateSender()
    {
        ScriptedMpi program(2);
        program.rank(0).init(2).compute(10).send(1, 5, 100, 3).compute(1).finalize(5);
        program.rank(1).init(2).compute(4).recv(0, 5, 100, 10).compute(3).finalize(2);
        const QTemporaryDir folder;
        std::shared_ptr<const TraceStore> store;
        const auto graph = graphOf(program, folder, store);
        QVERIFY(graph);
        QCOMPARE(workOf(*graph, EdgeLevel::Order), 13);
        const auto path = elapsedPath(*graph);
        QVERIFY(path);
        QCOMPARE(stepsOf(*path), (QStringList{QStringLiteral("0-2 startup 0"), QStringLiteral("2-12 compute 0"),
                                              QStringLiteral("12-16 network 1"), QStringLiteral("16-19 compute 1"),
                                              QStringLiteral("19-21 startup 0")}));
    }

    // All wait for the last to arrive at a barrier; what they computed before it counts for the work of all.
    void barrier()
    {
        ScriptedMpi program(3);
        const TimeNs before[] = {3, 6, 4}, after[] = {4, 3, 2};
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            auto& thread = program.rank(rank).enter("main").compute(before[rank]);
            thread.barrier(8 - thread.now()).compute(after[rank]).leave("main");
        }
        const QTemporaryDir folder;
        std::shared_ptr<const TraceStore> store;
        const auto graph = graphOf(program, folder, store);
        QVERIFY(graph);
        QCOMPARE(workOf(*graph, EdgeLevel::Order), 6 + 4);
        const auto path = elapsedPath(*graph);
        QVERIFY(path);
        QCOMPARE(path->length, 12);
        QCOMPARE(path->parts.compute, 10);
        QCOMPARE(path->parts.network, 2);
        QCOMPARE(store->entry(path->profile[0].entry)->name, QStringLiteral("main"));
        QCOMPARE(path->profile[0].time, 10);
    }

    void ring_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("stepsPerBarrier");
        QTest::addColumn<bool>("hasThreads");
        QTest::newRow("one rank") << 1 << 3 << false;
        QTest::newRow("two ranks") << 2 << 1 << false;
        QTest::newRow("free running") << 8 << 1000 << false;
        QTest::newRow("meeting in every step") << 8 << 1 << false;
        QTest::newRow("meeting now and then") << 13 << 5 << false;
        QTest::newRow("with threads") << 5 << 4 << true;
    }
    // The longest chain of computation is what the recurrence of the program says; the walk back explains all time.
    void ring()
    {
        QFETCH(int, ranks);
        QFETCH(int, stepsPerBarrier);
        QFETCH(bool, hasThreads);
        for (std::uint32_t seed = 1; seed <= 5; ++seed) {
            const auto count = static_cast<std::uint32_t>(ranks);
            ScriptedMpi program(count);
            const TimeNs work = fillRing(program, {.ranks = count,
                                                   .steps = 40,
                                                   .stepsPerBarrier = stepsPerBarrier,
                                                   .hasThreads = hasThreads,
                                                   .seed = seed});
            const QTemporaryDir folder;
            std::shared_ptr<const TraceStore> store;
            const auto graph = graphOf(program, folder, store);
            QVERIFY(graph);
            QCOMPARE(workOf(*graph, EdgeLevel::Order), work);
            QCOMPARE(workOf(*graph, EdgeLevel::Messages), work);  // a rank's order is its program's
            TimeNs busiest = 0;
            for (const Processor& processor : store->processors()) busiest = std::max(busiest, processor.busy);
            QVERIFY(busiest <= work);
            const auto path = elapsedPath(*graph);
            QVERIFY(path);
            QCOMPARE(path->length, store->info().duration());
            QCOMPARE(path->parts.sum(), path->length);
            QCOMPARE(path->parts.unexplained, 0);
            QVERIFY(path->parts.compute <= work);
        }
    }
};

LONGPOLE_TEST(TestMpiPaths)
#include "tst_mpipaths.moc"
