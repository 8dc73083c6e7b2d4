// SPDX-License-Identifier: GPL-3.0-or-later
// Inferred merge edges: small runs whose true dependencies are known by construction, from the log to the edges.
#include "analysis/graph/mergeinference.h"

#include "analysis/base/timemedian.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/slack.h"
#include "analysis/whatif/zeroing.h"
#include "support/maderun.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <random>

using namespace longpole;

namespace {

struct Inferred {
    std::shared_ptr<const TraceStore> store;
    std::shared_ptr<const ActivityGraph> graph;
    MergeInference merges;
};

Inferred infer(const MadeRun& run)
{
    const auto store = run.import();
    if (!store) return {};
    const auto graph = loadActivityGraph(**store, Progress{});
    if (!graph) return {};
    auto merges = inferMerges(**store, **graph, Progress{});
    if (!merges) return {};
    return {*store, *graph, std::move(*merges)};
}

// "1:3<0:2+4": task, source, offset in us.
QStringList edgesOf(const Inferred& inferred)
{
    const auto id = [&](std::uint32_t task) {
        return QStringLiteral("%1:%2").arg(inferred.graph->pe[task]).arg(inferred.graph->taskIndex[task]);
    };
    QStringList edges;
    for (const MergeEdge& edge : inferred.merges.edges)
        edges += QStringLiteral("%1<%2+%3").arg(id(edge.task), id(edge.source)).arg(edge.offset / 1000);
    return edges;
}

TimeNs lengthAt(const Inferred& inferred, EdgeLevel level)
{
    const ActivityGraph& graph = *inferred.graph;
    const auto edges = dependencies(graph, level, inferred.merges.edges);
    return workPath(graph, workHeads(graph, edges, Progress{}))->length / 1000;
}

}  // namespace

class TestMergeInference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void bufferedMessages();
    void bufferingAnObjectThatMigrates();
    void independentWorkGetsNoEdges_data();
    void independentWorkGetsNoEdges();
    void twoEntriesThatFillOneBuffer();
    void daggerWhen();
    void daggerOverlap();
    void daggerLoopWithAnEarlyMessage();
    void reductionThatAManagerEnds();
    void reductionThatAnElementEnds();
    void twoMessagesOfOneManagerSayNothing();
    void broadcastResultKeepsTheLongestContributors();
    void recordedEdgesOverrideInferredOnes();
    void recordedWhenInClosedForm();
    void medians();
    void cancelled();
};

// Dooley et al., figure 4: three ghosts are kept, the fourth acts; twice. The order of the two rounds is no dependency.
//         0    5    10        20   25        35
// PE 0    g g g [ghost 10]       g  g  g  [ghost 10]      object 1; between, object 2 does the same
void TestMergeInference::bufferedMessages()
{
    MadeRun run;
    int event = 0;
    for (const int round : {0, 40}) {
        for (const int object : {1, 2}) {
            const int at = round + 20 * (object - 1);
            run.start(0, at, at + 1, Ghost, object);
            run.start(0, at + 1, at + 2, Ghost, object);
            run.start(0, at + 2, at + 3, Ghost, object);
            run.start(0, at + 3, at + 13, Ghost, object, {{at + 12, event++, Start}});
        }
    }
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    QCOMPARE(edgesOf(inferred),
             (QStringList{QStringLiteral("0:1<0:0+1"), QStringLiteral("0:2<0:1+1"), QStringLiteral("0:3<0:2+1"),
                          QStringLiteral("0:5<0:4+1"), QStringLiteral("0:6<0:5+1"), QStringLiteral("0:7<0:6+1"),
                          QStringLiteral("0:9<0:8+1"), QStringLiteral("0:10<0:9+1"), QStringLiteral("0:11<0:10+1"),
                          QStringLiteral("0:13<0:12+1"), QStringLiteral("0:14<0:13+1"),
                          QStringLiteral("0:15<0:14+1")}));
    QCOMPARE(inferred.merges.buffered, 12);
    QCOMPARE(inferred.merges.reductions, 0);
    QCOMPARE(inferred.merges.examples.size(), std::size_t(5));
    const BufferingEntry ghost{EntryId{Ghost}, 12, 4, 992, 9984};
    QCOMPARE(inferred.merges.entries, std::vector<BufferingEntry>{ghost});
    QCOMPARE(lengthAt(inferred, EdgeLevel::Messages), 10);
    QCOMPARE(lengthAt(inferred, EdgeLevel::Merges), 13);
    QCOMPARE(lengthAt(inferred, EdgeLevel::Order), 52);
}

// Object 1 moves to PE 1 after its first message; object 1 of another PE's group would be another one.
void TestMergeInference::bufferingAnObjectThatMigrates()
{
    MadeRun run;
    run.start(0, 0, 1, Ghost, 1);
    run.start(0, 1, 2, Ghost, 2);
    run.start(0, 2, 12, Ghost, 2, {{10, 0, Start}});
    run.start(1, 5, 25, Ghost, 1, {{20, 0, Start}});
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    QCOMPARE(edgesOf(inferred), (QStringList{QStringLiteral("0:2<0:1+1"), QStringLiteral("1:0<0:0+1")}));
    QVERIFY(lengthAt(inferred, EdgeLevel::Order) == 21);  // across PEs too: more than either's own 12 and 20
}

void TestMergeInference::independentWorkGetsNoEdges_data()
{
    QTest::addColumn<QList<int>>("durations");
    QTest::addColumn<QList<int>>("acting");
    QTest::newRow("nothing is ever sent") << QList<int>(24, 3) << QList<int>{};
    QTest::newRow("all are alike") << QList<int>(24, 10) << QList<int>{5, 11, 17, 23};
    QTest::newRow("a third of it") << QList<int>{4, 12, 4, 12, 4, 12} << QList<int>{1, 3, 5};
    QTest::newRow("one of 24 acts") << (QList<int>(23, 1) << 50) << QList<int>{23};
    QTest::newRow("all send") << QList<int>{1, 9, 1, 9} << QList<int>{0, 1, 2, 3};
    QTest::newRow("too short to tell") << QList<int>{0, 2, 0, 2} << QList<int>{1, 3};
}

void TestMergeInference::independentWorkGetsNoEdges()
{
    QFETCH(QList<int>, durations);
    QFETCH(QList<int>, acting);
    MadeRun run;
    int at = 0;
    for (int i = 0; i < durations.size(); ++i) {
        if (acting.contains(i)) run.start(0, at, at + durations[i], Bulk, 1, {{at, i, Start}});
        else run.start(0, at, at + durations[i], Bulk, 1);
        at += durations[i];
    }
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    QCOMPARE(edgesOf(inferred), QStringList());
    QVERIFY(inferred.merges.entries.empty());
}

// left() and right() count to two together: whichever comes second acts. Never left to the next left.
void TestMergeInference::twoEntriesThatFillOneBuffer()
{
    MadeRun run;
    for (int round = 0; round < 4; ++round) {
        const MadeEntry first = round % 2 == 0 ? Left : Right;
        const int at = round * 20;
        run.start(0, at, at + 1, first, 7);
        run.start(0, at + 1, at + 11, first == Left ? Right : Left, 7, {{at + 5, round, Start}});
    }
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    QCOMPARE(edgesOf(inferred), (QStringList{QStringLiteral("0:1<0:0+1"), QStringLiteral("0:3<0:2+1"),
                                             QStringLiteral("0:5<0:4+1"), QStringLiteral("0:7<0:6+1")}));
}

// Figure 6: serial { body } when left(), right() serial { next }: next needs both messages and body. It runs on from
// the message that comes last, in each round another one.
//   PE 0   [start][body 4]      [left][right][next 5]  RTS ...
//   PE 1   [9 us, sends left]   PE 2   [6 us, sends right]
void TestMergeInference::daggerWhen()
{
    MadeRun run;
    run.start(0, 0, 0, Start, 1);
    run.block(0, 0, 4, Body, 1);
    run.block(0, 4, 4, Rts, 1);
    run.run(0, 10, 10, Left, 1, 1, 0);
    run.run(0, 12, 12, Right, 1, 2, 0);
    run.block(0, 12, 17, Next, 1, {{15, 0, Start}});
    run.block(0, 17, 17, Rts, 1);
    run.run(0, 20, 20, Start, 1, 0, 0);
    run.block(0, 20, 24, Body, 1);
    run.run(0, 30, 30, Right, 1, 2, 1);
    run.run(0, 32, 32, Left, 1, 1, 1);
    run.block(0, 32, 37, Next, 1, {{35, 1, Start}});
    run.start(1, 0, 9, Bulk, 1, {{9, 0, Left}});
    run.start(1, 20, 29, Bulk, 1, {{29, 1, Left}});
    run.start(2, 0, 6, Bulk, 2, {{6, 0, Right}});
    run.start(2, 20, 26, Bulk, 2, {{26, 1, Right}});
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    // Tasks: 0 start, 1 body, 2 RTS, 3 left, 4 right, 5 next, 6 RTS, 7 start, 8 body, 9 right, 10 left, 11 next. Body
    // comes after next only once, which is no rule.
    QCOMPARE(edgesOf(inferred), (QStringList{QStringLiteral("0:5<0:1+4"), QStringLiteral("0:5<0:3+0"),
                                             QStringLiteral("0:11<0:8+4"), QStringLiteral("0:11<0:9+0")}));
    const auto to = [&](std::uint32_t row, EdgeLevel level) {
        const auto heads = workHeads(*inferred.graph, dependencies(*inferred.graph, level, inferred.merges.edges), {});
        return workPath(*inferred.graph, heads, TaskId{ProcessorId{0}, row})->length / 1000;
    };
    QCOMPARE(to(5, EdgeLevel::Messages), 6 + 5);  // right's sender
    QCOMPARE(to(5, EdgeLevel::Merges), 9 + 5);    // left's
    QCOMPARE(to(11, EdgeLevel::Messages), 9 + 5);
    QCOMPARE(to(11, EdgeLevel::Merges), 9 + 3 + 4 + 5);  // left's sender, next until it sends, body, next
}

// Figure 5: overlap { when left() serial { leftBody } when right() serial { rightBody } } serial { next }: next needs
// both bodies, which do not need each other.
void TestMergeInference::daggerOverlap()
{
    MadeRun run;
    for (int round = 0; round < 2; ++round) {
        const bool leftFirst = round == 0;
        const int at = round * 40;
        run.start(0, at, at, leftFirst ? Left : Right, 1);
        run.block(0, at, at + 1, leftFirst ? LeftBody : RightBody, 1);
        run.start(0, at + 10, at + 10, leftFirst ? Right : Left, 1);
        run.block(0, at + 10, at + 11, leftFirst ? RightBody : LeftBody, 1);
        run.block(0, at + 11, at + 31, Next, 1, {{at + 30, round, Start}});
    }
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    // 0 left, 1 leftBody, 2 right, 3 rightBody, 4 next; 5 right, 6 rightBody, 7 left, 8 leftBody, 9 next.
    QCOMPARE(edgesOf(inferred), (QStringList{QStringLiteral("0:4<0:1+1"), QStringLiteral("0:9<0:6+1")}));
}

// for (2) when ghost() serial { body }, then serial { next }. One ghost comes a round too early: the body that takes it
// waited for it, not the next of the round in which it came.
void TestMergeInference::daggerLoopWithAnEarlyMessage()
{
    MadeRun run;
    int at = 0;
    for (int round = 0; round < 2; ++round, at += 40) {
        run.start(0, at, at, Ghost, 1);
        run.block(0, at, at + 1, Body, 1);
        if (round == 1) run.start(0, at + 5, at + 6, Ghost, 1);  // of round 2
        run.start(0, at + 10, at + 10, Ghost, 1);
        run.block(0, at + 10, at + 11, Body, 1);
        run.block(0, at + 11, at + 31, Next, 1, {{at + 30, round, Start}});
    }
    run.start(0, at, at, Start, 1);
    run.block(0, at, at + 1, RightBody, 1, {{at, 9, Start}});
    run.block(0, at + 1, at + 2, Body, 1);
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    // 0 ghost, 1 body, 2 ghost, 3 body, 4 next; 5 ghost, 6 body, 7 the early ghost, 8 ghost, 9 body, 10 next;
    // 11 start, 12 rightBody, 13 body.
    QCOMPARE(edgesOf(inferred),
             (QStringList{QStringLiteral("0:3<0:1+1"), QStringLiteral("0:9<0:6+1"), QStringLiteral("0:13<0:7+1")}));
}

// PE 1: three elements contribute, the last one's execution sends. PE 0: element 4 contributes, then the manager below
// sends, and the manager's task that gets this ends the reduction.
void TestMergeInference::reductionThatAManagerEnds()
{
    MadeRun run;
    for (int round = 0; round < 2; ++round) {
        const int at = round * 100;
        run.start(1, at, at + 30, Bulk, 1);
        run.start(1, at + 30, at + 35, Bulk, 2);
        run.start(1, at + 35, at + 45, Bulk, 3, {{at + 40, 2 * round, Manager}});
        run.start(0, at, at + 8, Bulk, 4);
        run.run(0, at + 50, at + 51, Manager, 0, 1, 2 * round, {{at + 51, 2 * round, Done}});
        run.run(0, at + 60, at + 62, Done, 0, 0, 2 * round);
    }
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    QCOMPARE(edgesOf(inferred),
             (QStringList{QStringLiteral("0:1<0:0+8"), QStringLiteral("0:1<1:0+30"), QStringLiteral("0:1<1:1+5"),
                          QStringLiteral("0:4<0:3+8"), QStringLiteral("0:4<1:3+30"), QStringLiteral("0:4<1:4+5")}));
    QCOMPARE(inferred.merges.reductions, 6);
    QCOMPARE(lengthAt(inferred, EdgeLevel::Messages), 30);
    QCOMPARE(lengthAt(inferred, EdgeLevel::Merges), 30 + 1 + 2);
}

// On PE 0 the managers below are first and element 4 is last: the result that its execution sends needs them all.
void TestMergeInference::reductionThatAnElementEnds()
{
    MadeRun run;
    run.start(1, 0, 30, Bulk, 1, {{20, 0, Manager}});
    run.start(2, 0, 10, Bulk, 2, {{5, 0, Manager}});
    run.start(0, 0, 1, Bulk, 3);
    run.run(0, 40, 41, Manager, 0, 1, 0);
    run.run(0, 41, 43, Manager, 0, 2, 0);
    run.start(0, 43, 48, Bulk, 4, {{45, 0, Done}});
    run.run(0, 50, 52, Done, 0, 0, 0);
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    QCOMPARE(edgesOf(inferred),
             (QStringList{QStringLiteral("0:4<0:0+1"), QStringLiteral("0:4<0:1+1"), QStringLiteral("0:4<0:2+2")}));
    QCOMPARE(lengthAt(inferred, EdgeLevel::Merges), 30);  // the longest task
    const auto edges = dependencies(*inferred.graph, EdgeLevel::Merges, inferred.merges.edges);
    const auto path = workPath(*inferred.graph, workHeads(*inferred.graph, edges, {}), TaskId{ProcessorId{0}, 4});
    QCOMPARE(path->length / 1000, 20 + 1 + 2);
    QCOMPARE(path->steps.back().edge, PathEdge::InferredMerge);
}

// PE 1 sent for two reductions before PE 0 ended one: which message belongs to it is not in the log.
void TestMergeInference::twoMessagesOfOneManagerSayNothing()
{
    MadeRun run;
    run.start(1, 0, 5, Bulk, 1, {{4, 0, Manager}});
    run.start(1, 5, 10, Bulk, 1, {{9, 1, Manager}});
    run.start(2, 0, 5, Bulk, 2, {{4, 0, Manager}});
    run.run(0, 20, 21, Manager, 0, 1, 0);
    run.run(0, 21, 22, Manager, 0, 1, 1);
    run.run(0, 22, 23, Manager, 0, 2, 0, {{23, 0, Done}});
    run.run(0, 30, 31, Done, 0, 0, 0);
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    QCOMPARE(edgesOf(inferred), QStringList());
}

// 100 elements contribute on PE 0, the last one's execution sends the result to 200: not 19800 edges but those of the 8
// longest contributions to each, with the longest path among them.
void TestMergeInference::broadcastResultKeepsTheLongestContributors()
{
    MadeRun run;
    int at = 0;
    for (int element = 0; element < 99; ++element) {
        run.start(0, at, at + 10 + element, Bulk, element);
        at += 200;
    }
    run.start(0, at, at + 10, Bulk, 99, {{at + 5, 0, Done}});
    for (int i = 0; i < 200; ++i) run.run(0, at + 100 + i, at + 101 + i, Done, 0, 0, 0);
    const Inferred inferred = infer(run);
    QVERIFY(inferred.store);
    QCOMPARE(inferred.merges.reductions, 200 * 8);
    QCOMPARE(lengthAt(inferred, EdgeLevel::Merges), 108 + 1);
}

void TestMergeInference::recordedEdgesOverrideInferredOnes()
{
    MadeRun run;
    run.run(0, 10, 11, Ghost, 1, 1, 0);
    run.run(0, 30, 31, Ghost, 1, 1, 1);
    run.run(0, 40, 50, Ghost, 1, 1, 2, {{45, 0, Start}});
    run.start(1, 0, 27, Bulk, 2, {{7, 0, Ghost}, {26, 1, Ghost}, {27, 2, Ghost}});
    const Inferred without = infer(run);
    QVERIFY(without.store);
    QCOMPARE(edgesOf(without), (QStringList{QStringLiteral("0:1<0:0+1"), QStringLiteral("0:2<0:1+1")}));
    run.merges("MERGE 1 2 1 0\n");
    const Inferred with = infer(run);
    QVERIFY(with.store);
    QCOMPARE(edgesOf(with).size(), 2);  // inferred as before
    const Dependencies edges = dependencies(*with.graph, EdgeLevel::Merges, with.merges.edges);
    QCOMPARE(edges.merges.size(), std::size_t(2));
    QCOMPARE(edges.merges[0].kind, MergeKind::Buffered);
    QCOMPARE(edges.merges[1].kind, MergeKind::Recorded);
    QCOMPARE(edges.merges[1].offset, 7000);
    QCOMPARE(dependencies(*with.graph, EdgeLevel::Order).merges.size(), std::size_t(1));
}

// Figure 6 with recorded edges: P, 4 long, and S1, 3, and S2, 6, have to end before W, 2, which S2's message starts.
void TestMergeInference::recordedWhenInClosedForm()
{
    MadeRun run;
    run.start(0, 0, 4, Body, 1, {{4, 0, Next}});
    run.start(1, 0, 3, Bulk, 2, {{3, 0, Next}});
    run.start(2, 0, 6, Bulk, 3, {{6, 0, Next}});
    run.run(0, 7, 9, Next, 1, 2, 0);
    run.merges("MERGE 2 0 0 0\nMERGE 2 0 1 0\n");
    const Inferred made = infer(run);
    QVERIFY(made.store);
    QCOMPARE(edgesOf(made), QStringList());
    QCOMPARE(lengthAt(made, EdgeLevel::Messages), 8);
    QCOMPARE(lengthAt(made, EdgeLevel::Merges), 8);
    const WhatIfModel model{PathMode::Work, dependencies(*made.graph, EdgeLevel::Merges)};
    const auto slack = slackOfTasks(*made.graph, model, nullptr, Progress{});
    QVERIFY(slack.ok());
    const auto slackOf = [&](std::uint32_t pe, std::uint32_t row) {
        return (*slack)->slack[made.graph->find({ProcessorId{pe}, row})] / 1000;
    };
    QCOMPARE(slackOf(0, 0), 2);
    QCOMPARE(slackOf(1, 0), 3);
    QCOMPARE(slackOf(2, 0), 0);
    QCOMPARE(slackOf(0, 1), 0);
    std::vector<WhatIf> questions;
    for (const std::uint32_t entry : {Bulk, Next, Body}) questions.push_back({{EntryId{entry}}, {}});
    const auto answers = whatIf(*made.graph, model, questions, Progress{});
    QVERIFY(answers.ok());
    QCOMPARE((*answers)[0].gain / 1000, 2);
    QCOMPARE((*answers)[1].gain / 1000, 2);
    QCOMPARE((*answers)[2].gain / 1000, 0);
}

// Within 1/32 below the true one.
void TestMergeInference::medians()
{
    QCOMPARE(TimeMedian().median(), 0);
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<TimeNs> times(1 + random() % 40);
        TimeMedian median;
        for (TimeNs& time : times) {
            time = static_cast<TimeNs>(random() >> (random() % 63 + 1));
            median.add(time);
        }
        std::sort(times.begin(), times.end());
        const TimeNs exact = times[(times.size() - 1) / 2];
        QVERIFY(median.median() <= exact);
        QVERIFY(exact - median.median() <= exact / 32);
    }
}

void TestMergeInference::cancelled()
{
    MadeRun run;
    run.start(0, 0, 1, Ghost, 1);
    const auto store = run.import();
    QVERIFY(store.ok());
    const auto graph = loadActivityGraph(**store, Progress{});
    QVERIFY(graph.ok());
    Progress progress;
    progress.cancel();
    const auto merges = inferMerges(**store, **graph, progress);
    QVERIFY(!merges.ok());
    QVERIFY(wasCancelled(merges.error()));
}

LONGPOLE_TEST(TestMergeInference)
#include "tst_mergeinference.moc"
