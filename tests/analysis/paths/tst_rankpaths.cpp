// SPDX-License-Identifier: GPL-3.0-or-later
// Paths of MPI runs on drawn graphs: points are calls, and a call's end waits for what left elsewhere after its begin
// (docs/algorithms.md 1.2, 2.2).
#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "support/graphs/drawing.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;

class TestRankPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void elapsed_data();
    void elapsed();
    void work_data();
    void work();
    void everyLevelHasTheProgramsOrder();
    void tiesAreOrderedByMergesToo();
    void tiesInACircleLoseAnEdge();
    void clippedRunsKeepTheirRanks();
};

namespace {

// "A 0-5 compute, D 5-7 network": task, time and part of each step, oldest first.
QString stepsOf(const Drawing& drawing, const CriticalPath& path)
{
    const char* const parts[] = {"compute", "network", "queue", "overhead", "unexplained", "startup"};
    QStringList steps;
    for (const PathStep& step : path.steps)
        if (step.weight() > 0)
            steps << QStringLiteral("%1 %2-%3 %4")
                         .arg(QLatin1Char(drawing.nameOf(step.task)))
                         .arg(step.begin)
                         .arg(step.end)
                         .arg(QLatin1String(parts[static_cast<int>(step.part)]));
    return steps.join(QStringLiteral(", "));
}

// Three ranks meet in a barrier at 6: V is the task without length of the last to arrive, on rank 1.
constexpr const char* barrier =
    "ranks\n"
    "0: AAA.....DDDD\n"
    "1: BBBBBB.EEE..\n"
    "2: CCCC....FF..\n"
    "V at 1:6\n"
    "A >> V\nC >> V\nV > D\nV > F\nV > E";

}  // namespace

void TestRankPaths::elapsed_data()
{
    QTest::addColumn<QByteArray>("drawing");
    QTest::addColumn<QString>("steps");
    const auto row = [](const char* name, const char* drawing, const char* steps) {
        QTest::newRow(name) << QByteArray(drawing) << QString::fromLatin1(steps);
    };
    row("late sender", "ranks\n0: AAAAA.BB..\n1: CC.....DDD\nA > D", "A 0-5 compute, D 5-7 network, D 7-10 compute");
    row("early sender: the rank's own time", "ranks\n0: A.BBBBBB..\n1: CCCCC..DDD\nA > D",
        "C 0-5 compute, D 5-7 overhead, D 7-10 compute");
    row("sent when the receive was entered", "ranks\n0: CCCCC.BBB.\n1: AAAAA..DDD\nC > D",
        "A 0-5 compute, D 5-7 overhead, D 7-10 compute");
    row("barrier", barrier, "B 0-6 compute, D 6-8 network, D 8-12 compute");
    row("call without a partner", "ranks\n0: AA...BBB", "A 0-2 compute, B 2-5 overhead, B 5-8 compute");
}

void TestRankPaths::elapsed()
{
    QFETCH(QByteArray, drawing);
    QFETCH(QString, steps);
    const Drawing drawn = draw(drawing.constData());
    const auto graph = drawn.graph();
    const Result<CriticalPath> path = elapsedPath(*graph);
    QVERIFY(path);
    QCOMPARE(stepsOf(drawn, *path), steps);
    QCOMPARE(path->length, graph->run.length());
    QCOMPARE(path->parts.sum(), path->length);
    QCOMPARE(path->parts.queue, 0);
}

void TestRankPaths::work_data()
{
    QTest::addColumn<QByteArray>("drawing");
    QTest::addColumn<QString>("steps");
    QTest::addColumn<qlonglong>("length");
    const auto row = [](const char* name, const char* drawing, const char* steps, qlonglong length) {
        QTest::newRow(name) << QByteArray(drawing) << QString::fromLatin1(steps) << length;
    };
    row("late sender", "ranks\n0: AAAAA.BB..\n1: CC.....DDD\nA > D", "A 0-5 compute, D 7-10 compute", 8);
    row("barrier", barrier, "B 0-6 compute, D 8-12 compute", 10);
    // The last to arrive computed less than another: its edge to the hub decides, which the elapsed path does not see.
    row("the last had waited before", "ranks\n0: AAAAAA.....DDDD\n1: B...EEE...FF...\nV at 1:7\nA >> V\nV > D\nV > F",
        "A 0-6 compute, D 11-15 compute", 10);
}

void TestRankPaths::work()
{
    QFETCH(QByteArray, drawing);
    QFETCH(QString, steps);
    QFETCH(qlonglong, length);
    const Drawing drawn = draw(drawing.constData());
    const auto graph = drawn.graph();
    const WorkHeads heads = workHeads(*graph, EdgeLevel::Order, Progress{});
    const Result<CriticalPath> path = workPath(*graph, heads);
    QVERIFY(path);
    QCOMPARE(path->length, length);
    QCOMPARE(stepsOf(drawn, *path), steps);
}

void TestRankPaths::everyLevelHasTheProgramsOrder()
{
    const auto graph = draw(barrier).graph();
    for (const EdgeLevel level : {EdgeLevel::Messages, EdgeLevel::Merges, EdgeLevel::Order}) {
        const WorkHeads heads = workHeads(*graph, level, Progress{});
        QCOMPARE(heads.edges.level, EdgeLevel::Order);
        QCOMPARE(heads.edges.merges.size(), 2u);
        QCOMPARE(workPath(*graph, heads)->length, 10);
    }
}

// Z has no length and begins with the hub that needs it, on a later rank: the hub has to come after it.
void TestRankPaths::tiesAreOrderedByMergesToo()
{
    const Drawing drawing = draw("ranks\n0: AAA..DD\n1: BBB...E\nV at 0:3\nZ at 1:3\nZ >> V\nV > D\nV > E");
    const auto graph = drawing.graph();
    QVERIFY(graph->issues.empty());
    QCOMPARE(graph->merges.size(), 1u);
    QVERIFY(graph->find(drawing['Z']) < graph->find(drawing['V']));
    const Drawing longer = draw("ranks\n0: .AA..DD\n1: BBB...E\nV at 0:3\nZ at 1:3\nZ >> V\nV > D\nV > E");
    const auto path = workPath(*longer.graph(), workHeads(*longer.graph(), EdgeLevel::Order, Progress{}));
    QCOMPARE(path->length, 5);  // B, Z, V, D
}

void TestRankPaths::tiesInACircleLoseAnEdge()
{
    const auto graph = draw("ranks\n0: AAA..DD\n1: BBB...E\nV at 0:3\nZ at 1:3\nZ >> V\nV >> Z").graph();
    QCOMPARE(graph->merges.size(), 1u);
    QCOMPARE(graph->issues.size(), 1u);
    QCOMPARE(graph->issues.front().kind, QStringLiteral("graph_tie_cycle"));
    QCOMPARE(graph->issues.front().count, 1);
}

void TestRankPaths::clippedRunsKeepTheirRanks()
{
    const auto graph = draw(barrier).graph();
    const auto part = clip(*graph, {2, 10});
    QVERIFY(part->hasRanks);
    QCOMPARE(elapsedPath(*part)->length, 8);
    QCOMPARE(elapsedPath(*part)->parts, elapsedPath(*graph, TimeRange{2, 10})->parts);
}

LONGPOLE_TEST(TestRankPaths)
#include "tst_rankpaths.moc"
