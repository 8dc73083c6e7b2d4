// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a hand meets it: open, click, find, bookmark, switch the theme, break things, leave.
#include "app/gui/frame/banner.h"
#include "app/gui/frame/overlay.h"
#include "app/gui/frame/processorsheet.h"
#include "app/gui/frame/startpage.h"
#include "app/gui/frame/tracesheet.h"
#include "app/gui/frame/viewhelp.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/places.h"
#include "app/gui/window/sidebar.h"
#include "app/gui/window/toolrow.h"
#include "app/smalltrace.h"
#include "views/expert/healthpanel.h"
#include "views/path/chips.h"
#include "views/path/criticalpathpanel.h"
#include "views/path/sharetable.h"
#include "views/plots/hithistogram.h"
#include "views/tables/selectionpanel.h"
#include "views/tables/sqlpanel.h"
#include "views/timeline/axisbar.h"
#include "views/timeline/gestures.h"
#include "views/timeline/locationlabels.h"
#include "views/timeline/view.h"
#include "views/widgets/tableview.h"

#include "core/trace/format.h"
#include "support/testmain.h"

#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class WindowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_small = m_folder.filePath(QStringLiteral("small.longpole"));
        QVERIFY(writeHostileTrace(m_small).ok());
    }
    void init()
    {
        // The offscreen platform says this of every window with a smallest size, and of every one that comes to the
        // top.
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise))")));
        m_cache = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", m_cache->path().toLocal8Bit());
        QFile::remove(m_folder.filePath(QStringLiteral("settings.ini")));
        m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("settings.ini")));
        applyTheme(darkTheme());
        newWindow();
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
    }

    void startPageThenTrace()
    {
        QVERIFY(!m_window->workspace());
        QCOMPARE(m_window->windowTitle(), QStringLiteral("Longpole"));
        openSmall();
        // The folder tells two runs of one program apart.
        const QString folder = QFileInfo(m_folder.path()).fileName();
        QCOMPARE(m_window->windowTitle(), QStringLiteral("%1/small – Longpole").arg(folder));
        QCOMPARE(label(QStringLiteral("runSummary")), QStringLiteral("%1/small · 2 PEs · 10 us").arg(folder));
        QCOMPARE(m_settings->recent(), QStringList{m_small});
        m_window->closeTrace();
        QVERIFY(!m_window->workspace());
        QCOMPARE(label(QStringLiteral("runSummary")), QString());
    }

    // A summary has a timeline and no executions: panels about these say so, choices about them are not there.
    void aSummarySaysWhatItLacks()
    {
        QFile sum(m_folder.filePath(QStringLiteral("s.0.sum")));
        QVERIFY(sum.open(QIODevice::WriteOnly));
        sum.write(
            "ver:7.1 0/1 count:4 ep:2 interval:1.000000e-03 phases:0\n  50 100   0  25\nEPExeTime: 0 1750 \n"
            "EPCallTime: 0 3 \nMaxEPTime: 0 1000 \nNumMarks: 0 \nIdlePercent:   50   0 100   0\n");
        sum.close();
        m_window->open(sum.fileName());
        QTRY_VERIFY(m_window->workspace());
        QVERIFY(!state().store().hasEvents());
        for (const PanelSpec* spec : panelSpecs()) {
            m_window->showTab(QLatin1String(spec->id));
            const auto* said = qobject_cast<QLabel*>(&dock(spec->id).content());
            QCOMPARE(said != nullptr, spec->needs != PanelNeeds::Nothing);
            if (said && spec->needs == PanelNeeds::Events)
                QVERIFY(said->text().startsWith(QStringLiteral("This trace is a summary")));
        }
        QTRY_VERIFY(m_window->workspace()->healthPanel().toText().contains(
            QStringLiteral("summary trace, in intervals of 1 ms")));
        auto* tools = m_window->findChild<ToolRow*>();
        QVERIFY(!tools->find().isVisible());
        openSmall();
        QVERIFY(tools->find().isVisible());
    }

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

    void thePathOfTheMarkedRangeAndTheWayBack()
    {
        openSmall();
        PathChips& chips = m_window->chips();
        QVERIFY(!chips.marked().isVisible());
        state().setMarked({smallZero + 1 * us, smallZero + 7 * us});
        QVERIFY(chips.marked().isVisible());
        QTRY_VERIFY(!chips.marked().visibleRegion().isEmpty());  // there is room for it
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
        QCOMPARE(tools.findMessage(), QStringLiteral("1 hit"));
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{0}, 0}));
        tools.find().setText(QStringLiteral("/^(?!.*start)/"));
        QCOMPARE(tools.findMessage(), QStringLiteral("2 hits"));
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{1}, 0}));
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{0}, 1}));
        QTest::keyClick(&tools.find(), Qt::Key_Return);  // round the end
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{1}, 0}));
        QTest::keyClick(&tools.find(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(state().selection().task, (TaskId{ProcessorId{0}, 1}));
        tools.find().setText(QStringLiteral("nothing like it"));
        QCOMPARE(tools.findMessage(), QStringLiteral("no hits"));
        tools.find().setText(QStringLiteral("/(/"));
        QVERIFY(!tools.findMessage().isEmpty());
        QVERIFY(tools.findMessage() != QStringLiteral("no hits"));
        tools.find().clear();
        QCOMPARE(tools.findMessage(), QString());
        QVERIFY(!state().matchingEntries());
    }

    void findSaysWhich()
    {
        openSmall();
        ToolRow& tools = m_window->toolRow();
        QVERIFY(!tools.histogram().isVisible());
        tools.find().setText(QStringLiteral("/run/"));
        QCOMPARE(tools.findMessage(), QStringLiteral("2 hits"));
        QVERIFY(tools.histogram().isVisible());
        // They begin at 3 and 6 of 10 us.
        const std::vector<std::int64_t>& counts = tools.histogram().counts();
        QCOMPARE(counts.size(), HitHistogram::bins);
        QCOMPARE(counts[HitHistogram::bins * 3 / 10], 1);
        QCOMPARE(counts[HitHistogram::bins * 6 / 10], 1);
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(tools.findMessage(), QStringLiteral("1 of 2 hits"));
        QTest::keyClick(&tools.find(), Qt::Key_Return);
        QCOMPARE(tools.findMessage(), QStringLiteral("2 of 2 hits"));
        tools.find().clear();
        QVERIFY(!tools.histogram().isVisible());
    }

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

    void startPageHasNoTools()
    {
        QVERIFY(!m_window->toolRow().isVisible());
        openSmall();
        QVERIFY(m_window->toolRow().isVisible());
        m_window->closeTrace();
        QVERIFY(!m_window->toolRow().isVisible());
    }

    void okabeItoIsRemembered()
    {
        openSmall();
        Q_EMIT m_window->toolRow().colourChosen(ColourMode::Chare, PaletteKind::OkabeIto);
        QCOMPARE(state().paletteKind(), PaletteKind::OkabeIto);
        m_window->closeTrace();
        openSmall();
        QCOMPARE(state().paletteKind(), PaletteKind::OkabeIto);
        QCOMPARE(state().colour(), ColourMode::Chare);
    }

    void bookmarksComeBack()
    {
        openSmall();
        const TimeRange range{smallZero + 2 * us, smallZero + 5 * us};
        state().setRange(range);
        m_window->setBookmarkHere(3);
        TimelineView& timeline = m_window->workspace()->timeline();
        timeline.setRowOrder({ProcessorId{1}, ProcessorId{0}});
        timeline.rows().togglePin(TrackId{0});
        state().setRange(state().fullRange());
        m_window->goToBookmark(3);
        QCOMPARE(state().range(), range);
        m_window.reset();
        newWindow();
        openSmall();
        QCOMPARE(state().range(), range);  // as it was left
        const RowChoice& rows = m_window->workspace()->timeline().rows().choice();
        QCOMPARE(rows.order, (std::vector{ProcessorId{1}, ProcessorId{0}}));
        QCOMPARE(rows.pinned, std::vector{TrackId{0}});
        QCOMPARE(m_window->workspace()->sideFile().bookmarks.size(), std::size_t(1));
        QCOMPARE(m_window->workspace()->sideFile().bookmarks[0].number, 3);
        m_window->showWholeRun();
        m_window->goToBookmark(3);
        QCOMPARE(state().range(), range);
        m_window->goToBookmark(4);  // there is none
        QCOMPARE(state().range(), range);
        // It stands on the axis, and a click there goes to it.
        m_window->showWholeRun();
        auto* axis = m_window->findChild<AxisBar*>();
        QVERIFY(axis && axis->height() > 32);
        const TimelineView& view = m_window->workspace()->timeline();
        const int left = view.findChild<LocationLabels*>()->width();
        QTest::mouseClick(axis, Qt::LeftButton, {}, {left + (axis->width() - left) * 2 / 5, axis->height() - 4});
        QCOMPARE(state().range(), range);
    }

    // Bookmarks that this Longpole could not read stay as they are until the user sets one.
    void damagedBookmarksStay()
    {
        openSmall();
        m_window->setBookmarkHere(3);
        const QString path = sideFilePath(state().store().stamp());
        m_window->closeTrace();
        const auto content = [&path] {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const QByteArray cut = content().chopped(3);
        QVERIFY(cut.contains("bookmarks"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(cut) == cut.size());
        file.close();
        openSmall();
        state().setRange({smallZero + 1 * us, smallZero + 2 * us});
        m_window->closeTrace();
        QCOMPARE(content(), cut);
        openSmall();
        m_window->setBookmarkHere(4);
        state().setRange({smallZero + 1 * us, smallZero + 2 * us});
        m_window->closeTrace();
        openSmall();
        QCOMPARE(state().range(), (TimeRange{smallZero + 1 * us, smallZero + 2 * us}));
        QCOMPARE(m_window->workspace()->sideFile().bookmarks[0].number, 4);
    }

    // Bookmarks of another window on the same run, which was there meanwhile.
    void bookmarksOfOtherWindowsStay()
    {
        openSmall();
        m_window->setBookmarkHere(3);
        const QString path = sideFilePath(state().store().stamp());
        Result<SideFile> other = loadSideFile(path);
        QVERIFY(other.ok());
        const TimeRange elsewhere{smallZero + 1 * us, smallZero + 2 * us};
        setBookmark(other->bookmarks, {.number = 7, .note = QStringLiteral("other"), .range = elsewhere});
        QVERIFY(saveSideFile(path, *other).ok());
        m_window->setBookmarkHere(4);
        QCOMPARE(m_window->workspace()->sideFile().bookmarks.size(), std::size_t(3));
        std::erase_if(other->bookmarks, [](const Bookmark& bookmark) { return bookmark.number == 3; });
        QVERIFY(saveSideFile(path, *other).ok());
        m_window->closeTrace();
        other = loadSideFile(path);
        QVERIFY(other.ok());
        QCOMPARE(other->bookmarks.size(), std::size_t(1));
        QCOMPARE(other->bookmarks[0].number, 7);
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
        QTRY_VERIFY(timeline->processorChip().isVisible());
        QVERIFY(timeline->processorChip().text().contains(QStringLiteral("of 2")));
        QTest::mouseClick(&timeline->processorChip(), Qt::LeftButton);
        QVERIFY(state().processors().empty() && !timeline->processorChip().isVisible());
        QCOMPARE(timeline->rows().rows().size(), std::size_t(2));
        m_window->goBack();
        QCOMPARE(timeline->rows().rows().size(), std::size_t(1));
    }

    void aboutThisTraceSaysWhatIsHeld()
    {
        openSmall();
        QTRY_VERIFY(state().path());
        const Results& results = *state().results();
        QCOMPARE(results.capacity(), Results::usualCapacity);
        // Panels may still be asking: what the sheet said is what Results said when it opened.
        const auto isSaid = [&] {
            m_window->actions().find(QStringLiteral("help.trace"))->trigger();
            return label(QStringLiteral("traceMemory")).startsWith(formatBytes(results.bytes()))
                   && label(QStringLiteral("traceAnswers")) == heldLines(results, 10).join(QLatin1Char('\n'));
        };
        QTRY_VERIFY_WITH_TIMEOUT(isSaid(), 20000);
        // The graph of three tasks is not among the ten largest.
        const QStringList all = heldLines(results, 100);
        QVERIFY2(!all.filter(QStringLiteral("activity graph")).isEmpty(), qPrintable(all.join(u'\n')));
        QVERIFY(heldLines(results, 1).size() <= 2);
    }

    void theBoundOfAnswersIsASetting()
    {
        m_settings->setAnswerBytes(64 << 20);
        openSmall();
        QCOMPARE(state().results()->capacity(), std::int64_t{64} << 20);
    }

    void themeSwitches()
    {
        openSmall();
        m_window->setTheme(ThemeChoice::Light);
        QCOMPARE(QApplication::palette().color(QPalette::Window), lightTheme().window);
        QCOMPARE(pixel(QPoint(4, 300)), lightTheme().window.rgb());  // the sidebar
        QCOMPARE(m_settings->theme(), ThemeChoice::Light);
        m_window->setTheme(ThemeChoice::Dark);
        QCOMPARE(pixel(QPoint(4, 300)), darkTheme().window.rgb());
        QCOMPARE(m_settings->theme(), ThemeChoice::Dark);
    }

    void brokenFileIsSaidInTheWindow()
    {
        openSmall();
        const QString path = m_folder.filePath(QStringLiteral("broken.longpole"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("SQLite format 3");
        file.close();
        m_window->open(path);
        QTRY_VERIFY(m_window->banner().isVisible());
        QVERIFY(!m_window->banner().isProgress());
        QVERIFY(m_window->banner().text().contains(path));
        QVERIFY(m_window->workspace());  // the trace that was open stays
        QCOMPARE(QApplication::activeModalWidget(), nullptr);
    }

    void dropOpens()
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(m_small)});
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &drop);
        QTRY_VERIFY(m_window->workspace());
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

    void tablesFilter()
    {
        openSmall();
        TableView& steps = m_window->workspace()->panel<CriticalPathPanel>(panels::path.id).steps();
        steps.setFocus();
        QTest::keyClick(&steps, Qt::Key_Slash);
        QVERIFY(steps.filterField().isVisible());
        QTest::keyClicks(&steps.filterField(), QStringLiteral("1:0"));
        QCOMPARE(steps.table().rowCount(), 1);
        QTest::keyClick(&steps.filterField(), Qt::Key_Escape);
        QCOMPARE(steps.table().rowCount(), 2);
        QVERIFY(!steps.filterField().isVisible());
    }

    void healthCounts()
    {
        openSmall();
        HealthPanel& health = m_window->workspace()->healthPanel();
        QTRY_VERIFY(health.health() != nullptr);
        QCOMPARE(health.notes(), 1);
        QVERIFY(health.toText().contains(QStringLiteral("small.0.log, line 7")));
    }

    void sqlRunsAndFails()
    {
        openSmall();
        SqlPanel& sql = m_window->workspace()->panel<SqlPanel>(panels::sql.id);
        m_window->showTab(QLatin1String(panels::sql.id));
        sql.editor().setPlainText(QStringLiteral("SELECT 6 * 7 AS answer, 'x' AS word UNION ALL SELECT 43, 'y'"));
        QSignalSpy finished(&sql, &SqlPanel::finished);
        QTest::keyClick(&sql.editor(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(finished.size(), 1);
        QCOMPARE(sql.table().table().toCsv(), QByteArray("answer,word\r\n42,x\r\n43,y\r\n"));
        for (const char* bad : {"SELEC 1", "DELETE FROM meta", "SELECT 1; SELECT 2"}) {
            finished.clear();
            sql.editor().setPlainText(QLatin1String(bad));
            sql.run();
            QTRY_COMPARE(finished.size(), 1);
            QVERIFY2(!sql.message().contains(QLatin1String("row")), qPrintable(sql.message()));
        }
        // Without end, until it is stopped.
        sql.editor().setPlainText(
            QStringLiteral("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"));
        sql.run();
        QVERIFY(sql.isRunning());
        sql.cancel();
        QVERIFY(!sql.isRunning());
    }

    void picturesAreWritten()
    {
        openSmall();
        const QString png = m_folder.filePath(QStringLiteral("picture.png"));
        const QString svg = m_folder.filePath(QStringLiteral("picture.svg"));
        m_window->exportPicture(png);
        m_window->exportPicture(svg);
        QVERIFY(QImage(png).width() > 400);
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("<svg"));
        m_window->exportPicture(QStringLiteral("/proc/picture.png"));
        QVERIFY(m_window->banner().text().contains(QStringLiteral("/proc/picture.png")));
    }

    void reportIsWritten()
    {
        openSmall();
        const QString path = m_folder.filePath(QStringLiteral("report.md"));
        m_window->exportReport(path);
        QTRY_VERIFY(QFile::exists(path));
        QTRY_VERIFY(m_window->banner().text().contains(path));
        m_window->exportReport(QStringLiteral("/proc/report.md"));
        QTRY_VERIFY(m_window->banner().text().contains(QStringLiteral("/proc/report.md")));
    }

    void paletteFindsAndRuns()
    {
        openSmall();
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto* palette = m_window->findChild<CommandPalette*>();
        QVERIFY(palette);
        QTRY_VERIFY(palette->isVisible());
        QTest::keyClicks(&palette->field(), QStringLiteral("elapsed path"));
        QCOMPARE(palette->list().count(), 1);
        QTest::keyClick(&palette->field(), Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QCOMPARE(m_window->session().question().mode, PathMode::Elapsed);
        QTRY_COMPARE(state().path()->length, 10 * us);
    }

    void actionsAreToldApart()
    {
        QSet<QString> ids;
        QSet<QString> keys;
        for (const ActionSpec& spec : actionSpecs()) {
            if (spec.id[0] == '-') continue;
            QVERIFY2(!ids.contains(QLatin1String(spec.id)), spec.id);
            ids.insert(QLatin1String(spec.id));
            QVERIFY(spec.run);
            for (const QKeySequence& key : shortcutsOf(spec)) {
                QVERIFY2(!key.isEmpty(), spec.id);
                QVERIFY2(!keys.contains(key.toString()), spec.id);
                keys.insert(key.toString());
            }
        }
        QVERIFY(keys.contains(QStringLiteral("Ctrl+Shift+P")));
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
        area.resize(900, 600);
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

    void actionsWithoutATraceDoNothing()
    {
        for (const ActionSpec& spec : actionSpecs()) {
            const QAction* action = m_window->actions().find(QLatin1String(spec.id));
            if (!action) continue;
            QCOMPARE(action->isEnabled(), !spec.needsTrace);
        }
    }

    void closingWhileLoadingIsPrompt()
    {
        m_window->open(m_small);
        QElapsedTimer clock;
        clock.start();
        m_window->close();
        m_window.reset();
        QVERIFY(clock.elapsed() < 1000);
    }

private:
    void newWindow()
    {
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 720);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void openSmall()
    {
        m_window->open(m_small);
        QTRY_VERIFY(m_window->workspace() && state().path());
    }
    PanelDock& dock(const char* id) { return *m_window->workspace()->area().find(QLatin1String(id)); }
    QPushButton& sideEntry(const char* id)
    {
        for (QPushButton* button : m_window->workspace()->sidebar().findChildren<QPushButton*>())
            if (button->property("entry").toString() == QLatin1String(id)) return *button;
        qFatal("there is no entry %s", id);
    }
    ViewState& state() { return m_window->workspace()->state(); }
    QString label(const QString& name) { return m_window->findChild<QLabel*>(name)->text(); }
    // Empty while no help of a view is shown.
    QString helpText()
    {
        const auto* sheet = m_window->findChild<ViewHelp*>();
        return sheet && sheet->isVisible() ? label(QStringLiteral("viewHelpText")) : QString();
    }
    QRgb pixel(QPoint at) { return m_window->grab().toImage().pixel(at); }

    QTemporaryDir m_folder;
    std::unique_ptr<QTemporaryDir> m_cache;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    QString m_small;
};

LONGPOLE_GUI_TEST(WindowTest)
#include "tst_gui_window.moc"
