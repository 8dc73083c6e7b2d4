// SPDX-License-Identifier: GPL-3.0-or-later
// Exposed parallelism: closed forms, random graphs against leaving each task out, and sizes.
#include "analysis/paths/parallelism.h"

#include "analysis/paths/dominators.h"
#include "support/graphs/allpaths.h"
#include "support/graphs/closedforms.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;

class TestParallelism : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void closedForms_data();
    void closedForms();
    void listedByWorkAndDelay();
    void delayIsSplit();
    void randomGraphs_data();
    void randomGraphs();
    void everyTaskOfARandomGraph();
    void hugeTimes();
    void chainOfAMillionTasks();
    void ladderOfAMillionTasks();
    void emptyGraph();
    void errors();
};

namespace {

// What ways from the start reach without the task.
std::vector<bool> reachedWithout(const ActivityGraph& graph, const Dependencies& edges, std::uint32_t task)
{
    const WhatIfModel model{.mode = PathMode::Work, .edges = edges};
    std::vector<bool> reached(graph.size(), false);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        for (const OracleEdge& edge : edgesInto(graph, model, i))
            if (edge.source == noTask || reached[edge.source]) reached[i] = true;
        if (i == task) reached[i] = false;
    }
    return reached;
}

// The work that no way from the start reaches without the task, and its own.
TimeNs dominatedByLeavingOut(const ActivityGraph& graph, const Dependencies& edges, std::uint32_t task)
{
    const std::vector<bool> reached = reachedWithout(graph, edges, task);
    TimeNs sum = 0;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (!reached[i]) sum += graph.duration[i];
    return sum;
}

// Of chains that stay in the dominated work.
TimeNs spanByEnumeration(const ActivityGraph& graph, const Dependencies& edges, std::uint32_t task)
{
    const std::vector<bool> reached = reachedWithout(graph, edges, task);
    TimeNs longest = 0;
    for (const OraclePath& path : allPaths(graph, {.mode = PathMode::Work, .edges = edges})) {
        TimeNs behind = 0;
        for (const OraclePath::Step& step : path.steps) {
            if (reached[step.task]) break;
            behind += step.used;
            if (step.task == task) longest = std::max(longest, behind);
        }
    }
    return longest;
}

std::vector<ExposingTask> exposing(const ActivityGraph& graph, EdgeLevel level, std::size_t count = 10)
{
    const auto tasks = exposingTasks(graph, dependencies(graph, level), count, Progress{});
    return tasks ? *tasks : std::vector<ExposingTask>();
}

}  // namespace

void TestParallelism::closedForms_data()
{
    QTest::addColumn<QString>("drawing");
    QTest::addColumn<char>("task");
    QTest::addColumn<EdgeLevel>("edges");
    QTest::addColumn<qlonglong>("dominated");
    QTest::addColumn<qlonglong>("span");
    QTest::addColumn<double>("exposed");
    const auto row = [](const char* name, const char* drawing, char task, EdgeLevel edges, qlonglong dominated,
                        qlonglong span, double exposed) {
        QTest::newRow(name) << QString::fromUtf8(drawing) << task << edges << dominated << span << exposed;
    };
    const char* const chain = "0: A..D\n1: .B.\n2: ..C\nA > B\nB > C\nC > D";
    row("chain", chain, 'A', EdgeLevel::Messages, 4, 4, 1.0);
    row("middle of a chain", chain, 'B', EdgeLevel::Messages, 3, 3, 1.0);
    const char* const star = "0: AA\n1: ..BBB\n2: ..CCC\n3: ..DDD\n4: ..EEE\nA > B\nA > C\nA > D\nA > E";
    row("star", star, 'A', EdgeLevel::Messages, 2 + 4 * 3, 2 + 3, 14.0 / 5);
    row("C3", closedform::c3, 'R', EdgeLevel::Merges, 22, 10, 2.2);
    row("C3 messages", closedform::c3, 'R', EdgeLevel::Messages, 22, 10, 2.2);
    // The join needs all of the four: none of them has it for its own, nor in its span, except where only messages
    // count.
    row("C3, before the join", closedform::c3, '2', EdgeLevel::Merges, 7, 7, 1.0);
    row("C3 messages, before the join", closedform::c3, '2', EdgeLevel::Messages, 8, 8, 1.0);
}

void TestParallelism::closedForms()
{
    QFETCH(QString, drawing);
    QFETCH(char, task);
    QFETCH(EdgeLevel, edges);
    QFETCH(qlonglong, dominated);
    QFETCH(qlonglong, span);
    QFETCH(double, exposed);
    Drawing drawn = draw(drawing.toUtf8().constData());
    drawn.run.begin = -3;  // every task begins late
    const auto tasks = exposing(*drawn.graph(), edges, drawn.tasks.size());
    const auto found = std::find_if(tasks.begin(), tasks.end(),
                                    [&](const ExposingTask& exposing) { return exposing.task == drawn[task]; });
    QVERIFY(found != tasks.end());
    QCOMPARE(found->dominated, dominated);
    QCOMPARE(found->span, span);
    QCOMPARE(found->exposed, exposed);
    const auto graph = drawn.graph();
    QCOMPARE(index(found->entry), graph->entry[graph->find(drawn[task])]);
}

// B could have begun at 1 and began at 6; 12 units of work wait for it.
void TestParallelism::listedByWorkAndDelay()
{
    const Drawing drawn = draw(R"(
        0: AXXXXXBB....
        1: ........CCCC
        2: ........DDDD
        3: .........EE.
        A > B ~2
        B > C
        B > D ~8
        B > E ~9
    )");
    const auto tasks = exposing(*drawn.graph(), EdgeLevel::Messages);
    QCOMPARE(tasks.size(), std::size_t(5));  // A began at once
    QCOMPARE(tasks[0].task, drawn['B']);
    QCOMPARE(tasks[0].dominated, 2 + 4 + 4 + 2);
    QCOMPARE(tasks[0].span, 6);
    QCOMPARE(tasks[0].exposed, 2.0);
    QCOMPARE(tasks[0].delay, 5);
    QCOMPARE(tasks[0].queued, 4);
    QCOMPARE(tasks[0].network, 1);
    QCOMPARE(tasks[0].steps.size(), std::size_t(2));
    QCOMPARE(tasks[0].steps[0].task, drawn['A']);
    QCOMPARE(tasks[0].steps[0].weight(), 1);
    QCOMPARE(tasks[0].steps[1].task, drawn['B']);
    QCOMPARE(tasks[0].steps[1].weight(), 0);
    QCOMPARE(tasks[0].steps[1].begin, 6);
    QCOMPARE(tasks[0].steps[1].edge, PathEdge::Message);
    // 4 x 5 for C and D in the order they began, 2 x 6 for E, 5 x 1 for X.
    QCOMPARE(tasks[1].task, drawn['C']);
    QCOMPARE(tasks[2].task, drawn['D']);
    QCOMPARE(tasks[3].task, drawn['E']);
    QCOMPARE(tasks[4].task, drawn['X']);
    QCOMPARE(exposing(*drawn.graph(), EdgeLevel::Messages, 2).size(), std::size_t(2));
    QCOMPARE(exposing(*drawn.graph(), EdgeLevel::Messages, 0).size(), std::size_t(0));
}

// The parts along the chain of messages and what it began with make up the delay.
void TestParallelism::delayIsSplit()
{
    for (unsigned seed = 0; seed < 500; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        for (const ExposingTask& exposing : ::exposing(*graph, EdgeLevel::Merges, 99)) {
            TimeNs rest = exposing.delay - exposing.queued - exposing.network;
            QVERIFY(exposing.queued >= 0 && exposing.network >= 0 && rest >= 0);
            for (std::uint32_t at = graph->find(exposing.task); at != noTask; at = graph->source[at]) {
                const Arrival arrival = arrivalOf(*graph, at);
                const TimeNs first = arrival.known ? arrival.sent : graph->begin[at];
                rest -= graph->source[at] == noTask ? first - graph->run.begin : arrival.sent - arrival.left;
            }
            QCOMPARE(rest, 0);
        }
    }
}

void TestParallelism::randomGraphs_data()
{
    QTest::addColumn<unsigned>("firstSeed");
    for (unsigned first = 0; first < 500; first += 100) QTest::addRow("%u", first) << first;
}

void TestParallelism::randomGraphs()
{
    QFETCH(unsigned, firstSeed);
    for (unsigned seed = firstSeed; seed < firstSeed + 100; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        for (const EdgeLevel level : {EdgeLevel::Messages, EdgeLevel::Merges}) {
            const Dependencies edges = dependencies(*graph, level);
            const WorkHeads heads = workHeads(*graph, EdgeLevel::Messages, Progress{});
            TimeNs above = maxTime;
            for (const ExposingTask& found : exposing(*graph, level, 99)) {
                const std::uint32_t task = graph->find(found.task);
                QCOMPARE(found.dominated, dominatedByLeavingOut(*graph, edges, task));
                QCOMPARE(found.span, spanByEnumeration(*graph, edges, task));
                QVERIFY(found.exposed >= 1 || found.dominated == 0);
                QCOMPARE(found.delay, graph->begin[task] - graph->run.begin - heads.head[task]);
                QVERIFY(found.dominated * found.delay <= above);
                above = found.dominated * found.delay;
                QVERIFY(above > 0);
                TimeNs length = 0;
                for (const PathStep& step : found.steps) length += step.weight();
                QCOMPARE(length, workHeads(*graph, edges, Progress{}).head[task]);
                QCOMPARE(found.steps.back().task, found.task);
            }
        }
    }
}

void TestParallelism::everyTaskOfARandomGraph()
{
    for (unsigned seed = 500; seed < 1000; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        const Dependencies edges = dependencies(*graph, EdgeLevel::Merges);
        const std::vector<TimeNs> work = dominatedWork(*graph, immediateDominators(*graph, edges, Progress{}));
        for (std::uint32_t i = 0; i < graph->size(); ++i) QCOMPARE(work[i], dominatedByLeavingOut(*graph, edges, i));
    }
}

// The product of work and delay needs more than 64 bits, and must not be decided by what is left of it.
void TestParallelism::hugeTimes()
{
    Drawing drawn = draw("0: AXXXXXBB....\n1: ........CCCC\n2: ...........E\nA > B ~2\nB > C");
    RandomGraph made{.tasks = drawn.tasks, .run = drawn.run, .processors = drawn.processors};
    changeTimes(made, 300'000'000'000'000'000, 0);
    const auto tasks = exposing(*made.graph(), EdgeLevel::Messages);
    QCOMPARE(tasks[0].task, drawn['B']);  // 6 x 5
    QCOMPARE(tasks[1].task, drawn['C']);  // 4 x 5
    QCOMPARE(tasks[2].task, drawn['E']);  // 1 x 11
    QCOMPARE(tasks[3].task, drawn['X']);  // 5 x 1
}

void TestParallelism::chainOfAMillionTasks()
{
    constexpr std::uint32_t count = 1'000'000;
    std::vector<RawTask> tasks;
    for (std::uint32_t i = 0; i < count; ++i) {
        RawTask task{.id = {ProcessorId{i % 3}, i / 3},
                     .begin = 5 + 3 * static_cast<TimeNs>(i),
                     .duration = 2,
                     .entry = EntryId{0}};
        if (i > 0) task.source = {ProcessorId{(i - 1) % 3}, (i - 1) / 3};
        task.offset = 2;
        task.sent = task.begin - 1;
        tasks.push_back(task);
    }
    const auto graph = makeActivityGraph(std::move(tasks), {0, 3 * static_cast<TimeNs>(count) + 5}, 3);
    const auto found = exposing(*graph, EdgeLevel::Messages, 1);
    QCOMPARE(found.size(), std::size_t(1));
    // (count - i) x 2 of work, 5 + i of delay.
    const std::uint32_t best = graph->find(found[0].task);
    QVERIFY(best == (count - 5) / 2 || best == (count - 5) / 2 + 1);
    QCOMPARE(found[0].dominated, 2 * TimeNs{count - best});
    QCOMPARE(found[0].span, found[0].dominated);
    QCOMPARE(found[0].delay, TimeNs{5} + best);
    QCOMPARE(found[0].steps.size(), std::size_t(best) + 1);
    const auto many = exposingTasks(*graph, dependencies(*graph, EdgeLevel::Messages), 1000, Progress{});
    QVERIFY(!many && many.error().what.contains(QStringLiteral("more steps than are kept")));
}

// Every task needs the two before it: nothing but the first is passed by all ways, however deep.
void TestParallelism::ladderOfAMillionTasks()
{
    constexpr std::uint32_t count = 1'000'000;
    std::vector<RawTask> tasks;
    std::vector<RawMerge> merges;
    const auto id = [](std::uint32_t i) { return TaskId{ProcessorId{i % 3}, i / 3}; };
    for (std::uint32_t i = 0; i < count; ++i) {
        RawTask task{.id = id(i), .begin = 2 * static_cast<TimeNs>(i), .duration = 1, .entry = EntryId{0}};
        if (i > 0) task.source = id(i == 2 ? 0 : i - 1);
        task.offset = 1;
        task.sent = task.begin;
        if (i > 2) merges.push_back({id(i), id(i - 2), 1, MergeKind::Recorded});
        tasks.push_back(task);
    }
    const auto graph = makeActivityGraph(std::move(tasks), {0, 2 * static_cast<TimeNs>(count)}, 3, std::move(merges));
    const Dependencies edges = dependencies(*graph, EdgeLevel::Merges);
    const std::vector<std::uint32_t> dominators = immediateDominators(*graph, edges, Progress{});
    QCOMPARE(dominators[0], noTask);
    QCOMPARE(std::count(dominators.begin(), dominators.end(), 0u), count - 1);
    QCOMPARE(dominatedWork(*graph, dominators)[0], TimeNs{count});
}

void TestParallelism::emptyGraph()
{
    const auto graph = makeActivityGraph({}, {5, 25}, 3);
    const auto tasks = exposingTasks(*graph, dependencies(*graph, EdgeLevel::Merges), 10, Progress{});
    QVERIFY(tasks.ok());
    QVERIFY(tasks->empty());
}

void TestParallelism::errors()
{
    const auto graph = draw(closedform::c3).graph();
    QVERIFY(!exposingTasks(*graph, dependencies(*graph, EdgeLevel::Order), 10, Progress{}).ok());
    Progress cancelled;
    cancelled.cancel();
    for (const EdgeLevel level : {EdgeLevel::Messages, EdgeLevel::Merges})
        QVERIFY(wasCancelled(exposingTasks(*graph, dependencies(*graph, level), 10, cancelled).error()));
}

LONGPOLE_TEST(TestParallelism)
#include "tst_parallelism.moc"
