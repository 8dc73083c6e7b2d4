// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline widget: gestures on the view state, pixels in both themes, folding, loading.
#include "views/drawing/timeline/timelinepainter.h"
#include "views/drawnstore.h"
#include "views/timeline/canvas.h"
#include "views/timeline/gestures.h"
#include "views/timeline/overlays.h"
#include "views/timeline/view.h"

#include "support/testmain.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

namespace longpole {

namespace {

const QStringList timelineLines{QStringLiteral("AAAAAAAAAA..........BBBBBBBBBB          "),
                                QStringLiteral("..........CCCCCCCCCCCCCCCCCCCC..........")};

struct TimelineWindow {
    DrawnStore store;
    ViewState state;
    TimelineView view;

    explicit TimelineWindow(const QStringList& lines = timelineLines, const DrawnStore::Options& options = {},
                            QSize size = {700, 400})
        : store(lines, options), state(store.shared()), view(&state)
    {
        view.resize(size);
        view.show();
        QCoreApplication::processEvents();
        view.canvas().loadNow();
    }
    TimelineCanvas& canvas() { return view.canvas(); }
    QPoint at(TimeNs time, std::size_t row)
    {
        const RowBox box = view.rows().boxOf(row);
        return QPointF(canvas().coordinates().x(time), box.bodyTop + box.bodyHeight / 2).toPoint();
    }
    void wheel(QPoint position, int delta, Qt::KeyboardModifiers modifiers)
    {
        QWheelEvent event(position, canvas().mapToGlobal(position), QPoint(), QPoint(0, delta), Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&canvas(), &event);
    }
    void drag(QPoint from, QPoint to, Qt::MouseButton button, Qt::KeyboardModifiers modifiers)
    {
        QTest::mousePress(&canvas(), button, modifiers, from);
        for (const QPoint step : {from + (to - from) / 2, to}) {
            QMouseEvent move(QEvent::MouseMove, step, canvas().mapToGlobal(step), Qt::NoButton, button, modifiers);
            QCoreApplication::sendEvent(&canvas(), &move);
        }
        QTest::mouseRelease(&canvas(), button, modifiers, to);
    }
    void hover(QPoint position)
    {
        QMouseEvent move(QEvent::MouseMove, position, canvas().mapToGlobal(position), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QCoreApplication::sendEvent(&canvas(), &move);
    }
    QRgb pixel(TimeNs time, std::size_t row) { return canvas().grab().toImage().pixel(at(time, row)) | 0xff000000u; }
    QRgb entryColour(char letter) { return canvas().colours().entry(DrawnStore::entryOf(letter)) | 0xff000000u; }
};

TaskId task(std::uint32_t pe, std::uint32_t number) { return {ProcessorId{pe}, number}; }

}  // namespace

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
        for (const TimelineRow& row : view.rows().rows()) QVERIFY(!view.canvas().dataOf(row.track));
        QVERIFY(view.canvas().isLoading());
        for (const TimelineRow& row : view.rows().rows()) QTRY_VERIFY(view.canvas().dataOf(row.track));
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
            return PathStep{.task = task(pe, 0), .pe = ProcessorId{pe}, .begin = begin, .end = end};
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

    void wheelZoomsAtTheCursor_data()
    {
        QTest::addColumn<int>("x");
        QTest::addColumn<int>("delta");
        for (const int x : {1, 150, 300, 500})
            for (const int delta : {120, 360}) QTest::addRow("%d %d", x, delta) << x << delta;
    }
    void wheelZoomsAtTheCursor()
    {
        QFETCH(int, x);
        QFETCH(int, delta);
        TimelineWindow window;
        const TimeNs before = window.canvas().coordinates().time(x);
        const TimeNs length = window.state.range().length();
        window.wheel({x, 50}, delta, Qt::ControlModifier);
        QVERIFY(window.state.range().length() < length);
        QVERIFY(std::abs(window.canvas().coordinates().time(x) - before) <= 1);
    }

    // The trap: Qt::ShiftModifier && modifiers is true for any modifier.
    void wheelModifiersAreTakenApart()
    {
        TimelineWindow window(QStringList(60, timelineLines[1]));
        const TimeRange whole = window.state.range();
        window.wheel({100, 100}, -120, Qt::NoModifier);
        QCOMPARE(window.state.range(), whole);
        QVERIFY(window.view.rows().scroll() > 0);
        const double scroll = window.view.rows().scroll();
        window.state.setRange({10000, 20000});
        window.wheel({100, 100}, -120, Qt::ShiftModifier);
        QVERIFY(window.state.range().begin > 10000);
        QCOMPARE(window.state.range().length(), TimeNs{10000});
        QCOMPARE(window.view.rows().scroll(), scroll);
        const double height = window.view.rows().rowHeight();
        const TimeRange range = window.state.range();
        window.wheel({100, 100}, 120, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(window.view.rows().rowHeight() > height);
        QCOMPARE(window.state.range(), range);
        window.view.gestures().setWheelZooms(true);
        window.wheel({100, 100}, 120, Qt::NoModifier);
        QVERIFY(window.state.range().length() < range.length());
    }

    void oneWheelGestureIsOneStepOfTheHistory()
    {
        TimelineWindow window;
        const TimeRange whole = window.state.range();
        for (int i = 0; i < 5; ++i) window.wheel({200, 50}, 120, Qt::ControlModifier);
        window.state.undo();
        QCOMPARE(window.state.range(), whole);
    }

    void keysZoomAndPan()
    {
        TimelineWindow window;
        QTest::keyClick(&window.canvas(), Qt::Key_W);
        QCOMPARE(window.state.range().length(), TimeNs{32000});
        QTest::keyClick(&window.canvas(), Qt::Key_W);
        QCOMPARE(window.state.range().length(), TimeNs{25600});
        const TimeNs begin = window.state.range().begin;
        QTest::keyClick(&window.canvas(), Qt::Key_D);
        QVERIFY(window.state.range().begin > begin);
        QTest::keyClick(&window.canvas(), Qt::Key_A);
        QCOMPARE(window.state.range().begin, begin);
        QTest::keyClick(&window.canvas(), Qt::Key_S);
        QTest::keyClick(&window.canvas(), Qt::Key_S);
        QCOMPARE(window.state.range(), window.state.fullRange());
        QTest::keyClick(&window.canvas(), Qt::Key_W);
        QTest::keyClick(&window.canvas(), Qt::Key_Home);
        QCOMPARE(window.state.range(), window.state.fullRange());
    }

    void historyKeys()
    {
        TimelineWindow window;
        window.state.setRange({1000, 2000});
        QTest::keyClick(&window.canvas(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(window.state.range(), window.state.fullRange());
        QTest::keyClick(&window.canvas(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(window.state.range(), (TimeRange{1000, 2000}));
        QTest::keyClick(&window.canvas(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.state.range(), window.state.fullRange());
        QTest::keyClick(&window.canvas(), Qt::Key_Y, Qt::ControlModifier);
        QCOMPARE(window.state.range(), (TimeRange{1000, 2000}));
    }

    void dragMarksEdgesMoveZZooms()
    {
        TimelineWindow window;
        window.drag(window.at(4000, 0), window.at(12000, 0), Qt::LeftButton, Qt::NoModifier);
        const TimeRange marked = window.state.marked();
        QVERIFY(std::abs(marked.begin - 4000) < 100 && std::abs(marked.end - 12000) < 100);
        window.drag(window.at(marked.end, 1), window.at(20000, 1), Qt::LeftButton, Qt::NoModifier);
        QCOMPARE(window.state.marked().begin, marked.begin);
        QVERIFY(std::abs(window.state.marked().end - 20000) < 100);
        const TimeRange wanted = window.state.marked();
        QTest::keyClick(&window.canvas(), Qt::Key_Z);
        QCOMPARE(window.state.range(), wanted);
        QVERIFY(window.state.marked().isEmpty());
    }

    void dragZoomsAtOnceIfSet()
    {
        TimelineWindow window;
        window.view.gestures().setDragZooms(true);
        window.drag(window.at(4000, 0), window.at(12000, 0), Qt::LeftButton, Qt::NoModifier);
        QVERIFY(std::abs(window.state.range().length() - 8000) < 200);
    }

    void dragPans_data()
    {
        QTest::addColumn<int>("button");
        QTest::addColumn<int>("modifiers");
        QTest::newRow("middle") << int(Qt::MiddleButton) << int(Qt::NoModifier);
        QTest::newRow("Shift and left") << int(Qt::LeftButton) << int(Qt::ShiftModifier);
    }
    void dragPans()
    {
        QFETCH(int, button);
        QFETCH(int, modifiers);
        TimelineWindow window;
        window.state.setRange({10000, 20000});
        const TimeRange whole = window.state.fullRange();
        window.drag(window.at(14000, 0), window.at(16000, 0), Qt::MouseButton(button),
                    Qt::KeyboardModifiers(modifiers));
        QVERIFY(std::abs(window.state.range().begin - 8000) < 50);
        QCOMPARE(window.state.range().length(), TimeNs{10000});
        QVERIFY(window.state.marked().isEmpty());
        window.state.undo();
        QCOMPARE(window.state.range(), (TimeRange{10000, 20000}));
        window.state.undo();
        QCOMPARE(window.state.range(), whole);
    }

    void controlDragZoomsToABox()
    {
        TimelineWindow window(QStringList(40, timelineLines[1]));
        const double height = window.view.rows().rowHeight();
        const QPoint from = window.at(10000, 2) - QPoint(0, int(height / 2) - 1);
        window.drag(from, window.at(20000, 5), Qt::LeftButton, Qt::ControlModifier);
        QVERIFY(std::abs(window.state.range().begin - 10000) < 100);
        QVERIFY(std::abs(window.state.range().end - 20000) < 100);
        QVERIFY(window.view.rows().rowHeight() > 2 * height);
        QCOMPARE(window.view.rows().rowAt(10), std::optional<std::size_t>(2));
    }

    void clickSelectsDoubleClickZooms()
    {
        TimelineWindow window;
        QTest::mouseClick(&window.canvas(), Qt::LeftButton, Qt::NoModifier, window.at(25000, 0));
        QTRY_COMPARE(window.state.selection().task, task(0, 1));
        QTest::mouseClick(&window.canvas(), Qt::LeftButton, Qt::NoModifier, window.at(15000, 0));
        QTRY_VERIFY(!window.state.selection().task.isValid());
        QTest::mouseDClick(&window.canvas(), Qt::LeftButton, Qt::NoModifier, window.at(15000, 1));
        QTRY_COMPARE(window.state.selection().task, task(1, 0));
        QTRY_COMPARE(window.state.range(), (TimeRange{6000, 34000}));
    }

    void theSelectionIsOutlined()
    {
        TimelineWindow window;
        window.state.select({task(0, 1), {}});
        QTRY_VERIFY(!window.canvas().isLoading());  // where it lies is read off this thread
        const QImage image = window.canvas().grab().toImage();
        const RowBox box = window.view.rows().boxOf(0);
        const int x = window.at(25000, 0).x();
        bool outlined = false;
        for (int y = int(box.bodyTop) - 3; y < int(box.bodyTop) + 3; ++y)
            outlined = outlined || (image.pixel(x, y) | 0xff000000u) == darkTheme().selection.rgb();
        QVERIFY(outlined);
    }

    void fCentresAndFits()
    {
        TimelineWindow window;
        window.state.setRange({0, 10000});
        window.state.select({task(1, 0), {}});
        QTest::keyClick(&window.canvas(), Qt::Key_F);
        QTRY_COMPARE(window.state.range(), (TimeRange{15000, 25000}));
        QTest::keyClick(&window.canvas(), Qt::Key_F);
        QTRY_COMPARE(window.state.range(), (TimeRange{6000, 34000}));
    }

    void arrowsWalkAlongTheRow()
    {
        TimelineWindow window({QStringLiteral("AABBAACCAABBAA")});
        window.state.select({task(0, 0), {}});
        QTest::keyClick(&window.canvas(), Qt::Key_Right);
        QTRY_COMPARE(window.state.selection().task, task(0, 1));
        QTest::keyClick(&window.canvas(), Qt::Key_Left);
        QTest::keyClick(&window.canvas(), Qt::Key_Left);
        QTRY_COMPARE(window.state.selection().task, task(0, 0));
        QTest::keyClick(&window.canvas(), Qt::Key_Period);
        QTRY_COMPARE(window.state.selection().task, task(0, 2));
        QTest::keyClick(&window.canvas(), Qt::Key_Period);
        QTest::keyClick(&window.canvas(), Qt::Key_Period);  // before the first one was looked up
        QTRY_COMPARE(window.state.selection().task, task(0, 6));
        QTest::keyClick(&window.canvas(), Qt::Key_Comma);
        QTRY_COMPARE(window.state.selection().task, task(0, 4));
    }

    void cWalksAlongThePath()
    {
        TimelineWindow window;
        auto path = std::make_shared<CriticalPath>();
        path->steps = {{.task = task(0, 0), .pe = ProcessorId{0}, .begin = 0, .end = 10000},
                       {.task = task(1, 0), .pe = ProcessorId{1}, .begin = 10000, .end = 20000},
                       {.task = task(0, 1), .pe = ProcessorId{0}, .begin = 20000, .end = 30000}};
        window.state.setPath(path);
        window.state.select({task(0, 0), {}});
        QTest::keyClick(&window.canvas(), Qt::Key_C);
        QCOMPARE(window.state.selection().task, task(1, 0));
        QTest::keyClick(&window.canvas(), Qt::Key_C);
        QCOMPARE(window.state.selection().task, task(0, 1));
        QTest::keyClick(&window.canvas(), Qt::Key_C);
        QCOMPARE(window.state.selection().task, task(0, 1));
        QTest::keyClick(&window.canvas(), Qt::Key_C, Qt::ShiftModifier);
        QCOMPARE(window.state.selection().task, task(1, 0));
    }

    void thePathHasItsBarAndNoOtherColourIsLikeIt()
    {
        TimelineWindow window;
        const RowBox box = window.view.rows().boxOf(0);
        const QPoint on(window.at(5000, 0).x(), int(box.barCentre()));
        QVERIFY((window.canvas().grab().toImage().pixel(on) | 0xff000000u) != darkTheme().accent.rgb());
        auto path = std::make_shared<CriticalPath>();
        path->steps = {{.task = task(0, 0), .pe = ProcessorId{0}, .begin = 0, .end = 10000}};
        window.state.setPath(path);
        QCOMPARE(window.canvas().grab().toImage().pixel(on) | 0xff000000u, darkTheme().accent.rgb());
    }

    void hoverTellsCountsHonestly()
    {
        QString busy;
        for (int i = 0; i < 3000; ++i) busy += QStringLiteral("AB. ");
        TimelineWindow window({busy});
        QSignalSpy texts(&window.view, &TimelineView::hovered);
        window.hover(window.at(6000000, 0));
        const QString text = texts.last().first().toString();
        QVERIFY2(text.startsWith(QStringLiteral("PE 0 \u00b7 ")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("tasks here, 5")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("most of it Drawn::")), qPrintable(text));
    }

    void hoverNamesTheOneTask()
    {
        TimelineWindow window;
        QSignalSpy texts(&window.view, &TimelineView::hovered);
        window.hover(window.at(5000, 0));
        QVERIFY(texts.last().first().toString().contains(QStringLiteral("Drawn::A, 10")));
        window.hover(window.at(15000, 0));
        QVERIFY(texts.last().first().toString().endsWith(QStringLiteral("idle")));
        window.hover(window.at(35000, 0));
        QVERIFY(texts.last().first().toString().endsWith(QStringLiteral("overhead")));
        window.hover({50, 390});
        QVERIFY(texts.last().first().toString().isEmpty());
    }

    // The readout follows what the range brings under a pointer that stands still; times of places say "at".
    void hoverIsFreshAfterKeys()
    {
        TimelineWindow window;
        QSignalSpy texts(&window.view, &TimelineView::hovered);
        const QPoint at = window.at(35000, 0);
        window.hover(at);
        QVERIFY2(texts.last().first().toString().startsWith(QStringLiteral("PE 0 \u00b7 at 35")),
                 qPrintable(texts.last().first().toString()));
        const auto count = texts.count();
        window.state.setRange({0, 20000});
        QVERIFY(texts.count() > count);
        QVERIFY2(!texts.last().first().toString().contains(QStringLiteral("at 35")),
                 qPrintable(texts.last().first().toString()));
        window.canvas().gestures().leave();
        QVERIFY(texts.last().first().toString().isEmpty());
        const auto gone = texts.count();
        window.state.setRange({0, 40000});
        QCOMPARE(texts.count(), gone);
    }

    void arrowsThatAreNotDrawnAreCounted()
    {
        TimelineWindow window;
        MessageArrows arrows;
        arrows.arrows = {{task(0, 0), task(1, 0)}, {task(1, 0), task(0, 1)}};
        const RowModel& rows = window.view.rows();
        QCOMPARE(OverlayPainter::notDrawnText(arrows, rows, 0), QString());
        arrows.omitted = 412;
        QCOMPARE(OverlayPainter::notDrawnText(arrows, rows, 0), QStringLiteral("412 more messages are not drawn"));
        arrows.arrows.push_back({task(0, 0), task(77, 0)});
        QCOMPARE(OverlayPainter::notDrawnText(arrows, rows, 0),
                 QStringLiteral("412 more messages are not drawn \u00b7 1 more lead to rows that are hidden"));
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

    void rightClickNamesTheThing()
    {
        TimelineWindow window;
        TimelineHit hit;
        connect(&window.view, &TimelineView::contextMenuRequested, &window.view,
                [&hit](const TimelineHit& h) { hit = h; });
        QTest::mouseClick(&window.canvas(), Qt::RightButton, Qt::NoModifier, window.at(15000, 1));
        QTRY_COMPARE(hit.task, task(1, 0));
        QCOMPARE(hit.pe, std::optional(ProcessorId{1}));
    }

    void theRulerMeasures()
    {
        TimelineWindow window;
        window.hover(window.at(10000, 0));
        QTest::keyClick(&window.canvas(), Qt::Key_M);
        window.hover(window.at(20000, 0));
        const QImage with = window.canvas().grab().toImage();
        QTest::keyClick(&window.canvas(), Qt::Key_M);
        QVERIFY(window.canvas().grab().toImage() != with);
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
        window.state.reveal({task(55, 0), {}});
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
        const auto data = window.canvas().dataOf(TrackId{100});
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
