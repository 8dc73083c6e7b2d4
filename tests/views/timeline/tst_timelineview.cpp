// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline widget: pixels in both themes, paths and arrows over the rows, folding, loading, saved pictures.
#include "views/drawing/timeline/timelinepainter.h"
#include "views/drawnstore.h"
#include "views/timeline/canvas.h"
#include "views/timeline/overlays.h"
#include "views/timeline/timelinewindow.h"
#include "views/timeline/view.h"

#include "support/testmain.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace longpole {

class TestTimelineView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

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
        TimelineWindow window;
        window.view.setTheme(theme);
        QCOMPARE(window.pixel(5000, 0), window.entryColour('A'));
        QCOMPARE(window.pixel(15000, 0), theme.idle.rgb());
        QCOMPARE(window.pixel(25000, 0), window.entryColour('B'));
        QCOMPARE(window.pixel(35000, 0), theme.overhead.rgb());
        QCOMPARE(window.pixel(20000, 1), window.entryColour('C'));
        const QImage image = window.canvas().grab().toImage();
        QCOMPARE(image.pixel(3, image.height() - 2), theme.rowBackground.rgb());
    }

    // The first frame, too: rows come from the worker, and paintEvent decodes nothing.
    void aFrameReadsNothing()
    {
        const DrawnStore store(timelineLines);
        ViewState state(store.shared());
        TimelineView view(&state);
        view.resize(700, 400);
        view.canvas().grab();  // paints without a turn of the event loop, in which data could be delivered
        for (const TimelineRow& row : view.rows().rows()) QVERIFY(!view.canvas().dataOf(row));
        QVERIFY(view.canvas().isLoading());
        for (const TimelineRow& row : view.rows().rows()) QTRY_VERIFY(view.canvas().dataOf(row));
    }

    void dimmedPixelsKeepTheirHueQuietly()
    {
        TimelineWindow window;
        window.state.setFilter(QStringLiteral("Drawn::B"));
        QCOMPARE(window.pixel(5000, 0),
                 mixed(window.entryColour('A'), darkTheme().rowBackground.rgb(), 0.8) | 0xff000000u);
    }

    void aSecondPathIsThinnerAndBelow_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("dark") << true;
        QTest::newRow("light") << false;
    }
    void aSecondPathIsThinnerAndBelow()
    {
        QFETCH(bool, dark);
        const Theme& theme = dark ? darkTheme() : lightTheme();
        TimelineWindow window;
        window.view.setTheme(theme);
        const auto stepOf = [](std::uint32_t pe, TimeNs begin, TimeNs end) {
            return PathStep{.task = drawnTask(pe, 0), .pe = ProcessorId{pe}, .begin = begin, .end = end};
        };
        CriticalPath critical;
        critical.steps = {stepOf(0, 0, 10000), stepOf(1, 10000, 20000)};
        CriticalPath second;
        second.steps = {stepOf(0, 0, 10000), stepOf(1, 20000, 30000)};
        window.state.setPath(std::make_shared<const CriticalPath>(critical));
        window.state.setSecondPath({.path = std::make_shared<const CriticalPath>(second), .name = QStringLiteral("2")});
        const QImage image = window.canvas().grab().toImage();
        // Rows of the picture in a colour, at a time.
        const auto rowsOf = [&](std::size_t row, TimeNs time, const QColor& colour) {
            const RowBox box = window.view.rows().boxOf(row);
            const int x = static_cast<int>(window.canvas().coordinates().x(time));
            int count = 0;
            for (int y = static_cast<int>(box.top); y < box.bodyTop; ++y) count += image.pixel(x, y) == colour.rgb();
            return count;
        };
        QCOMPARE(rowsOf(0, 5000, theme.accent), 4);  // both: the critical one lies above
        QCOMPARE(rowsOf(0, 5000, theme.secondPath), 0);
        QCOMPARE(rowsOf(1, 15000, theme.accent), 4);
        QCOMPARE(rowsOf(1, 25000, theme.accent), 0);
        QCOMPARE(rowsOf(1, 25000, theme.secondPath), 2);
        window.state.setSecondPath({});
        QCOMPARE(window.canvas().grab().toImage().pixel(static_cast<int>(window.canvas().coordinates().x(25000)),
                                                        static_cast<int>(window.view.rows().boxOf(1).barCentre())),
                 theme.rowBackground.rgb());
    }

    void theSelectionIsOutlined()
    {
        TimelineWindow window;
        window.state.select({drawnTask(0, 1), {}});
        QTRY_VERIFY(!window.canvas().isLoading());  // where it lies is read off this thread
        const QImage image = window.canvas().grab().toImage();
        const RowBox box = window.view.rows().boxOf(0);
        const int x = window.at(25000, 0).x();
        bool outlined = false;
        for (int y = int(box.bodyTop) - 3; y < int(box.bodyTop) + 3; ++y)
            outlined = outlined || (image.pixel(x, y) | 0xff000000u) == darkTheme().selection.rgb();
        QVERIFY(outlined);
    }

    void thePathHasItsBarAndNoOtherColourIsLikeIt()
    {
        TimelineWindow window;
        const RowBox box = window.view.rows().boxOf(0);
        const QPoint on(window.at(5000, 0).x(), int(box.barCentre()));
        QVERIFY((window.canvas().grab().toImage().pixel(on) | 0xff000000u) != darkTheme().accent.rgb());
        auto path = std::make_shared<CriticalPath>();
        path->steps = {{.task = drawnTask(0, 0), .pe = ProcessorId{0}, .begin = 0, .end = 10000}};
        window.state.setPath(path);
        QCOMPARE(window.canvas().grab().toImage().pixel(on) | 0xff000000u, darkTheme().accent.rgb());
    }

    void arrowsThatAreNotDrawnAreCounted()
    {
        TimelineWindow window;
        MessageArrows arrows;
        arrows.arrows = {{drawnTask(0, 0), drawnTask(1, 0)}, {drawnTask(1, 0), drawnTask(0, 1)}};
        const RowModel& rows = window.view.rows();
        QCOMPARE(OverlayPainter::notDrawnText(arrows, rows, 0), QString());
        arrows.omitted = 412;
        QCOMPARE(OverlayPainter::notDrawnText(arrows, rows, 0), QStringLiteral("412 more messages are not drawn"));
        arrows.arrows.push_back({drawnTask(0, 0), drawnTask(77, 0)});
        QCOMPARE(OverlayPainter::notDrawnText(arrows, rows, 0),
                 QStringLiteral("412 more messages are not drawn \u00b7 1 more leads to a row that is hidden"));
        QCOMPARE(OverlayPainter::notDrawnText({}, rows, 412),
                 QStringLiteral("zoom in to see the arrows of 412 messages on the path"));
        // The painter and the count agree when a path is too crowded.
        PathGeometry path;
        path.connectors.resize(300);
        path.bundles = {{.x = 1, .top = 0, .bottom = 9, .count = 112}};
        path.crowd = 0.2;
        QCOMPARE(connectorsLeftOut(path), std::int64_t{0});
        path.crowd = 0.3;
        QCOMPARE(connectorsLeftOut(path), std::int64_t{412});
    }

    void groupsFoldAndStandForTheirMembers()
    {
        TimelineWindow window(QStringList(4, timelineLines[1]), {.nodes = 2});
        RowModel& rows = window.view.rows();
        QCOMPARE(rows.rows().size(), 6u);
        QTest::mouseClick(&window.canvas(), Qt::LeftButton, Qt::NoModifier, window.at(1000, 0));
        QCOMPARE(rows.rows().size(), 4u);
        QVERIFY(rows.rows()[0].folded);
        QCOMPARE(rows.rowOf(ProcessorId{0}), std::optional<std::size_t>(0));
        QCOMPARE(rows.rowOf(ProcessorId{1}), std::optional<std::size_t>(2));
        window.canvas().loadNow();
        const RowBox box = rows.boxOf(0);
        const int x = window.at(20000, 0).x();
        QCOMPARE(window.canvas().grab().toImage().pixel(x, int(box.bodyTop) + 3) | 0xff000000u,
                 window.entryColour('C'));
    }

    void pinnedRowsStay()
    {
        TimelineWindow window(QStringList(60, timelineLines[1]));
        RowModel& rows = window.view.rows();
        window.hover(window.at(1000, 3));
        QTest::keyClick(&window.canvas(), Qt::Key_P);
        QCOMPARE(rows.rows()[0].label, QStringLiteral("PE 3"));
        rows.setScroll(500);
        QCOMPARE(rows.boxOf(0).top, 0.0);
        QCOMPARE(rows.rowAt(5), std::optional<std::size_t>(0));
        QCOMPARE(rows.placed().front().row, 0u);
    }

    void revealScrollsToTheRow()
    {
        TimelineWindow window(QStringList(60, timelineLines[1]));
        QSignalSpy shown(&window.state, &ViewState::revealed);
        window.state.reveal({drawnTask(55, 0), {}});
        QTRY_COMPARE(shown.count(), 1);
        const RowBox box = window.view.rows().boxOf(55);
        QVERIFY(box.top >= 0 && box.bottom() <= window.view.rows().viewportHeight());
    }

    // Requests that come faster than they are answered: the last one is what shows in the end.
    void theNewestRequestWins()
    {
        TimelineWindow window;
        for (TimeNs begin = 0; begin < 20000; begin += 500) {
            window.state.setRange({begin, begin + 1000});
            QCoreApplication::processEvents();
        }
        QTRY_VERIFY(!window.canvas().isLoading());
        const auto data = window.canvas().dataOf(window.view.rows().rows().front());
        QVERIFY(data);
        const TimeRange range = window.state.range();
        QVERIFY(data->range.begin <= range.begin && data->range.end >= range.end);
        QVERIFY(data->exact);
        QVERIFY(data->resolution <= window.canvas().coordinates().perPixel() * 1.05);
    }

    void closingWhileLoadingIsFine()
    {
        auto window = std::make_unique<TimelineWindow>();
        window->state.setRange({100, 300});
        QCoreApplication::processEvents();
        window.reset();
        QVERIFY(!window);
    }

    void picturesAreSaved()
    {
        TimelineWindow window;
        QTemporaryDir folder;
        const QString png = folder.filePath(QStringLiteral("view.png"));
        QVERIFY(window.view.saveImage(png).ok());
        QCOMPARE(QImage(png).width(), window.view.width() * 2);
        QVERIFY(QImage(png).height() > window.view.canvas().geometry().bottom() * 2);
        const QString svg = folder.filePath(QStringLiteral("view.svg"));
        QVERIFY(window.view.saveSvg(svg).ok());
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("<svg"));
        const Result<> failed = window.view.saveImage(folder.filePath(QStringLiteral("no/such/folder.png")));
        QVERIFY(!failed.ok());
        QVERIFY(!failed.error().where.isEmpty());
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestTimelineView)
#include "tst_timelineview.moc"
