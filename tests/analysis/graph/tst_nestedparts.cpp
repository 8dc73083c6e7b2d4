// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked up of tasks with many nested executions is what going through all of these gives, and takes no longer
// the more messages leave such a task.
#include "analysis/graph/nestedparts.h"

#include "analysis/replay/times.h"
#include "analysis/waiting/idlelabels.h"
#include "analysis/whatif/zeroingmodels.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

#include <map>
#include <random>

using namespace longpole;

namespace {

using TimesOfEntries = std::map<std::uint32_t, TimeNs>;

void addTime(TimesOfEntries& times, std::uint32_t entry, TimeNs time)
{
    if (time != 0) times[entry] += time;
}

// Three tasks of entry method 0 on one PE, [100, 1100), [1200, 2200) and [2300, 3300): many pieces in the first, few in
// the second, none in the third. Where they are not proper, one may end outside of the one around it.
ActivityGraph threeTasks(unsigned seed, bool areProper)
{
    std::vector<RawTask> tasks;
    for (std::uint32_t i = 0; i < 3; ++i)
        tasks.push_back(
            {.id = {ProcessorId{0}, i}, .begin = 100 + TimeNs{i} * 1100, .duration = 1000, .entry = entry(0)});
    ActivityGraph graph = *makeActivityGraph(tasks, {0, 4000}, 1);
    std::mt19937 random(seed);
    const auto below = [&random](TimeNs n) { return static_cast<TimeNs>(random() % static_cast<unsigned long>(n)); };
    std::uint32_t number = 100;
    for (const auto& [task, count] : {std::pair{0u, 300}, {1u, 20}}) {
        std::vector<ActivityGraph::Inner> pieces;
        std::vector<TimeNs> ends;
        TimeNs begin = graph.begin[task] + below(2);
        for (int i = 0; i < count; ++i) {
            while (!ends.empty() && ends.back() <= begin) ends.pop_back();
            const TimeNs most = areProper && !ends.empty() ? ends.back() : graph.end(task);
            const TimeNs end = std::min(begin + below(30), most);
            pieces.push_back({task, ++number, 1 + static_cast<std::uint32_t>(below(4)), begin, end});
            ends.push_back(end);
            begin = std::min(begin + below(6), graph.end(task));
        }
        graph.inner.insert(graph.inner.end(), pieces.begin(), pieces.end());
    }
    return graph;
}

// A task of PE 0 in which `count` executions are nested, and as many of PE 1 that it sent, each later in it.
ActivityGraph crowded(std::uint32_t count)
{
    const TimeNs length = 10 * TimeNs{count};
    std::vector<RawTask> tasks{{.id = {ProcessorId{0}, 0}, .begin = 0, .duration = length + 10, .entry = entry(0)}};
    for (std::uint32_t i = 0; i < count; ++i)
        tasks.push_back({.id = {ProcessorId{1}, i},
                         .begin = length + 100 + 10 * TimeNs{i},
                         .duration = 5,
                         .entry = entry(2),
                         .source = tasks.front().id,
                         .offset = length / 2 + 5 * TimeNs{i}});
    ActivityGraph graph = *makeActivityGraph(tasks, {0, 2 * length + 200}, 2);
    for (std::uint32_t i = 0; i < count; ++i) graph.inner.push_back({0, 1 + i, 1, 10 * TimeNs{i}, 10 * TimeNs{i} + 4});
    return graph;
}

}  // namespace

class TestNestedParts : public QObject {
    Q_OBJECT

    QElapsedTimer m_time;

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        m_time.start();
    }
    // Of each test: going through all pieces for each message takes minutes.
    void cleanup() { QVERIFY2(m_time.elapsed() < 10'000, qPrintable(QString::number(m_time.elapsed()))); }

    void sumsAreThoseOfAllPieces_data()
    {
        QTest::addColumn<bool>("areProper");
        QTest::newRow("proper") << true;
        QTest::newRow("overlapping") << false;
    }
    void sumsAreThoseOfAllPieces()
    {
        QFETCH(bool, areProper);
        for (unsigned seed = 0; seed < 6; ++seed) {
            const ActivityGraph graph = threeTasks(seed, areProper);
            const auto nested = std::make_shared<const NestedParts>(graph);
            const PrefixSums<TimesOfEntries> sums(nested, addTime);
            for (std::uint32_t task = 0; task < graph.size(); ++task)
                for (TimeNs time = graph.begin[task]; time <= graph.end(task) + 3; time += 1 + seed) {
                    TimesOfEntries expected;
                    attributeToInnermost(graph, task, time,
                                         [&](std::uint32_t entry, TimeNs part) { addTime(expected, entry, part); });
                    QVERIFY(sums.upTo(task, time, addTime) == expected);
                    std::uint32_t innermost = graph.entry[task];
                    for (const ActivityGraph::Inner& piece : graph.innerOf(task))
                        if (piece.begin <= time && time < piece.end) innermost = piece.entry;
                    QCOMPARE(nested->entryAt(task, time), innermost);
                }
        }
    }

    void messagesOutOfOneTask()
    {
        constexpr std::uint32_t count = 100'000;
        const ActivityGraph graph = crowded(count);
        const WhatIfModel model = zeroingModel(graph, Elapsed);
        // The first message leaves after half of the pieces; the order of the tasks that follow keeps the rest.
        QCOMPARE(ask(graph, model, {{entry(1)}, {0, 1}}).gain, 2 * TimeNs{count});
        const auto curve = whatIfCurve(graph, model, {entry(1)}, {1, 1}, Progress{});
        QVERIFY(curve.ok());
        QCOMPARE(curve->points.front().length + 2 * TimeNs{count}, curve->points.back().length);

        ProcessorIdle idle(2);
        for (std::uint32_t i = 1; i < count; ++i) idle[1].push_back({graph.begin[i] + 5, graph.begin[i] + 10});
        const auto labels = idleLabels(graph, idle, std::vector<bool>(3), 1, Progress{}, std::vector<bool>(3), false,
                                       {});
        QVERIFY(labels.ok());
        QCOMPARE(labels->blamed[1][std::size_t(IdleCause::Latency)]
                     + labels->blamed[0][std::size_t(IdleCause::Latency)],
                 5 * TimeNs{count - 1});

        const auto times = ReplayTimes::of(graph, {.factors = {{{entry(1)}, {1, 2}}}});
        QVERIFY(times.ok());
        TimeNs sum = 0;
        for (std::uint32_t i = 1; i <= count; ++i) sum += times->part(0, graph.offset[i]);
        QCOMPARE(times->part(0, 10 * TimeNs{count}), 8 * TimeNs{count});
        QVERIFY(sum > 0);
    }
};

LONGPOLE_TEST(TestNestedParts)
#include "tst_nestedparts.moc"
