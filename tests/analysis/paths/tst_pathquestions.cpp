// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about paths answer what the functions answer, count what they hold, and compute what they share once.
#include "analysis/graph/graphquestions.h"
#include "analysis/paths/countedpath.h"
#include "analysis/paths/runpaths.h"
#include "analysis/paths/slackquestions.h"
#include "analysis/paths/taskquestions.h"
#include "analysis/phases/phasequestions.h"
#include "analysis/statistics/sharequestions.h"
#include "analysis/streaming/streamingquestions.h"
#include "analysis/whatif/whatifquestions.h"

#include "app/smalltrace.h"
#include "core/trace/format.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace longpole;

class TestPathQuestions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        m_results = std::make_shared<Results>(m_store);
    }
    void initTestCase();
    void sameAsTheFunctions();
    void sharedPartsAreComputedOnce();
    void runPathsAreThePaths();
    void theWholeRunHasOneName();
    void partsAreRunsOfTheirOwn();
    void countsWhatIsOnThePath();
    void whatIsOnlySpokenOfKeepsNoSteps();
    void whatIsGivenIsNotComputed();
    void bytesAreThoseOfTheArrays();
    void sweepHasNoSlack();

private:
    // Asks and demands an answer.
    template <Question Q>
    const typename Q::Answer& ask(const Q& question)
    {
        const auto answer = m_results->ask(question, Progress{});
        if (!answer.ok()) qFatal("%s", qPrintable(answer.error().what));
        return **answer;  // kept
    }

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<Results> m_results;
};

void TestPathQuestions::initTestCase()
{
    const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
    QVERIFY(test::writeHostileTrace(path).ok());
    const auto store = TraceStore::open(path);
    QVERIFY(store.ok());
    m_store = *store;
}

void TestPathQuestions::sameAsTheFunctions()
{
    const auto graph = loadActivityGraph(*m_store, Progress{});
    QVERIFY(graph.ok());
    QCOMPARE(ask(GraphQuestion{}).size(), (*graph)->size());
    for (const EdgeLevel level : {EdgeLevel::Messages, EdgeLevel::Order}) {
        const WorkHeads heads = workHeads(**graph, level, Progress{});
        const WhatIfModel model{PathMode::Work, dependencies(**graph, level)};
        QVERIFY(ask(HeadsQuestion{level}).head == heads.head);
        const auto path = workPath(**graph, heads);
        QVERIFY(path.ok());
        QCOMPARE(ask(PathQuestion{.edges = level}).length, path->length);
        QVERIFY(ask(PathQuestion{.edges = level}).steps == path->steps);
        const auto slack = slackOfTasks(**graph, model, &heads, Progress{});
        QVERIFY(slack.ok());
        QVERIFY(ask(SlackQuestion{{.edges = level}}).slack == (*slack)->slack);
        const auto near = nearCriticalPaths(**graph, model, **slack, heads, {}, Progress{});
        QVERIFY(near.ok());
        QCOMPARE(ask(NearCriticalQuestion{{.edges = level}}).size(), near->size());
        const auto gains = zeroing(**graph, model, *path, Progress{});
        QVERIFY(gains.ok());
        const EntryGains& asked = ask(ZeroingQuestion{{.edges = level}});
        QCOMPARE(asked.length, path->length);
        QCOMPARE(asked.answers.size(), gains->size());
        for (std::size_t i = 0; i < gains->size(); ++i) QCOMPARE(asked.answers[i].net, (*gains)[i].net);
    }
    const auto elapsed = elapsedPath(**graph);
    QVERIFY(elapsed.ok());
    QVERIFY(ask(PathQuestion{.mode = PathMode::Elapsed}).steps == elapsed->steps);
    const StreamingRequest request{.procedures = oneByOne(busiestEntries(*m_store, 2)),
                                   .range = m_store->info().range()};
    const auto streamed = streamingPath(*m_store, request, Progress{});
    QVERIFY(streamed.ok());
    QCOMPARE(ask(StreamingQuestion{request}).length, streamed->length);
}

void TestPathQuestions::sharedPartsAreComputedOnce()
{
    const PathModel model{};
    ask(SlackPyramidQuestion{model});
    ask(PathQuestion{});
    ask(NearCriticalQuestion{model});
    ask(ZeroingQuestion{model});
    ask(SubgraphQuestion{});
    ask(ActivityTableQuestion{});
    ask(PathPhasesQuestion{});
    ask(PathSharesQuestion{{}, ProfileBy::Pe});
    ask(RunPathsQuestion{});
    QCOMPARE(m_results->computed<GraphQuestion>(), 1);
    QCOMPARE(m_results->computed<MergesQuestion>(), 1);
    QCOMPARE(m_results->computed<HeadsQuestion>(), 1);  // of order; the paths at other levels keep none
    QCOMPARE(m_results->computed<SlackQuestion>(), 1);
    QCOMPARE(m_results->computed<PathQuestion>(), 4);
}

void TestPathQuestions::runPathsAreThePaths()
{
    const RunPaths& paths = ask(RunPathsQuestion{});
    const auto workAt = [](const ActivityGraph& graph, const Dependencies& edges) {
        return workPath(graph, workHeads(graph, edges, Progress{}))->steps;
    };
    const ActivityGraph& graph = *paths.graph;
    const auto merges = inferMerges(*m_store, graph, Progress{});
    QVERIFY(merges.ok());
    QVERIFY(paths.workAtMessages->steps == workAt(graph, dependencies(graph, EdgeLevel::Messages)));
    QVERIFY(paths.workAtMerges->steps == workAt(graph, dependencies(graph, EdgeLevel::Merges, merges->edges)));
    QVERIFY(paths.workAtOrder->steps == workAt(graph, dependencies(graph, EdgeLevel::Order)));
    QVERIFY(paths.elapsed->steps == elapsedPath(graph)->steps);
    QCOMPARE(paths.graph.get(), &ask(GraphQuestion{}));
}

void TestPathQuestions::theWholeRunHasOneName()
{
    const TimeRange run = m_store->info().range();
    QVERIFY(partOf(*m_store, run).isEmpty());
    QCOMPARE(partOf(*m_store, {run.begin, run.end - 1}), (TimeRange{run.begin, run.end - 1}));
}

void TestPathQuestions::partsAreRunsOfTheirOwn()
{
    const TimeRange run = m_store->info().range();
    const TimeRange part{run.begin, run.begin + run.length() / 2};
    const auto clipped = clip(ask(GraphQuestion{}), part);
    QCOMPARE(ask(GraphQuestion{part}).size(), clipped->size());
    const auto path = workPath(*clipped, workHeads(*clipped, EdgeLevel::Order, Progress{}));
    QVERIFY(path.ok());
    QCOMPARE(ask(PathQuestion{.part = part}).length, path->length);
    QCOMPARE(ask(PathQuestion{.range = part}).length, path->length);
    QCOMPARE(modelOf(PathQuestion{.part = part}).part, part);
}

void TestPathQuestions::countsWhatIsOnThePath()
{
    const CriticalPath& path = ask(PathQuestion{.mode = PathMode::Elapsed});
    const CountedPath& counted = ask(CountedPathQuestion{{.mode = PathMode::Elapsed}});
    QCOMPARE(counted.path.get(), &path);
    QSet<QString> tasks;
    QSet<quint32> pes;
    for (const PathStep& step : path.steps) {
        tasks.insert(toText(step.task));
        pes.insert(index(step.pe));
    }
    QCOMPARE(counted.tasks, std::int64_t{tasks.size()});
    QCOMPARE(counted.processors, std::int64_t{pes.size()});
    for (const NearCriticalPath& near : ask(NearCriticalQuestion{}))
        QCOMPARE(near.processors, processorsOn(*near.path));
    QCOMPARE(processorsOn(CriticalPath{}), std::int64_t{0});
}

// Whether the path itself is known already or not: the same figures, and nobody keeps its steps for them.
void TestPathQuestions::whatIsOnlySpokenOfKeepsNoSteps()
{
    for (const PathQuestion& question :
         {PathQuestion{}, PathQuestion{.mode = PathMode::Elapsed}, PathQuestion{.mode = PathMode::Sweep},
          PathQuestion{.edges = EdgeLevel::Merges}}) {
        const CountedPath before = ask(CountedPathQuestion{question, false});
        QVERIFY(!m_results->peek(question));
        const CountedPath whole = ask(CountedPathQuestion{question});
        m_results = std::make_shared<Results>(m_store);
        ask(question);
        const CountedPath after = ask(CountedPathQuestion{question, false});
        QVERIFY(!whole.path->steps.empty() && whole.pyramid);
        for (const CountedPath& spoken : {before, after}) {
            QVERIFY(spoken.path->steps.empty() && !spoken.pyramid);
            QVERIFY((CountedPathQuestion{question, false}.bytes(spoken)) < 10'000);
            QCOMPARE(spoken.path->mode, whole.path->mode);
            QCOMPARE(spoken.path->edges, whole.path->edges);
            QCOMPARE(spoken.path->to, whole.path->to);
            QCOMPARE(spoken.path->length, whole.path->length);
            QCOMPARE(spoken.path->duration, whole.path->duration);
            QCOMPARE(spoken.path->profile, whole.path->profile);
            QCOMPARE(spoken.path->parts, whole.path->parts);
            QCOMPARE(spoken.path->doubtfulWeight, whole.path->doubtfulWeight);
            QCOMPARE(spoken.tasks, whole.tasks);
            QCOMPARE(spoken.processors, whole.processors);
            QCOMPARE(spoken.busiest, whole.busiest);
            QCOMPARE(spoken.onBusiest, whole.onBusiest);
        }
    }
    const auto none = m_results->ask(CountedPathQuestion{{.to = TaskId{ProcessorId{99}, 0}}, false}, Progress{});
    QVERIFY(!none.ok());
}

void TestPathQuestions::whatIsGivenIsNotComputed()
{
    const auto graph = loadActivityGraph(*m_store, Progress{});
    QVERIFY(graph.ok());
    m_results->give(GraphQuestion{}, *graph);
    ask(PathQuestion{});
    QCOMPARE(&ask(GraphQuestion{}), graph->get());
    QCOMPARE(m_results->computed<GraphQuestion>(), 0);
    m_results->give(GraphQuestion{}, std::make_shared<const ActivityGraph>());  // not over one that is there
    QCOMPARE(&ask(GraphQuestion{}), graph->get());
}

void TestPathQuestions::bytesAreThoseOfTheArrays()
{
    const ActivityGraph& graph = ask(GraphQuestion{});
    constexpr std::int64_t perTask = 41;
    QVERIFY(GraphQuestion::bytes(graph) >= perTask * static_cast<std::int64_t>(graph.size()));
    const WorkHeads& heads = ask(HeadsQuestion{});
    QVERIFY(HeadsQuestion::bytes(heads) >= 8 * static_cast<std::int64_t>(graph.size()));
    const CriticalPath& path = ask(PathQuestion{});
    QVERIFY(PathQuestion::bytes(path) >= static_cast<std::int64_t>(path.steps.size() * sizeof(PathStep)));
    ask(SlackPyramidQuestion{});
    std::int64_t sum = 0;
    for (const HeldAnswer& held : m_results->held()) sum += held.bytes;
    QCOMPARE(m_results->bytes(), sum + m_store->cachedBytes());
}

void TestPathQuestions::sweepHasNoSlack()
{
    const PathModel sweep{.mode = PathMode::Sweep};
    QVERIFY(!m_results->ask(SlackQuestion{sweep}, Progress{}).ok());
    QVERIFY(!m_results->ask(NearCriticalQuestion{sweep}, Progress{}).ok());
    QVERIFY(!m_results->ask(ZeroingQuestion{sweep}, Progress{}).ok());
    QCOMPARE(modelOf(PathQuestion{.mode = PathMode::Sweep}).mode, PathMode::Work);
}

LONGPOLE_TEST(TestPathQuestions)
#include "tst_pathquestions.moc"
