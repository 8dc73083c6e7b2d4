// SPDX-License-Identifier: GPL-3.0-or-later
// Slack: the closed-form cases, random graphs against all their paths, changes that must not matter, and sizes.
#include "analysis/paths/slack.h"

#include "support/graphs/allpaths.h"
#include "support/graphs/closedforms.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;

class TestSlack : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void closedForms_data();
    void closedForms();
    void elapsed_data();
    void elapsed();
    void randomGraphs_data();
    void randomGraphs();
    void pathsHaveNone();
    void changesThatDoNotMatter_data();
    void changesThatDoNotMatter();
    void headsSaveTheForwardPass();
    void headsOfOtherEdgesAreNotUsed();
    void leastFirst();
    void longDurations();
    void chainOfAMillionTasks();
    void emptyGraph();
    void errors();
};

namespace {

WhatIfModel workModel(const ActivityGraph& graph, EdgeLevel level)
{
    return {.mode = PathMode::Work, .edges = dependencies(graph, level)};
}

const WhatIfModel elapsedModel{.mode = PathMode::Elapsed, .edges = {}};

// "A0 B1 ...", by name.
QString slackText(const Drawing& drawn, const WhatIfModel& model)
{
    const auto graph = drawn.graph();
    const auto slack = slackOfTasks(*graph, model, nullptr, Progress{});
    if (!slack) return slack.error().what;
    QStringList words;
    for (const auto& [name, id] : drawn.names)
        words << QLatin1Char(name) + QString::number((*slack)->slack[graph->find(id)]);
    words.sort();
    return words.join(QLatin1Char(' '));
}

// Length less the longest path through each task, by going through all paths.
std::vector<TimeNs> slackByEnumeration(const ActivityGraph& graph, const WhatIfModel& model)
{
    std::vector<TimeNs> through(graph.size(), 0);
    TimeNs length = 0;
    for (const OraclePath& path : allPaths(graph, model)) {
        length = std::max(length, path.weight);
        for (const OraclePath::Step& step : path.steps) through[step.task] = std::max(through[step.task], path.weight);
    }
    for (TimeNs& value : through) value = length - value;
    return through;
}

std::vector<TimeNs> slackOf(const RandomGraph& made, const WhatIfModel& model)
{
    return (*slackOfTasks(*made.graph(), model, nullptr, Progress{}))->slack;
}

WhatIfModel slackModel(const RandomGraph& made, int kind)
{
    return kind == 3 ? elapsedModel : workModel(*made.graph(), static_cast<EdgeLevel>(kind));
}

// 0 messages, 1 merges, 2 order, 3 elapsed.
void addSlackModels()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("messages") << 0;
    QTest::newRow("merges") << 1;
    QTest::newRow("order") << 2;
    QTest::newRow("elapsed") << 3;
}

}  // namespace

void TestSlack::closedForms_data()
{
    QTest::addColumn<QString>("drawing");
    QTest::addColumn<EdgeLevel>("edges");
    QTest::addColumn<QString>("slack");
    const auto row = [](const char* name, const char* drawing, EdgeLevel edges, const char* slack) {
        QTest::newRow(name) << QString::fromUtf8(drawing) << edges << QString::fromUtf8(slack);
    };
    constexpr EdgeLevel messages = EdgeLevel::Messages, merges = EdgeLevel::Merges, order = EdgeLevel::Order;
    row("C1", closedform::c1, messages, "A0 B0 C1 D1");
    row("C1 order", closedform::c1, order, "A0 B0 C1 D1");
    row("C2", closedform::c2, messages, "11 20 B1 D0");
    row("C3", closedform::c3, merges, "05 13 20 33 J0 R0");
    row("C4", closedform::c4, merges, "A0 B0 C1 D0");
    row("C5", closedform::c5, merges, "20 P2 S3 W0");
    row("C6", closedform::c6, messages, "00 10 20 30 40");
    row("C7", closedform::c7, merges, "a0 b2 c4 d6 e0 f0 g0 h0 i3 j2 k1 l0");
    row("C7 order", closedform::c7, order, "a0 b2 c4 d6 e0 f0 g0 h0 i3 j2 k1 l0");
    row("C8", closedform::c8, merges, "A0 B1 C3 D0 E0 F0");
    row("C9 messages", closedform::c9, messages, "10 K0 L0 M10 N2");
    row("C9 order", closedform::c9, order, "10 K6 L0 M8 N0");
}

void TestSlack::closedForms()
{
    QFETCH(QString, drawing);
    QFETCH(EdgeLevel, edges);
    QFETCH(QString, slack);
    const Drawing drawn = draw(drawing.toUtf8().constData());
    QCOMPARE(slackText(drawn, workModel(*drawn.graph(), edges)), slack);
}

void TestSlack::elapsed_data()
{
    QTest::addColumn<QString>("drawing");
    QTest::addColumn<QString>("slack");
    const auto row = [](const char* name, const char* drawing, const char* slack) {
        QTest::newRow(name) << QString::fromUtf8(drawing) << QString::fromUtf8(slack);
    };
    // K's message waits until N ends: its sender may take 5 longer. M is free until L, whose message comes at 15.
    row("C9", closedform::c9, "10 K5 L0 M9 N0");
    row("tail of the run", "0: AAAA..\n1: BBB...\n", "A0 B1");
    row("network", "0: AA......\n1: ...BBB..\n2: CCCCCCC.\nA > B", "A1 B1 C0");
    row("scheduler stays", "0: AAA.BB\n1: CCCCC.\n", "A0 B0 C1");
}

void TestSlack::elapsed()
{
    QFETCH(QString, drawing);
    QFETCH(QString, slack);
    QCOMPARE(slackText(draw(drawing.toUtf8().constData()), elapsedModel), slack);
}

void TestSlack::randomGraphs_data()
{
    QTest::addColumn<unsigned>("firstSeed");
    for (unsigned first = 0; first < 500; first += 50) QTest::addRow("%u", first) << first;
}

void TestSlack::randomGraphs()
{
    QFETCH(unsigned, firstSeed);
    for (unsigned seed = firstSeed; seed < firstSeed + 50; ++seed)
        for (int kind = 0; kind < 4; ++kind) {
            const RandomGraph made = randomGraphOfAllKinds(seed);
            const auto graph = made.graph();
            const WhatIfModel model = slackModel(made, kind);
            const auto slack = slackOfTasks(*graph, model, nullptr, Progress{});
            QVERIFY(slack.ok());
            QCOMPARE((*slack)->slack, slackByEnumeration(*graph, model));
            for (const TimeNs value : (*slack)->slack) QVERIFY(value >= 0);
        }
}

void TestSlack::pathsHaveNone()
{
    for (unsigned seed = 0; seed < 500; ++seed)
        for (int kind = 0; kind < 4; ++kind) {
            const RandomGraph made = randomGraphOfAllKinds(seed);
            const auto graph = made.graph();
            const WhatIfModel model = slackModel(made, kind);
            const auto slack = slackOfTasks(*graph, model, nullptr, Progress{});
            const auto path = kind == 3 ? elapsedPath(*graph)
                                        : workPath(*graph, workHeads(*graph, model.edges, Progress{}));
            QVERIFY(slack.ok() && path.ok());
            QCOMPARE((*slack)->length, path->length);
            for (const PathStep& step : path->steps) QCOMPARE((*slack)->slack[graph->find(step.task)], 0);
        }
}

void TestSlack::changesThatDoNotMatter_data() { addSlackModels(); }

void TestSlack::changesThatDoNotMatter()
{
    QFETCH(int, kind);
    for (unsigned seed = 1000; seed < 1200; ++seed) {
        const RandomGraph made = randomGraphOfAllKinds(seed);
        const auto graph = made.graph();
        const std::vector<TimeNs> slack = slackOf(made, slackModel(made, kind));

        RandomGraph shifted = made;
        changeTimes(shifted, 1, 1'000'000);
        QCOMPARE(slackOf(shifted, slackModel(shifted, kind)), slack);

        RandomGraph scaled = made;
        changeTimes(scaled, 7, 0);
        const std::vector<TimeNs> longer = slackOf(scaled, slackModel(scaled, kind));
        for (std::size_t i = 0; i < slack.size(); ++i) QCOMPARE(longer[i], 7 * slack[i]);

        RandomGraph permuted = made;
        permuteProcessors(permuted);
        const auto mirrored = permuted.graph();
        const std::vector<TimeNs> there = slackOf(permuted, slackModel(permuted, kind));
        for (std::uint32_t i = 0; i < graph->size(); ++i) {
            const TaskId id{ProcessorId{made.processors - 1 - graph->pe[i]}, graph->taskIndex[i]};
            QCOMPARE(there[mirrored->find(id)], slack[i]);
        }
    }
}

void TestSlack::headsSaveTheForwardPass()
{
    for (unsigned seed = 0; seed < 100; ++seed)
        for (int kind = 0; kind < 3; ++kind) {
            const auto graph = randomGraphOfAllKinds(seed).graph();
            const WhatIfModel model = workModel(*graph, static_cast<EdgeLevel>(kind));
            const WorkHeads heads = workHeads(*graph, model.edges, Progress{});
            const auto with = slackOfTasks(*graph, model, &heads, Progress{});
            const auto without = slackOfTasks(*graph, model, nullptr, Progress{});
            QVERIFY(with.ok() && without.ok());
            QCOMPARE((*with)->slack, (*without)->slack);
            QCOMPARE((*with)->length, (*without)->length);
        }
}

void TestSlack::headsOfOtherEdgesAreNotUsed()
{
    const Drawing drawn = draw(closedform::c9);
    const auto graph = drawn.graph();
    const WorkHeads messages = workHeads(*graph, EdgeLevel::Messages, Progress{});
    const auto slack = slackOfTasks(*graph, workModel(*graph, EdgeLevel::Order), &messages, Progress{});
    QVERIFY(slack.ok());
    QCOMPARE((*slack)->length, 18);
    QCOMPARE((*slack)->slack[graph->find(drawn['K'])], 6);
}

void TestSlack::leastFirst()
{
    Slack slack;
    slack.slack = {3, 0, 5, 0, 3};
    constexpr std::size_t all = 99;
    QCOMPARE(leastSlackFirst(slack, maxTime, all), (std::vector<std::uint32_t>{1, 3, 0, 4, 2}));
    QCOMPARE(leastSlackFirst(slack, 3, all), (std::vector<std::uint32_t>{1, 3, 0, 4}));
    QCOMPARE(leastSlackFirst(slack, maxTime, 3), (std::vector<std::uint32_t>{1, 3, 0}));
    QCOMPARE(leastSlackFirst(slack, -1, all), std::vector<std::uint32_t>());
}

// Times that do not fit in 32 bits.
void TestSlack::longDurations()
{
    Drawing drawn = draw(closedform::c3);
    RandomGraph made{.tasks = drawn.tasks, .run = drawn.run, .processors = drawn.processors, .merges = drawn.merges};
    constexpr TimeNs factor = 3'000'000'000;
    changeTimes(made, factor, 0);
    const auto graph = made.graph();
    const auto slack = slackOfTasks(*graph, workModel(*graph, EdgeLevel::Merges), nullptr, Progress{});
    QVERIFY(slack.ok());
    QCOMPARE((*slack)->length, 10 * factor);
    QCOMPARE((*slack)->slack[graph->find(drawn['0'])], 5 * factor);
    QCOMPARE((*slack)->slack[graph->find(drawn['3'])], 3 * factor);
}

void TestSlack::chainOfAMillionTasks()
{
    constexpr std::uint32_t count = 1'000'000;
    std::vector<RawTask> tasks;
    for (std::uint32_t i = 0; i < count; ++i) {
        RawTask task{.id = {ProcessorId{i % 3}, i / 3},
                     .begin = 3 * static_cast<TimeNs>(i),
                     .duration = 2,
                     .entry = EntryId{0}};
        if (i > 0) task.source = {ProcessorId{(i - 1) % 3}, (i - 1) / 3};
        task.offset = i == count / 2 ? 1 : 2;
        task.sent = task.begin - 1;
        tasks.push_back(task);
    }
    const auto graph = makeActivityGraph(std::move(tasks), {0, 3 * static_cast<TimeNs>(count)}, 3);
    const auto slack = slackOfTasks(*graph, workModel(*graph, EdgeLevel::Order), nullptr, Progress{});
    QVERIFY(slack.ok());
    QCOMPARE((*slack)->length, 2 * static_cast<TimeNs>(count) - 1);
    QCOMPARE(std::count((*slack)->slack.begin(), (*slack)->slack.end(), 0), count);
    QVERIFY(std::all_of((*slack)->slack.begin(), (*slack)->slack.end(), [](TimeNs value) { return value >= 0; }));
    const auto elapsed = slackOfTasks(*graph, elapsedModel, nullptr, Progress{});
    QVERIFY(elapsed.ok());
    QCOMPARE((*elapsed)->length, 3 * static_cast<TimeNs>(count));
    QCOMPARE(std::count((*elapsed)->slack.begin(), (*elapsed)->slack.end(), 0), count);
}

void TestSlack::emptyGraph()
{
    const auto graph = makeActivityGraph({}, {5, 25}, 3);
    for (const WhatIfModel& model : {workModel(*graph, EdgeLevel::Order), elapsedModel}) {
        const auto slack = slackOfTasks(*graph, model, nullptr, Progress{});
        QVERIFY(slack.ok());
        QVERIFY((*slack)->slack.empty());
        QCOMPARE((*slack)->length, model.mode == PathMode::Elapsed ? 20 : 0);
    }
    const WorkHeads heads = workHeads(*graph, EdgeLevel::Order, Progress{});
    QCOMPARE((*slackOfTasks(*graph, workModel(*graph, EdgeLevel::Order), &heads, Progress{}))->length, 0);
}

void TestSlack::errors()
{
    const auto graph = draw(closedform::c1).graph();
    const auto sweep = slackOfTasks(*graph, {.mode = PathMode::Sweep, .edges = {}}, nullptr, Progress{});
    QVERIFY(!sweep.ok());
    QVERIFY(!sweep.error().hint.isEmpty());
    Progress progress;
    progress.cancel();
    for (const WhatIfModel& model : {workModel(*graph, EdgeLevel::Order), elapsedModel}) {
        const auto cancelled = slackOfTasks(*graph, model, nullptr, progress);
        QVERIFY(!cancelled.ok());
        QVERIFY(wasCancelled(cancelled.error()));
    }
    const WorkHeads none = workHeads(*graph, EdgeLevel::Order, progress);
    const auto cancelled = slackOfTasks(*graph, workModel(*graph, EdgeLevel::Order), &none, Progress{});
    QVERIFY(!cancelled.ok());
    QVERIFY(wasCancelled(cancelled.error()));
}

LONGPOLE_TEST(TestSlack)
#include "tst_slack.moc"
