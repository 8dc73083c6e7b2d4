// SPDX-License-Identifier: GPL-3.0-or-later
// Elapsed paths of graphs small enough to draw: what each moment of the run waited for.
#include "analysis/paths/closedcases.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestElapsedPath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void elapsedPath_data();
    void elapsedPath();
    void elapsedStepsAreContiguous();
    void messageMadeOutsideTasks();
    void blockEdgeIsOverhead();
    void idlingMeansTheMessageWasNotThere();
};

void TestElapsedPath::elapsedPath_data()
{
    QTest::addColumn<QByteArray>("drawing");
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QList<qint64>>("parts");  // compute, network, queue, overhead, unexplained
    const auto row = [](const char* name, const char* drawing, const char* steps, const QList<qint64>& parts) {
        QTest::addRow("%s", name) << QByteArray(drawing) << QString::fromLatin1(steps) << parts;
    };
    row("C1", c1, "AB", {12, 0, 0, 0, 0});
    row("C3: no receive time, all waiting is in the queue", c3, "R2J", {10, 0, 2, 0, 0});
    row("C5", c5, "2W", {8, 1, 1, 0, 0});
    row("C6", c6, "01234", {35, 0, 12, 0, 0});
    row("C7", c7, "aefghl", {15, 0, 0, 0, 0});
    row("C9: the PE was busy when the message came", c9, "N1L", {18, 1, 0, 0, 0});
    row("gap before a task that waited is overhead", "0: AAAA..BB\n1: C.......\nC > B ~2", "AB", {6, 0, 0, 2, 0});
    row("no sender, gap before is unexplained", "0: ..AA..BB..", "AB", {4, 0, 0, 0, 6});
    row("tie of the last ends", "0: .BB\n1: AAA", "B", {2, 0, 0, 0, 1});
}

void TestElapsedPath::elapsedPath()
{
    QFETCH(QByteArray, drawing);
    QFETCH(QList<qint64>, parts);
    const Drawing drawn = draw(drawing.constData());
    const Result<CriticalPath> path = longpole::elapsedPath(*drawn.graph());
    QVERIFY(path.ok());
    QTEST(computed(drawn, *path), "steps");
    QCOMPARE(path->parts, (PathParts{parts[0], parts[1], parts[2], parts[3], parts[4]}));
    QCOMPARE(path->length, drawn.run.length());
}

void TestElapsedPath::elapsedStepsAreContiguous()
{
    const Drawing drawn = draw(c9);
    const Result<CriticalPath> path = longpole::elapsedPath(*drawn.graph());
    QVERIFY(path.ok());
    const std::vector<PathPart> parts{PathPart::Compute, PathPart::Compute, PathPart::Network, PathPart::Compute};
    QCOMPARE(path->steps.size(), parts.size());
    TimeNs at = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        QCOMPARE(path->steps[i].part, parts[i]);
        QCOMPARE(path->steps[i].begin, at);
        at = path->steps[i].end;
    }
    QCOMPARE(at, 19);
    QCOMPARE(path->steps[2].task, drawn['L']);
    QCOMPARE(path->steps[3].edge, PathEdge::Message);
}

void TestElapsedPath::messageMadeOutsideTasks()
{
    Drawing drawn = draw("0: AA......BB");
    drawn.tasks[1].sent = 4;
    drawn.tasks[1].received = 7;
    const Result<CriticalPath> path = longpole::elapsedPath(*drawn.graph());
    QVERIFY(path.ok());
    QCOMPARE(path->parts, (PathParts{.compute = 4, .network = 3, .queue = 1, .overhead = 0, .unexplained = 2}));
    QCOMPARE(computed(drawn, *path), QStringLiteral("AB"));
}

void TestElapsedPath::blockEdgeIsOverhead()
{
    Drawing drawn = draw("0: AAA.BB\nA > B");
    drawn.tasks[1].flags = ActivityGraph::BlockEdge;
    drawn.tasks[1].sent = minTime;
    const Result<CriticalPath> path = longpole::elapsedPath(*drawn.graph());
    QVERIFY(path.ok());
    QCOMPARE(path->parts, (PathParts{.compute = 5, .network = 0, .queue = 0, .overhead = 1, .unexplained = 0}));
    QCOMPARE(path->steps.back().edge, PathEdge::Message);
}

void TestElapsedPath::idlingMeansTheMessageWasNotThere()
{
    Drawing drawn = draw("0: AAAA...B\n1: CC......\nC > B ~3");
    QCOMPARE(computed(drawn, *longpole::elapsedPath(*drawn.graph())), QStringLiteral("AB"));
    for (RawTask& task : drawn.tasks)
        if (task.id == drawn['B']) task.flags = ActivityGraph::AfterIdle;
    const Result<CriticalPath> path = longpole::elapsedPath(*drawn.graph());
    QVERIFY(path.ok());
    QCOMPARE(computed(drawn, *path), QStringLiteral("CB"));
    // It came at 3 and waited for A until 4; then its processor idled, so that it waited for no turn.
    QCOMPARE(path->parts, (PathParts{.compute = 3, .network = 1, .queue = 1, .overhead = 3, .unexplained = 0}));
    // Where nobody recorded that it came at 3, it was on its way until the idling ended.
    for (RawTask& task : drawn.tasks)
        if (task.id == drawn['B']) task.flags |= ActivityGraph::Estimated;
    const Result<CriticalPath> estimated = longpole::elapsedPath(*drawn.graph());
    QVERIFY(estimated.ok());
    QCOMPARE(estimated->parts, (PathParts{.compute = 3, .network = 5, .queue = 0, .overhead = 0, .unexplained = 0}));
}

LONGPOLE_TEST(TestElapsedPath)
#include "tst_elapsedpath.moc"
