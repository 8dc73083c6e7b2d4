// SPDX-License-Identifier: GPL-3.0-or-later
// The window's frame keeps its size and its place: whatever is opened, said or remembered, it fits its screen.
#include "app/gui/frame/banner.h"
#include "app/gui/frame/overlay.h"
#include "app/gui/frame/screenfit.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/sidebar.h"
#include "app/gui/window/timelinemenu.h"
#include "app/gui/window/toolrow.h"
#include "app/gui/window/windowfixture.h"
#include "app/smalltrace.h"
#include "views/path/criticalpathpanel.h"
#include "views/path/sharetable.h"
#include "views/timeline/canvas.h"
#include "views/timeline/view.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "views/seen.h"
#include "views/widgets/elidedlabel.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QScreen>
#include <QSet>
#include <QStyle>
#include <QStyleOptionButton>
#include <QTabBar>
#include <QTest>
#include <QTimer>
#include <QToolButton>

using namespace longpole;
using namespace longpole::test;

class FrameTest : public QObject, private WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        shareCache();
        writeTrace(
            QStringLiteral("a-run-of-a-program-whose-name-says-its-whole-configuration-"
                           "molecular-dynamics-charm-8.0.0-verbs-smp-1024-pes-third-try.longpole"));
    }
    void init()
    {
        prepare();
        m_window = std::make_unique<MainWindow>(*m_settings);
    }
    void cleanup() { end(); }

    // What had the focus when a sheet opened may be gone when it closes.
    void sheetsOutliveWhatHadTheFocus()
    {
        QWidget window;
        auto* field = new QLineEdit(&window);
        AboutSheet sheet(&window);
        window.resize(600, 400);
        window.show();
        field->setFocus();
        sheet.open();
        delete field;
        sheet.close();
        QVERIFY(!sheet.isVisible());
    }

    // Of what the trace's end deletes: a signal, or the session's end, can close the window while it runs.
    void aMenuEndsBeforeTheWindowCloses()
    {
        show({1280, 720});
        open(m_small);
        bool hadTrace = false;
        bool hasTrace = false;
        QEventLoop program;
        QTimer::singleShot(0, &program, [&] {
            QMenu menu(m_window->workspace());
            menu.addAction(QStringLiteral("Copy"));
            QTimer::singleShot(20, &menu, [&] {
                hadTrace = m_window->workspace() != nullptr;
                m_window->close();
            });
            menu.exec(m_window->mapToGlobal(QPoint(100, 100)));
            hasTrace = m_window->workspace() != nullptr;
        });
        QTimer poll;
        connect(&poll, &QTimer::timeout, &program, [&] {
            if (!m_window->isVisible()) program.quit();
        });
        poll.start(10);
        QTimer::singleShot(10'000, &program, &QEventLoop::quit);
        program.exec();
        QVERIFY(hadTrace && hasTrace);
        QVERIFY(!m_window->isVisible() && !m_window->workspace());
    }

    void everyViewOpenedFits_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1280 x 720") << QSize(1280, 720);
        QTest::newRow("1440 x 900") << QSize(1440, 900);
    }

    void everyViewOpenedFits()
    {
        QFETCH(QSize, size);
        show(size);
        open(m_small);
        for (const PanelSpec* spec : panelSpecs()) {
            m_window->showTab(QLatin1String(spec->id));
            QTest::qWait(5);
        }
        m_window->compareWith(m_small);
        QTRY_VERIFY(m_window->workspace()->secondTimeline());
        QTest::qWait(50);
        QCOMPARE(m_window->size(), size);
        m_window->toolRow().find().setText(QStringLiteral("/(/"));  // an error beside the field
        QVERIFY(!seen<ElidedLabel>(m_window->toolRow()).text().isEmpty());
        QTest::qWait(20);
        const QSize least = m_window->minimumSizeHint();
        QVERIFY2(least.width() <= 1200, qPrintable(QString::number(least.width())));
        QVERIFY2(least.height() <= 640, qPrintable(QString::number(least.height())));
        // Names of tabs are whole: bars scroll.
        QVERIFY(tabNames() >= 25);
    }

    void aDoubleClickOnATabGivesTheViewAllRoom()
    {
        show({1440, 900});
        open(m_small);
        QTRY_VERIFY(dock(panels::path.id).isOnScreen() && dock(panels::timelines).isOnScreen());
        QTest::qWait(50);
        const QRect before = dock(panels::path.id).geometry();
        const QRect above = dock(panels::timelines).geometry();
        const auto [bar, tab] = tabOf(QStringLiteral("Critical path"));
        QVERIFY(bar);
        QTest::mouseDClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
        PanelDock& path = dock(panels::path.id);
        QTRY_VERIFY(!dock(panels::timelines).isOnScreen());
        QVERIFY(!m_window->isPanelShown(Panel::Sidebar) && !m_window->isPanelShown(Panel::Right));
        QTRY_VERIFY(path.height() > 700 && path.width() > 1400);
        QTRY_VERIFY(!path.title().isFolded());  // the way back
        // Layouts that are saved now are those of before.
        m_window->workspace()->saveLayout();
        QTest::mouseDClick(&path.title(), Qt::LeftButton);
        QTRY_VERIFY(dock(panels::timelines).isOnScreen() && path.isOnScreen());
        QVERIFY(m_window->isPanelShown(Panel::Sidebar) && m_window->isPanelShown(Panel::Right));
        QTRY_COMPARE(path.geometry(), before);
        QTRY_COMPARE(dock(panels::timelines).geometry(), above);
        QTRY_VERIFY(!dock(panels::selection.id).isHidden());  // still a tab beside it
    }

    void aMaximizedViewMakesRoomForTheNext()
    {
        show({1440, 900});
        open(m_small);
        m_window->workspace()->timeline().setFocus();
        QAction* maximize = m_window->actions().find(QStringLiteral("window.maximize"));
        maximize->trigger();
        QTRY_VERIFY(!dock(panels::path.id).isOnScreen());
        QTRY_VERIFY(dock(panels::timelines).height() > 700);
        m_window->showTab(QLatin1String(panels::sql.id));
        QTRY_VERIFY(dock(panels::sql.id).isOnScreen() && dock(panels::timelines).isOnScreen());
        QVERIFY(m_window->isPanelShown(Panel::Sidebar));
        // Closed while maximized, it is away and the others are back.
        dock(panels::sql.id).content().setFocus();
        m_window->workspace()->area().toggleMaximized(dock(panels::sql.id));
        QTRY_VERIFY(!dock(panels::timelines).isOnScreen());
        dock(panels::sql.id).close();
        QTRY_VERIFY(dock(panels::timelines).isOnScreen());
        QVERIFY(dock(panels::sql.id).isHidden());
        // The layout of a window that is closed while a view is maximized is the one with all views.
        m_window->workspace()->area().toggleMaximized(dock(panels::timelines));
        m_window->closeTrace();
        open(m_small);
        QTRY_VERIFY(dock(panels::timelines).isOnScreen() && m_window->isPanelShown(Panel::Bottom));
        QVERIFY(!m_window->workspace()->area().maximized());
    }

    // What is under the cursor stays under it.
    void theBannerMovesNothing()
    {
        show({1280, 720});
        open(m_small);
        QTest::qWait(50);
        QWidget& timeline = m_window->workspace()->timeline();
        const QRect before(timeline.mapToGlobal(QPoint()), timeline.size());
        Banner& banner = m_window->banner();
        banner.showError({.what = QString(300, QLatin1Char('w')),
                          .where = m_small,
                          .hint = QStringLiteral("Try again.")});
        QTest::qWait(20);
        QVERIFY(banner.isVisible());
        QCOMPARE(QRect(timeline.mapToGlobal(QPoint()), timeline.size()), before);
        QCOMPARE(m_window->size(), QSize(1280, 720));
        QVERIFY(banner.parentWidget()->rect().contains(banner.geometry()));
        QVERIFY(banner.geometry().bottom() > banner.parentWidget()->height() * 9 / 10);
        m_window->resize(1100, 600);
        QTRY_VERIFY(banner.parentWidget()->rect().contains(banner.geometry()));
        banner.showNote(QStringLiteral("The picture is there."));
        QVERIFY(banner.height() < 80);
        QElapsedTimer clock;
        clock.start();
        const QString endless(1 << 20, QLatin1Char('a'));  // the path that a stranger's session names
        banner.showError({.what = endless, .where = endless, .hint = endless});
        banner.grab();
        banner.showNote(endless);
        QVERIFY(clock.elapsed() < 2000);
        QVERIFY(banner.text().size() < 2000);
        banner.setNoteTime(1);
        banner.showNote(QStringLiteral("The picture is there, too."));
        QTRY_VERIFY(!banner.isVisible());  // a note goes by itself
        banner.showError({.what = QStringLiteral("That failed."), .where = {}, .hint = {}});
        QTest::qWait(30);
        QVERIFY(banner.isVisible());  // an error does not
    }

    void theBannerShowsEachOfItsLines()
    {
        show({1280, 720});
        open(m_small);
        Banner& banner = m_window->banner();
        banner.showNote(QStringLiteral("Replaying."));  // without the second row
        QTest::qWait(20);
        const QString hint = QStringLiteral("Priorities would cost 5.3 % of it. ").repeated(12);
        banner.showError({.what = QStringLiteral("No priorities are predicted to make this run shorter."),
                          .where = {},
                          .hint = hint});
        QTest::qWait(20);
        for (const QLabel* label : banner.findChildren<QLabel*>()) {
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
            QVERIFY(!label->text().startsWith(QLatin1Char('\n')));
            QVERIFY(!label->text().contains(QStringLiteral("5.3 %")));  // but with a space that does not break
        }
        QVERIFY(banner.text().contains(hint));
    }

    void tabsThatScrollHaveArrows()
    {
        show({1280, 720});
        QTabBar bar;
        for (int i = 0; i < 12; ++i) bar.addTab(QStringLiteral("Entry methods"));
        bar.setUsesScrollButtons(true);
        bar.setCurrentIndex(6);
        bar.resize(300, bar.sizeHint().height());
        bar.show();
        QTest::qWait(20);
        int arrows = 0;
        for (QToolButton* button : bar.findChildren<QToolButton*>()) {
            if (!button->isVisible() || !button->isEnabled()) continue;
            const QImage image = button->grab().toImage();
            QSet<QRgb> colours;
            for (int y = 3; y < image.height() - 3; ++y)
                for (int x = 3; x < image.width() - 3; ++x) colours.insert(image.pixel(x, y));
            if (colours.size() > 1) ++arrows;
        }
        QCOMPARE(arrows, 2);
    }

    void aCheckedBoxHasATick()
    {
        for (const Theme* theme : {&darkTheme(), &lightTheme()}) {
            applyTheme(*theme);
            QCheckBox box(QStringLiteral("The run"));
            box.setChecked(true);
            box.resize(box.sizeHint());
            QStyleOptionButton option;
            option.initFrom(&box);
            const QRect square = box.style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, &box);
            const QImage image = box.grab(square.adjusted(3, 3, -3, -3)).toImage();
            int brightest = 0, darkest = 255;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) {
                    brightest = std::max(brightest, image.pixelColor(x, y).lightness());
                    darkest = std::min(darkest, image.pixelColor(x, y).lightness());
                }
            QVERIFY2(brightest > 220 && darkest < 150, qPrintable(QString::number(brightest)));
        }
    }

    // Keys follow the pointer, whatever was clicked before.
    void lettersOverTheTimelineAreItsOwn()
    {
        show({1440, 900});
        open(m_small);
        ViewState& state = m_window->workspace()->state();
        TimelineCanvas& canvas = m_window->workspace()->timeline().canvas();
        auto& table = m_window->workspace()->panel<CriticalPathPanel>(panels::path.id).profile();
        const auto range = [&state] { return state.range(); };
        const auto point = [&canvas](bool over) {
            const QPoint at(canvas.width() / 2, canvas.height() / 2);
            QMouseEvent move(QEvent::MouseMove, at, canvas.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
            QEvent leave(QEvent::Leave);
            QApplication::sendEvent(&canvas, over ? static_cast<QEvent*>(&move) : &leave);
        };
        const TimeRange whole = range();
        table.setFocus();
        point(false);
        QTest::keyClick(&table, Qt::Key_W);
        QCOMPARE(range(), whole);
        point(true);
        QTest::keyClick(&table, Qt::Key_W);
        QVERIFY(range().length() < whole.length());
        QCOMPARE(QApplication::focusWidget(), &table);
        QTest::keyClick(&table, Qt::Key_S);
        // Brackets and C go on from what is selected.
        state.reveal(Selection{.task = TaskId{ProcessorId{1}, 0}, .message = {}});
        table.setFocus();
        point(true);
        QTest::keyClick(&table, Qt::Key_BracketLeft);
        QTRY_COMPARE(state.selection().task, (TaskId{ProcessorId{0}, 0}));
        // A field keeps its letters.
        QLineEdit& find = m_window->toolRow().find();
        find.setFocus();
        const TimeRange before = range();
        QTest::keyClick(&find, Qt::Key_W);
        QCOMPARE(find.text(), QStringLiteral("w"));
        QCOMPARE(range(), before);
    }

    void noLetterPicksAnItemOfAClosedCombo()
    {
        show({1440, 900});
        open(m_small);
        for (QComboBox* combo : m_window->findChildren<QComboBox*>()) {
            if (combo->isEditable() || !combo->isVisible() || !combo->isEnabled()) continue;
            combo->setFocus();
            const int chosen = combo->currentIndex();
            for (int key = Qt::Key_A; key <= Qt::Key_Z; ++key) QTest::keyClick(combo, Qt::Key(key));
            QCOMPARE(combo->currentIndex(), chosen);
        }
        // A click into the row of tools leaves the focus where it was.
        m_window->workspace()->timeline().setFocus();
        for (const QComboBox* combo : m_window->toolRow().findChildren<QComboBox*>())
            QVERIFY(!(combo->focusPolicy() & Qt::ClickFocus));
    }

    void theMenuSaysWhatItIsOf()
    {
        show({1440, 900});
        open(m_small);
        Workspace& workspace = *m_window->workspace();
        const auto title = [&](const TimelineHit& hit) {
            QMenu menu;
            fillTimelineMenu(menu, m_window->session(), workspace.timeline(), hit);
            const auto* label = menu.findChild<QLabel*>(QStringLiteral("menuTitle"));
            return label ? label->toolTip() : QString();
        };
        TimelineHit hit;
        QCOMPARE(title(hit), QString());
        hit.task = {ProcessorId{0}, 1};
        QVERIFY2(title(hit).endsWith(QStringLiteral(" · task 0:1")), qPrintable(title(hit)));
        hit.summary.tasks = 214.2;
        hit.oneOfMany = true;
        QVERIFY2(title(hit).startsWith(QStringLiteral("The longest of 214 tasks here: ")), qPrintable(title(hit)));
        hit.task = {};
        QCOMPARE(title(hit), QStringLiteral("214 tasks here: zoom in for one"));
    }

    void aRememberedGeometryIsMovedOntoTheScreen()
    {
        const QRect screen(0, 0, 1440, 900);
        QCOMPARE(insideOf(screen, {10, 20, 800, 600}), QRect(10, 20, 800, 600));
        QCOMPARE(insideOf(screen, {10, 20, 1650, 900}), QRect(0, 0, 1440, 900));
        QCOMPARE(insideOf(screen, {1400, -300, 800, 600}), QRect(640, 0, 800, 600));
        QCOMPARE(insideOf({1440, 0, 1280, 720}, {0, 0, 1300, 700}), QRect(1440, 0, 1280, 700));
        m_window->setGeometry(-200, 60, 2650, 500);
        keepOnScreen(*m_window);
        QVERIFY(m_window->screen()->availableGeometry().contains(m_window->geometry()));
        m_window->setGeometry(-200, 60, 2650, 500);
        m_settings->setLayout(QStringLiteral("window"), m_window->saveGeometry());
        m_window = std::make_unique<MainWindow>(*m_settings);
        QVERIFY(m_window->screen()->availableGeometry().contains(m_window->geometry()));
    }

private:
    std::pair<QTabBar*, int> tabOf(const QString& name)
    {
        for (QTabBar* bar : m_window->workspace()->area().findChildren<QTabBar*>())
            for (int i = 0; i < bar->count(); ++i)
                if (bar->isVisible() && bar->tabText(i) == name) return {bar, i};
        return {nullptr, -1};
    }
    // How many tabs there are; all names must have their room.
    int tabNames()
    {
        int count = 0;
        for (QTabBar* bar : m_window->workspace()->area().findChildren<QTabBar*>())
            for (int i = 0; bar->isVisible() && i < bar->count(); ++i, ++count)
                if (bar->tabRect(i).width() < bar->fontMetrics().horizontalAdvance(bar->tabText(i)) + 20) return -1;
        return count;
    }
};

LONGPOLE_GUI_TEST(FrameTest)
#include "tst_gui_frame.moc"
