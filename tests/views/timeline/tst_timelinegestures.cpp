// SPDX-License-Identifier: GPL-3.0-or-later
// What hands do on the timeline: wheel, keys, drags, clicks and hovers, on the view state.
#include "views/timeline/canvas.h"
#include "views/timeline/gestures.h"
#include "views/timeline/timelinewindow.h"
#include "views/timeline/view.h"

#include "support/testmain.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>

namespace longpole {

class TestTimelineGestures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

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

    // Rows as low as that are bands; a band shows the sum of its processors, and the one under the pointer stays there.
    void lowRowsShowSeveralProcessors()
    {
        QStringList lines;
        for (int i = 0; i < 1000; ++i) lines << timelineLines[i % 2];
        TimelineWindow window(lines);
        RowModel& rows = window.view.rows();
        QVERIFY(rows.contentHeight() > 10 * rows.viewportHeight());
        const Qt::KeyboardModifiers heights = Qt::ControlModifier | Qt::ShiftModifier;
        rows.setScroll(5000);
        const double middle = 150;
        const auto under = [&] {
            const std::size_t row = *rows.rowAt(middle);
            const double within = (middle - rows.boxOf(row).top) / rows.boxOf(row).height;
            return static_cast<double>(rows.rows()[row].place)
                   + within * static_cast<double>(std::max<std::size_t>(1, rows.rows()[row].members.size()));
        };
        const double before = under();
        int narrower = 0;
        while (rows.contentHeight() > 2 * rows.viewportHeight() && narrower < 200) {
            window.wheel({100, int(middle)}, -120, heights);
            ++narrower;
            if (rows.scroll() > 0 && rows.scroll() < rows.maxScroll())
                QVERIFY2(std::abs(under() - before) < 2 + 2 / rows.rowHeight(), qPrintable(QString::number(under())));
        }
        for (int i = 0; i < 20; ++i) window.wheel({100, int(middle)}, -120, heights);
        QVERIFY(rows.contentHeight() <= rows.viewportHeight());
        QCOMPARE(rows.rows().front().kind, RowKind::Band);
        QCOMPARE(rows.rowOf(ProcessorId{999}), std::optional(rows.rows().size() - 1));
        window.canvas().loadNow();
        double busy = 0;
        double single = 0;
        for (const TimelineRow& row : rows.rows())
            busy += summarize(*window.canvas().dataOf(row), window.state.range()).busy;
        for (const Track& track : window.store->tracks())
            if (track.pe)
                single += summarize(loadRow(*window.store, {.track = track.id, .range = window.state.range()}),
                                    window.state.range())
                              .busy;
        QCOMPARE(busy, single);
        QVERIFY(busy > 0);
        QTest::mouseClick(&window.canvas(), Qt::LeftButton, Qt::NoModifier, window.at(5000, 3));
        QVERIFY(!window.state.selection().isValid());
        for (int i = 0; i < 40; ++i) window.wheel({100, int(middle)}, 120, heights);
        QCOMPARE(rows.rows().front().kind, RowKind::Processor);
        // Until its own data comes a row shows that of a band it was in.
        const auto standIn = window.canvas().dataOf(rows.rows()[900]);
        QVERIFY(standIn);
        QVERIFY(standIn->members > 1);
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
        QTRY_COMPARE(window.state.selection().task, drawnTask(0, 1));
        QTest::mouseClick(&window.canvas(), Qt::LeftButton, Qt::NoModifier, window.at(15000, 0));
        QTRY_VERIFY(!window.state.selection().task.isValid());
        QTest::mouseDClick(&window.canvas(), Qt::LeftButton, Qt::NoModifier, window.at(15000, 1));
        QTRY_COMPARE(window.state.selection().task, drawnTask(1, 0));
        QTRY_COMPARE(window.state.range(), (TimeRange{6000, 34000}));
    }

    void fCentresAndFits()
    {
        TimelineWindow window;
        window.state.setRange({0, 10000});
        window.state.select({drawnTask(1, 0), {}});
        QTest::keyClick(&window.canvas(), Qt::Key_F);
        QTRY_COMPARE(window.state.range(), (TimeRange{15000, 25000}));
        QTest::keyClick(&window.canvas(), Qt::Key_F);
        QTRY_COMPARE(window.state.range(), (TimeRange{6000, 34000}));
    }

    void arrowsWalkAlongTheRow()
    {
        TimelineWindow window({QStringLiteral("AABBAACCAABBAA")});
        window.state.select({drawnTask(0, 0), {}});
        QTest::keyClick(&window.canvas(), Qt::Key_Right);
        QTRY_COMPARE(window.state.selection().task, drawnTask(0, 1));
        QTest::keyClick(&window.canvas(), Qt::Key_Left);
        QTest::keyClick(&window.canvas(), Qt::Key_Left);
        QTRY_COMPARE(window.state.selection().task, drawnTask(0, 0));
        QTest::keyClick(&window.canvas(), Qt::Key_Period);
        QTRY_COMPARE(window.state.selection().task, drawnTask(0, 2));
        QTest::keyClick(&window.canvas(), Qt::Key_Period);
        QTest::keyClick(&window.canvas(), Qt::Key_Period);  // before the first one was looked up
        QTRY_COMPARE(window.state.selection().task, drawnTask(0, 6));
        QTest::keyClick(&window.canvas(), Qt::Key_Comma);
        QTRY_COMPARE(window.state.selection().task, drawnTask(0, 4));
    }

    void cWalksAlongThePath()
    {
        TimelineWindow window;
        auto path = std::make_shared<CriticalPath>();
        path->steps = {{.task = drawnTask(0, 0), .pe = ProcessorId{0}, .begin = 0, .end = 10000},
                       {.task = drawnTask(1, 0), .pe = ProcessorId{1}, .begin = 10000, .end = 20000},
                       {.task = drawnTask(0, 1), .pe = ProcessorId{0}, .begin = 20000, .end = 30000}};
        window.state.setPath(path);
        window.state.select({drawnTask(0, 0), {}});
        QTest::keyClick(&window.canvas(), Qt::Key_C);
        QCOMPARE(window.state.selection().task, drawnTask(1, 0));
        QTest::keyClick(&window.canvas(), Qt::Key_C);
        QCOMPARE(window.state.selection().task, drawnTask(0, 1));
        QTest::keyClick(&window.canvas(), Qt::Key_C);
        QCOMPARE(window.state.selection().task, drawnTask(0, 1));
        QTest::keyClick(&window.canvas(), Qt::Key_C, Qt::ShiftModifier);
        QCOMPARE(window.state.selection().task, drawnTask(1, 0));
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

    void rightClickNamesTheThing()
    {
        TimelineWindow window;
        TimelineHit hit;
        connect(&window.view, &TimelineView::contextMenuRequested, &window.view,
                [&hit](const TimelineHit& h) { hit = h; });
        QTest::mouseClick(&window.canvas(), Qt::RightButton, Qt::NoModifier, window.at(15000, 1));
        QTRY_COMPARE(hit.task, drawnTask(1, 0));
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
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestTimelineGestures)
#include "tst_timelinegestures.moc"
