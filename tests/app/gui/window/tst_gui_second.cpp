// SPDX-License-Identifier: GPL-3.0-or-later
// A second run in the same window: opened, locked, aligned, compared, closed in every order, and damaged.
#include "analysis/base/cells.h"
#include "analysis/report/comparisontables.h"
#include "app/gui/frame/banner.h"
#include "app/gui/frame/style.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/secondstrip.h"
#include "app/gui/window/windowfixture.h"
#include "app/output/comparisonoutput.h"
#include "app/smalltrace.h"
#include "views/expert/comparisonpanel.h"
#include "views/tables/entrytablepanel.h"
#include "views/timeline/view.h"
#include "views/widgets/emptystate.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"

#include <QAction>
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QTest>
#include <QTextBrowser>

using namespace longpole;
using namespace longpole::test;

namespace {

const QString chain = QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6");

}  // namespace

class SecondTest : public QObject, private WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        writeTrace();
        m_damaged = m_folder.filePath(QStringLiteral("damaged.longpole"));
        QVERIFY(QFile::copy(m_small, m_damaged));
        QFile damaged(m_damaged);
        QVERIFY(damaged.open(QIODevice::ReadWrite));
        QVERIFY(damaged.resize(damaged.size() / 2));
    }
    void init()
    {
        begin({1280, 800});
        open(m_small);
    }
    void cleanup() { end(); }

    void standsUnderTheFirst()
    {
        QVERIFY(dock(panels::second).isHidden());
        compareWith(chain);
        QVERIFY(!dock(panels::second).isHidden());
        QTRY_VERIFY(workspace().secondTimeline()->isVisible());
        QVERIFY(dock(panels::second).y() >= dock(panels::timelines).geometry().bottom());
        QVERIFY(dock(panels::comparison.id).isOnScreen());
        QTRY_VERIFY(second().view()->path());
        QCOMPARE(second().view()->path()->edges, m_window->session().question().edges);
        QVERIFY2(second().caption().startsWith(QStringLiteral("chain_and_bulk_p6 · 173.5 ms (+")),
                 qPrintable(second().caption()));
        // The question goes on for both.
        m_window->session().setMode(PathMode::Elapsed);
        QTRY_VERIFY(second().view()->path() && second().view()->path()->mode == PathMode::Elapsed);
        m_window->setTheme(ThemeChoice::Light);
        QVERIFY(!workspace().secondTimeline()->grab().isNull());
    }

    // A click there shows the path to what was clicked, of that run; Esc takes it away.
    void aClickShowsThePathToIt()
    {
        compareWith(chain);
        QTRY_VERIFY(second().view()->path());
        const TimeNs whole = second().view()->path()->length;
        const TaskId task = second().view()->path()->steps[3].task;
        second().view()->select({.task = task});
        QTRY_VERIFY(second().view()->path() && second().view()->path()->length < whole);
        QCOMPARE(second().view()->path()->steps.back().task, task);
        QVERIFY(!m_window->session().question().to);
        action("edit.clearSelection").trigger();
        QTRY_COMPARE(second().view()->path() ? second().view()->path()->length : 0, whole);
        QVERIFY(!second().view()->selection().task.isValid());
    }

    // Each view in the words of its own trace; menus and tools in those of the first.
    void speaksOfEachInItsOwnWords()
    {
        const QString ranks = m_folder.filePath(QStringLiteral("ranks.longpole"));
        if (!QFile::exists(ranks)) QVERIFY(writeHostileTrace(ranks, ProgramKind::Mpi).ok());
        compareWith(ranks);
        const auto words = [](ViewState& state) { return EntryTablePanel(state).table().accessibleName(); };
        QCOMPARE(words(workspace().state()), QStringLiteral("Entry methods"));
        QCOMPARE(words(*second().view()), QStringLiteral("Regions"));
        QCOMPARE(action("view.orderIdle").toolTip(), QStringLiteral("Order PEs by their idle time"));
        open(ranks);
        compareWith(m_small);
        QCOMPARE(words(workspace().state()), QStringLiteral("Regions"));
        QCOMPARE(words(*second().view()), QStringLiteral("Entry methods"));
        QCOMPARE(action("view.orderIdle").toolTip(), QStringLiteral("Order ranks by their idle time"));
    }

    void isLockedByTime()
    {
        compareWith(chain);
        ViewState& first = workspace().state();
        QCOMPARE(first.range(), first.wholeRange());  // the whole of both
        QCOMPARE(second().view()->range(), second().view()->fullRange());
        const TimeNs apart = second().view()->fullRange().begin - first.fullRange().begin;
        first.setRange({smallZero + 2 * us, smallZero + 6 * us});
        QCOMPARE(second().view()->range(), (TimeRange{smallZero + 2 * us + apart, smallZero + 6 * us + apart}));
        auto* strip = m_window->findChild<SecondStrip*>();
        QVERIFY(strip && strip->lock().isChecked() && strip->byTime().isChecked());
        QTest::mouseClick(&strip->lock(), Qt::LeftButton);
        QVERIFY(!second().isLocked());
        const TimeRange before = second().view()->range();
        first.setRange({smallZero, smallZero + us});
        QCOMPARE(second().view()->range(), before);
        action("view.lockSecond").trigger();
        QVERIFY(second().isLocked());
        QCOMPARE(second().view()->range().length(), us);
    }

    void isAlignedByPhase()
    {
        open(chain);
        compareWith(chain);
        QTRY_VERIFY(second().canAlignByPhase());
        const CommonPhase& phase = *second().comparison().comparison()->phase;
        auto* strip = m_window->findChild<SecondStrip*>();
        QTest::mouseClick(&strip->byPhase(), Qt::LeftButton);
        QVERIFY(second().alignment() == TimeAlignment::Phase);
        workspace().state().setRange({phase.a.spans[3].begin, phase.a.spans[4].begin});
        QCOMPARE(second().view()->range(), (TimeRange{phase.b.spans[3].begin, phase.b.spans[4].begin}));
        action("view.secondByPhase").trigger();
        QVERIFY(second().alignment() == TimeAlignment::Time);
    }

    void saysWhatChanged()
    {
        compareWith(chain);
        auto& panel = workspace().panel<ComparisonPanel>(panels::comparison.id);
        QTRY_VERIFY(panel.isThere());
        QVERIFY2(panel.headline().startsWith(QStringLiteral("B took 173.5 ms instead of 10 us")),
                 qPrintable(panel.headline()));
        QVERIFY(panel.text().toPlainText().contains(QStringLiteral("A is small and B is prio")));
        QVERIFY(panel.text().toPlainText().contains(QStringLiteral("Entered the elapsed critical path\nWorker::bulk")));
        QCOMPARE(panel.table().model()->index(0, 0).data().toString(), QStringLiteral("Worker::bulk"));
        // A click dims the others in both runs, another one none.
        Q_EMIT panel.table().rowChosen(0, 0);
        QCOMPARE(workspace().state().filterText(), QStringLiteral("Worker::bulk"));
        QVERIFY(second().view()->matchingEntries());
        Q_EMIT panel.table().rowChosen(0, 0);
        QVERIFY(!second().view()->matchingEntries());
        second().close();
        auto* empty = panel.findChild<EmptyState*>();
        QTRY_VERIFY(empty->isVisibleTo(&panel));  // what would be here, and a button
        QVERIFY(!panel.table().isVisibleTo(&panel));
        QCOMPARE(empty->button().text(), QStringLiteral("Open another run …"));
        QCOMPARE(panel.table().model()->rowCount(), 0);
    }

    // Row by row what `longpole compare` prints, in text and in CSV.
    void hasTheFiguresOfTheCommand()
    {
        QFETCH(QString, first);
        open(first.isEmpty() ? m_small : first);
        compareWith(chain);
        auto& panel = workspace().panel<ComparisonPanel>(panels::comparison.id);
        QTRY_VERIFY(panel.isThere());
        const Comparison& c = *second().comparison().comparison();
        const auto words = workspace().state().store().words();
        std::vector<FigureRow> figures = comparedFigures(c);
        QVERIFY(figures.size() > 5);
        for (const std::vector<FigureRow>& more : {comparedPathParts(c), comparedIdleCauses(c)}) {
            QVERIFY(!more.empty());
            figures.insert(figures.end(), more.begin(), more.end());
        }
        const auto printed = figureTable(words).only({"figure", "a", "share_a", "b", "share_b", "change", "relative"});
        QStringList rows = shownRows(panel.figures());
        for (QString& row : rows) {
            QStringList cells = row.split(QLatin1Char('|'));
            cells.removeAt(1);  // of which table it is
            row = cells.join(QLatin1Char('|'));
        }
        QCOMPARE(rows, printedRows(printed, figures));
        const bool byTenths = !c.phase;
        QCOMPARE(first.isEmpty(), byTenths);
        QCOMPARE(shownRows(panel.tenths()),
                 byTenths ? printedRows(tenthTable(words), comparedTenths(c)) : QStringList());
        QCOMPARE(panel.tenths().model()->rowCount(), byTenths ? 10 : 0);
        // The command's CSV, of other code, has the same numbers.
        const QString file = m_folder.filePath(QStringLiteral("compared.csv"));
        auto output = Output::open(file);
        QVERIFY(output.ok());
        writeComparison(*output, OutputFormat::Csv, c, {});
        QVERIFY(output->finish().ok());
        QFile csv(file);
        QVERIFY(csv.open(QIODevice::ReadOnly));
        int compared = 0;
        for (const QByteArray& line : csv.readAll().split('\n')) {
            if (!line.startsWith("figure,")) continue;
            const QList<QByteArray> cells = line.trimmed().split(',');
            const auto raw = [&](int column) {
                return panel.figures().model()->index(compared, column).data(TableModel::RawRole).toLongLong();
            };
            QCOMPARE(raw(2), cells[2].toLongLong());
            QCOMPARE(raw(4), cells[3].toLongLong());
            QCOMPARE(raw(6), cells[4].toLongLong());
            ++compared;
        }
        QCOMPARE(std::size_t(compared), comparedFigures(c).size());
    }
    void hasTheFiguresOfTheCommand_data()
    {
        QTest::addColumn<QString>("first");
        QTest::newRow("by tenths") << QString();
        QTest::newRow("by a common phase") << chain;
    }

    void isClosedAndReplaced()
    {
        compareWith(chain);
        dock(panels::second).close();
        QVERIFY(!second().view());
        QVERIFY(!workspace().secondTimeline());
        QCOMPARE(workspace().state().range(), workspace().state().fullRange());
        compareWith(chain);
        compareWith(m_small);
        QCOMPARE(second().name(), QStringLiteral("small"));
        action("file.closeSecond").trigger();
        QVERIFY(dock(panels::second).isHidden());
    }

    void damageIsSaid()
    {
        compareWith(chain);
        for (const QString& path : {m_damaged, QStringLiteral("/nowhere/at.all")}) {
            m_window->banner().clear();
            m_window->compareWith(path);
            QTRY_VERIFY(!m_window->banner().text().isEmpty() && !m_window->banner().isProgress());
            QCOMPARE(second().name(), QStringLiteral("chain_and_bulk_p6"));  // what was there stays
        }
    }

    void anotherFirstTraceTakesItAway()
    {
        compareWith(chain);
        open(chain);
        QVERIFY(!second().view());
        QVERIFY(dock(panels::second).isHidden());
        m_window->closeTrace();
        m_window->compareWith(m_small);  // there is nothing to compare with
        QVERIFY(!m_window->workspace());
    }

    void layoutForgetsIt()
    {
        compareWith(chain);
        m_window->resetLayout();
        QVERIFY(!dock(panels::second).isHidden());
        newWindow();
        open(m_small);
        QVERIFY(dock(panels::second).isHidden());
    }

    void leavingInTheMiddle()
    {
        m_window->compareWith(chain);
        m_window->closeTrace();
        open(m_small);
        compareWith(chain);
        m_window->close();  // while its tasks load
        newWindow();
        open(m_small);
        compareWith(chain);
        QTRY_VERIFY(second().comparison().isComputing() || second().comparison().comparison());
        m_window->close();
    }

    void replaysStandUnderTheFirst()
    {
        open(chain);
        QTRY_VERIFY(workspace().state().graph());
        action("replay.ideal").trigger();
        QTRY_VERIFY(second().view());
        QCOMPARE(second().name(), QStringLiteral("replay: messages taking no time"));
        QCOMPARE(second().view()->store().entries().size(), workspace().state().store().entries().size());
        QTRY_VERIFY(second().view()->path());
        action("replay.advised").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(second().name().contains(QStringLiteral("Worker::chain_hop at priority -5")), 30'000);
        const TimeNs first = workspace().state().store().info().duration();
        QVERIFY(second().view()->store().info().duration() < first * 8 / 10);  // it really gained 37 %
        QTRY_VERIFY(second().canAlignByPhase());
    }

    void replayOfWhatIsNotThere()
    {
        action("replay.advised").trigger();
        QTRY_VERIFY(m_window->banner().text().contains(QStringLiteral("No priorities"))
                    || m_window->banner().text().contains(QStringLiteral("still being loaded")));
        QVERIFY(!second().view());
    }

    void shiftDropsItBeside()
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(chain)});
        QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::ShiftModifier);
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::ShiftModifier);
        QCoreApplication::sendEvent(m_window.get(), &drop);
        QTRY_VERIFY(second().view());
        QCOMPARE(m_window->session().path(), m_small);
    }

private:
    static QStringList shownRows(const TableView& table)
    {
        QStringList rows;
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            QStringList cells;
            for (int column = 0; column < table.model()->columnCount(); ++column)
                cells << table.model()->index(row, column).data().toString();
            rows << cells.join(QLatin1Char('|'));
        }
        return rows;
    }
    template <typename Row>
    static QStringList printedRows(const Table<Row>& table, const std::vector<Row>& rows)
    {
        QStringList printed;
        for (const Row& row : rows) {
            QStringList cells;
            for (const auto& column : table.columns) cells << cellText(column.cell(row), column.kind, nullptr);
            printed << cells.join(QLatin1Char('|'));
        }
        return printed;
    }
    void open(const QString& path)
    {
        m_window->open(path);
        QTRY_VERIFY(m_window->workspace() && m_window->session().path() == path && !m_window->session().isOpening());
    }
    void compareWith(const QString& path)
    {
        const QPointer<ViewState> before = second().view();  // a new one may lie where the old one was
        m_window->compareWith(path);
        QTRY_VERIFY(second().view() && !second().isOpening() && second().view() != before);
    }
    Workspace& workspace() { return *m_window->workspace(); }
    SecondTrace& second() { return workspace().second(); }
    QAction& action(const char* id) { return *m_window->actions().find(QLatin1String(id)); }

    QString m_damaged;
};

LONGPOLE_GUI_TEST(SecondTest)
#include "tst_gui_second.moc"
