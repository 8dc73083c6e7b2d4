// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram's geometry by value, its panel under the hand, and the task filter that its brush sets: what the
// timeline dims, and the strip that clears it.
#include "views/drawnstore.h"
#include "views/projection/histogrampanel.h"
#include "views/state/viewstate.h"
#include "views/timeline/canvas.h"
#include "views/timeline/filterbar.h"
#include "views/timeline/view.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/seen.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace longpole {

using namespace test;

namespace {

// Tasks of 4 and 2 us (A), 8 us (B), 1 us (C); between them idling of 2, 3 and 1 us.
const QStringList histogramRows{QStringLiteral("AAAA..BBBBBBBBAA"), QStringLiteral("C...BBBBBBBB.CC.")};

Histogram of(std::vector<ValueCount> values, const BinRequest& request)
{
    const ValueSummary summary = summarize(values);
    Distribution made;
    made.entries.push_back(
        {.entry = EntryId{0}, .values = std::move(values), .count = summary.count, .sum = summary.sum});
    made.count = summary.count;
    made.sum = summary.sum;
    return histogram(made, request);
}

}  // namespace

class TestHistogramPanel : public QObject {
    Q_OBJECT

private:
    // A click or drag from the middle of one bin to that of another.
    static void drag(HistogramPanel& panel, std::size_t from, std::size_t to)
    {
        const auto middle = [&panel](std::size_t bin) {
            const HistogramGeometry geometry = histogramGeometry(*panel.histogram(), {}, panel.canvas().plot().width());
            const QRectF plot = panel.canvas().plot();
            const double x = (geometry.edges[bin] + geometry.edges[bin + 1]) / 2;
            return QPointF(plot.left() + x * plot.width(), plot.bottom() - 3).toPoint();
        };
        QTest::mousePress(&panel.canvas(), Qt::LeftButton, {}, middle(from));
        if (to != from) QTest::mouseMove(&panel.canvas(), middle(to));
        QTest::mouseRelease(&panel.canvas(), Qt::LeftButton, {}, middle(to));
    }

    static void choose(QComboBox& box, int index)
    {
        box.setCurrentIndex(index);
        Q_EMIT box.activated(index);
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void barsByValue()
    {
        const Histogram linear = of({{0, 2}, {1500, 1}, {3000, 1}}, {.binning = Binning::Linear, .width = 1000});
        const HistogramGeometry geometry = histogramGeometry(linear, {}, 400);
        QCOMPARE(geometry.edges, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
        QCOMPARE(geometry.bars.size(), std::size_t(3));  // [2000, 3000) holds nothing
        QCOMPARE(geometry.bars[1].left, 0.25);
        QVERIFY(std::abs(geometry.bars[0].height - 2 * geometry.bars[1].height) < 1e-9);
        QCOMPARE(geometry.binAt(0.3), std::optional<std::size_t>(1));
        QCOMPARE(geometry.binAt(1.0), std::optional<std::size_t>());
        const HistogramGeometry sums = histogramGeometry(linear, {.height = BarHeight::Sum}, 400);
        QCOMPARE(sums.bars.size(), std::size_t(2));  // zeros add up to nothing
        QVERIFY(std::abs(sums.bars[1].height - 2 * sums.bars[0].height) < 1e-9);
    }

    // Decades are equally wide; zeros stand in front with the width of a bin.
    void logarithmicEdges()
    {
        const Histogram log = of({{0, 1}, {1000, 1}, {99'000, 1}}, {.perDecade = 1});
        const HistogramGeometry geometry = histogramGeometry(log, {}, 400);
        QCOMPARE(log.edges, (std::vector<std::int64_t>{0, 1000, 10'000, 100'000}));
        for (std::size_t i = 0; i < 4; ++i) QVERIFY(std::abs(geometry.edges[i] - double(i) / 3) < 1e-9);
        QCOMPARE(geometry.ticks.front().label, QStringLiteral("0 ns"));
        QCOMPARE(binText(log, 0), QStringLiteral("0 ns"));
        QCOMPARE(binText(log, 1), QStringLiteral("1 us to 10 us"));
    }

    void logarithmicHeights()
    {
        const Histogram counts = of({{1, 1}, {2, 10}, {3, 100}}, {.binning = Binning::Linear, .width = 1});
        const HistogramGeometry geometry = histogramGeometry(counts, {.isLogHeight = true}, 400);
        const double step = geometry.bars[1].height - geometry.bars[0].height;
        QVERIFY(std::abs(geometry.bars[2].height - geometry.bars[1].height - step) < 1e-9);
        QVERIFY(geometry.bars[0].height > 0.05);  // one is not nothing
    }

    void panelCounts()
    {
        const DrawnStore store(histogramRows);
        ViewState state(store.shared());
        HistogramPanel panel(state);
        panel.resize(700, 260);
        panel.show();
        QTRY_VERIFY(panel.isThere());
        QCOMPARE(panel.histogram()->summary.count, 6);
        QCOMPARE(panel.histogram()->summary.sum, 25 * us);
        QVERIFY2(panel.headline().startsWith(QStringLiteral("6 tasks")), qPrintable(panel.headline()));
        choose(panel.quantity(), 2);
        QTRY_VERIFY(panel.isThere() && panel.histogram()->of == DistributedQuantity::IdleLength);
        QCOMPARE(panel.histogram()->summary.sum, store->info().idle);
        choose(panel.binning(), 2);
        QCOMPARE(panel.histogram()->binning, Binning::Linear);
        // Of a marked range alone.
        choose(panel.quantity(), 0);
        QTRY_VERIFY(panel.isThere() && panel.histogram()->of == DistributedQuantity::TaskDuration);
        state.setMarked({3 * us, 7 * us});
        QTRY_COMPARE(panel.histogram()->summary.count, 2);
        QVERIFY(panel.headline().endsWith(QStringLiteral("marked range")));
    }

    void brushFilters()
    {
        const DrawnStore store(histogramRows);
        ViewState state(store.shared());
        HistogramPanel panel(state);
        panel.resize(700, 260);
        panel.show();
        QTRY_VERIFY(panel.isThere());
        choose(panel.binning(), 1);
        const std::vector<std::int64_t> edges{1 * us, 2 * us, 5 * us, 10 * us};
        QCOMPARE(panel.histogram()->edges, edges);
        QSignalSpy changes(&state, &ViewState::taskFilterChanged);
        drag(panel, 1, 2);
        QCOMPARE(changes.count(), 1);
        QCOMPARE(state.taskFilter(), std::optional(TaskFilter{{2 * us, 10 * us}}));
        QCOMPARE(panel.canvas().brush(), std::optional<BinRange>({1, 3}));
        QVERIFY2(panel.headline().startsWith(QStringLiteral("brush: 2 us to 10 us: 5 (83.3 %), 24 us in all")),
                 qPrintable(panel.headline()));
        drag(panel, 0, 0);
        QCOMPARE(state.taskFilter(), std::optional(TaskFilter{{1 * us, 2 * us}}));
        drag(panel, 0, 0);  // the same again takes it away
        QVERIFY(!state.taskFilter());
        state.setTaskFilter(TaskFilter{{5 * us, maxTime}});  // by another view
        QCOMPARE(panel.canvas().brush(), std::optional<BinRange>({2, 3}));
        QTest::keyClick(&panel.canvas(), Qt::Key_Escape);
        QVERIFY(!state.taskFilter());
        // Sizes of messages are no tasks: their brush is read, not filtered by.
        choose(panel.quantity(), 2);
        QTRY_VERIFY(panel.isThere() && panel.histogram()->of == DistributedQuantity::IdleLength);
        drag(panel, 0, 0);
        QVERIFY(!state.taskFilter());
        QVERIFY(panel.headline().startsWith(QStringLiteral("brush: ")));
    }

    void hoverReadsTheBin()
    {
        const DrawnStore store(histogramRows);
        ViewState state(store.shared());
        HistogramPanel panel(state);
        panel.resize(700, 260);
        panel.show();
        QTRY_VERIFY(panel.isThere());
        choose(panel.binning(), 1);
        Q_EMIT panel.canvas().hovered(std::size_t{2});
        QCOMPARE(panel.headline(), QStringLiteral("5 us to 10 us: 2 (33.3 %), 16 us in all · Drawn::B 2"));
        Q_EMIT panel.canvas().hovered({});
        QVERIFY(panel.headline().startsWith(QStringLiteral("6 tasks")));
    }

    void whatIsShownIsExported()
    {
        const DrawnStore store(histogramRows);
        ViewState state(store.shared());
        HistogramPanel panel(state);
        panel.resize(700, 260);
        panel.show();
        QTRY_VERIFY(panel.isThere());
        choose(panel.binning(), 1);
        QCOMPARE(panel.canvas().toCsv().count("\r\n"), 5);  // heading, B, A in two bins, C
        QVERIFY(panel.canvas().toCsv().contains("\"Drawn::B\",5000,10000,2,16000\r\n"));
        QTemporaryDir folder;
        for (const char* ending : {"png", "svg", "csv"})
            QVERIFY(panel.canvas().save(folder.filePath(QStringLiteral("h.") + QLatin1String(ending))));
        QVERIFY(!panel.canvas().save(folder.filePath(QStringLiteral("none/h.png"))));
        // A link in a stranger's folder leads to a file that is not there yet, and would begin to be.
        const QString link = folder.filePath(QStringLiteral("chart.png")),
                      target = folder.filePath(QStringLiteral("t"));
        QVERIFY(QFile::link(target, link));
        const Result<> saved = panel.canvas().save(link);
        QVERIFY(!saved);
        QVERIFY2(saved.error().what.contains(QStringLiteral("This is a link")), qPrintable(saved.error().what));
        QVERIFY(!QFileInfo::exists(target) && QFileInfo(link).isSymLink());
    }

    // Bars of a drawn histogram have the entry methods' colours.
    void pixels()
    {
        const DrawnStore store(histogramRows);
        ViewState state(store.shared());
        HistogramPanel panel(state);
        panel.resize(700, 260);
        panel.show();
        QTRY_VERIFY(panel.isThere());
        choose(panel.binning(), 1);
        const QRectF plot = panel.canvas().plot();
        const QImage image = panel.canvas().grab().toImage();
        const HistogramGeometry geometry = histogramGeometry(*panel.histogram(), {}, plot.width());
        const double x = plot.left() + plot.width() * (geometry.edges[2] + geometry.edges[3]) / 2;
        const Palette palette(*store, lightTheme());
        const Palette dark(*store, darkTheme());
        const QRgb bar = image.pixel(int(x + 30), int(plot.bottom()) - 4) | 0xff000000u;
        QVERIFY(bar == palette.entry(DrawnStore::entryOf('B')) || bar == dark.entry(DrawnStore::entryOf('B')));
    }

    void segmentsAndBinsKnowWhatPasses()
    {
        const DrawnStore store(histogramRows);
        const TaskFilter filter{{2 * us, 5 * us}};
        const RowRequest request{.track = store->processors()[0].track,
                                 .members = {},
                                 .range = store->info().range(),
                                 .resolution = 1,
                                 .filter = filter};
        const RowData exact = loadRow(*store, request);
        QVERIFY(exact.exact);
        QCOMPARE(exact.segmentPasses, (std::vector<std::uint8_t>{1, 0, 1}));  // 4, 8 and 2 us
        RowData bins = exact;
        bins.exact = false;
        bins.bins = binsOf(exact.segments, exact.idle, 10, store->info().range());
        bins = withFilter(bins, *store, request.track, {}, filter);
        QCOMPARE(bins.binPasses.size(), bins.bins.bins.size());
        QCOMPARE(bins.binPasses.front(), 1);
        QCOMPARE(bins.binPasses[9], 0);
        QCOMPARE(bins.binPasses.back(), 1);
        QVERIFY(loadRow(*store, {.track = request.track, .members = {}, .range = request.range}).segmentPasses.empty());
    }

    void timelineDims()
    {
        const DrawnStore store(histogramRows);
        ViewState state(store.shared());
        TimelineView view(&state);
        view.resize(700, 400);
        view.show();
        QCoreApplication::processEvents();
        view.canvas().loadNow();
        const auto pixel = [&view](TimeNs time) {
            const RowBox box = view.rows().boxOf(0);
            const QPointF at(view.canvas().coordinates().x(time), box.bodyTop + box.bodyHeight / 2);
            return view.canvas().grab().toImage().pixel(at.toPoint());
        };
        const QRgb a = pixel(1500);
        const QRgb b = pixel(9500);
        QVERIFY(!seen<FilterBar>(view).isVisible());
        state.setTaskFilter(TaskFilter{{2 * us, 5 * us}});
        view.canvas().loadNow();
        QVERIFY(seen<FilterBar>(view).isVisible());
        QVERIFY(shownText(seen<FilterBar>(view)).contains(QStringLiteral("\nshown: tasks that ran 2 us to 5 us\n")));
        QCOMPARE(pixel(1500), a);
        QVERIFY(pixel(9500) != b);
        QTest::mouseClick(&seen<QPushButton>(view, "Show all tasks"), Qt::LeftButton);
        QVERIFY(!state.taskFilter());
        QVERIFY(!seen<FilterBar>(view).isVisible());
        view.canvas().loadNow();
        QCOMPARE(pixel(9500), b);
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestHistogramPanel)
#include "tst_histogrampanel.moc"
