// SPDX-License-Identifier: GPL-3.0-or-later
// The fixed delays of the elapsed what-if model: the recurrence gives the recorded run again, and what decides a task's
// begin in it is what the elapsed path follows.
#include "analysis/paths/elapseddelays.h"

#include "analysis/paths/criticalpath.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;

class TestElapsedDelays : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void drawn_data();
    void drawn();
    void recordedRunAgain();
    void elapsedPathFollowsWhatDecides();
    void afterTheLastEnd();
};

namespace {

TimeNs freeBefore(const ActivityGraph& graph, std::uint32_t task)
{
    const std::uint32_t previous = graph.previous(task);
    return previous == noTask ? graph.run.begin : graph.end(previous);
}

}  // namespace

void TestElapsedDelays::drawn_data()
{
    QTest::addColumn<QString>("drawing");
    QTest::addColumn<int>("flags");
    QTest::addColumn<qlonglong>("order");
    QTest::addColumn<qlonglong>("message");
    const auto row = [](const char* name, const char* drawing, int flags, qlonglong order, qlonglong message) {
        QTest::newRow(name) << QString::fromUtf8(drawing) << flags << order << message;
    };
    // B begins at 7.
    row("no message", "0: AAAA...B\n", 0, 3, 0);
    row("first of its PE", "0: .......B\n", 0, 7, 0);
    row("message last", "0: AAAA...B\n1: CCC.....\nC > B ~5", 0, 2, 4);
    row("order last", "0: AAAA...B\n1: CC......\nC > B ~3", 0, 3, 4);
    row("order last, but idle", "0: AAAA...B\n1: CC......\nC > B ~3", ActivityGraph::AfterIdle, 0, 5);
    row("message last, idle", "0: AAAA...B\n1: CCC.....\nC > B ~5", ActivityGraph::AfterIdle, 2, 4);
    row("receive unknown", "0: AAAA...B\n1: CCCCC...\nC > B", 0, 2, 2);
    row("block", "0: AAAA...B\nA > B", ActivityGraph::BlockEdge, 3, 3);
    row("first of its PE, message", "0: .......B\n1: CCC.....\nC > B ~5", 0, 2, 4);
}

void TestElapsedDelays::drawn()
{
    QFETCH(QString, drawing);
    QFETCH(int, flags);
    QFETCH(qlonglong, order);
    QFETCH(qlonglong, message);
    Drawing drawn = draw(drawing.toUtf8().constData());
    for (RawTask& task : drawn.tasks) {
        if (task.id != drawn['B']) continue;
        task.flags |= static_cast<std::uint8_t>(flags);
        if ((flags & ActivityGraph::BlockEdge) != 0) task.sent = minTime;
    }
    const auto graph = drawn.graph();
    const std::uint32_t task = graph->find(drawn['B']);
    QCOMPARE(graph->begin[task], 7);
    const ElapsedDelays delays = elapsedDelays(*graph, task, freeBefore(*graph, task));
    QCOMPARE(delays.order, order);
    QCOMPARE(delays.message, message);
}

void TestElapsedDelays::recordedRunAgain()
{
    for (unsigned seed = 0; seed < 500; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        for (std::uint32_t i = 0; i < graph->size(); ++i) {
            const TimeNs free = freeBefore(*graph, i);
            const ElapsedDelays delays = elapsedDelays(*graph, i, free);
            TimeNs begin = free + delays.order;
            if (const std::uint32_t source = graph->source[i]; source != noTask)
                begin = std::max(begin, graph->begin[source] + graph->offset[i] + delays.message);
            QCOMPARE(begin, graph->begin[i]);
            QVERIFY(delays.order >= 0 && delays.message >= 0);
        }
    }
}

void TestElapsedDelays::elapsedPathFollowsWhatDecides()
{
    for (unsigned seed = 0; seed < 500; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        const Result<CriticalPath> path = elapsedPath(*graph);
        QVERIFY(path.ok());
        for (const PathStep& step : path->steps) {
            if (step.part != PathPart::Compute) continue;
            const std::uint32_t task = graph->find(step.task);
            const TimeNs free = freeBefore(*graph, task);
            const ElapsedDelays delays = elapsedDelays(*graph, task, free);
            const TimeNs begin = step.edge == PathEdge::Message && graph->source[task] != noTask
                                     ? graph->begin[graph->source[task]] + graph->offset[task] + delays.message
                                     : free + delays.order;
            QCOMPARE(begin, graph->begin[task]);
        }
    }
}

void TestElapsedDelays::afterTheLastEnd()
{
    Drawing drawn = draw("0: AA...\n1: BBB..\n");
    QCOMPARE(delayAfterLastEnd(*drawn.graph()), 2);
    QCOMPARE(delayAfterLastEnd(*makeActivityGraph({}, {5, 25}, 3)), 20);
}

LONGPOLE_TEST(TestElapsedDelays)
#include "tst_elapseddelays.moc"
