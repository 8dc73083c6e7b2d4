// SPDX-License-Identifier: GPL-3.0-or-later
// The views of a window: each is found, explained, folded, torn off and put back, and the layout is kept.
#include "app/gui/frame/banner.h"
#include "app/gui/frame/viewhelp.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/places.h"
#include "app/gui/window/sidebar.h"
#include "app/gui/window/windowfixture.h"
#include "views/tables/selectionpanel.h"
#include "views/tables/sqlpanel.h"
#include "views/timeline/view.h"
#include "views/widgets/tableview.h"

#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class PanelsTest : public QObject, protected WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { writeTrace(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void everyHeadingAndFigureIsWhole_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1280 x 720") << QSize(1280, 720);
        QTest::newRow("1440 x 900") << QSize(1440, 900);
    }

    void everyHeadingAndFigureIsWhole()
    {
        QFETCH(QSize, size);
        m_window->resize(size);
        openSmall();
        state().reveal(Selection{.task = TaskId{ProcessorId{1}, 0}, .message = {}});
        for (const QLatin1String tab : {QLatin1String(panels::path.id), QLatin1String(panels::selection.id)}) {
            m_window->showTab(tab);
            QTest::qWait(20);
            for (const TableView* table : m_window->findChildren<TableView*>()) {
                if (!table->isVisible() || table->model()->rowCount() == 0) continue;
                const QFontMetrics metrics(table->font());
                for (int column = 0; column < table->model()->columnCount(); ++column) {
                    if (table->isColumnHidden(column)) continue;
                    const QString title = table->model()->headerData(column, Qt::Horizontal).toString();
                    QVERIFY2(table->columnWidth(column) >= metrics.horizontalAdvance(title) + 16, qPrintable(title));
                    const QModelIndex cell = table->model()->index(0, column);
                    const bool isFigure = cell.data(Qt::TextAlignmentRole).value<Qt::Alignment>() & Qt::AlignRight;
                    if (isFigure)
                        QVERIFY(table->columnWidth(column) >= metrics.horizontalAdvance(cell.data().toString()) + 16);
                }
                // Only the 18 letters that names always have may make a table scroll.
                const int name = 18 * metrics.averageCharWidth();
                QVERIFY2(table->horizontalHeader()->length() <= table->viewport()->width() + name,
                         qPrintable(table->accessibleName()));
            }
        }
    }

    void aPanelFoldedForRoomComesBack()
    {
        openSmall();
        QVERIFY(!m_window->isPanelShown(Panel::Right));  // 1280 pixels
        m_window->closeTrace();
        m_window->resize(1440, 900);
        openSmall();
        QVERIFY(m_window->isPanelShown(Panel::Right));
        m_window->resize(1280, 720);
        QTRY_VERIFY(!m_window->isPanelShown(Panel::Right));
        m_window->setPanelShown(Panel::Right, true);  // a wish
        m_window->resize(1270, 720);
        QTest::qWait(20);
        QVERIFY(m_window->isPanelShown(Panel::Right));
    }

    void panelsFoldAndStayFolded()
    {
        openSmall();
        QVERIFY(m_window->isPanelShown(Panel::Bottom));
        m_window->setPanelShown(Panel::Bottom, false);
        m_window->setPanelShown(Panel::Right, false);
        m_window.reset();
        newWindow();
        openSmall();
        QVERIFY(!m_window->isPanelShown(Panel::Bottom));
        QVERIFY(!m_window->isPanelShown(Panel::Right));
        QVERIFY(m_window->isPanelShown(Panel::Sidebar));
        m_window->showTab(QLatin1String(panels::sql.id));
        QVERIFY(m_window->isPanelShown(Panel::Bottom));
    }

    void everyPanelHasItsCommandAndItsEntry()
    {
        openSmall();
        for (const PanelSpec* spec : panelSpecs()) {
            QAction* action = m_window->actions().find(QLatin1String(spec->id));
            QVERIFY2(action, spec->id);
            PanelDock* dock = m_window->workspace()->area().find(QLatin1String(spec->id));
            QVERIFY2(dock, spec->id);
            QCOMPARE(action->isEnabled(), requireNeeds(spec->needs, state().store()).ok());
            m_window->showTab(QLatin1String(spec->id));  // a link may lead there even where the menu does not
            QVERIFY2(dock->isOnScreen() && dock->content().isVisible(), spec->id);
            QCOMPARE(dock->windowTitle(), QString::fromUtf8(spec->title.objects));
            if (action->isEnabled()) QTRY_VERIFY2(sideEntry(spec->id).isChecked(), spec->id);
        }
    }

    // F1 over a panel, F1 in it, and the ? of its strip.
    void everyPanelExplainsItself()
    {
        openSmall();
        QAction* help = m_window->actions().find(QStringLiteral("help.view"));
        for (const PanelSpec* spec : panelSpecs()) {
            const QString text = QString::fromUtf8(spec->help.objects);
            QVERIFY2(text.size() > 60 && text.endsWith(QLatin1Char('.')), spec->id);
            QVERIFY2(qstrlen(spec->tip.objects) > 0 && qstrlen(spec->title.objects) > 0, spec->id);
            m_window->showTab(QLatin1String(spec->id));
            PanelDock& shown = dock(spec->id);
            QTRY_VERIFY2(shown.content().isVisible(), spec->id);
            QCursor::setPos(shown.content().mapToGlobal(shown.content().rect().center()));
            help->trigger();
            QTRY_COMPARE(helpText(), text);
            QTest::keyClick(m_window->findChild<ViewHelp*>(), Qt::Key_Escape);
            QTRY_COMPARE(helpText(), QString());
            Q_EMIT shown.helpRequested();
            QTRY_COMPARE(helpText(), text);
        }
        QTest::keyClick(m_window->findChild<ViewHelp*>(), Qt::Key_Escape);
        QCursor::setPos(m_window->mapToGlobal(QPoint(2, 2)));
        m_window->workspace()->panel<SqlPanel>(panels::sql.id).editor().setFocus();
        help->trigger();  // of the view that has the focus
        QTRY_COMPARE(helpText(), QString::fromUtf8(panels::sql.help.objects));
        QTest::keyClick(m_window->findChild<ViewHelp*>(), Qt::Key_Escape);
        m_window->closeTrace();
        help->trigger();  // nothing to explain but the keys
        QTRY_VERIFY(m_window->findChild<KeyHelp*>() && m_window->findChild<KeyHelp*>()->isVisible());
    }

    void panelsAreMadeWhenTheyShow()
    {
        openSmall();
        for (const PanelSpec* spec : panelSpecs()) {
            const PanelDock& dock = *m_window->workspace()->area().find(QLatin1String(spec->id));
            QCOMPARE(dock.isHidden(), !spec->open);
            QCOMPARE(dock.isMade(), dock.isOnScreen());
        }
        QVERIFY(dock(panels::path.id).isOnScreen());
        QVERIFY(!dock(panels::selection.id).isMade());  // behind another tab
        m_window->showTab(QLatin1String(panels::sql.id));
        QVERIFY(dock(panels::sql.id).isMade());
        QTRY_VERIFY(!dock(panels::path.id).content().isVisible());  // what no one sees computes nothing
        QTRY_VERIFY(!sideEntry(panels::path.id).isChecked());
        dock(panels::sql.id).close();
        QTRY_VERIFY(dock(panels::path.id).isOnScreen() || dock(panels::selection.id).isOnScreen()
                    || dock(panels::whatIf.id).isOnScreen());
        QTest::mouseClick(&sideEntry(panels::sql.id), Qt::LeftButton);
        QTRY_VERIFY(dock(panels::sql.id).isOnScreen());
    }

    void viewsAreTornOffAndPutBack()
    {
        openSmall();
        m_window->showTab(QLatin1String(panels::selection.id));
        PanelDock& selection = dock(panels::selection.id);
        QTRY_VERIFY(selection.title().isFolded());  // its tab says the name
        dock(panels::whatIf.id).close();
        selection.setFloating(true);
        QTRY_COMPARE(selection.windowType(), Qt::Window);
        QTRY_VERIFY(!dock(panels::path.id).title().isFolded());  // it has lost its tab
        QTRY_VERIFY(selection.isOnScreen() && !selection.title().isFolded());
        QVERIFY(selection.height() >= 320);
        // It follows the others as before.
        state().reveal(Selection{.task = TaskId{ProcessorId{1}, 0}, .message = {}});
        auto& panel = m_window->workspace()->panel<SelectionPanel>(panels::selection.id);
        QTRY_VERIFY(panel.task().table().rowCount() > 0);
        selection.close();
        QVERIFY(!selection.isOnScreen());
        m_window->showTab(QLatin1String(panels::selection.id));
        QVERIFY(selection.isOnScreen() && selection.isFloating());
        selection.setFloating(false);
        QTRY_VERIFY(selection.isOnScreen() && selection.window() == m_window.get());
        QTRY_VERIFY(selection.title().isFolded());
    }

    void keysTearOffAndClose()
    {
        openSmall();
        m_window->showTab(QLatin1String(panels::selection.id));
        PanelDock& selection = dock(panels::selection.id);
        m_window->setFocus();
        m_window->tearOffView();
        QVERIFY(m_window->banner().text().contains(QStringLiteral("Click into a view")));
        selection.content().setFocus();
        m_window->workspace()->panel<SelectionPanel>(panels::selection.id).task().setFocus();
        QCOMPARE(m_window->workspace()->area().focused(), &selection);
        m_window->tearOffView();
        QTRY_COMPARE(selection.windowType(), Qt::Window);
        selection.setFloating(false);
        QTRY_VERIFY(selection.isOnScreen());
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->workspace()->timeline().setFocus();
        m_window->closeView();
        QVERIFY(dock(panels::timelines).isHidden());
        m_window->showTab(QLatin1String(panels::timelines));
        QVERIFY(dock(panels::timelines).isOnScreen());
    }

    void viewsOfTheCentreShareItAsTabs()
    {
        DockArea area;
        const auto add = [&area](const char* id, PanelPlace place, bool open) -> PanelDock& {
            return area.add(QLatin1String(id), QLatin1String(id), place, open,
                            [](QWidget* parent) { return new QWidget(parent); });
        };
        PanelDock& first = add("first", PanelPlace::Centre, true);
        PanelDock& second = add("second", PanelPlace::Centre, false);
        PanelDock& below = add("below", PanelPlace::Below, true);
        area.restoreLayout({});
        area.resize(900, 800);
        area.show();
        QVERIFY(QTest::qWaitForWindowExposed(&area));
        QTRY_VERIFY(first.isOnScreen() && below.isOnScreen() && !second.isMade());
        QTRY_VERIFY(first.title().isFolded());   // alone in the centre
        QTRY_VERIFY(!below.title().isFolded());  // has no tab to say its name
        QTRY_VERIFY(first.height() > 2 * below.height());
        area.reveal(second);
        QTRY_VERIFY(second.isOnScreen() && !first.isOnScreen());
        QVERIFY(!first.content().isVisible());
        QCOMPARE(area.tabifiedDockWidgets(&second), QList<QDockWidget*>{&first});
        area.splitDockWidget(&first, &second, Qt::Horizontal);
        QTRY_VERIFY(first.isOnScreen() && second.isOnScreen());
        QTRY_VERIFY(!first.title().isFolded() && !second.title().isFolded());
        QVERIFY(first.geometry().right() < second.geometry().left());
        second.close();
        QTRY_VERIFY(first.title().isFolded());
    }

    // In a low window the timeline has the room where it is the question, and the views below it where they are.
    void whatIsAskedForHasTheRoom()
    {
        m_window->resize(1280, 720);
        openSmall();
        const auto below = [this] { return dock(panels::path.id).height(); };
        QTRY_VERIFY(below() > 100 && below() <= 220);
        m_window->showPlace(PanelGroup::WhySlow);
        QTRY_VERIFY(below() > 240);
        const int low = dock(panels::timelines).height();
        m_window->showTab(QLatin1String(panels::tree.id));  // which stands in the timeline's place
        QTRY_VERIFY(dock(panels::tree.id).height() > low + 40);
        m_window->showTab(QLatin1String(panels::path.id));
        QTRY_VERIFY(below() > 240);
        m_window->showPlace(PanelGroup::Timeline);
        QTRY_VERIFY(dock(panels::timelines).height() > low + 40);
    }

    // What lies below keeps its share of a window that grows, until a separator is dragged; the advice gets width.
    void aLargerWindowIsSharedInTheSameWay()
    {
        m_window->resize(1440, 900);
        openSmall();
        DockArea* area = &m_window->workspace()->area();
        const auto share = [&] { return double(dock(panels::path.id).height()) / area->height(); };
        const auto adviceWidth = [this] {
            return m_window->findChild<QWidget*>(QStringLiteral("rightPanel"))->width();
        };
        QTRY_VERIFY(share() > 0.2 && share() < 0.4);
        QTRY_COMPARE(adviceWidth(), 280);
        m_window->resize(2800, 1600);
        QTRY_VERIFY(area->height() > 1400);
        QTRY_VERIFY2(share() > 0.2 && share() < 0.4, qPrintable(QString::number(share())));
        QTRY_COMPARE(adviceWidth(), 400);
        m_window.reset();  // neither is kept as if it were chosen
        newWindow();
        m_window->resize(1440, 900);
        openSmall();
        area = &m_window->workspace()->area();
        QTRY_COMPARE(adviceWidth(), 280);
        QTRY_VERIFY(share() > 0.2 && share() < 0.4);
        const auto send = [area](QEvent::Type type, QPoint at) {
            QMouseEvent event(type, at, area->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, {});
            QApplication::sendEvent(area, &event);
            QTest::qWait(20);
        };
        // A click that a view leaves to what is behind it is no hand on a separator.
        send(QEvent::MouseButtonPress, dock(panels::timelines).geometry().center());
        send(QEvent::MouseButtonRelease, dock(panels::timelines).geometry().center());
        m_window->resize(1440, 1300);
        QTRY_VERIFY(m_window->height() == 1300);
        QTRY_VERIFY2(share() > 0.2 && share() < 0.4, qPrintable(QString::number(share())));
        m_window->resize(1440, 900);
        QTRY_VERIFY(m_window->height() == 900 && share() < 0.4);
        const int y = dock(panels::timelines).geometry().bottom() + 1;  // on the separator
        send(QEvent::MouseButtonPress, {400, y});
        send(QEvent::MouseMove, {400, y - 200});
        send(QEvent::MouseButtonRelease, {400, y - 200});
        QTRY_VERIFY2(share() > 0.4, qPrintable(QString::number(share())));
        m_window->resize(1440, 1100);
        QTRY_VERIFY(m_window->height() == 1100);
        QVERIFY2(share() > 0.4, qPrintable(QString::number(share())));
        m_window->actions().find(QStringLiteral("window.reset"))->trigger();
        QTRY_VERIFY2(share() < 0.4, qPrintable(QString::number(share())));
    }

    // As a tab among others, and as the one view of its place.
    void noTraceOpensOnAnEmptyComparison()
    {
        openSmall();
        m_window->showTab(QLatin1String(panels::comparison.id));
        QTRY_VERIFY(dock(panels::comparison.id).isOnScreen());
        m_window.reset();
        newWindow();
        openSmall();
        QTRY_VERIFY(dock(panels::path.id).isOnScreen() && !dock(panels::comparison.id).isOnScreen());
        m_window->showPlace(PanelGroup::Compare);
        QTRY_VERIFY(dock(panels::comparison.id).isOnScreen());
        m_window->closeTrace();
        openSmall();
        QTRY_VERIFY(dock(panels::path.id).isOnScreen() && !dock(panels::comparison.id).isOnScreen());
    }

    void layoutIsKeptAndReset()
    {
        openSmall();
        DockArea* area = &m_window->workspace()->area();
        area->addDockWidget(Qt::RightDockWidgetArea, &dock(panels::sql.id));
        m_window->showTab(QLatin1String(panels::sql.id));
        dock(panels::selection.id).setFloating(true);
        dock(panels::path.id).close();
        QTest::qWait(20);
        m_window.reset();
        newWindow();
        openSmall();
        area = &m_window->workspace()->area();
        QCOMPARE(area->dockWidgetArea(&dock(panels::sql.id)), Qt::RightDockWidgetArea);
        QVERIFY(dock(panels::sql.id).isOnScreen() && !dock(panels::sql.id).isFloating());
        QVERIFY(dock(panels::selection.id).isFloating() && dock(panels::selection.id).isOnScreen());
        QVERIFY(dock(panels::path.id).isHidden());
        m_window->actions().find(QStringLiteral("window.reset"))->trigger();
        for (const PanelSpec* spec : panelSpecs()) {
            QCOMPARE(dock(spec->id).isHidden(), !spec->open);
            QVERIFY(!dock(spec->id).isFloating());
            const bool isBelow = spec->place == PanelPlace::Below;
            QCOMPARE(area->dockWidgetArea(&dock(spec->id)), isBelow ? Qt::BottomDockWidgetArea : Qt::TopDockWidgetArea);
        }
        QTRY_VERIFY(dock(panels::path.id).isOnScreen() && dock(panels::timelines).isOnScreen());
        QTRY_VERIFY(m_window->workspace()->timeline().height() > m_window->workspace()->area().height() / 2);
    }

    void layoutsOfOtherProgramsBreakNothing_data()
    {
        QTest::addColumn<QByteArray>("layout");
        DockArea other;
        for (const char* id : {panels::timelines, "panel.ofTomorrow", panels::sql.id})
            other.add(QLatin1String(id), QLatin1String(id), PanelPlace::Below, true,
                      [](QWidget* parent) { return new QWidget(parent); });
        const QByteArray layout = other.saveLayout();
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no layout") << QByteArray("splitter");
        QTest::newRow("with a panel we lack, without some we have") << layout;
        for (qsizetype size = 1; size < layout.size(); size += 37)
            QTest::addRow("cut at %lld", static_cast<long long>(size)) << layout.left(size);
    }

    void layoutsOfOtherProgramsBreakNothing()
    {
        QFETCH(QByteArray, layout);
        m_settings->setLayout(QStringLiteral("docks"), layout);
        openSmall();
        for (const PanelSpec* spec : panelSpecs()) {
            m_window->showTab(QLatin1String(spec->id));
            QVERIFY2(dock(spec->id).isOnScreen(), spec->id);
            QVERIFY2(m_window->workspace()->area().dockWidgetArea(&dock(spec->id)) != Qt::NoDockWidgetArea, spec->id);
        }
        m_window->showTab(QLatin1String(panels::timelines));
        QVERIFY(dock(panels::timelines).isOnScreen());
    }

    void theFootFoldsWithWhatWasOnTop()
    {
        openSmall();
        m_window->showTab(QLatin1String(panels::selection.id));
        m_window->setPanelShown(Panel::Bottom, false);
        QVERIFY(dock(panels::path.id).isHidden() && dock(panels::selection.id).isHidden());
        m_window->setPanelShown(Panel::Bottom, true);
        QTRY_VERIFY(dock(panels::selection.id).isOnScreen());
        QVERIFY(!dock(panels::path.id).isHidden() && dock(panels::sql.id).isHidden());
    }
};

LONGPOLE_GUI_TEST(PanelsTest)
#include "tst_gui_panels.moc"
