// SPDX-License-Identifier: GPL-3.0-or-later
// Replays of drawn runs with exact numbers, and of real traces: in the recorded order they are the record.
#include "analysis/replay/replay.h"

#include "analysis/realtraces.h"
#include "analysis/replay/broadcasts.h"
#include "analysis/replay/model.h"
#include "analysis/replay/startup.h"
#include "support/graphs/drawing.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace longpole;

namespace {

// Case C10 of docs/algorithms.md 3: a chain K, O, L that the second of two pieces of other work holds up; "C9b" has
// that work in one piece, which nothing can interrupt.
const char* const chainBehindTwo =
    "0: KKKK...........LLLL\n"
    "1: NNNNNNMMMMOOOO.....\n"
    "K > O ~5\n"
    "O > L ~15\n"
    "entry k: K O L\n";
const char* const chainBehindOne =
    "0: KKKK...........LLLL\n"
    "1: NNNNNNNNNNOOOO.....\n"
    "K > O ~5\n"
    "O > L ~15\n"
    "entry k: K O L\n";

// A broadcast reaches the elements B, C, D; what L waits for arrives while B runs.
const char* const broadcast =
    "0: AAAAYYYY........LL\n"
    "1: NNNNNBBCCDDXXXX...\n"
    "A@2 > B ~3\n"
    "A@2 > C ~3\n"
    "A@2 > D ~3\n"
    "Y@1 > X ~6\n"
    "X > L ~16\n"
    "entry element: B C D\n";

// Two steps: what is more work in the first is less in the second.
const char* const movingLoad =
    "0: AAAAAA.CC....\n"
    "1: BB.....DDDDDD\n"
    "A > C ~7\n"
    "A > D ~7\n";

ReplayQuestion prioritizedAlone(EntryId entry)
{
    return {.queue = QueueOrder::Priority, .priorities = {.entries = {{entry, -1}}, .tasks = {}}};
}

TimeNs durationOf(const ReplayModel& model, const ReplayQuestion& question)
{
    const Result<ReplayedRun> run = replay(model, question, ArrivalReading::Likely, Progress{});
    return run ? run->duration : -1;
}

}  // namespace

class TestReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void criticalChainFirst_data();
    void criticalChainFirst();
    void movingLoadNeedsBalanceByParts();
    void tasksCanTakeLess();
    void objectsAreMadeBeforeMessagesCome();
    void broadcastIsOneItem();
    void broadcastAmongOthersIsNot();
    void senderlessTasksLeaveNothingToPredict();
    void recordedOrderIsTheRecord_data();
    void recordedOrderIsTheRecord();

private:
    RealTraces m_traces;
};

void TestReplay::criticalChainFirst_data()
{
    QTest::addColumn<QByteArray>("drawing");
    QTest::addColumn<TimeNs>("prioritised");
    QTest::newRow("C10") << QByteArray(chainBehindTwo) << TimeNs{15};
    QTest::newRow("C9b: one piece") << QByteArray(chainBehindOne) << TimeNs{19};
}

void TestReplay::criticalChainFirst()
{
    QFETCH(QByteArray, drawing);
    QFETCH(TimeNs, prioritised);
    const Drawing drawn = draw(drawing.constData());
    const auto model = replayModel(drawn.graph());
    QCOMPARE(durationOf(*model, {.queue = QueueOrder::Recorded}), TimeNs{19});
    QCOMPARE(durationOf(*model, {.queue = QueueOrder::Fifo}), TimeNs{19});
    QCOMPARE(durationOf(*model, prioritizedAlone(drawn.entry("k"))), prioritised);
    const Result<Prediction> predicted = predict(*model, prioritizedAlone(drawn.entry("k")), Progress{});
    QVERIFY(predicted);
    QCOMPARE(predicted->recorded, TimeNs{19});
    QCOMPARE(predicted->baseline, TimeNs{19});
    QCOMPARE(predicted->low, prioritised);
    QCOMPARE(predicted->high, prioritised);
    QCOMPARE(predicted->gains(), prioritised < 19);
}

// N and M, which nothing is known to have caused, make the objects of their processor: O does not overtake them. If M
// is of the object that N made, it is work, and does wait for what goes first.
void TestReplay::objectsAreMadeBeforeMessagesCome()
{
    const Drawing drawn = draw(chainBehindTwo);
    const auto graph = drawn.graph();
    TaskObjects objects{.object = {0, 1, 2, 3, 0}, .sends = std::vector<bool>(graph->size()), .objects = 4};
    QCOMPARE(startUpEnds(*graph, objects), (std::vector<std::uint32_t>{1, 3}));
    const ReplayQuestion first = prioritizedAlone(drawn.entry("k"));
    QCOMPARE(durationOf(*replayModel(graph, objects, {}, {}, {}), first), TimeNs{19});
    objects.object[2] = 1;
    QCOMPARE(startUpEnds(*graph, objects), (std::vector<std::uint32_t>{1, 2}));
    QCOMPARE(durationOf(*replayModel(graph, objects, {}, {}, {}), first), TimeNs{15});
}

// Over the run both processors do the same, so that a balance of the whole changes nothing. By halves each step takes 4
// ns on both.
void TestReplay::movingLoadNeedsBalanceByParts()
{
    const auto model = replayModel(draw(movingLoad).graph());
    QCOMPARE(durationOf(*model, {}), TimeNs{13});
    QCOMPARE(durationOf(*model, {.perfectBalance = true}), TimeNs{13});
    QCOMPARE(durationOf(*model, {.perfectBalance = true, .balanceParts = 2}), TimeNs{9});
}

// O loses 3 of its 4, and what it sends leaves earlier with it; more than a task took leaves nothing of it; what is no
// task of the run, or lost nothing, changes nothing.
void TestReplay::tasksCanTakeLess()
{
    const Drawing drawn = draw(chainBehindTwo);
    const auto model = replayModel(drawn.graph());
    const TaskId late{ProcessorId{1}, 2};
    QCOMPARE(durationOf(*model, {.shorter = {{late, 3}}}), TimeNs{16});
    QCOMPARE(durationOf(*model, {.shorter = {{late, 400}}}), TimeNs{15});
    QCOMPARE(durationOf(*model, {.shorter = {{late, 0}, {TaskId{ProcessorId{7}, 0}, 5}}}), TimeNs{19});
    const Result<Prediction> predicted = predict(*model, {.shorter = {{late, 3}}}, Progress{});
    QVERIFY(predicted);
    QCOMPARE(predicted->low, TimeNs{16});
    QVERIFY(predicted->gains());
}

void TestReplay::broadcastIsOneItem()
{
    const Drawing drawn = draw(broadcast);
    const auto graph = drawn.graph();
    constexpr MessageKey one = 7;
    std::vector<std::uint8_t> follows(graph->size());
    findFollowing(*graph, 1, std::vector<MessageKey>{noMessage, one, one, one, 8}, follows);
    QCOMPARE(std::count(follows.begin(), follows.end(), 1), 2);
    QCOMPARE(follows[graph->find(drawn['C'])], std::uint8_t{1});
    QCOMPARE(follows[graph->find(drawn['D'])], std::uint8_t{1});

    const auto apart = replayModel(graph);
    const auto together = replayModel(graph, follows);
    for (const QueueOrder order : {QueueOrder::Recorded, QueueOrder::Fifo}) {
        QCOMPARE(durationOf(*apart, {.queue = order}), TimeNs{18});
        QCOMPARE(durationOf(*together, {.queue = order}), TimeNs{18});
    }
    // X goes before C and D, if each is an item of its own.
    QCOMPARE(durationOf(*apart, prioritizedAlone(drawn.entry("X"))), TimeNs{15});
    QCOMPARE(durationOf(*together, prioritizedAlone(drawn.entry("X"))), TimeNs{18});
    const auto run = replay(*together, prioritizedAlone(drawn.entry("X")), ArrivalReading::Likely, Progress{});
    QVERIFY(run);
    QVERIFY(run->begin == graph->begin);
}

void TestReplay::broadcastAmongOthersIsNot()
{
    const Drawing drawn = draw(broadcast);
    const auto graph = drawn.graph();
    constexpr MessageKey one = 7;
    std::vector<std::uint8_t> follows(graph->size());
    // As of a section whose parts arrived in several messages: N and C have it too.
    findFollowing(*graph, 1, std::vector<MessageKey>{one, 8, one, one, noMessage}, follows);
    QCOMPARE(std::count(follows.begin(), follows.end(), 1), 0);
    // Different entry methods are different messages, whatever the trace says.
    findFollowing(*graph, 1, std::vector<MessageKey>{noMessage, 8, 9, one, one}, follows);
    QCOMPARE(std::count(follows.begin(), follows.end(), 1), 0);
}

void TestReplay::senderlessTasksLeaveNothingToPredict()
{
    // P comes late, nobody knows why, and sends what ends the run.
    const Drawing drawn = draw(
        "0: KKKKKKKK........LL\n"
        "1: ..........PP......\n"
        "P > L ~16\n");
    const auto model = replayModel(drawn.graph());
    const ReplayQuestion faster{.factors = {{{drawn.entry("K")}, {0, 1}}}};
    const Result<Prediction> predicted = predict(*model, faster, Progress{});
    QVERIFY(predicted);
    QCOMPARE(predicted->baseline, TimeNs{18});
    QCOMPARE(predicted->high, TimeNs{18});
    QVERIFY(!predicted->isUsable());
    QVERIFY(!predicted->gains());
    QVERIFY(!predicted->pinned.isEmpty());
    QCOMPARE(whyUnusable(*predicted), predicted->pinned);
    // Where it is known to come from K there is one.
    const Drawing known = draw(
        "0: KKKKKKKK........LL\n"
        "1: ..........PP......\n"
        "K > P ~10\n"
        "P > L ~16\n");
    const auto knownModel = replayModel(known.graph());
    const Result<Prediction> usable = predict(*knownModel, faster, Progress{});
    QVERIFY(usable);
    QVERIFY(usable->isUsable());
    QVERIFY(whyUnusable(*usable).isEmpty());
    QCOMPARE(usable->high, TimeNs{10});
}

void TestReplay::recordedOrderIsTheRecord_data() { RealTraces::addRows(); }

void TestReplay::recordedOrderIsTheRecord()
{
    QFETCH(QString, name);
    const auto store = m_traces.open(name);
    QVERIFY(store);
    const auto graph = loadActivityGraph(**store, Progress{});
    if (!graph) QSKIP("a summary has no tasks to replay");
    const auto merges = inferMerges(**store, **graph, Progress{});
    QVERIFY(merges);
    const auto model = replayModel(**store, *graph, *merges, Progress{});
    QVERIFY(model);
    const auto run = replay(**model, {.queue = QueueOrder::Recorded}, ArrivalReading::Likely, Progress{});
    QVERIFY(run);
    QCOMPARE(run->duration, (*graph)->run.length());
    QVERIFY(run->begin == (*graph)->begin);
    // And in queues every task runs once, whatever the order.
    for (const QueueOrder order : {QueueOrder::Fifo, QueueOrder::Lifo}) {
        const auto queued = replay(**model, {.queue = order}, ArrivalReading::Likely, Progress{});
        QVERIFY2(queued, queued ? "" : qPrintable(toText(queued.error())));
        QVERIFY(queued->duration > 0);
    }
}

LONGPOLE_TEST(TestReplay)
#include "tst_replay.moc"
