// SPDX-License-Identifier: GPL-3.0-or-later
// Slack on the timeline: steps of the scale, the least slack of what rows hold, dimming, pixels in both themes, and the
// strip that computes it.
#include "views/drawing/timeline/timelinepainter.h"
#include "views/drawnstore.h"
#include "views/timeline/canvas.h"
#include "views/timeline/slackbar.h"
#include "views/timeline/slacklegend.h"
#include "views/timeline/view.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/seen.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <random>

namespace longpole {

using namespace test;

namespace {

// PE 0 works all the time; what PE 1 does could take 10 us longer, if it began at once. No messages: at order, the path
// is PE 0's.
const QStringList slackRows{QStringLiteral("AAAAAAAAAABBBBBBBBBBCCCCCCCCCC"),
                            QStringLiteral("DDDDDDDDDD..........EEEEEEEEEE")};

struct SlackWindow {
    DrawnStore store;
    ViewState state;
    TimelineView view;

    explicit SlackWindow(const QStringList& lines = slackRows) : store(lines), state(store.shared()), view(&state)
    {
        view.resize(700, 400);
        view.show();
        QCoreApplication::processEvents();
        view.canvas().loadNow();
    }
    void load()
    {
        const auto graph = loadActivityGraph(state.store(), Progress{});
        QVERIFY(graph.ok());
        state.setGraph(*graph);
    }
    QRgb pixel(TimeNs time, std::size_t row)
    {
        const RowBox box = view.rows().boxOf(row);
        const QPointF at(view.canvas().coordinates().x(time), box.bodyTop + box.bodyHeight / 2);
        return view.canvas().grab().toImage().pixel(at.toPoint()) | 0xff000000u;
    }
};

}  // namespace

class TestSlackColours : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void steps()
    {
        const SlackScale scale(1'000'000);
        QCOMPARE(scale.step(0), 0);
        QCOMPARE(scale.step(1), 1);
        QCOMPARE(scale.step(1000), 1);  // three decades below the largest
        QCOMPARE(scale.step(1'000'000), 15);
        QCOMPARE(scale.step(maxTime - 1), 15);
        // Never falling, and each step's end of the legend lies in it.
        std::uint8_t before = 0;
        for (TimeNs slack = 0; slack < 1'200'000; slack += 777) {
            QVERIFY(scale.step(slack) >= before);
            before = scale.step(slack);
        }
        for (int step = 1; step < slackSteps; ++step) {
            const TimeNs slack = scale.slackAt((step + 0.5) / slackSteps);
            QCOMPARE(int(scale.step(slack)), step);
            QVERIFY(std::abs(scale.position(slack) - (step + 0.5) / slackSteps) < 0.001);
        }
        QCOMPARE(scale.slackAt(0.0), 0);
        QCOMPARE(scale.slackAt(1.0 / slackSteps), 0);
        QCOMPARE(scale.slackAt(1.0), 1'000'000);
    }

    // Lightness alone tells the order, in both themes; no slack is farthest from the ground.
    void coloursAreOrderedByLightness()
    {
        for (const Theme* theme : {&darkTheme(), &lightTheme()}) {
            const auto lightness = [](QRgb c) { return 0.2126 * qRed(c) + 0.7152 * qGreen(c) + 0.0722 * qBlue(c); };
            const double ground = lightness(theme->idle.rgb());
            double before = 1e9;
            for (const QRgb colour : slackColours(*theme)) {
                const double contrast = std::abs(lightness(colour) - ground);
                QVERIFY2(contrast < before, qPrintable(QColor::fromRgb(colour).name()));
                before = contrast;
            }
            QVERIFY(before > 12);  // even the palest is told from idling
        }
    }

    // Of random tasks, segments and bins know what a look at every task gives.
    void leastSlackOfRows()
    {
        std::mt19937 random(5);
        QStringList lines;
        for (int pe = 0; pe < 3; ++pe) {
            QString line;
            while (line.size() < 3000)
                line += QString(1 + static_cast<int>(random() % 4), QLatin1Char("ABCD.. "[random() % 7]));
            lines << line.left(3000);
        }
        const DrawnStore store(lines);
        const auto graph = loadActivityGraph(*store, Progress{});
        QVERIFY(graph.ok());
        const auto slack = slackOfTasks(**graph,
                                        {.mode = PathMode::Work, .edges = dependencies(**graph, EdgeLevel::Order)},
                                        nullptr, Progress{});
        QVERIFY(slack.ok());
        const SlackLayer layer{.pyramid = std::make_shared<const SlackPyramid>(*graph, *slack), .version = 1};
        const auto bruteForce = [&](std::uint32_t pe, TimeRange range) {
            TimeNs least = maxTime;
            for (std::uint32_t task = 0; task < (*graph)->size(); ++task)
                if ((*graph)->pe[task] == pe && (*graph)->begin[task] < range.end && (*graph)->end(task) > range.begin)
                    least = std::min(least, (*slack)->slack[task]);
            return least;
        };
        for (const double resolution : {1.0, 3000.0, 40'000.0}) {
            for (std::uint32_t pe = 0; pe < 3; ++pe) {
                const RowData data = loadRow(*store, {.track = TrackId{100 + pe},
                                                      .members = {},
                                                      .range = store->info().range(),
                                                      .resolution = resolution,
                                                      .tilesOnly = resolution > 10'000,
                                                      .slack = layer});
                QCOMPARE(data.slackVersion, 1u);
                QCOMPARE(data.exact ? data.segmentSlack.size() : data.binSlack.size(),
                         data.exact ? data.segments.size() : data.bins.bins.size());
                for (std::size_t i = 0; i < data.segmentSlack.size(); ++i)
                    QCOMPARE(data.segmentSlack[i], bruteForce(pe, data.segments[i].range));
                for (std::size_t i = 0; i < data.binSlack.size(); ++i) {
                    const std::int64_t bin = data.bins.firstBin + static_cast<std::int64_t>(i);
                    const TimeRange range{bin << data.bins.level, (bin + 1) << data.bins.level};
                    QCOMPARE(data.binSlack[i], bruteForce(pe, range));
                    QCOMPARE(leastSlack(data, range).value_or(maxTime), data.binSlack[i]);
                }
            }
        }
        // A group has the least of its members.
        const std::vector<TrackId> members{TrackId{100}, TrackId{101}, TrackId{102}};
        const RowData group = loadRow(*store, {.track = TrackId{2},
                                               .members = members,
                                               .range = store->info().range(),
                                               .resolution = 40'000,
                                               .tilesOnly = false,
                                               .slack = layer});
        QVERIFY(!group.binSlack.empty());
        for (std::size_t i = 0; i < group.binSlack.size(); ++i) {
            const std::int64_t bin = group.bins.firstBin + static_cast<std::int64_t>(i);
            TimeNs least = maxTime;
            for (std::uint32_t pe = 0; pe < 3; ++pe)
                least = std::min(least, bruteForce(pe, {bin << group.bins.level, (bin + 1) << group.bins.level}));
            QCOMPARE(group.binSlack[i], least);
        }
    }

    void pixels_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("dark") << true;
        QTest::newRow("light") << false;
    }
    void pixels()
    {
        QFETCH(bool, dark);
        const Theme& theme = dark ? darkTheme() : lightTheme();
        SlackWindow window;
        window.view.setTheme(theme);
        window.load();
        QVERIFY(!seen<SlackBar>(window.view).isVisible());
        window.state.setColour(ColourMode::Slack);
        QVERIFY(seen<SlackBar>(window.view).isVisible());
        QTRY_VERIFY(window.state.slack().layer.pyramid);
        QCOMPARE(window.state.slack().layer.largest, 10 * us);
        window.view.canvas().loadNow();
        const auto colours = slackColours(theme);
        for (const TimeNs time : {5 * us, 15 * us, 25 * us}) QCOMPARE(window.pixel(time, 0), colours[0]);
        QCOMPARE(window.pixel(5 * us, 1), colours[15]);
        QCOMPARE(window.pixel(25 * us, 1), colours[15]);
        QCOMPARE(window.pixel(15 * us, 1), theme.idle.rgb());
        // What has more than is let through is dimmed, also in other colours.
        window.state.setMostSlack(9 * us);
        const auto dimmed = [&](QRgb colour) { return mixed(colour, theme.rowBackground.rgb(), 0.8) | 0xff000000u; };
        QCOMPARE(window.pixel(5 * us, 0), colours[0]);
        QCOMPARE(window.pixel(5 * us, 1), dimmed(colours[15]));
        window.state.setColour(ColourMode::EntryMethod);
        QVERIFY(seen<SlackBar>(window.view).isVisible());
        const Palette& palette = window.view.canvas().colours();
        QCOMPARE(window.pixel(5 * us, 0), palette.entry(DrawnStore::entryOf('A')));
        QCOMPARE(window.pixel(5 * us, 1), dimmed(palette.entry(DrawnStore::entryOf('D'))));
        window.state.setMostSlack({});
        QVERIFY(!seen<SlackBar>(window.view).isVisible());
        QCOMPARE(window.pixel(5 * us, 1), palette.entry(DrawnStore::entryOf('D')));
    }

    // Until it is known, tasks are grey and the legend says nothing.
    void beforeItIsComputed()
    {
        SlackWindow window;
        window.state.setColour(ColourMode::Slack);
        QCOMPARE(seen<SlackBar>(window.view).headline(), QStringLiteral("Loading tasks …"));
        QVERIFY(!seen<SlackBar>(window.view).legend().isEnabled());
        const QRgb unknown = window.pixel(5 * us, 0);
        QCOMPARE(unknown, window.pixel(25 * us, 1));
        for (const QRgb colour : slackColours(darkTheme())) QVERIFY(unknown != colour);
        window.load();
        QTRY_VERIFY(seen<SlackBar>(window.view).isThere());
        QVERIFY(seen<SlackBar>(window.view).legend().isEnabled());
        QVERIFY(seen<SlackBar>(window.view).headline().contains(QStringLiteral("3 of 5 tasks have none")));
        QTRY_COMPARE(window.pixel(5 * us, 0), slackColours(darkTheme())[0]);
    }

    // Another question has other slack: at messages, each task is a path of its own.
    void followsTheQuestion()
    {
        SlackWindow window;
        window.load();
        window.state.setColour(ColourMode::Slack);
        QTRY_VERIFY(seen<SlackBar>(window.view).isThere());
        window.state.setQuestion({.edges = EdgeLevel::Messages});
        QVERIFY(!window.state.slack().layer.pyramid);
        QTRY_VERIFY(seen<SlackBar>(window.view).isThere());
        QVERIFY(seen<SlackBar>(window.view).headline().contains(QStringLiteral("5 of 5 tasks have none")));
        // The elapsed path's: PE 0 never waits.
        window.state.setQuestion({.mode = PathMode::Elapsed});
        QTRY_VERIFY(seen<SlackBar>(window.view).isThere());
        QVERIFY(seen<SlackBar>(window.view).headline().contains(QStringLiteral("elapsed path")));
        // The target and the range of the path change nothing of it.
        const auto known = window.state.slack().layer.pyramid;
        window.state.setQuestion({.mode = PathMode::Elapsed, .to = TaskId{ProcessorId{0}, 0}});
        QCOMPARE(window.state.slack().layer.pyramid, known);
    }

    void theLegendChooses()
    {
        SlackWindow window;
        window.load();
        window.state.setColour(ColourMode::Slack);
        QTRY_VERIFY(seen<SlackBar>(window.view).isThere());
        SlackLegend& legend = seen<SlackBar>(window.view).legend();
        QTest::mouseClick(&legend, Qt::LeftButton, {}, QPoint(static_cast<int>(legend.xOf(1 * us)), 9));
        QVERIFY(window.state.slack().most);
        QVERIFY(std::abs(*window.state.slack().most - 1 * us) < 50);
        QTest::keyClick(&legend, Qt::Key_Left);
        QVERIFY(*window.state.slack().most < 950);
        QTest::mouseClick(&legend, Qt::LeftButton, {}, QPoint(2, 9));
        QCOMPARE(*window.state.slack().most, 0);
        QTest::mouseClick(&legend, Qt::LeftButton, {}, QPoint(legend.width() - 2, 9));
        QVERIFY(!window.state.slack().most);
    }

    void cancelAndAgain()
    {
        SlackWindow window;
        window.load();
        window.state.setColour(ColourMode::Slack);
        SlackBar& bar = seen<SlackBar>(window.view);
        QVERIFY(bar.isComputing());
        bar.button().click();
        QVERIFY(!bar.isComputing());
        QVERIFY(bar.button().isVisible());
        QTest::qWait(50);
        QVERIFY(!window.state.slack().layer.pyramid);
        bar.button().click();
        QTRY_VERIFY(bar.isThere());
        QVERIFY(!bar.button().isVisible());
    }

    void closingWhileComputing()
    {
        auto window = std::make_unique<SlackWindow>();
        window->load();
        window->state.setColour(ColourMode::Slack);
        QVERIFY(seen<SlackBar>(window->view).isComputing());
        window.reset();
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestSlackColours)
#include "tst_slackcolours.moc"
