// SPDX-License-Identifier: GPL-3.0-or-later
// The activity graph: its order, also where many tasks begin at once, and what it makes of impossible edges.
#include "analysis/graph/activitygraph.h"

#include "analysis/graph/builder.h"
#include "analysis/graph/tieorder.h"
#include "support/graphs/drawing.h"
#include "support/graphs/graphcolumns.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

#include <ctime>
#include <random>

using namespace longpole;

class TestActivityGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void orderIsByBeginThenProcessor();
    void previousAndByProcessor();
    void findsTasksAndNestedExecutions();
    void senderComesFirstAmongTies_data();
    void senderComesFirstAmongTies();
    void cyclesOfTiesLoseOneEdge_data();
    void cyclesOfTiesLoseOneEdge();
    void manyCyclesOfTies();
    void manyMergesOfOnePair();
    void mergesAreFoundByTask();
    void offsetsAreClamped_data();
    void offsetsAreClamped();
    void edgeFromTheFutureIsDropped();
    void overlappingTasksAreTrimmed();
    void tasksOutsideTheRunAreTrimmed();
    void timeOrderEqualsAStableSort_data();
    void timeOrderEqualsAStableSort();
    void longTimesAreKept();
    void clipKeepsTheWholeRun();
    void clipCutsNestedExecutions();

private:
    static QString order(const Drawing& drawing);
};

QString TestActivityGraph::order(const Drawing& drawing)
{
    const auto graph = drawing.graph();
    QString text;
    for (std::uint32_t i = 0; i < graph->size(); ++i) text += QLatin1Char(drawing.nameOf(graph->id(i)));
    return text;
}

void TestActivityGraph::orderIsByBeginThenProcessor()
{
    QCOMPARE(order(draw("0: .BB.D\n1: A.CCE\n2: .FF")), QStringLiteral("ABFCDE"));
}

void TestActivityGraph::previousAndByProcessor()
{
    const Drawing drawn = draw("0: .BB.D\n1: A.CC.\n3: ...E");
    const auto graph = drawn.graph();  // A B C D E: C begins at 2, D at 4, E at 3
    QCOMPARE(order(drawn), QStringLiteral("ABCED"));
    QCOMPARE(previousTasks(*graph), (std::vector<std::uint32_t>{noTask, noTask, 0, noTask, 1}));
    std::vector<std::vector<std::uint32_t>> byProcessor;
    for (const std::span<const std::uint32_t> tasks : graph->byProcessor)
        byProcessor.emplace_back(tasks.begin(), tasks.end());
    QCOMPARE(byProcessor, (std::vector<std::vector<std::uint32_t>>{{1, 4}, {0, 2}, {}, {3}}));
    QCOMPARE(graph->pe, (std::vector<std::uint32_t>{1, 0, 1, 3, 0}));
    QCOMPARE(graph->processors, 4u);
}

void TestActivityGraph::findsTasksAndNestedExecutions()
{
    const Drawing drawn = draw("0: AAA\n1: BB");
    auto graph = std::make_shared<ActivityGraph>(*drawn.graph());
    // The second one goes on after the third.
    graph->inner = {{0, 1, 7, 1, 2}, {0, 3, 7, 2, 3}, {0, 4, 7, 3, 4}, {0, 3, 7, 4, 5}};
    graph->indexInner();
    QCOMPARE(graph->find({ProcessorId{0}, 3}), 0u);
    QCOMPARE(graph->find({ProcessorId{0}, 4}), 0u);
    QCOMPARE(graph->innerExecution(0, 3)->begin, 2);
    QCOMPARE(graph->innerExecution(0, 4)->begin, 3);
    QVERIFY(graph->innerExecution(0, 2) == nullptr && graph->innerExecution(1, 1) == nullptr);
    QCOMPARE(graph->find(drawn['A']), 0u);
    QCOMPARE(graph->find(drawn['B']), 1u);
    QCOMPARE(graph->find({ProcessorId{0}, 1}), 0u);
    QCOMPARE(graph->find({ProcessorId{0}, 2}), noTask);
    QCOMPARE(graph->find({ProcessorId{1}, 1}), noTask);
    QCOMPARE(graph->find({ProcessorId{2}, 0}), noTask);
    QCOMPARE(graph->find({}), noTask);
    QCOMPARE(graph->innerOf(0).size(), std::size_t(4));
    QVERIFY(graph->innerOf(1).empty());
}

void TestActivityGraph::senderComesFirstAmongTies_data()
{
    QTest::addColumn<QByteArray>("drawing");
    QTest::addColumn<QString>("order");
    QTest::newRow("already in order") << QByteArray("0: ..\nA at 0:1\nB at 1:1\nA > B") << QStringLiteral("AB");
    QTest::newRow("sender on a later PE") << QByteArray("0: ..\nA at 0:1\nB at 1:1\nB > A") << QStringLiteral("BA");
    QTest::newRow("chain backwards") << QByteArray("0: ..\nA at 0:1\nB at 1:1\nC at 2:1\nC > B\nB > A")
                                     << QStringLiteral("CBA");
    QTest::newRow("the rest stays by PE and index")
        << QByteArray("0: ..\nA at 0:1\nB at 0:1\nC at 1:1\nD at 2:1\nE at 2:1\nD > B") << QStringLiteral("ACDBE");
    QTest::newRow("a PE's own order holds")
        << QByteArray("0: ..\nA at 0:1\nB at 0:1\nC at 1:1\nC > A") << QStringLiteral("CAB");
    QTest::newRow("two groups") << QByteArray("0: ...\nA at 0:1\nB at 1:1\nC at 0:2\nD at 1:2\nB > A\nD > C")
                                << QStringLiteral("BADC");
}

void TestActivityGraph::senderComesFirstAmongTies()
{
    QFETCH(QByteArray, drawing);
    const Drawing drawn = draw(drawing.constData());
    QTEST(order(drawn), "order");
    const auto graph = drawn.graph();
    for (std::uint32_t i = 0; i < graph->size(); ++i) QVERIFY(graph->source[i] == noTask || graph->source[i] < i);
    QVERIFY(graph->issues.empty());
}

void TestActivityGraph::cyclesOfTiesLoseOneEdge_data()
{
    QTest::addColumn<QByteArray>("drawing");
    QTest::addColumn<QString>("order");
    QTest::addColumn<QString>("place");
    QTest::newRow("two") << QByteArray("0: ..\nA at 0:1\nB at 1:1\nA > B\nB > A") << QStringLiteral("AB")
                         << QStringLiteral("task 0:0");
    QTest::newRow("against the PE's order")
        << QByteArray("0: ..\nA at 0:1\nB at 0:1\nB > A") << QStringLiteral("AB") << QStringLiteral("task 0:0");
    // C and D wait for each other; A only waits for them, so its edge is not the one to go.
    QTest::newRow("not what hangs on the cycle")
        << QByteArray("0: ..\nA at 0:1\nC at 1:1\nD at 2:1\nD > A\nC > D\nD > C") << QStringLiteral("CDA")
        << QStringLiteral("task 1:0");
}

void TestActivityGraph::cyclesOfTiesLoseOneEdge()
{
    QFETCH(QByteArray, drawing);
    QFETCH(QString, place);
    const Drawing drawn = draw(drawing.constData());
    QTEST(order(drawn), "order");
    const std::vector<Issue> issues = drawn.graph()->issues;
    QCOMPARE(issues.size(), std::size_t(1));
    QCOMPARE(issues[0].kind, QLatin1String(tieCycle));
    QCOMPARE(issues[0].count, 1);
    QCOMPARE(issues[0].place, place);
}

// Each task of PE 0 waits for the last one of PE 1, whose first one waits for the last one of PE 0: each edge that is
// dropped leaves another cycle through all of them.
void TestActivityGraph::manyCyclesOfTies()
{
    constexpr std::uint32_t each = 60'000;
    TaskColumns columns;
    columns.first = {0, each, std::size_t{2} * each};
    columns.resize(std::size_t{2} * each);
    for (std::uint32_t i = 0; i < 2 * each; ++i) {
        columns.begin[i] = 10;
        columns.taskIndex[i] = i % each;
        columns.source[i] = i < each ? 2 * each - 1 : noTask;
    }
    columns.source[each] = each - 1;
    QElapsedTimer timer;
    timer.start();
    GraphFrame frame{};
    frame.run = {0, 100};
    frame.processors = 2;
    const auto graph = buildGraph(std::move(columns), std::move(frame), Progress());
    QVERIFY(graph != nullptr);
    QCOMPARE(graph->size(), 2 * each);
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    for (std::uint32_t i = 0; i < graph->size(); ++i) QVERIFY(graph->source[i] == noTask || graph->source[i] < i);
}

// Two tasks that begin together wait for each other, once by a message and many times by the same merge.
void TestActivityGraph::manyMergesOfOnePair()
{
    constexpr std::size_t merges = 300'000;
    TaskColumns columns;
    columns.first = {0, 1, 2};
    columns.resize(2);
    columns.begin = {10, 10};
    columns.source = {noTask, 0};
    MergeEdge merge{};
    merge.task = 0;
    merge.source = 1;
    columns.merges.assign(merges, merge);
    TimeOrder order = timeOrder(columns);
    QElapsedTimer timer;
    timer.start();
    const TieResult result = orderTies(columns, order, true);
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(result.dropped > 0);
    QVERIFY(isInOrder(columns, order));
}

// As many of one task as a file may have: whoever asks for them need not go through them.
void TestActivityGraph::mergesAreFoundByTask()
{
    std::vector<MergeEdge> merges{{.task = 3}, {.task = 3}, {.task = 5}};
    merges.resize(500'000, {.task = 7});
    merges.push_back({.task = 9});
    QCOMPARE(mergesInto(merges, 3).size(), std::size_t(2));
    QCOMPARE(mergesInto(merges, 4).size(), std::size_t(0));
    QCOMPARE(mergesInto(merges, 9).size(), std::size_t(1));
    QCOMPARE(mergesInto(merges, 10).size(), std::size_t(0));
    const std::clock_t begin = std::clock();
    std::size_t found = 0;
    for (int i = 0; i < 100'000; ++i) found += mergesInto(merges, 7).size();
    QCOMPARE(found, 100'000 * std::size_t(499'997));
    QVERIFY(std::clock() - begin < 2 * CLOCKS_PER_SEC);
}

void TestActivityGraph::offsetsAreClamped_data()
{
    QTest::addColumn<qint64>("offset");
    QTest::addColumn<qint64>("expected");
    QTest::addColumn<bool>("clamped");
    QTest::newRow("within") << qint64(2) << qint64(2) << false;
    QTest::newRow("at its begin") << qint64(0) << qint64(0) << false;
    QTest::newRow("when the execution begins") << qint64(3) << qint64(3) << false;
    QTest::newRow("after the execution began") << qint64(4) << qint64(3) << true;
    QTest::newRow("before the sender began") << qint64(-1) << qint64(0) << true;
}

void TestActivityGraph::offsetsAreClamped()
{
    QFETCH(qint64, offset);
    QFETCH(bool, clamped);
    Drawing drawn = draw("0: AAAAA\n1: ...B\nA > B");
    drawn.tasks[1].offset = offset;
    const auto graph = drawn.graph();
    QTEST(qint64(graph->offset[1]), "expected");
    QCOMPARE((graph->flags[1] & ActivityGraph::Clamped) != 0, clamped);
    QCOMPARE(graph->issues.size(), std::size_t(clamped ? 1 : 0));
    if (clamped) QCOMPARE(graph->issues[0], (Issue{QLatin1String(edgeClamped), 1, QStringLiteral("task 1:0")}));
}

void TestActivityGraph::edgeFromTheFutureIsDropped()
{
    const auto graph = draw("0: A\n1: ..BB\nB > A").graph();
    QCOMPARE(graph->source, (std::vector<std::uint32_t>{noTask, noTask}));
    QCOMPARE(graph->issues, (std::vector<Issue>{{QLatin1String(edgeDropped), 1, QStringLiteral("task 0:0")}}));
}

void TestActivityGraph::overlappingTasksAreTrimmed()
{
    Drawing drawn = draw("0: AABBCC");
    drawn.tasks[0].duration = 3;
    const auto graph = drawn.graph();
    QCOMPARE(durations(*graph), (std::vector<TimeNs>{2, 2, 2}));
    QCOMPARE(graph->issues, (std::vector<Issue>{{QLatin1String(taskTrimmed), 1, QStringLiteral("task 0:0")}}));
}

void TestActivityGraph::tasksOutsideTheRunAreTrimmed()
{
    Drawing drawn = draw("0: AABBCC");
    drawn.run = {1, 5};
    const auto graph = drawn.graph();
    QCOMPARE(graph->begin, (std::vector<TimeNs>{1, 2, 4}));
    QCOMPARE(durations(*graph), (std::vector<TimeNs>{1, 2, 1}));
    QCOMPARE(graph->issues[0].count, 2);
    drawn.tasks[2].duration = maxTime;
    QCOMPARE(drawn.graph()->duration[2], 1);
}

void TestActivityGraph::timeOrderEqualsAStableSort_data()
{
    QTest::addColumn<int>("pes");
    QTest::addColumn<int>("tasks");
    QTest::addColumn<qint64>("span");
    QTest::newRow("one PE") << 1 << 1000 << qint64(100000);
    QTest::newRow("empty PEs") << 5000 << 1000 << qint64(100000);
    QTest::newRow("several buckets") << 7 << 60000 << qint64(1000000);
    QTest::newRow("many ties") << 7 << 60000 << qint64(50);
    QTest::newRow("wide times") << 3 << 60000 << qint64(maxTime);
    QTest::newRow("all at once") << 9 << 60000 << qint64(1);
}

void TestActivityGraph::timeOrderEqualsAStableSort()
{
    QFETCH(int, pes);
    QFETCH(int, tasks);
    QFETCH(qint64, span);
    std::mt19937_64 random(1);
    TaskColumns columns;
    columns.first.push_back(0);
    for (int pe = 0; pe < pes; ++pe) {
        const int count = pes > tasks ? (pe < tasks ? 1 : 0) : tasks / pes;
        for (int i = 0; i < count; ++i)
            columns.begin.push_back(static_cast<TimeNs>(random() % static_cast<std::uint64_t>(span)) - span / 2);
        std::sort(columns.begin.begin() + static_cast<std::ptrdiff_t>(columns.first.back()), columns.begin.end());
        columns.first.push_back(columns.begin.size());
    }
    std::vector<std::uint32_t> expected(columns.begin.size());
    for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i;
    std::stable_sort(expected.begin(), expected.end(),
                     [&columns](std::uint32_t a, std::uint32_t b) { return columns.begin[a] < columns.begin[b]; });
    const TimeOrder sorted = timeOrder(columns);
    QVERIFY(sorted.order == expected);
    for (std::uint32_t i = 0; i < expected.size(); ++i) {
        QCOMPARE(sorted.graphTaskAt[expected[i]], i);
        QVERIFY(expected[i] >= columns.first[sorted.pe[i]] && expected[i] < columns.first[sorted.pe[i] + 1]);
    }
}

namespace {

// 250 000 tasks on 5 PEs, whose messages come from anywhere, also from the future; all times `scale` fold.
std::shared_ptr<const ActivityGraph> scaledGraph(TimeNs scale)
{
    constexpr std::uint32_t each = 50'000;
    std::mt19937 random(3);
    const auto below = [&random](std::uint32_t n) { return static_cast<TimeNs>(random() % n); };
    std::vector<RawTask> tasks;
    for (std::uint32_t pe = 0; pe < 5; ++pe) {
        TimeNs time = below(5);
        for (std::uint32_t i = 0; i < each; ++i) {
            RawTask task{.id = {ProcessorId{pe}, i}, .begin = time * scale, .duration = below(4) * scale};
            if (below(8) != 0) {
                const TimeNs source = std::max<TimeNs>(0, TimeNs{i} - below(20) + 2);
                task.source = {ProcessorId{static_cast<std::uint32_t>(below(5))}, static_cast<std::uint32_t>(source)};
            }
            task.offset = below(4) * scale;
            task.sent = (time - below(6)) * scale;
            if (below(2) == 0) task.received = (time - below(3)) * scale;
            time += 4 + below(2);
            tasks.push_back(task);
        }
    }
    return makeActivityGraph(std::move(tasks), {0, 300'000 * scale}, 5);
}

}  // namespace

// Beyond 4.29 s times need more than 32 bits; with few such times and with nothing else.
void TestActivityGraph::longTimesAreKept()
{
    const auto small = scaledGraph(1);
    for (const TimeNs scale : {TimeNs{2'000'000'000}, TimeNs{6'000'000'000}}) {
        const auto large = scaledGraph(scale);
        QVERIFY(large->source == small->source);
        QVERIFY(meaningOfFlags(*large) == meaningOfFlags(*small));
        QCOMPARE(large->sentApart.size(), small->sentApart.size());
        QCOMPARE(large->issues, small->issues);
        for (std::uint32_t i = 0; i < small->size(); ++i) {
            QCOMPARE(large->begin[i], small->begin[i] * scale);
            QCOMPARE(large->duration[i], small->duration[i] * scale);
            QCOMPARE(large->offset[i], small->offset[i] * scale);
            QCOMPARE(large->sent(i), small->sent(i) == minTime ? minTime : small->sent(i) * scale);
            QCOMPARE(large->received(i), small->received(i) == minTime ? minTime : small->received(i) * scale);
        }
        QVERIFY(ActivityGraph(*large).duration == large->duration);
    }
    QVERIFY(small->issues.size() >= 2 && small->issues[0].count > 1000 && small->issues[1].count > 1000);
}

void TestActivityGraph::clipKeepsTheWholeRun()
{
    const Drawing drawn = draw("0: AAA.C.\n1: .BBB.D\nA@1 > B\nB > C\nA > D");
    const auto whole = drawn.graph();
    const auto part = clip(*whole, whole->run);
    QCOMPARE(part->begin, whole->begin);
    QCOMPARE(part->duration, whole->duration);
    QCOMPARE(part->source, whole->source);
    QCOMPARE(part->offset, whole->offset);
    QCOMPARE(part->exclusiveByEntry, whole->exclusiveByEntry);
    QCOMPARE(clip(*whole, {2, 5})->size(), std::size_t(3));
    QCOMPARE(clip(*whole, {9, 12})->size(), std::size_t(0));
}

void TestActivityGraph::clipCutsNestedExecutions()
{
    const Drawing drawn = draw("0: AAAAAAAA");
    auto graph = std::make_shared<ActivityGraph>(*drawn.graph());
    graph->inner = {{0, 1, 'a', 1, 3}, {0, 2, 'b', 4, 7}};
    const auto part = clip(*graph, {2, 6});
    QCOMPARE(part->inner.size(), std::size_t(2));
    QCOMPARE(part->inner[0].begin, 2);
    QCOMPARE(part->inner[1].end, 6);
    QCOMPARE(part->exclusiveByEntry['A'], 1);
    QCOMPARE(part->exclusiveByEntry['a'], 1);
    QCOMPARE(part->exclusiveByEntry['b'], 2);
}

LONGPOLE_TEST(TestActivityGraph)
#include "tst_activitygraph.moc"
