// SPDX-License-Identifier: GPL-3.0-or-later
// Paths of a part of a run: the pass over a window of the graph against a clipped copy of it, which is an algorithm of
// its own, and the elapsed walk against the whole run's.
#include "analysis/graph/taskwindow.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/realtraces.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;

class TestRangePath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void randomGraphs_data();
    void randomGraphs();
    void randomGraphsToATask();
    void realTraces_data();
    void realTraces();
    void inferredMergesCount();
    void rangesOfStartUp();
    void nestedExecutions();
    void taskOutside();
    void rangeWithoutTasks();
    void elapsedStopsInAMessage();
    void cancelled();

private:
    RealTraces m_traces;
};

namespace {

constexpr EdgeLevel levels[]{EdgeLevel::Messages, EdgeLevel::Merges, EdgeLevel::Order};

// Merges that the graph does not have, between the tasks of a random graph.
std::vector<MergeEdge> inferredFor(const ActivityGraph& graph, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<MergeEdge> inferred;
    for (std::uint32_t task = 1; task < graph.size(); ++task) {
        const auto source = static_cast<std::uint32_t>(random() % task);
        const TimeNs longest = std::min(graph.duration[source], graph.begin[task] - graph.begin[source]);
        if (random() % 3 == 0) inferred.push_back({task, source, longest, MergeKind::Buffered});
    }
    return inferred;
}

// The path of a copy of the range, as a run of its own.
CriticalPath pathOfCopy(const ActivityGraph& graph, const Dependencies& edges, TimeRange range,
                        std::optional<TaskId> to = {})
{
    ActivityGraph merged = graph;
    merged.merges = edges.merges;
    const auto part = clip(merged, range);
    const WorkHeads heads = workHeads(*part, dependencies(*part, edges.level), Progress{});
    const Result<CriticalPath> path = workPath(*part, heads, to);
    return path ? *path : CriticalPath{.length = -1};
}

CriticalPath pathOfRange(const ActivityGraph& graph, const Dependencies& edges, TimeRange range,
                         std::optional<TaskId> to = {})
{
    const Result<CriticalPath> path = workPath(graph, edges, range, to);
    return path ? *path : CriticalPath{.length = -1};
}

// The parts of the steps that lie in the range and carry time.
std::vector<PathStep> cut(const std::vector<PathStep>& steps, TimeRange range)
{
    std::vector<PathStep> inside;
    for (PathStep step : steps) {
        if (step.weight() == 0 || step.end <= range.begin || step.begin >= range.end) continue;
        step.begin = std::max(step.begin, range.begin);
        step.end = std::min(step.end, range.end);
        inside.push_back(step);
    }
    return inside;
}

std::vector<PathStep> withTime(std::vector<PathStep> steps)
{
    std::erase_if(steps, [](const PathStep& step) { return step.weight() == 0; });
    return steps;
}

TimeNs rangeProfileSum(const CriticalPath& path)
{
    TimeNs sum = 0;
    for (const PathProfileRow& row : path.profile) sum += row.time;
    return sum;
}

}  // namespace

void TestRangePath::randomGraphs_data()
{
    QTest::addColumn<unsigned>("firstSeed");
    for (unsigned first = 0; first < 200; first += 20) QTest::addRow("%u", first) << first;
}

void TestRangePath::randomGraphs()
{
    QFETCH(unsigned, firstSeed);
    for (unsigned seed = firstSeed; seed < firstSeed + 20; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        const CriticalPath whole = *elapsedPath(*graph);
        for (TimeNs begin = -1; begin <= graph->run.end; ++begin)
            for (TimeNs end = begin; end <= graph->run.end + 1; ++end) {
                for (const EdgeLevel level : levels) {
                    const Dependencies edges = dependencies(*graph, level, inferredFor(*graph, seed));
                    const CriticalPath path = pathOfRange(*graph, edges, {begin, end});
                    const CriticalPath expected = pathOfCopy(*graph, edges, {begin, end});
                    QCOMPARE(path.length, expected.length);
                    QCOMPARE(path.to, expected.to);
                    QCOMPARE(path.duration, expected.duration);
                    QCOMPARE(path.steps, expected.steps);
                    QCOMPARE(path.profile, expected.profile);
                    QCOMPARE(path.parts, expected.parts);
                    QCOMPARE(path.doubtfulWeight, expected.doubtfulWeight);
                }
                const CriticalPath sweep = *sweepPath(*graph, {begin, end});
                const CriticalPath sweepOfCopy = *sweepPath(*clip(*graph, {begin, end}));
                QCOMPARE(sweep.steps, sweepOfCopy.steps);
                QCOMPARE(sweep.profile, sweepOfCopy.profile);
                const TimeRange inside = intersection(graph->run, {begin, end});
                const CriticalPath elapsed = *elapsedPath(*graph, inside);
                QCOMPARE(elapsed.length, inside.length());
                QCOMPARE(elapsed.parts.sum(), inside.length());
                QCOMPARE(rangeProfileSum(elapsed), elapsed.parts.compute);
                if (inside.end == graph->run.end && elapsed.to == whole.to)
                    QCOMPARE(withTime(elapsed.steps), cut(whole.steps, inside));
            }
        QCOMPARE(elapsedPath(*graph, graph->run)->steps, whole.steps);
    }
}

void TestRangePath::randomGraphsToATask()
{
    for (unsigned seed = 500; seed < 560; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        const TimeNs last = graph->run.end;
        for (const TimeRange range : {TimeRange{0, last}, {1, last - 1}, {last / 3, 2 * last / 3}, {last / 2, last}})
            for (std::uint32_t task = 0; task < graph->size(); ++task) {
                const TaskId to = graph->id(task);
                for (const EdgeLevel level : levels) {
                    const Dependencies edges = dependencies(*graph, level, inferredFor(*graph, seed));
                    const CriticalPath path = pathOfRange(*graph, edges, range, to);
                    const CriticalPath expected = pathOfCopy(*graph, edges, range, to);
                    QCOMPARE(path.length, expected.length);
                    QCOMPARE(path.steps, expected.steps);
                    QCOMPARE(path.profile, expected.profile);
                }
                const Result<CriticalPath> elapsed = elapsedPath(*graph, range, to);
                QCOMPARE(elapsed.ok(), pathOfRange(*graph, Dependencies{}, range, to).length >= 0);
                if (!elapsed) continue;
                const TimeNs end = std::min(graph->end(task), range.end);
                QCOMPARE(elapsed->length, end - std::max(range.begin, graph->run.begin));
                QCOMPARE(withTime(elapsed->steps), cut(elapsedPath(*graph, to)->steps, range));
            }
    }
}

void TestRangePath::realTraces_data()
{
    QTest::addColumn<QString>("trace");
    for (const QString& name : RealTraces::names()) QTest::newRow(qPrintable(name)) << name;
    if (RealTraces::names().isEmpty()) QSKIP("no real trace lies in tests/data or beside the repository");
}

void TestRangePath::realTraces()
{
    QFETCH(QString, trace);
    const Result<std::shared_ptr<const TraceStore>> store = m_traces.open(trace);
    QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
    const auto loaded = loadActivityGraph(**store, Progress{});
    QVERIFY(loaded.ok());
    const ActivityGraph& graph = **loaded;
    const TimeRange run = graph.run;
    std::vector<TimeRange> ranges{{run.begin, run.begin + run.length() / 2}, {run.begin + run.length() / 2, run.end}};
    std::mt19937 random(7);
    const int count = graph.size() > 20'000 ? 2 : 20;
    for (int i = 0; i < count; ++i) {
        // From the begin of a task to the end of one: that is where cuts are delicate.
        TimeNs a = graph.begin[random() % graph.size()];
        TimeNs b = graph.end(static_cast<std::uint32_t>(random() % graph.size()));
        ranges.push_back({std::min(a, b), std::max(a, b)});
    }
    for (const TimeRange range : ranges) {
        for (const EdgeLevel level : levels) {
            const Dependencies edges = dependencies(graph, level);
            const CriticalPath path = pathOfRange(graph, edges, range);
            const CriticalPath expected = pathOfCopy(graph, edges, range);
            QCOMPARE(path.length, expected.length);
            QVERIFY(path.steps == expected.steps);
            QVERIFY(path.profile == expected.profile);
            QCOMPARE(rangeProfileSum(path), path.length);
        }
        const CriticalPath elapsed = *elapsedPath(graph, range);
        QCOMPARE(elapsed.parts.sum(), range.length());
        if (!elapsed.to.isValid()) continue;
        const CriticalPath whole = *elapsedPath(graph, elapsed.to);
        QVERIFY(withTime(elapsedPath(graph, range, elapsed.to)->steps) == cut(whole.steps, range));
        QVERIFY(sweepPath(graph, range)->steps == sweepPath(*clip(graph, range))->steps);
    }
    QVERIFY(pathOfRange(graph, dependencies(graph, EdgeLevel::Order), run).profile
            == workPath(graph, workHeads(graph, EdgeLevel::Order, Progress{}))->profile);
}

void TestRangePath::inferredMergesCount()
{
    const Drawing drawn = draw("0: AAAAAA....\n1: ......BBBB");
    const auto graph = drawn.graph();
    const Dependencies edges = dependencies(*graph, EdgeLevel::Merges, {{1, 0, 6, MergeKind::Buffered}});
    const CriticalPath path = pathOfRange(*graph, edges, {2, 9});
    QCOMPARE(path.length, 7);
    QCOMPARE(path.steps.size(), std::size_t(2));
    QCOMPARE(path.steps[1].edge, PathEdge::InferredMerge);
    QCOMPARE(path.doubtfulWeight, 3);
    QCOMPARE(pathOfRange(*graph, edges, {6, 9}).length, 3);
}

// A range without tasks is start-up or shut-down as far as no rank is between them.
void TestRangePath::rangesOfStartUp()
{
    const Drawing drawn = draw("0: ......AA..");
    ActivityGraph graph = *drawn.graph();
    graph.active = {{4, 9}};
    const auto partsOf = [&graph](TimeRange range) {
        const auto path = elapsedPath(graph, range, {});
        return path ? std::pair(path->parts.startup, path->parts.unexplained) : std::pair(TimeNs(-1), TimeNs(-1));
    };
    QCOMPARE(partsOf({0, 3}), std::pair(TimeNs(3), TimeNs(0)));
    QCOMPARE(partsOf({2, 5}), std::pair(TimeNs(2), TimeNs(1)));
    graph.active.clear();
    QCOMPARE(partsOf({0, 3}), std::pair(TimeNs(0), TimeNs(3)));
}

void TestRangePath::nestedExecutions()
{
    // 0: AAaaAbbA with a and b nested in A.
    const Drawing drawn = draw("0: AAAAAAAA");
    ActivityGraph graph = *drawn.graph();
    graph.inner = {{0, 1, 'a', 2, 4}, {0, 2, 'b', 5, 7}};
    graph.indexInner();
    const TaskId a{ProcessorId{0}, 1};
    const TaskId b{ProcessorId{0}, 2};
    const CriticalPath path = pathOfRange(graph, Dependencies{}, {3, 6});
    const std::vector<PathProfileRow> expected{{EntryId{'A'}, 1, 1, 1.0 / 3, 1.0 / 3},
                                               {EntryId{'a'}, 1, 1, 1.0 / 3, 1.0 / 3},
                                               {EntryId{'b'}, 1, 1, 1.0 / 3, 1.0 / 3}};
    QCOMPARE(path.profile, expected);
    QCOMPARE(path.profile, pathOfCopy(graph, Dependencies{}, {3, 6}).profile);
    QCOMPARE(pathOfRange(graph, Dependencies{}, {3, 6}, a).length, 1);
    QCOMPARE(pathOfRange(graph, Dependencies{}, {3, 6}, b).length, 3);
    QCOMPARE(pathOfRange(graph, Dependencies{}, {0, 4}, b).length, -1);
}

void TestRangePath::taskOutside()
{
    const Drawing drawn = draw("0: AAAA.BBBB.CC");
    const auto graph = drawn.graph();
    for (const char name : {'A', 'C'}) {
        const Result<CriticalPath> path = workPath(*graph, Dependencies{}, {4, 10}, drawn[name]);
        QVERIFY(!path.ok());
        const QString text = QStringLiteral("Task 0:%1 does not run within the range.");
        QCOMPARE(path.error().what, text.arg(name == 'A' ? 0 : 2));
        QVERIFY(!elapsedPath(*graph, {4, 10}, drawn[name]).ok());
    }
    QCOMPARE(workPath(*graph, Dependencies{}, {4, 10}, TaskId{ProcessorId{3}, 0}).error().what,
             QStringLiteral("There is no task 3:0."));
}

void TestRangePath::rangeWithoutTasks()
{
    const auto graph = draw("0: AAAA....BBBB").graph();
    const CriticalPath work = pathOfRange(*graph, Dependencies{}, {5, 7});
    QCOMPARE(work.length, 0);
    QCOMPARE(work.duration, 2);
    QVERIFY(work.steps.empty());
    const CriticalPath elapsed = *elapsedPath(*graph, {5, 7});
    QCOMPARE(elapsed.length, 2);
    QCOMPARE(elapsed.parts, (PathParts{.unexplained = 2}));
    QVERIFY(sweepPath(*graph, {5, 7})->steps.empty());
    QCOMPARE(pathOfRange(*draw("0: ...").graph(), Dependencies{}, {1, 2}).length, 0);
}

// The message left before the range: what of its way lies inside is the path's, not what the PE did meanwhile.
void TestRangePath::elapsedStopsInAMessage()
{
    const Drawing drawn = draw("0: AAA........CC\n1: ....DD.......\nA > C ~9");
    const CriticalPath path = *elapsedPath(*drawn.graph(), {5, 13});
    QCOMPARE(path.parts, (PathParts{.compute = 2, .network = 4, .queue = 2}));
    QCOMPARE(path.steps.front().begin, 5);
    QCOMPARE(path.steps.front().part, PathPart::Network);
    QCOMPARE(path.steps.size(), std::size_t(3));
}

void TestRangePath::cancelled()
{
    const auto graph = draw("0: AAAA").graph();
    const Progress progress;
    progress.cancel();
    const Result<CriticalPath> path = workPath(*graph, Dependencies{}, {0, 3}, {}, progress);
    QVERIFY(!path.ok());
    QVERIFY(wasCancelled(path.error()));
}

LONGPOLE_TEST(TestRangePath)
#include "tst_rangepath.moc"
