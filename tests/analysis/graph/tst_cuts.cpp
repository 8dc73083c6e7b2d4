// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts: drawn ones, and random graphs against what is closed under happened-before by going through all events.
#include "analysis/graph/cuts.h"

#include "analysis/realtraces.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>

using namespace longpole;

class TestCuts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void verticalCutIsConsistentWithRightClocks();
    void receiverIsStoppedBeforeTheMessage();
    void stoppingGoesOn();
    void senderThatBeginsLater();
    void messagesLongAfterTheirSource();
    void manyStopsOneAfterTheOther();
    void randomCuts();
    void realTraces_data();
    void realTraces();

private:
    RealTraces m_traces;
};

namespace {

// A random graph whose PEs' clocks disagree by up to `most`.
std::shared_ptr<const ActivityGraph> skewedGraph(unsigned seed, unsigned most)
{
    RandomGraph made = randomGraphOfAllKinds(seed);
    std::mt19937 random(seed + 77);
    std::vector<TimeNs> shift;
    for (std::uint32_t pe = 0; pe < made.processors; ++pe) shift.push_back(static_cast<TimeNs>(random() % (most + 1)));
    for (RawTask& task : made.tasks) {
        const TimeNs own = shift[index(task.id.pe)];
        const TimeNs sender = task.source.isValid() ? shift[index(task.source.pe)] : own;
        task.begin += own;
        if (task.sent != minTime) task.sent += sender;
        task.received = minTime;
    }
    made.run.end += most;
    return made.graph();
}

// What a task waited for: sent by a PE at a time, on a task that had begun; without a task only the time is known.
struct Need {
    std::uint32_t source = noTask;
    TimeNs time = 0;
};

std::vector<Need> needsOf(const ActivityGraph& graph, std::uint32_t task)
{
    std::vector<Need> needs;
    if (graph.source[task] != noTask) {
        const TimeNs sent = graph.sent(task);
        const TimeNs left = graph.begin[graph.source[task]] + graph.offset[task];
        needs.push_back({graph.source[task], sent != minTime ? sent : left});
    } else if (graph.sent(task) != minTime) {
        needs.push_back({noTask, graph.sent(task)});
    }
    for (const MergeEdge& merge : mergesInto(graph.merges, task))
        needs.push_back({merge.source, graph.begin[merge.source] + merge.offset});
    return needs;
}

// Whether tasks of a set have begun: the source, and all that began on its PE before the time.
bool canBeSent(const ActivityGraph& graph, const std::vector<bool>& begun, const Need& need)
{
    if (!begun[need.source]) return false;
    const auto& tasks = graph.byProcessor[graph.pe[need.source]];
    return std::all_of(tasks.begin(), tasks.end(),
                       [&](std::uint32_t task) { return graph.begin[task] >= need.time || begun[task]; });
}

// The largest closed set of begins in the vertical cut, by taking out what cannot be until nothing changes.
std::vector<bool> largestClosedSet(const ActivityGraph& graph, TimeNs time)
{
    std::vector<bool> begun(graph.size());
    for (std::uint32_t task = 0; task < graph.size(); ++task) begun[task] = graph.begin[task] < time;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t task = 0; task < graph.size(); ++task) {
            if (!begun[task]) continue;
            const std::uint32_t previous = graph.previous(task);
            bool stays = previous == noTask || begun[previous];
            for (const Need& need : needsOf(graph, task))
                stays = stays && need.time <= time && (need.source == noTask || canBeSent(graph, begun, need));
            if (stays) continue;
            begun[task] = false;
            changed = true;
        }
    }
    return begun;
}

// Whether all that tasks in the cut waited for was sent inside of it.
bool isConsistent(const ActivityGraph& graph, const Cut& cut)
{
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        if (!cut.holds(graph, task)) continue;
        for (const Need& need : needsOf(graph, task)) {
            if (need.source == noTask) continue;
            const std::span<const std::uint32_t> others = graph.byProcessor[graph.pe[need.source]];
            const auto after = std::partition_point(others.begin(), others.end(), [&](std::uint32_t other) {
                return graph.begin[other] < need.time;
            });
            const std::uint32_t begun = after == others.begin() ? need.source : std::max(need.source, *(after - 1));
            if (!cut.holds(graph, begun, need.time)) return false;
        }
    }
    return true;
}

std::vector<bool> begunIn(const ActivityGraph& graph, const Cut& cut)
{
    std::vector<bool> begun(graph.size());
    for (std::uint32_t task = 0; task < graph.size(); ++task) begun[task] = cut.holds(graph, task);
    return begun;
}

}  // namespace

void TestCuts::verticalCutIsConsistentWithRightClocks()
{
    const Drawing drawn = draw("0: AAAA..CC\n1: ..BBBB..\nA@1 > B\nB@2 > C");
    const auto graph = drawn.graph();
    for (TimeNs time = 0; time <= 8; ++time) {
        const ConsistentCut found = consistentCut(*graph, time);
        QCOMPARE(found.cut, verticalCut(*graph, time));
        QCOMPARE(found.lowered, 0);
        QCOMPARE(found.received, 0);
        QCOMPARE(found.lowest, time);
        QVERIFY(isConsistent(*graph, found.cut));
    }
    const Cut cut = verticalCut(*graph, 2);
    QCOMPARE(cut.last, (std::vector<std::uint32_t>{graph->find(drawn['A']), noTask}));
    QVERIFY(cut.holds(*graph, graph->find(drawn['A']), 2));
    QVERIFY(!cut.holds(*graph, graph->find(drawn['A']), 3));
}

// B began at 2, but what started it was sent at 5.
void TestCuts::receiverIsStoppedBeforeTheMessage()
{
    Drawing drawn = draw("0: AAAAAAAA\n1: DDBBBB..\nA > B");
    for (RawTask& task : drawn.tasks)
        if (task.id == drawn['B']) task.sent = 5;
    const auto graph = drawn.graph();
    QCOMPARE(consistentCut(*graph, 2).lowered, 0);
    for (const TimeNs time : {3, 4}) {
        const ConsistentCut found = consistentCut(*graph, time);
        QVERIFY(!isConsistent(*graph, verticalCut(*graph, time)));
        QVERIFY(isConsistent(*graph, found.cut));
        QCOMPARE(found.received, 1);
        QCOMPARE(found.lowered, 1);
        QCOMPARE(found.lowest, 2);
        QCOMPARE(found.cut.last[1], graph->find(drawn['D']));
        QCOMPARE(found.cut.last[0], graph->find(drawn['A']));
    }
    QCOMPARE(consistentCut(*graph, 5).lowered, 0);
}

// B cannot be inside, so C, which B started, cannot either.
void TestCuts::stoppingGoesOn()
{
    Drawing drawn = draw("0: AAAAAAAAAAA\n1: ..BBBB.....\n2: EEE....CCCC\nA > B\nB@3 > C");
    for (RawTask& task : drawn.tasks)
        if (task.id == drawn['B']) task.sent = 9;
    const auto graph = drawn.graph();
    const ConsistentCut found = consistentCut(*graph, 8);
    QCOMPARE(found.received, 1);
    QCOMPARE(found.lowered, 2);
    QCOMPARE(found.cut.last, (std::vector<std::uint32_t>{graph->find(drawn['A']), noTask, graph->find(drawn['E'])}));
    QCOMPARE(found.cut.until, (std::vector<TimeNs>{8, 2, 7}));
}

// The graph dropped that edge; the time of the message is left.
void TestCuts::senderThatBeginsLater()
{
    const Drawing drawn = draw("0: ....AAAA\n1: ..BBB...\nA@1 > B");
    const auto graph = drawn.graph();
    QCOMPARE(graph->source[graph->find(drawn['B'])], noTask);
    const ConsistentCut found = consistentCut(*graph, 4);
    QCOMPARE(found.received, 1);
    QCOMPARE(found.cut.last, (std::vector<std::uint32_t>{noTask, noTask}));
    QCOMPARE(consistentCut(*graph, 5).lowered, 0);
}

// All of PE 1 come from the first task of PE 0, as long after it as they begin; that of PE 2 comes from the future.
void TestCuts::messagesLongAfterTheirSource()
{
    constexpr std::uint32_t count = 200'000;
    std::vector<RawTask> tasks;
    const TaskId first{ProcessorId{0}, 0};
    for (std::uint32_t i = 0; i < count; ++i) {
        const TimeNs begin = 10 * TimeNs{i};
        tasks.push_back({.id = {ProcessorId{0}, i}, .begin = begin, .duration = 1});
        tasks.push_back({.id = {ProcessorId{1}, i}, .begin = begin + 5, .duration = 1, .source = first, .sent = begin});
    }
    tasks.push_back(
        {.id = {ProcessorId{2}, 0}, .begin = 3, .duration = 1, .source = first, .sent = 20 * TimeNs{count}});
    const auto graph = makeActivityGraph(std::move(tasks), {0, 20 * TimeNs{count}}, 3);
    QElapsedTimer timer;
    timer.start();
    const ConsistentCut found = consistentCut(*graph, 10 * TimeNs{count});
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(found.received, 1);
    QCOMPARE(found.lowered, 1);
    QCOMPARE(found.lowest, 3);
}

// From the end on, each task needs the next but one, which is of the other PE: clocks run backwards.
void TestCuts::manyStopsOneAfterTheOther()
{
    constexpr std::uint32_t count = 100'000;
    std::vector<RawTask> tasks;
    const TaskId first{ProcessorId{2}, 0};
    tasks.push_back({.id = first, .begin = 0, .duration = 1});
    for (std::uint32_t i = 0; i < count; ++i)
        for (const std::uint32_t pe : {0u, 1u}) {
            const TimeNs begin = 10 + 10 * TimeNs{i} + 5 * TimeNs{pe};
            tasks.push_back({.id = {ProcessorId{pe}, i},
                             .begin = begin,
                             .duration = 1,
                             .source = {ProcessorId{1 - pe}, 0},
                             .sent = begin + 6});
            if (i == 0 && pe == 0) tasks.back().source = first;
        }
    const TimeNs end = 10 + 10 * TimeNs{count};
    const auto graph = makeActivityGraph(std::move(tasks), {0, 2 * end}, 3);
    QElapsedTimer timer;
    timer.start();
    const ConsistentCut found = consistentCut(*graph, end);
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(found.lowered, 2);
    QVERIFY2(found.lowest <= 20, qPrintable(QString::number(found.lowest)));
}

void TestCuts::randomCuts()
{
    int inconsistent = 0;
    for (unsigned seed = 0; seed < 600; ++seed) {
        const auto graph = skewedGraph(seed, (seed % 3) * 8);
        for (TimeNs time = 0; time <= graph->run.end + 1; ++time) {
            const ConsistentCut found = consistentCut(*graph, time);
            QCOMPARE(begunIn(*graph, found.cut), largestClosedSet(*graph, time));
            QVERIFY(isConsistent(*graph, found.cut));
            const bool isVertical = found.cut == verticalCut(*graph, time);
            QCOMPARE(found.lowered == 0, isVertical);
            QCOMPARE(found.received == 0, isVertical);
            if (seed % 3 == 0) QVERIFY(isVertical);
            inconsistent += isVertical ? 0 : 1;
        }
    }
    QVERIFY2(inconsistent > 200, qPrintable(QString::number(inconsistent)));
}

void TestCuts::realTraces_data()
{
    QTest::addColumn<QString>("trace");
    for (const QString& name : RealTraces::names()) QTest::newRow(qPrintable(name)) << name;
    if (RealTraces::names().isEmpty()) QSKIP("no real trace lies in tests/data or beside the repository");
}

void TestCuts::realTraces()
{
    QFETCH(QString, trace);
    const Result<std::shared_ptr<const TraceStore>> store = m_traces.open(trace);
    QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
    const auto loaded = loadActivityGraph(**store, Progress{});
    QVERIFY(loaded.ok());
    const ActivityGraph& graph = **loaded;
    constexpr int steps = 40;
    for (int i = 1; i < steps; ++i) {
        const ConsistentCut found = consistentCut(graph, graph.run.begin + graph.run.length() / steps * i);
        QVERIFY(isConsistent(graph, found.cut));
        QCOMPARE(found.received == 0, found.lowered == 0);
    }
}

LONGPOLE_TEST(TestCuts)
#include "tst_cuts.moc"
