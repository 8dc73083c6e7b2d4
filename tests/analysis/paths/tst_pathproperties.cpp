// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold for every graph: random small ones against all their paths, changes that must not matter, and sizes
// that a recursion would not survive.
#include "analysis/paths/criticalpath.h"

#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

#include <map>

using namespace longpole;

namespace {

// Longest of all paths that end with the whole of a task, by going through every one of them.
TimeNs longestByEnumeration(const RandomGraph& made, EdgeLevel edges)
{
    std::map<TaskId, const RawTask*> byId;
    for (const RawTask& task : made.tasks) byId[task.id] = &task;
    struct Open {
        const RawTask* task;
        TimeNs weight;
    };
    TimeNs longest = 0;
    std::vector<Open> open;
    for (const RawTask& task : made.tasks) open.push_back({&task, task.duration});
    while (!open.empty()) {
        const Open path = open.back();
        open.pop_back();
        longest = std::max(longest, path.weight);
        if (path.task->source.isValid()) open.push_back({byId.at(path.task->source), path.weight + path.task->offset});
        if (edges == EdgeLevel::Order && path.task->id.index > 0) {
            const RawTask* previous = byId.at({path.task->id.pe, path.task->id.index - 1});
            open.push_back({previous, path.weight + previous->duration});
        }
    }
    return longest;
}

TimeNs workLength(const ActivityGraph& graph, EdgeLevel edges)
{
    const Result<CriticalPath> path = workPath(graph, workHeads(graph, edges, Progress{}));
    return path ? path->length : -1;
}

// Cuts every task in two at the first message it sent inside; the second half follows the first at once, by a block
// edge where messages alone must carry the path.
RandomGraph splitAtSends(const RandomGraph& made)
{
    RandomGraph split{.run = made.run, .processors = made.processors};
    std::map<TaskId, std::pair<TaskId, TaskId>> halves;
    std::map<TaskId, TimeNs> cuts;
    for (const RawTask& task : made.tasks) {
        TimeNs cut = task.duration;
        for (const RawTask& other : made.tasks)
            if (other.source == task.id && other.offset > 0) cut = std::min(cut, other.offset);
        cuts[task.id] = cut;
        halves[task.id] = {{task.id.pe, 2 * task.id.index}, {task.id.pe, 2 * task.id.index + 1}};
    }
    for (const RawTask& task : made.tasks) {
        RawTask first = task, second = task;
        const TimeNs cut = cuts[task.id];
        first.id = halves[task.id].first;
        first.duration = cut;
        if (task.source.isValid()) {
            const bool fromSecond = task.offset > cuts[task.source];
            first.source = fromSecond ? halves[task.source].second : halves[task.source].first;
            if (fromSecond) first.offset -= cuts[task.source];
        }
        second.id = halves[task.id].second;
        second.begin += cut;
        second.duration -= cut;
        second.source = first.id;
        second.offset = cut;
        second.sent = minTime;
        second.received = minTime;
        second.flags = ActivityGraph::BlockEdge;
        split.tasks.push_back(first);
        split.tasks.push_back(second);
    }
    return split;
}

}  // namespace

class TestPathProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void randomGraphs_data();
    void randomGraphs();
    void changesThatDoNotMatter_data();
    void changesThatDoNotMatter();
    void chainOfAMillionTasks();
    void fanInOfAMillionTasks();
    void tieOfAMillionTasksBackwards();
};

void TestPathProperties::randomGraphs_data()
{
    QTest::addColumn<unsigned>("firstSeed");
    for (unsigned first = 0; first < 500; first += 50) QTest::addRow("%u", first) << first;
}

void TestPathProperties::randomGraphs()
{
    QFETCH(unsigned, firstSeed);
    for (unsigned seed = firstSeed; seed < firstSeed + 50; ++seed) {
        const RandomGraph made = randomGraph(seed);
        const auto graph = made.graph();
        QVERIFY(graph->issues.empty());
        const TimeNs messages = workLength(*graph, EdgeLevel::Messages);
        const TimeNs order = workLength(*graph, EdgeLevel::Order);
        QCOMPARE(messages, longestByEnumeration(made, EdgeLevel::Messages));
        QCOMPARE(order, longestByEnumeration(made, EdgeLevel::Order));
        QVERIFY(messages <= order);
        QVERIFY(order <= made.run.length());
        const Result<CriticalPath> elapsed = elapsedPath(*graph);
        QVERIFY(elapsed.ok());
        QCOMPARE(elapsed->length, made.run.length());
        TimeNs at = made.run.begin;
        for (const PathStep& step : elapsed->steps) {
            QCOMPARE(step.begin, at);
            at = step.end;
        }
        QCOMPARE(at, made.run.end);
    }
}

void TestPathProperties::changesThatDoNotMatter_data()
{
    QTest::addColumn<EdgeLevel>("edges");
    QTest::newRow("messages") << EdgeLevel::Messages;
    QTest::newRow("order") << EdgeLevel::Order;
}

void TestPathProperties::changesThatDoNotMatter()
{
    QFETCH(EdgeLevel, edges);
    for (unsigned seed = 1000; seed < 1200; ++seed) {
        const RandomGraph made = randomGraph(seed);
        const TimeNs length = workLength(*made.graph(), edges);
        const PathParts parts = elapsedPath(*made.graph())->parts;

        RandomGraph permuted = made;
        permuteProcessors(permuted);
        QCOMPARE(workLength(*permuted.graph(), edges), length);

        RandomGraph shifted = made;
        changeTimes(shifted, 1, 1'000'000);
        QCOMPARE(workLength(*shifted.graph(), edges), length);
        QCOMPARE(elapsedPath(*shifted.graph())->parts, parts);

        RandomGraph scaled = made;
        changeTimes(scaled, 7, 0);
        QCOMPARE(workLength(*scaled.graph(), edges), 7 * length);
        QCOMPARE(elapsedPath(*scaled.graph())->parts.compute, 7 * parts.compute);

        QCOMPARE(workLength(*splitAtSends(made).graph(), edges), length);

        RandomGraph joined = made;
        if (length > 1) {
            joined.tasks.push_back(
                {.id = {ProcessorId{joined.processors}, 0}, .begin = 0, .duration = length - 1, .entry = EntryId{9}});
            ++joined.processors;
        }
        QCOMPARE(workLength(*joined.graph(), edges), length);
    }
}

void TestPathProperties::chainOfAMillionTasks()
{
    constexpr std::uint32_t count = 1'000'000;
    std::vector<RawTask> tasks;
    for (std::uint32_t i = 0; i < count; ++i) {
        RawTask task{.id = {ProcessorId{i % 3}, i / 3},
                     .begin = 3 * static_cast<TimeNs>(i),
                     .duration = 2,
                     .entry = EntryId{0}};
        if (i > 0) task.source = {ProcessorId{(i - 1) % 3}, (i - 1) / 3};
        task.offset = 2;
        task.sent = task.begin - 1;
        tasks.push_back(task);
    }
    const auto graph = makeActivityGraph(std::move(tasks), {0, 3 * static_cast<TimeNs>(count)}, 3);
    const Result<CriticalPath> work = workPath(*graph, workHeads(*graph, EdgeLevel::Messages, Progress{}));
    QVERIFY(work.ok());
    QCOMPARE(work->length, 2 * static_cast<TimeNs>(count));
    QCOMPARE(work->steps.size(), std::size_t(count));
    const Result<CriticalPath> elapsed = elapsedPath(*graph);
    QVERIFY(elapsed.ok());
    QCOMPARE(elapsed->parts.compute, 2 * static_cast<TimeNs>(count));
    QCOMPARE(elapsed->parts.queue, static_cast<TimeNs>(count) - 1);
}

void TestPathProperties::fanInOfAMillionTasks()
{
    constexpr std::uint32_t count = 1'000'000;
    std::vector<RawTask> tasks{{.id = {ProcessorId{0}, 0}, .begin = 0, .duration = 5, .entry = EntryId{0}}};
    for (std::uint32_t i = 0; i < count; ++i)
        tasks.push_back({.id = {ProcessorId{1 + i % 8}, i / 8},
                         .begin = 5 + i / 8,
                         .duration = 1,
                         .entry = EntryId{1},
                         .source = {ProcessorId{0}, 0},
                         .offset = 5,
                         .sent = 5});
    const auto graph = makeActivityGraph(std::move(tasks), {0, 5 + count / 8}, 9);
    QCOMPARE(workLength(*graph, EdgeLevel::Messages), 6);
    QCOMPARE(workLength(*graph, EdgeLevel::Order), 5 + count / 8);
}

void TestPathProperties::tieOfAMillionTasksBackwards()
{
    constexpr std::uint32_t count = 1'000'000;
    std::vector<RawTask> tasks;
    for (std::uint32_t pe = 0; pe < count; ++pe) {
        RawTask task{.id = {ProcessorId{pe}, 0}, .begin = 7, .duration = 0, .entry = EntryId{0}};
        if (pe + 1 < count) task.source = {ProcessorId{pe + 1}, 0};
        tasks.push_back(task);
    }
    // What the tie passes on: five units of work before it.
    tasks.back().begin = 2;
    tasks.back().duration = 5;
    tasks[count - 2].offset = 5;
    const auto graph = makeActivityGraph(std::move(tasks), {0, 10}, count);
    QVERIFY(graph->issues.empty());
    QCOMPARE(graph->pe.front(), count - 1);
    const Result<CriticalPath> path = workPath(*graph, workHeads(*graph, EdgeLevel::Messages, Progress{}),
                                               TaskId{ProcessorId{0}, 0});
    QVERIFY(path.ok());
    QCOMPARE(path->length, 5);
    QCOMPARE(path->steps.size(), std::size_t(count));
}

LONGPOLE_TEST(TestPathProperties)
#include "tst_pathproperties.moc"
