// SPDX-License-Identifier: GPL-3.0-or-later
// What is clicked, found and marked in a window, and that every view follows.
#include "app/gui/frame/banner.h"
#include "app/gui/frame/processorsheet.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/pathstrip.h"
#include "app/gui/window/toolrow.h"
#include "app/gui/window/windowfixture.h"
#include "views/expert/healthpanel.h"
#include "views/path/chips.h"
#include "views/path/criticalpathpanel.h"
#include "views/path/sharetable.h"
#include "views/plots/hithistogram.h"
#include "views/seen.h"
#include "views/tables/selectionpanel.h"
#include "views/timeline/gestures.h"
#include "views/timeline/view.h"
#include "views/widgets/elidedlabel.h"
#include "views/widgets/tableview.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

using namespace longpole;
using namespace longpole::test;

class SelectionTest : public QObject, protected WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { writeTrace(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void clickingATaskShowsThePathThatEndsThere()
    {
        openSmall();
        auto* chip = m_window->findChild<QPushButton*>(QStringLiteral("chip"));
        QVERIFY(!chip->isVisible());
        m_window->workspace()->state().select(Selection{.task = TaskId{ProcessorId{0}, 1}, .message = {}});
        QTRY_VERIFY(chip->isVisible());
        QCOMPARE(chip->text(), QStringLiteral("path to task 0:1 · back to whole run"));
        QTRY_COMPARE(state().path()->length, 7 * us);
        QTRY_VERIFY(!chip->visibleRegion().isEmpty());  // there is room for it
        QTest::mouseClick(chip, Qt::LeftButton);
        QTRY_COMPARE(state().path()->length, 8 * us);
        QVERIFY(!chip->isVisible());
    }

    void theHeadlineNamesTheTaskWhereThePathEnds()
    {
        openSmall();
        auto* strip = m_window->findChild<PathStrip*>();
        QVERIFY(strip);
        const QToolButton& sentence = strip->sentence();
        QVERIFY(!sentence.text().contains(QStringLiteral("to task")));
        state().select(Selection{.task = TaskId{ProcessorId{0}, 1}, .message = {}});
        QTRY_VERIFY2(sentence.text().contains(QStringLiteral(", to task 0:1")), qPrintable(sentence.text()));
        // A jump selects another task, evidence none; the path stays the one to the task that was clicked.
        for (const TaskId other : {TaskId{ProcessorId{1}, 0}, TaskId{}}) {
            state().reveal(Selection{.task = other, .message = {}});
            QTest::qWait(20);
            QVERIFY(sentence.text().contains(QStringLiteral(", to task 0:1")));
        }
        m_window->session().askWholeRun();
        QTRY_VERIFY(!sentence.text().contains(QStringLiteral("to task")));
    }

    void escClosesTheListOfPathsFirst()
    {
        openSmall();
        state().setMarked({smallZero + 1 * us, smallZero + 7 * us});
        auto* strip = m_window->findChild<PathStrip*>();
        QVERIFY(strip);
        strip->sentence().click();
        QVERIFY(strip->sheet().isVisible());
        QTest::keyClick(&strip->sheet(), Qt::Key_Escape);
        QVERIFY(!strip->sheet().isVisible());
        QVERIFY(!state().marked().isEmpty());
        // Where the key comes to the window in spite of it.
        strip->sentence().click();
        QVERIFY(strip->sheet().isVisible());
        m_window->actions().find(QStringLiteral("edit.clearSelection"))->trigger();
        QVERIFY(!strip->sheet().isVisible());
        QVERIFY(!state().marked().isEmpty());
    }

    // What a filter dims shows again before the selection goes.
    void escEndsTheDimming()
    {
        openSmall();
        state().select(Selection{.task = TaskId{ProcessorId{0}, 1}, .message = {}});
        QVERIFY(state().setFilter(entryName(state().store().entries().front())).isEmpty());
        QVERIFY(state().matchingEntries());
        m_window->actions().find(QStringLiteral("edit.clearSelection"))->trigger();
        QVERIFY(state().filterText().isEmpty() && !state().matchingEntries());
        QVERIFY(m_window->findChild<ToolRow*>()->find().text().isEmpty());
        QVERIFY(state().selection().isValid());
        m_window->actions().find(QStringLiteral("edit.clearSelection"))->trigger();
        QVERIFY(!state().selection().isValid());
    }

    void thePathOfTheMarkedRangeAndTheWayBack()
    {
        openSmall();
        PathChips& chips = m_window->chips();
        QVERIFY(!chips.marked().isVisible());
        state().setMarked({smallZero + 1 * us, smallZero + 7 * us});
        QVERIFY(chips.marked().isVisible());
        QTRY_VERIFY(!chips.marked().visibleRegion().isEmpty());  // there is room for it
        // The doubts at the right come with the health and the path, and take theirs.
        QTRY_VERIFY(m_window->workspace()->healthPanel().health() && state().path());
        QTest::qWait(50);
        // What is read out of the timeline takes other labels' room and moves nothing.
        const QPoint place = chips.mapTo(m_window.get(), QPoint());
        Q_EMIT m_window->workspace()->hovered(QString(400, QLatin1Char('x')));
        QTest::qWait(20);
        QCOMPARE(chips.mapTo(m_window.get(), QPoint()), place);
        Q_EMIT m_window->workspace()->hovered({});
        QTest::mouseClick(&chips.marked(), Qt::LeftButton);
        QTRY_COMPARE(state().path()->length, 5 * us);
        QVERIFY(!chips.marked().isVisible());
        QCOMPARE(chips.back().text(), QStringLiteral("path of 1.00 … 7.00 us · back to whole run"));
        // Esc goes back first and takes the mark away next.
        QTest::keyClick(&m_window->workspace()->timeline(), Qt::Key_Escape);
        QTRY_COMPARE(state().path()->length, 8 * us);
        QVERIFY(!state().marked().isEmpty());
        QVERIFY(!chips.back().isVisible());
        QTest::keyClick(&m_window->workspace()->timeline(), Qt::Key_Escape);
        QVERIFY(state().marked().isEmpty());
        // The key asks for it and lets go of it; without a mark it says what to do.
        QAction* action = m_window->actions().find(QStringLiteral("path.ofRange"));
        action->trigger();
        QVERIFY(m_window->banner().text().contains(QStringLiteral("mark a range first")));
        state().setMarked({smallZero + 4 * us, smallZero + 7 * us});
        action->trigger();
        QTRY_COMPARE(state().path()->length, 3 * us);
        QVERIFY(action->isChecked());
        action->trigger();
        QTRY_COMPARE(state().path()->length, 8 * us);
    }

    void stepsAndTimelineFollowEachOther()
    {
        openSmall();
        TableView& steps = m_window->workspace()->panel<CriticalPathPanel>(panels::path.id).steps();
        QCOMPARE(steps.table().rowCount(), 2);
        QCOMPARE(steps.table().index(1, 1).data().toString(), QStringLiteral("1:0"));
        // A step that is chosen is selected, and the path stays what it was.
        QTest::mouseClick(steps.viewport(), Qt::LeftButton, {}, steps.visualRect(steps.model()->index(1, 1)).center());
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{1}, 0}));
        QTest::qWait(20);
        QVERIFY(!m_window->session().question().to);
        // And the other way round.
        state().reveal(Selection{.task = TaskId{ProcessorId{0}, 0}, .message = {}});
        QCOMPARE(steps.currentIndex().row(), 0);
        TableView& profile = m_window->workspace()->panel<CriticalPathPanel>(panels::path.id).profile();
        QCOMPARE(profile.table().rowCount(), 2);
        QCOMPARE(profile.table().index(0, 2).data(TableModel::RawRole).toLongLong(), 6 * us);
    }

    void selectionPanelLeadsToTheSource()
    {
        openSmall();
        m_window->showTab(QLatin1String(panels::selection.id));
        SelectionPanel& panel = m_window->workspace()->panel<SelectionPanel>(panels::selection.id);
        state().reveal(Selection{.task = TaskId{ProcessorId{1}, 0}, .message = {}});
        TableModel& fields = panel.task().table();
        QTRY_VERIFY(fields.rowCount() > 0);
        fields.setFilter(QStringLiteral("Source task"));
        QTRY_COMPARE(fields.rowCount(), 1);
        QCOMPARE(fields.index(0, 1).data().toString(), QStringLiteral("0:0"));
        QVERIFY(fields.index(0, 1).data(TableModel::LinkRole).toBool());
        QTest::mouseClick(panel.task().viewport(), Qt::LeftButton, {},
                          panel.task().visualRect(fields.index(0, 1)).center());
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{0}, 0}));
        // 0:0 created the message that 1:0 executed.
        QTRY_COMPARE(panel.created().table().rowCount(), 1);
        QTRY_COMPARE(panel.created().table().index(0, 1).data().toString(), QStringLiteral("1:0"));
        QCOMPARE(panel.created().table().index(0, 2).data(TableModel::RawRole).toLongLong(), 1 * us);
    }

    void findCountsAndGoesOn()
    {
        openSmall();
        ToolRow& tools = m_window->toolRow();
        tools.find().setText(QStringLiteral("start"));
        QCOMPARE(seen<ElidedLabel>(tools).text(), QStringLiteral("1 hit"));
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{0}, 0}));
        tools.find().setText(QStringLiteral("/^(?!.*start)/"));
        QCOMPARE(seen<ElidedLabel>(tools).text(), QStringLiteral("2 hits"));
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{1}, 0}));
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{0}, 1}));
        QTest::keyClick(&tools.find(), Qt::Key_Return);  // round the end
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{1}, 0}));
        QTest::keyClick(&tools.find(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{0}, 1}));
        tools.find().setText(QStringLiteral("nothing like it"));
        QCOMPARE(seen<ElidedLabel>(tools).text(), QStringLiteral("no hits"));
        tools.find().setText(QStringLiteral("/(/"));
        QVERIFY(!seen<ElidedLabel>(tools).text().isEmpty());
        QVERIFY(seen<ElidedLabel>(tools).text() != QStringLiteral("no hits"));
        tools.find().clear();
        QCOMPARE(seen<ElidedLabel>(tools).text(), QString());
        QVERIFY(!state().matchingEntries());
    }

    // Of a row that is too narrow for all, names and the histogram go first.
    void hitsAreWhole()
    {
        openSmall();
        ToolRow& tools = m_window->toolRow();
        tools.find().setText(QStringLiteral("/run/"));
        for (const char* text : {"1 of 62 464 hits", "62 464 of 62 464 hits"}) {
            tools.setHits(QString::fromLatin1(text));
            for (const int width : {1440, tools.minimumSizeHint().width()}) {
                tools.setFixedWidth(width);
                tools.layout()->activate();
                const auto labels = tools.findChildren<ElidedLabel*>();
                QCOMPARE(labels.size(), 1);
                QVERIFY(labels[0]->isVisible() && !labels[0]->isElided());
                QVERIFY2(tools.layout()->minimumSize().width() <= width, qPrintable(QString::number(width)));
                QCOMPARE(tools.histogram().isVisible(), width == 1440);
            }
        }
    }

    void findSaysWhich()
    {
        openSmall();
        ToolRow& tools = m_window->toolRow();
        QVERIFY(!tools.histogram().isVisible());
        tools.find().setText(QStringLiteral("/run/"));
        QCOMPARE(seen<ElidedLabel>(tools).text(), QStringLiteral("2 hits"));
        QVERIFY(tools.histogram().isVisible());
        // They begin at 3 and 6 of 10 us.
        const std::vector<std::int64_t>& counts = tools.histogram().counts();
        QCOMPARE(counts.size(), HitHistogram::bins);
        QCOMPARE(counts[HitHistogram::bins * 3 / 10], 1);
        QCOMPARE(counts[HitHistogram::bins * 6 / 10], 1);
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(seen<ElidedLabel>(tools).text(), QStringLiteral("1 of 2 hits"));
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(seen<ElidedLabel>(tools).text(), QStringLiteral("2 of 2 hits"));
        tools.find().clear();
        QVERIFY(!tools.histogram().isVisible());
    }

    void escapeLetsGoOfOneThingAtATime()
    {
        openSmall();
        TimelineView& timeline = m_window->workspace()->timeline();
        state().select(Selection{.task = TaskId{ProcessorId{0}, 1}, .message = {}});
        QTRY_VERIFY(m_window->session().question().to);
        state().setMarked({smallZero, smallZero + 2 * us});
        timeline.gestures().toggleRuler();
        m_window->clearSelection();
        QVERIFY(!state().marked().isEmpty());  // the ruler went
        m_window->clearSelection();
        QVERIFY(state().marked().isEmpty());
        QVERIFY(state().selection().task.isValid());
        m_window->clearSelection();
        QVERIFY(!state().selection().task.isValid());
        QVERIFY(!m_window->session().question().to);
    }

    void clickingTheSelectedTaskBringsItsPathBack()
    {
        openSmall();
        const Selection task{.task = TaskId{ProcessorId{0}, 1}, .message = {}};
        state().select(task);
        QTRY_COMPARE(state().path()->length, 7 * us);
        m_window->session().setTarget({});
        QTRY_COMPARE(state().path()->length, 8 * us);
        state().select(task);
        QTRY_COMPARE(state().path()->length, 7 * us);
    }

    void aGroupOfProcessorsIsChosen()
    {
        openSmall();
        m_window->actions().find(QStringLiteral("view.processors"))->trigger();
        auto* sheet = m_window->findChild<ProcessorSheet*>();
        auto* groups = sheet->findChild<QComboBox*>(QStringLiteral("processorGroups"));
        QVERIFY(groups && !groups->isVisible());  // this trace has none
        const QString name = QStringLiteral("<b>row</b> comm");
        const std::vector<ProcessGroup> made{{name, {ProcessorId{1}}}};
        sheet->setGroups(std::make_shared<const std::vector<ProcessGroup>>(made));
        QVERIFY(groups->isVisible() && groups->count() == 2);
        QCOMPARE(groups->itemText(0), QStringLiteral("A group of PEs"));  // in the words of the program that is open
        QCOMPARE(sheet->findChild<QLabel*>(QStringLiteral("panelTitle"))->text(), QStringLiteral("Choose PEs"));
        QCOMPARE(sheet->message().text(), QStringLiteral("Of 0 to 1. Nothing: all."));
        sheet->ask(ProgramKind::Mpi, 4, {});
        QCOMPARE(sheet->findChild<QLabel*>(QStringLiteral("panelTitle"))->text(), QStringLiteral("Choose ranks"));
        QCOMPARE(sheet->message().text(),
                 QStringLiteral("Of 0 to 3, such as 0,2 or 0-3:2 (from-to:step). Nothing: all."));
        QVERIFY(!groups->isVisible());
        sheet->setGroups(std::make_shared<const std::vector<ProcessGroup>>(made));
        QCOMPARE(groups->itemText(0), QStringLiteral("A group of ranks"));
        QCOMPARE(groups->itemText(1), name + QStringLiteral(" (1)"));
        groups->setCurrentIndex(1);
        Q_EMIT groups->activated(1);
        QCOMPARE(sheet->field().text(), QStringLiteral("1"));
        QVERIFY(sheet->field().hasFocus());
        QTest::keyClick(&sheet->field(), Qt::Key_Return);
        QVERIFY(!sheet->isVisible());
        QCOMPARE(state().processors(), std::vector{ProcessorId{1}});
    }

    void processorsAreChosenAndKept()
    {
        openSmall();
        m_window->actions().find(QStringLiteral("view.processors"))->trigger();
        auto* sheet = m_window->findChild<ProcessorSheet*>();
        QVERIFY(sheet && sheet->isVisible() && sheet->field().text().isEmpty());
        for (const char* bad : {"2", "0-", "x", "1-0", "-1", "0-1:0"}) {
            sheet->field().setText(QLatin1String(bad));
            QTest::keyClick(&sheet->field(), Qt::Key_Return);
            QVERIFY2(sheet->isVisible() && sheet->message().objectName() == QLatin1String("errorText"), bad);
            QVERIFY(state().processors().empty());
        }
        sheet->field().setText(QStringLiteral("1"));
        QTest::keyClick(&sheet->field(), Qt::Key_Return);
        QVERIFY(!sheet->isVisible());
        QCOMPARE(state().processors(), std::vector{ProcessorId{1}});
        TimelineView* timeline = &m_window->workspace()->timeline();
        QCOMPARE(timeline->rows().rows().size(), std::size_t(1));
        m_window.reset();
        newWindow();
        openSmall();
        QCOMPARE(state().processors(), std::vector{ProcessorId{1}});
        timeline = &m_window->workspace()->timeline();
        QCOMPARE(timeline->rows().rows().size(), std::size_t(1));
        QTRY_VERIFY(seen<QPushButton>(*timeline, "Show all rows").isVisible());
        QVERIFY(seen<QPushButton>(*timeline, "Show all rows").text().contains(QStringLiteral("of 2")));
        QTest::mouseClick(&seen<QPushButton>(*timeline, "Show all rows"), Qt::LeftButton);
        QVERIFY(state().processors().empty() && !seen<QPushButton>(*timeline, "Show all rows").isVisible());
        QCOMPARE(timeline->rows().rows().size(), std::size_t(2));
        m_window->goBack();
        QCOMPARE(timeline->rows().rows().size(), std::size_t(1));
    }
};

LONGPOLE_GUI_TEST(SelectionTest)
#include "tst_gui_selection.moc"
