// SPDX-License-Identifier: GPL-3.0-or-later
// Work and sweep paths of graphs small enough to draw: the closed-form cases and what each rule decides.
#include "analysis/paths/closedcases.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestCriticalPath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void workPath_data();
    void workPath();
    void workProfile_data();
    void workProfile();
    void sweepPath_data();
    void sweepPath();

    void pathToATask();
    void pathToANestedExecution();
    void timeGoesToTheInnermostExecution();
    void taskThatDoesNotExist();
    void messageWinsTies();
    void doubtfulEdgesAreMarked();
    void emptyGraph();
    void cancelledHeads();
    void rangeCutsWeightsAndMessages();

private:
    static CriticalPath work(const Drawing& drawing, EdgeLevel edges, std::optional<TaskId> to = {});
};

namespace {

TimeNs timeOf(const CriticalPath& path, EntryId entry)
{
    for (const PathProfileRow& row : path.profile)
        if (row.entry == entry) return row.time;
    return 0;
}

}  // namespace

CriticalPath TestCriticalPath::work(const Drawing& drawing, EdgeLevel edges, std::optional<TaskId> to)
{
    const auto graph = drawing.graph();
    Result<CriticalPath> path = longpole::workPath(*graph, workHeads(*graph, edges, Progress{}), to);
    return path ? *path : CriticalPath{.length = -1};
}

void TestCriticalPath::workPath_data()
{
    QTest::addColumn<QByteArray>("drawing");
    QTest::addColumn<EdgeLevel>("edges");
    QTest::addColumn<qint64>("length");
    QTest::addColumn<QString>("steps");
    const auto row = [](const char* name, const char* drawing, EdgeLevel edges, qint64 length, const char* steps) {
        QTest::addRow("%s %s", name, edges == EdgeLevel::Order ? "order" : "messages")
            << QByteArray(drawing) << edges << length << QString::fromLatin1(steps);
    };
    row("C1", c1, EdgeLevel::Messages, 10, "A");
    row("C1", c1, EdgeLevel::Order, 12, "AB");
    row("C2", c2, EdgeLevel::Messages, 10, "1");
    row("C2", c2, EdgeLevel::Order, 13, "2D");
    row("C3", c3, EdgeLevel::Messages, 10, "R2J");
    row("C3", c3, EdgeLevel::Order, 10, "R2J");
    row("C4", c4, EdgeLevel::Messages, 10, "A");
    row("C4", c4, EdgeLevel::Order, 11, "ABD");
    row("C5", c5, EdgeLevel::Messages, 8, "2W");
    row("C5", c5, EdgeLevel::Order, 8, "2W");
    row("C6", c6, EdgeLevel::Messages, 35, "01234");
    row("C6", c6, EdgeLevel::Order, 35, "01234");
    row("C7", c7, EdgeLevel::Messages, 6, "aei");
    row("C7", c7, EdgeLevel::Order, 15, "aefghl");
    row("C8", c8, EdgeLevel::Messages, 12, "ADE");
    row("C8", c8, EdgeLevel::Order, 12, "ADE");
    row("C9", c9, EdgeLevel::Messages, 12, "K1L");
    row("C9", c9, EdgeLevel::Order, 18, "N1L");
}

void TestCriticalPath::workPath()
{
    QFETCH(QByteArray, drawing);
    QFETCH(EdgeLevel, edges);
    const Drawing drawn = draw(drawing.constData());
    const CriticalPath path = work(drawn, edges);
    QTEST(qint64(path.length), "length");
    QTEST(computed(drawn, path), "steps");
    QCOMPARE(path.duration, drawn.run.length());
    QCOMPARE(path.to, path.steps.back().task);
    TimeNs weights = 0;
    for (const PathStep& step : path.steps) weights += step.weight();
    QCOMPARE(weights, path.length);
    QCOMPARE(path.parts, (PathParts{.compute = path.length}));
    QCOMPARE(work(drawn, EdgeLevel::Merges).length, work(drawn, EdgeLevel::Messages).length);
}

void TestCriticalPath::workProfile_data()
{
    QTest::addColumn<QByteArray>("drawing");
    QTest::addColumn<QByteArray>("entry");
    QTest::addColumn<qint64>("time");
    const auto row = [](const char* name, const char* drawing, const char* entry, qint64 time) {
        QTest::addRow("%s %s", name, entry) << QByteArray(drawing) << QByteArray(entry) << time;
    };
    row("C1", c1, "A", 10);
    row("C1", c1, "B", 2);
    row("C1", c1, "C", 0);
    row("C2", c2, "X", 9);
    row("C2", c2, "D", 4);
    row("C3", c3, "R", 2);
    row("C3", c3, "work", 7);
    row("C3", c3, "J", 1);
    row("C4", c4, "A", 2);
    row("C4", c4, "B", 6);
    row("C4", c4, "D", 3);
    row("C5", c5, "2", 6);
    row("C5", c5, "W", 2);
    row("C6", c6, "hop", 35);
    row("C7", c7, "s0", 1);
    row("C7", c7, "s1", 12);
    row("C7", c7, "s2", 2);
    row("C9", c9, "n", 10);
    row("C9", c9, "k", 8);
}

void TestCriticalPath::workProfile()
{
    QFETCH(QByteArray, drawing);
    QFETCH(QByteArray, entry);
    const Drawing drawn = draw(drawing.constData());
    const CriticalPath path = work(drawn, EdgeLevel::Order);
    QTEST(qint64(timeOf(path, drawn.entry(entry.constData()))), "time");
    TimeNs sum = 0;
    double shares = 0;
    for (const PathProfileRow& row : path.profile) {
        sum += row.time;
        shares += row.share;
    }
    QCOMPARE(sum, path.length);
    QCOMPARE(shares, 1.0);
}

void TestCriticalPath::sweepPath_data()
{
    QTest::addColumn<QByteArray>("drawing");
    QTest::addColumn<qint64>("length");
    QTest::addColumn<QString>("steps");
    QTest::newRow("C8 equals the work path") << QByteArray(c8) << qint64(12) << QStringLiteral("ADE");
    QTest::newRow("touching groups do not overlap") << QByteArray("0: AABBB") << qint64(5) << QStringLiteral("AB");
    QTest::newRow("longest of an overlapping chain")
        << QByteArray("0: AA.CC.\n1: .BBB.D") << qint64(4) << QStringLiteral("BD");
    QTest::newRow("tie: earliest") << QByteArray("0: .BB\n1: AA.") << qint64(2) << QStringLiteral("A");
}

void TestCriticalPath::sweepPath()
{
    QFETCH(QByteArray, drawing);
    const Drawing drawn = draw(drawing.constData());
    const Result<CriticalPath> path = longpole::sweepPath(*drawn.graph());
    QVERIFY(path.ok());
    QTEST(qint64(path->length), "length");
    QTEST(computed(drawn, *path), "steps");
}

void TestCriticalPath::pathToATask()
{
    const Drawing drawn = draw(c9);
    const CriticalPath messages = work(drawn, EdgeLevel::Messages, drawn['1']);
    QCOMPARE(computed(drawn, messages), QStringLiteral("K1"));
    QCOMPARE(messages.length, 8);
    const CriticalPath order = work(drawn, EdgeLevel::Order, drawn['M']);
    QCOMPARE(computed(drawn, order), QStringLiteral("KM"));
    QCOMPARE(order.length, 6);
    const Result<CriticalPath> elapsed = longpole::elapsedPath(*drawn.graph(), drawn['1']);
    QVERIFY(elapsed.ok());
    QCOMPARE(elapsed->length, 14);
    QCOMPARE(elapsed->to, drawn['1']);
}

namespace {

// 0: AAAaaAbA..  with a and b nested in A; A sends to C at 5, b ends at 7.
std::shared_ptr<const ActivityGraph> nestedGraph(const Drawing& drawing)
{
    auto graph = std::make_shared<ActivityGraph>(*drawing.graph());
    const std::uint32_t outer = graph->find(drawing['A']);
    graph->inner = {{outer, 1, 'a', 3, 5}, {outer, 2, 'b', 6, 7}};
    graph->indexInner();
    graph->exclusiveByEntry.assign(128, 0);
    graph->exclusiveByEntry['A'] = 5;
    graph->exclusiveByEntry['a'] = 2;
    graph->exclusiveByEntry['b'] = 1;
    graph->exclusiveByEntry['C'] = 2;
    return graph;
}

const char* const nested = "0: AAAAAAAA\n1: .......CC\nA@5 > C";

}  // namespace

void TestCriticalPath::pathToANestedExecution()
{
    const Drawing drawn = draw(nested);
    const auto graph = nestedGraph(drawn);
    const TaskId inner{ProcessorId{0}, 1};
    const WorkHeads heads = workHeads(*graph, EdgeLevel::Order, Progress{});
    const Result<CriticalPath> path = longpole::workPath(*graph, heads, inner);
    QVERIFY(path.ok());
    QCOMPARE(path->to, inner);
    QCOMPARE(path->length, 5);
    QCOMPARE(path->steps.size(), std::size_t(1));
    QCOMPARE(path->steps[0].task, drawn['A']);
    QCOMPARE(path->steps[0].end, 5);
    const Result<CriticalPath> elapsed = longpole::elapsedPath(*graph, inner);
    QVERIFY(elapsed.ok());
    QCOMPARE(elapsed->length, 5);
}

void TestCriticalPath::timeGoesToTheInnermostExecution()
{
    const Drawing drawn = draw(nested);
    const auto graph = nestedGraph(drawn);
    const WorkHeads heads = workHeads(*graph, EdgeLevel::Messages, Progress{});
    const Result<CriticalPath> whole = longpole::workPath(*graph, heads, drawn['A']);
    QVERIFY(whole.ok());
    const std::vector<PathProfileRow> expected{{EntryId{'A'}, 1, 5, 5.0 / 8, 0.5},
                                               {EntryId{'a'}, 1, 2, 2.0 / 8, 0.2},
                                               {EntryId{'b'}, 1, 1, 1.0 / 8, 0.1}};
    QCOMPARE(whole->profile, expected);
    // Only the prefix up to the message is on C's path: all of a, nothing of b.
    const Result<CriticalPath> prefix = longpole::workPath(*graph, heads, drawn['C']);
    QVERIFY(prefix.ok());
    QCOMPARE(prefix->length, 7);
    QCOMPARE(timeOf(*prefix, EntryId{'A'}), 3);
    QCOMPARE(timeOf(*prefix, EntryId{'a'}), 2);
    QCOMPARE(timeOf(*prefix, EntryId{'b'}), 0);
}

void TestCriticalPath::taskThatDoesNotExist()
{
    const Drawing drawn = draw(c1);
    const auto graph = drawn.graph();
    const TaskId nowhere{ProcessorId{1}, 7};
    const WorkHeads heads = workHeads(*graph, EdgeLevel::Order, Progress{});
    const Result<CriticalPath> path = longpole::workPath(*graph, heads, nowhere);
    QVERIFY(!path.ok());
    QCOMPARE(path.error().what, QStringLiteral("There is no task 1:7."));
    QVERIFY(!longpole::elapsedPath(*graph, TaskId{ProcessorId{9}, 0}).ok());
}

void TestCriticalPath::messageWinsTies()
{
    const Drawing drawn = draw("0: AAA.C\n1: BBB..\nB > C");
    const CriticalPath path = work(drawn, EdgeLevel::Order);
    QCOMPARE(path.length, 4);
    QCOMPARE(computed(drawn, path), QStringLiteral("BC"));
    QCOMPARE(path.steps[1].edge, PathEdge::Message);
    QCOMPARE(path.steps[0].edge, PathEdge::Start);
}

void TestCriticalPath::doubtfulEdgesAreMarked()
{
    Drawing drawn = draw(c9);
    for (RawTask& task : drawn.tasks)
        if (task.id == drawn['L']) task.flags = ActivityGraph::Repaired | ActivityGraph::Estimated;
        else if (task.id == drawn['1']) task.flags = ActivityGraph::Estimated;
    const CriticalPath path = work(drawn, EdgeLevel::Messages);
    QCOMPARE(path.doubtfulWeight, 4);  // L; the work path does not use receive times
    QVERIFY(path.steps[2].doubtful);
    QVERIFY(!path.steps[1].doubtful);
    // Elapsed: L came over a repaired edge (4), its network part (1) too; that 1 waited for N rests on an estimate (4).
    const Result<CriticalPath> elapsed = longpole::elapsedPath(*drawn.graph());
    QVERIFY(elapsed.ok());
    QCOMPARE(elapsed->doubtfulWeight, 9);
}

void TestCriticalPath::emptyGraph()
{
    const auto graph = makeActivityGraph({}, {5, 25}, 3);
    const Result<CriticalPath> path = longpole::workPath(*graph, workHeads(*graph, EdgeLevel::Order, Progress{}));
    QVERIFY(path.ok());
    QCOMPARE(path->length, 0);
    QVERIFY(path->steps.empty());
    const Result<CriticalPath> elapsed = longpole::elapsedPath(*graph);
    QVERIFY(elapsed.ok());
    QCOMPARE(elapsed->length, 20);
    QCOMPARE(elapsed->parts.unexplained, 20);
    QCOMPARE(longpole::sweepPath(*graph)->length, 0);
}

void TestCriticalPath::cancelledHeads()
{
    const auto graph = draw(c1).graph();
    Progress progress;
    progress.cancel();
    const Result<CriticalPath> path = longpole::workPath(*graph, workHeads(*graph, EdgeLevel::Order, progress));
    QVERIFY(!path.ok());
    QVERIFY(wasCancelled(path.error()));
}

void TestCriticalPath::rangeCutsWeightsAndMessages()
{
    const Drawing drawn = draw(c9);
    const auto graph = drawn.graph();
    // [4, 17): K is gone and so is its message at 4; N weighs 6, 1 4, L 2.
    const Result<CriticalPath> order = longpole::workPath(*graph, Dependencies{EdgeLevel::Order}, {4, 17});
    QVERIFY(order.ok());
    QCOMPARE(order->length, 12);
    QCOMPARE(order->duration, 13);
    QCOMPARE(computed(drawn, *order), QStringLiteral("N1L"));
    const Result<CriticalPath> messages = longpole::workPath(*graph, Dependencies{EdgeLevel::Messages}, {4, 17});
    QVERIFY(messages.ok());
    QCOMPARE(messages->length, 6);
    QCOMPARE(computed(drawn, *messages), QStringLiteral("1L"));
    const Result<CriticalPath> elapsed = longpole::elapsedPath(*graph, {4, 17});
    QVERIFY(elapsed.ok());
    QCOMPARE(elapsed->length, 13);
    QCOMPARE(elapsed->steps.front().begin, 4);
    QCOMPARE(elapsed->parts, (PathParts{.compute = 12, .network = 1, .queue = 0, .overhead = 0, .unexplained = 0}));
    QCOMPARE(longpole::sweepPath(*graph, {4, 17})->length, 12);
}

LONGPOLE_TEST(TestCriticalPath)
#include "tst_criticalpath.moc"
