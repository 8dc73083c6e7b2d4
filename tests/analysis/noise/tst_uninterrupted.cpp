// SPDX-License-Identifier: GPL-3.0-or-later
// Work paths without what interruptions took: of a graph drawn by hand, and of real runs with fewer cores than PEs.
#include "analysis/asked.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/noise/noisequestions.h"
#include "analysis/noise/uninterrupted.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/paths/slack.h"
#include "analysis/realtraces.h"
#include "core/trace/format.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <numeric>

using namespace longpole;

class TestUninterrupted : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // Task 0:0 takes 100 and sends at 50 to 1:0 (10) and at its end to 1:1 (10); 90 of it were an interruption.
    void shortensInProportion()
    {
        const TaskId first{ProcessorId{0}, 0};
        const auto graph = makeActivityGraph({{.id = first, .begin = 0, .duration = 100, .entry = EntryId{0}},
                                              {.id = {ProcessorId{1}, 0},
                                               .begin = 60,
                                               .duration = 10,
                                               .entry = EntryId{1},
                                               .source = first,
                                               .offset = 50},
                                              {.id = {ProcessorId{1}, 1},
                                               .begin = 120,
                                               .duration = 10,
                                               .entry = EntryId{1},
                                               .source = first,
                                               .offset = 100}},
                                             {0, 200}, 2);
        const auto before = workPath(*graph, workHeads(*graph, EdgeLevel::Messages, Progress{}));
        QVERIFY(before);
        QCOMPARE(before->length, TimeNs{110});
        const auto shortened = uninterrupted(*graph, {{first, 90}});
        QCOMPARE(shortened->duration[graph->find(first)], TimeNs{10});
        QCOMPARE(shortened->offset[graph->find({ProcessorId{1}, 0})], TimeNs{5});
        QCOMPARE(shortened->offset[graph->find({ProcessorId{1}, 1})], TimeNs{10});
        QCOMPARE(shortened->begin, graph->begin);
        const auto after = workPath(*shortened, workHeads(*shortened, EdgeLevel::Messages, Progress{}));
        QVERIFY(after);
        QCOMPARE(after->length, TimeNs{20});
        // Nothing lost, or more than there was: nothing changes, nothing is left.
        QCOMPARE(uninterrupted(*graph, {})->duration, graph->duration);
        QCOMPARE(uninterrupted(*graph, {{first, 1000}})->duration[graph->find(first)], TimeNs{0});
        // Dependencies shrink with the task that they leave.
        const Dependencies edges{EdgeLevel::Merges, {{.task = 1, .source = graph->find(first), .offset = 80}}};
        QCOMPARE(uninterrupted(*graph, edges, {{first, 90}}).merges[0].offset, TimeNs{8});
    }

    void realRuns_data()
    {
        QTest::addColumn<QString>("interrupted");  // the task of the path that was not running, as reports say
        QTest::newRow("cpath_p4") << QStringLiteral("2:34");
        QTest::newRow("features_p4") << QStringLiteral("3:249");
        QTest::newRow("jacobi2d_sdag_p4") << QStringLiteral("1:2200");
    }
    void realRuns()
    {
        QFETCH(QString, interrupted);
        const auto store = m_traces.open(QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY(store.ok());
        Results results(*store);
        const auto noise = results.ask(allNoise(), Progress{});
        QVERIFY(noise.ok());
        const InterruptedTasks tasks = interruptedTasks(**noise);
        const auto task = parseTaskId(interrupted);
        QVERIFY(task && tasks.contains(*task));
        for (const EdgeLevel level : {EdgeLevel::Messages, EdgeLevel::Merges, EdgeLevel::Order}) {
            const auto path = results.ask(PathQuestion{.edges = level}, Progress{});
            const auto without = results.ask(UninterruptedPathQuestion{.edges = level}, Progress{});
            QVERIFY(path.ok() && without.ok());
            QVERIFY((*without)->length < (*path)->length && (*without)->length > 0);
            TimeNs steps = 0, profile = 0;
            for (const PathStep& step : (*without)->steps) steps += step.weight();
            for (const PathProfileRow& row : (*without)->profile) profile += row.time;
            QCOMPARE(steps, (*without)->length);
            QCOMPARE(profile, (*without)->length);
            // No step weighs what an interruption took of it.
            const auto graph = results.ask(GraphQuestion{}, Progress{});
            for (const PathStep& step : (*without)->steps)
                if (const auto found = tasks.find(step.task); found != tasks.end())
                    QVERIFY(step.weight() <= (*graph)->duration[(*graph)->find(step.task)] - found->second);
            // What is asked of all paths is of the same graph: its longest path is this one.
            const auto model = results.ask(UninterruptedModelQuestion{level, {}}, Progress{});
            QVERIFY(model.ok());
            const ModelledGraph& left = (*model)->modelled;
            const auto slack = slackOfTasks(*left.graph, left.model, &(*model)->heads, Progress{});
            QVERIFY(slack.ok());
            QCOMPARE((*slack)->length, (*without)->length);
            for (const PathStep& step : (*without)->steps)
                QCOMPARE((*slack)->slack[left.graph->find(step.task)], TimeNs{0});
        }
    }

private:
    RealTraces m_traces;
};

LONGPOLE_TEST(TestUninterrupted)
#include "tst_uninterrupted.moc"
