// SPDX-License-Identifier: GPL-3.0-or-later
// The legend below the timeline: shares of what shows, dimming by a click, and its place in pictures.
#include "core/trace/format.h"
#include "views/drawnstore.h"
#include "views/timeline/axisbar.h"
#include "views/timeline/canvas.h"
#include "views/timeline/colourmenu.h"
#include "views/timeline/legendbar.h"
#include "views/timeline/locationlabels.h"
#include "views/timeline/taskcard.h"
#include "views/timeline/view.h"

#include "support/testmain.h"

#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>

namespace longpole {

namespace {

const QStringList legendLines{QStringLiteral("AAAAAAAAAA..........BBBBBBBBBB.........."),
                              QStringLiteral("..........CCCCCCCCCCCCCCCCCCCC..........")};

struct LegendWindow {
    DrawnStore store;
    ViewState state;
    TimelineView view;

    explicit LegendWindow(const QStringList& lines = legendLines)
        : store(lines, {.profile = true}), state(store.shared()), view(&state)
    {
        view.resize(900, 400);
        view.show();
        count();
    }
    void count()
    {
        QCoreApplication::processEvents();
        view.canvas().loadNow();
        view.canvas().grab();  // a frame
        view.legendBar().countNow();
    }
    const LegendItem* item(char letter) const
    {
        for (const LegendItem& item : const_cast<TimelineView&>(view).legendBar().items())
            if (item.entry == DrawnStore::entryOf(letter)) return &item;
        return nullptr;
    }
    QToolButton* button(char letter)
    {
        for (QToolButton* button : view.legendBar().findChildren<QToolButton*>())
            if (button->isVisible() && item(letter) && button->text().startsWith(item(letter)->name)) return button;
        return nullptr;
    }
};

}  // namespace

class TestLegendBar : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void saysTheShareOfWhatShows()
    {
        LegendWindow window;
        QCOMPARE(window.view.legendBar().items().size(), std::size_t(3));
        QVERIFY(window.item('A') && window.item('B') && window.item('C'));
        QCOMPARE(window.view.legendBar().items().front().entry, DrawnStore::entryOf('C'));
        const double most = window.item('C')->share;
        QVERIFY2(std::abs(most - 0.25) < 0.02, qPrintable(QString::number(most)));
        QVERIFY(std::abs(window.item('A')->share - most / 2) < 0.01);
        // Of the whole run exactly, of a part in whole percents, which hardly change with the width.
        QVERIFY(window.item('C')->isExact && window.button('C'));
        QVERIFY2(window.button('C')->text().endsWith(formatShare(0.25)), qPrintable(window.button('C')->text()));
        // Another range, other shares.
        const TimeRange run = window.state.fullRange();
        window.state.setRange({run.begin, run.begin + run.length() / 4});
        window.count();
        QVERIFY(window.item('A') && !window.item('B') && !window.item('C'));
        QVERIFY2(std::abs(window.item('A')->share - 0.5) < 0.02, qPrintable(QString::number(window.item('A')->share)));
        static const QRegularExpression about(QStringLiteral("≈ (49|50|51) %$"));
        QVERIFY2(!window.item('A')->isExact && about.match(window.button('A')->text()).hasMatch(),
                 qPrintable(window.button('A')->text()));
        // A moment later exactly.
        window.state.setRange({run.begin, run.begin + run.length() / 4 + 1});
        window.view.canvas().loadNow();
        window.view.canvas().grab();
        QTRY_VERIFY(window.item('A') && window.item('A')->isExact);
        const TimeRange shown = window.view.canvas().shownGeometry().at.range;
        const auto usage = usageProfile(*window.store.shared(), shown, {}, Progress());
        QVERIFY(usage.ok());
        QCOMPARE(window.item('A')->share, double(usage->total.entries.front().time) / (2.0 * double(shown.length())));
        QVERIFY2(window.button('A')->text().endsWith(formatShare(window.item('A')->share)),
                 qPrintable(window.button('A')->text()));
        // With idle and overhead the shares are all of the time that shows.
        const StateKey& key = window.view.legendBar().states();
        double all = key.states()[0].share + key.states()[1].share;
        for (const LegendItem& item : window.view.legendBar().items()) all += item.share;
        QVERIFY2(qAbs(all - 1) < 1e-9, qPrintable(QString::number(all)));
        QVERIFY(key.states()[0].text().endsWith(formatShare(double(usage->total.usage.idle)
                                                            / (2.0 * double(shown.length())))));
    }

    // A row without a log counts in what the shares are of, and is no overhead.
    void whatHasNoLogIsNoOverhead()
    {
        LegendWindow window(legendLines + QStringList{QStringLiteral("?"), QStringLiteral("?")});
        QVERIFY(window.item('C') && window.item('C')->isExact);
        QCOMPARE(window.item('C')->share, 20.0 / 160);
        const StateKey& key = window.view.legendBar().states();
        QCOMPARE(key.states()[0].share, 40.0 / 160);
        QCOMPARE(key.states()[1].share, 0.0);
        const auto missing = std::ranges::find(key.states(), QStringLiteral("outside the run"), &LegendState::name);
        QVERIFY(missing != key.states().end());
        QCOMPARE(missing->share, 0.5);
    }

    // Colours that are no entry method's stand at the right, each with what it means.
    void saysWhatOtherColoursMean()
    {
        LegendWindow window;
        const StateKey& key = window.view.legendBar().states();
        QVERIFY(key.isVisible() && key.width() > 0);
        QVERIFY(key.geometry().right() <= window.view.legendBar().width());
        QVERIFY(key.states().size() >= 2);
        QCOMPARE(key.states()[0].name, QStringLiteral("idle"));
        QCOMPARE(key.states()[1].name, QStringLiteral("overhead"));
        QVERIFY(key.accessibleName().contains(QStringLiteral("idle")));
        QStringList names;
        const LegendRest rest{
            .ofRanks = true, .withPath = true, .withFlush = true, .withIntervals = true, .withMarks = true};
        for (const LegendState& state : legendStates(lightTheme(), rest)) {
            names << state.name;
            QVERIFY(!state.meaning.isEmpty());
        }
        QCOMPARE(names, (QStringList{QStringLiteral("MPI: wait before"), QStringLiteral("execution"),
                                     QStringLiteral("wait after"), QStringLiteral("not recorded"),
                                     QStringLiteral("trace written"), QStringLiteral("lane below: regions"),
                                     QStringLiteral("user event"), QStringLiteral("critical path")}));
    }

    // Nothing is cut off: what has no room, items and other colours, is in the menu.
    void whatHasNoRoomIsInTheMenu()
    {
        LegendWindow window;
        const LegendBar& bar = window.view.legendBar();
        const StateKey& key = bar.states();
        for (const int width : {900, 500, 300, 160}) {
            window.view.resize(width, 400);
            window.count();
            const std::size_t painted = key.fittingIn(key.width());
            QCOMPARE(key.widthOf(painted), key.width());
            std::size_t buttons = 0;
            QToolButton* more = nullptr;
            for (QToolButton* button : window.view.legendBar().findChildren<QToolButton*>()) {
                if (button->objectName() == QLatin1String("flat")) more = button;
                else if (button->isVisible()) ++buttons;
            }
            QVERIFY(more);
            std::size_t listed = 0;
            for (const QAction* action : more->menu()->actions()) listed += action->isSeparator() ? 0 : 1;
            QCOMPARE(buttons + painted + listed, bar.items().size() + key.states().size());
            QCOMPARE(more->isVisible(), listed > 0);
            if (listed > 0) QCOMPARE(more->text(), QStringLiteral("+%1").arg(listed));
            if (width == 900) QCOMPARE(listed, std::size_t(0));
            if (width == 160) QVERIFY(listed > 0);
        }
    }

    void aClickDimsTheRestAndAnotherEndsThat()
    {
        LegendWindow window;
        const QString name = window.item('A')->name;
        window.button('A')->click();
        QCOMPARE(window.state.filterText(), name);
        QVERIFY(window.button('A')->isChecked() && !window.button('C')->isChecked());
        window.button('A')->click();
        QVERIFY(window.state.filterText().isEmpty() && !window.state.matchingEntries());
        QVERIFY(!window.button('A')->isChecked());
        // So does Esc, which leaves what is selected to a second one.
        window.state.select(Selection{.task = TaskId{ProcessorId{0}, 0}, .message = {}});
        window.button('A')->click();
        QTest::keyClick(&window.view.canvas(), Qt::Key_Escape);
        QVERIFY(window.state.filterText().isEmpty() && window.state.selection().isValid());
        QTest::keyClick(&window.view.canvas(), Qt::Key_Escape);
        QVERIFY(!window.state.selection().isValid());
    }

    void coloursAreChosenFromAMenu()
    {
        LegendWindow window;
        QMenu menu;
        fillColourMenu(menu, window.state, QStringLiteral("A"));
        QSignalSpy asked(&window.state, &ViewState::colourAsked);
        menu.actions().front()->trigger();
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toString(), QStringLiteral("A"));
        QVERIFY(asked[0][1].value<QColor>().isValid());
        menu.actions().back()->trigger();
        QVERIFY(!asked[1][1].value<QColor>().isValid());
    }

    // A swatch that is dragged to another name: the two change colours. Dragged elsewhere, nothing changes.
    void aColourIsDraggedToAnotherName()
    {
        LegendWindow window;
        QToolButton* from = window.button('A');
        QToolButton* to = window.button('C');
        QVERIFY(from && to);
        const auto colourOf = [&window](char letter) {
            return QColor::fromRgb(window.view.canvas().colours().entry(DrawnStore::entryOf(letter)));
        };
        const QColor a = colourOf('A');
        const QColor c = colourOf('C');
        QVERIFY(a != c);
        QSignalSpy asked(&window.state, &ViewState::colourAsked);
        const auto drag = [&](QPoint end) {
            const QPoint swatch(8, from->height() / 2);
            QTest::mousePress(from, Qt::LeftButton, {}, swatch);
            for (const QPoint& at : {swatch + QPoint(3, 0), end}) {
                QMouseEvent move(QEvent::MouseMove, at, from->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
                QApplication::sendEvent(from, &move);
            }
            QTest::mouseRelease(from, Qt::LeftButton, {}, end);
        };
        drag(from->mapFrom(&window.view.legendBar(), to->geometry().center()));
        QCOMPARE(asked.count(), 2);
        const auto nameOf = [&window](char letter) {
            return colourName(*window.store->entry(DrawnStore::entryOf(letter)), window.state.paletteOptions().by);
        };
        QCOMPARE(asked[0].at(0).toString(), nameOf('A'));
        QCOMPARE(asked[0].at(1).value<QColor>(), c);
        QCOMPARE(asked[1].at(0).toString(), nameOf('C'));
        QCOMPARE(asked[1].at(1).value<QColor>(), a);
        QVERIFY(window.state.filterText().isEmpty());  // it was no click
        drag(QPoint(0, -100));
        QCOMPARE(asked.count(), 2);
    }

    // Below the rows of a picture there are the colours, above them the title.
    void picturesHaveALegendAndATitle()
    {
        LegendWindow window;
        window.view.setPictureTitle(QStringLiteral("the run"));
        const QImage picture = window.view.picture();
        const double scale = picture.devicePixelRatio();
        const int foot = static_cast<int>((34 + window.view.canvas().geometry().bottom() + 2) * scale);
        QVERIFY(picture.height() > foot);
        const QRgb colour = window.view.canvas().colours().entry(DrawnStore::entryOf('C')) | 0xff000000u;
        bool isThere = false;
        for (int y = foot; y < picture.height() && !isThere; ++y)
            for (int x = 0; x < picture.width() && !isThere; ++x) isThere = picture.pixel(x, y) == colour;
        QVERIFY(isThere);
        bool hasTitle = false;
        for (int y = 0; y < 34 * scale && !hasTitle; ++y)
            for (int x = 0; x < picture.width() && !hasTitle; ++x)
                hasTitle = picture.pixel(x, y) != picture.pixel(picture.width() - 2, 2);
        QVERIFY(hasTitle);
    }

    // A click on a task opens a card of it; the card goes when the cursor has left its neighbourhood.
    void aCardSaysWhatIsKnownOfATask()
    {
        LegendWindow window;
        const RowBox box = window.view.rows().boxOf(1);
        const TimeNs middle = window.state.fullRange().begin + window.state.fullRange().length() / 2;
        const QPoint at(static_cast<int>(window.view.canvas().coordinates().x(middle)),
                        static_cast<int>(box.bodyTop + box.bodyHeight / 2));
        QTest::mouseClick(&window.view.canvas(), Qt::LeftButton, {}, at);
        const TaskId task = window.state.selection().task;
        QVERIFY(task.isValid());
        TaskCard& card = window.view.taskCard();
        QTRY_VERIFY(card.isVisible());
        const QString text = card.text().text();
        QVERIFY2(text.contains(entryName(*window.store->entry(DrawnStore::entryOf('C')))), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral(">%1</a>").arg(longpole::toText(task))), qPrintable(text));
        const Result<TaskDetail> detail = window.store->task(task);
        QVERIFY2(text.contains(formatTime(detail->range.length())), qPrintable(text));
        QVERIFY(window.view.rect().contains(card.geometry()));
        window.state.select({});
        Q_EMIT card.text().linkActivated(longpole::toText(task));  // each id is a link
        QCOMPARE(window.state.selection().task, task);
        QVERIFY(!card.isVisible());
        card.showAt({.task = task}, TimeNs(0), at);
        QTRY_VERIFY(card.isVisible());
        QVERIFY(card.text().text().contains(QStringLiteral("No slack")));
        card.followCursor(at + QPoint(5, 5));
        QVERIFY(card.isVisible());
        card.followCursor(at - QPoint(300, 0));
        QVERIFY(!card.isVisible());
        card.showAt({.task = task}, TimeNs(0), at);
        QTRY_VERIFY(card.isVisible());
        QTest::keyClick(&window.view, Qt::Key_C, Qt::ControlModifier);  // copies from it
        QVERIFY(card.isVisible());
        QTest::keyClick(&window.view, Qt::Key_2, Qt::AltModifier);  // leads elsewhere
        QVERIFY(!card.isVisible());
    }

    // Where the pointer rests the card says the same without links. It lets the mouse through, and is never in the way
    // of a drag.
    void aCardComesWhereThePointerRests()
    {
        LegendWindow window;
        const RowBox box = window.view.rows().boxOf(1);
        const TimeNs middle = window.state.fullRange().begin + window.state.fullRange().length() / 2;
        TimelineCanvas& canvas = window.view.canvas();
        const QPoint at(static_cast<int>(canvas.coordinates().x(middle)),
                        static_cast<int>(box.bodyTop + box.bodyHeight / 2));
        TaskCard& card = window.view.taskCard();
        const auto rest = [&] {
            QTest::mouseMove(&canvas, at);
            QHelpEvent help(QEvent::ToolTip, at, canvas.mapToGlobal(at));
            QApplication::sendEvent(&canvas, &help);
        };
        rest();
        QTRY_VERIFY(card.isVisible());
        const QString hovering = card.text().text();
        QVERIFY2(!hovering.contains(QStringLiteral("<a ")) && !hovering.contains(QStringLiteral("</a>")),
                 qPrintable(hovering));
        QVERIFY(!window.state.selection().isValid());
        QVERIFY(card.testAttribute(Qt::WA_TransparentForMouseEvents));
        QVERIFY(!card.geometry().contains(canvas.mapTo(&window.view, at)));
        // A click keeps it, with links.
        QTest::mousePress(&canvas, Qt::LeftButton, {}, at);
        QVERIFY(!card.isVisible());
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, at);
        QTRY_VERIFY(card.isVisible());
        QVERIFY(!card.testAttribute(Qt::WA_TransparentForMouseEvents));
        QCOMPARE(withoutLinks(card.text().text()), hovering);
        QVERIFY(card.text().text().contains(QStringLiteral("<a href=")));
        rest();  // the kept one stays as it is
        QVERIFY(card.isVisible() && !card.testAttribute(Qt::WA_TransparentForMouseEvents));
        card.leave();
        // No card comes while something is dragged, and one that is there goes before the pointer is over it.
        rest();
        QTRY_VERIFY(card.isVisible());
        card.followCursor(card.geometry().topLeft() + QPoint(2, 2));
        QVERIFY(!card.isVisible());
        QTest::mousePress(&canvas, Qt::LeftButton, {}, at - QPoint(30, 0));
        rest();
        QTest::qWait(50);
        QVERIFY(!card.isVisible());
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, at);
    }

    void linksGoAndWordsStay()
    {
        QCOMPARE(withoutLinks(QStringLiteral("<b>f&lt;int&gt;</b><br>Task <a href=\"1:2\">1:2</a> of a<br>by <a "
                                             "href=\"3:4\">3:4</a>, g")),
                 QStringLiteral("<b>f&lt;int&gt;</b><br>Task 1:2 of a<br>by 3:4, g"));
        QCOMPARE(withoutLinks(QStringLiteral("<a b")), QStringLiteral("<a b"));
        QCOMPARE(withoutLinks({}), QString());
    }

    // Names, axis and legend have letters as large as the window's; rows keep room for them.
    void lettersFollowTheWindows()
    {
        LegendWindow window;
        TimelineView& view = window.view;
        const auto axis = [&view] { return view.findChild<AxisBar*>(); };
        const auto labels = [&view] { return view.findChild<LocationLabels*>(); };
        const auto inkRows = [](QWidget& widget) {  // of the picture: lines of pixels that are not all alike
            const QImage picture = widget.grab().toImage();
            int rows = 0;
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 1; x < picture.width(); ++x)
                    if (picture.pixel(x, y) != picture.pixel(0, y)) {
                        ++rows;
                        break;
                    }
            return rows;
        };
        const int axisBefore = axis()->height();
        const int labelsBefore = labels()->width();
        const int inkBefore = inkRows(*labels());
        const int legendBefore = view.legendBar().height();
        QCOMPARE(axisBefore, 32);
        QFont large = view.font();
        large.setPixelSize(26);  // twice the usual
        view.setFont(large);
        QTRY_COMPARE(axis()->height(), 64);
        QVERIFY(labels()->width() > 1.5 * labelsBefore);
        QVERIFY(view.legendBar().height() > legendBefore);
        QCOMPARE(labels()->geometry().top(), axis()->geometry().bottom() + 1);
        QVERIFY2(inkRows(*labels()) > 1.5 * inkBefore,
                 qPrintable(QStringLiteral("%1, before %2").arg(inkRows(*labels())).arg(inkBefore)));
        // However many rows there are, names have the room that they need.
        RowModel rows(window.store.shared());
        rows.setTextScale(2);
        rows.setViewportHeight(10);
        QCOMPARE(rows.rowHeight(), 28.0);
        // Labels of the axis stay apart.
        const std::vector<AxisTick> ticks = screenTicks(window.state, 600, large);
        double last = -1000;
        for (const AxisTick& tick : ticks)
            if (!tick.label.isEmpty()) {
                QVERIFY(tick.x - last >= 180);
                last = tick.x;
            }
        QFont usual = view.font();
        usual.setPixelSize(13);
        view.setFont(usual);
        QTRY_COMPARE(axis()->height(), axisBefore);
        QCOMPARE(labels()->width(), labelsBefore);
    }

    // On a large screen few rows are as high as it takes; the chosen height stays.
    void fewRowsFillALargeScreen()
    {
        LegendWindow window;
        window.view.resize(3000, 500);
        QCoreApplication::processEvents();
        const double rows = window.view.rows().contentHeight();
        const double room = window.view.canvas().height();
        QVERIFY2(rows > 0.95 * room || rows >= 400, qPrintable(QStringLiteral("%1 of %2").arg(rows).arg(room)));
        QVERIFY(rows <= room);
    }

    // Slack has a strip of its own.
    void givesWayToSlack()
    {
        LegendWindow window;
        QVERIFY(window.view.legendBar().isVisible());
        window.state.setColour(ColourMode::Slack);
        QCoreApplication::processEvents();
        QVERIFY(!window.view.legendBar().isVisible());
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestLegendBar)
#include "tst_legendbar.moc"
