// SPDX-License-Identifier: GPL-3.0-or-later
// The least slack in a range of time, against going through all tasks.
#include "analysis/paths/slackpyramid.h"

#include "support/graphs/closedforms.h"
#include "support/graphs/drawing.h"
#include "support/testmain.h"

#include <QTest>

#include <random>

using namespace longpole;

class TestSlackPyramid : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void drawn_data();
    void drawn();
    void pixelsOfADrawing();
    void randomRanges_data();
    void randomRanges();
    void nothingThere();
};

namespace {

SlackPyramid pyramidOf(const std::shared_ptr<const ActivityGraph>& graph)
{
    const WhatIfModel model{.mode = PathMode::Work, .edges = dependencies(*graph, EdgeLevel::Merges)};
    return {graph, *slackOfTasks(*graph, model, nullptr, Progress{})};
}

TimeNs leastByLooking(const ActivityGraph& graph, const Slack& slack, std::uint32_t pe, TimeRange range)
{
    TimeNs least = SlackPyramid::noTaskThere;
    for (const std::uint32_t task : graph.byProcessor[pe]) {
        const bool touches = graph.duration[task] == 0 ? range.contains(graph.begin[task])
                                                       : range.overlaps({graph.begin[task], graph.end(task)});
        if (touches) least = std::min(least, slack.slack[task]);
    }
    return least;
}

// Tasks of 0 to 9 ns with gaps on two PEs; most hang on some task of the other PE.
std::shared_ptr<const ActivityGraph> longRows(std::uint32_t count)
{
    std::mt19937 random(count);
    const auto below = [&random](std::uint32_t n) { return static_cast<TimeNs>(random() % n); };
    std::vector<RawTask> tasks;
    TimeNs end = 0;
    for (std::uint32_t pe = 0; pe < 2; ++pe) {
        TimeNs time = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            RawTask task{.id = {ProcessorId{pe}, i},
                         .begin = time + below(4),
                         .duration = below(10),
                         .entry = EntryId{0}};
            if (pe == 1 && below(3) > 0) {
                const RawTask& source = tasks[static_cast<std::size_t>(below(i + 1))];
                if (source.begin < task.begin) task.source = source.id;
                task.offset = std::min(source.duration, task.begin - source.begin);
            }
            time = task.begin + task.duration;
            tasks.push_back(task);
        }
        end = std::max(end, time);
    }
    return makeActivityGraph(std::move(tasks), {0, end}, 2);
}

}  // namespace

void TestSlackPyramid::drawn_data()
{
    QTest::addColumn<qlonglong>("begin");
    QTest::addColumn<qlonglong>("end");
    QTest::addColumn<qlonglong>("least");  // -1: no task
    // PE 0 of C3: R (slack 0) in [0, 2), W0 (slack 5) in [3, 6), J (slack 0) in [11, 12).
    QTest::newRow("before") << -5LL << 0LL << -1LL;
    QTest::newRow("first") << 0LL << 1LL << 0LL;
    QTest::newRow("gap") << 2LL << 3LL << -1LL;
    QTest::newRow("second") << 2LL << 4LL << 5LL;
    QTest::newRow("two") << 1LL << 4LL << 0LL;
    QTest::newRow("last") << 6LL << 12LL << 0LL;
    QTest::newRow("behind") << 12LL << 99LL << -1LL;
    QTest::newRow("empty") << 4LL << 4LL << -1LL;
}

void TestSlackPyramid::drawn()
{
    QFETCH(qlonglong, begin);
    QFETCH(qlonglong, end);
    QFETCH(qlonglong, least);
    const SlackPyramid pyramid = pyramidOf(draw(closedform::c3).graph());
    QCOMPARE(pyramid.leastSlack(ProcessorId{0}, {begin, end}).value_or(-1), least);
}

void TestSlackPyramid::pixelsOfADrawing()
{
    const SlackPyramid pyramid = pyramidOf(draw(closedform::c3).graph());
    constexpr TimeNs none = SlackPyramid::noTaskThere;
    QCOMPARE(pyramid.leastSlack(ProcessorId{0}, {0, 12}, 4), (std::vector<TimeNs>{0, 5, none, 0}));
    QCOMPARE(pyramid.leastSlack(ProcessorId{1}, {0, 12}, 4), (std::vector<TimeNs>{none, 3, 3, none}));
    // More pixels than nanoseconds.
    QCOMPARE(pyramid.leastSlack(ProcessorId{0}, {1, 4}, 6), (std::vector<TimeNs>{0, 0, none, none, 5, 5}));
}

void TestSlackPyramid::randomRanges_data()
{
    QTest::addColumn<unsigned>("tasks");
    for (const unsigned tasks : {1u, 2u, 15u, 16u, 17u, 255u, 256u, 257u, 4095u, 4096u, 4097u, 10'000u})
        QTest::addRow("%u", tasks) << tasks;
}

void TestSlackPyramid::randomRanges()
{
    QFETCH(unsigned, tasks);
    const auto graph = longRows(tasks);
    const SlackPyramid pyramid = pyramidOf(graph);
    std::mt19937 random(tasks);
    const TimeNs length = graph->run.length() + 1;
    for (int i = 0; i < 200; ++i) {
        const TimeNs a = static_cast<TimeNs>(random()) % length;
        const TimeNs b = static_cast<TimeNs>(random()) % (i % 2 == 0 ? length : std::min<TimeNs>(length, 40));
        const TimeRange range{a, i % 2 == 0 ? b : a + b};
        const std::uint32_t pe = random() % 2;
        const TimeNs least = range.isEmpty() ? SlackPyramid::noTaskThere
                                             : leastByLooking(*graph, pyramid.slack(), pe, range);
        QCOMPARE(pyramid.leastSlack(ProcessorId{pe}, range).value_or(SlackPyramid::noTaskThere), least);
    }
    const TimeRange middle{graph->run.length() / 5, graph->run.length() * 4 / 5};
    for (const std::size_t pixels : {1u, 7u, 100u}) {
        const std::vector<TimeNs> drawn = pyramid.leastSlack(ProcessorId{1}, middle, pixels);
        QCOMPARE(drawn.size(), pixels);
        for (std::size_t i = 0; i < pixels; ++i) {
            const TimeNs begin = middle.begin + middle.length() * TimeNs(i) / TimeNs(pixels);
            const TimeNs end = middle.begin + middle.length() * TimeNs(i + 1) / TimeNs(pixels);
            QCOMPARE(drawn[i], leastByLooking(*graph, pyramid.slack(), 1, {begin, std::max(end, begin + 1)}));
        }
    }
}

void TestSlackPyramid::nothingThere()
{
    const SlackPyramid pyramid = pyramidOf(makeActivityGraph({}, {5, 25}, 3));
    QCOMPARE(pyramid.leastSlack(ProcessorId{0}, {0, 100}), std::nullopt);
    QCOMPARE(pyramid.leastSlack(ProcessorId{7}, {0, 100}), std::nullopt);
    QCOMPARE(pyramid.leastSlack(ProcessorId{7}, {0, 100}, 2), std::vector<TimeNs>(2, SlackPyramid::noTaskThere));
}

LONGPOLE_TEST(TestSlackPyramid)
#include "tst_slackpyramid.moc"
