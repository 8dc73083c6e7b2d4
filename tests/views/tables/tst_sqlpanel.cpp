// SPDX-License-Identifier: GPL-3.0-or-later
// SQL in the window: tables to choose from, times as the timeline writes them, tasks as links, plots.
#include "views/tables/sqlpanel.h"

#include "core/smalltrace.h"
#include "support/testmain.h"
#include "views/seen.h"
#include "views/state/viewstate.h"
#include "views/widgets/notice.h"
#include "views/widgets/tableview.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

// The window around a panel, as far as notices go.
class NoticeHearer : public QWidget {
public:
    QStringList heard;

protected:
    bool event(QEvent* event) override
    {
        if (event->type() != Notice::kind()) return QWidget::event(event);
        heard << static_cast<const Notice*>(event)->text();
        event->accept();
        return true;
    }
};

}  // namespace

class SqlPanelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        m_state = std::make_unique<ViewState>(*TraceStore::open(path));
    }
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)"))); }

    void timesStandBesideNanoseconds()
    {
        SqlPanel panel(*m_state);
        run(panel, "SELECT task, begin_ns, end_ns - begin_ns AS length_ns FROM task ORDER BY begin_ns");
        const TableModel& model = panel.table().table();
        QStringList heads;
        for (int column = 0; column < model.columnCount(); ++column)
            heads << model.headerData(column, Qt::Horizontal).toString();
        QCOMPARE(heads.join(QLatin1Char(' ')), QStringLiteral("task begin begin_ns length length_ns"));
        const TimeNs begin = m_state->store().info().begin;
        QCOMPARE(model.index(2, 2).data(TableModel::RawRole).toLongLong(), begin + 2000);
        QCOMPARE(model.index(2, 1).data().toString(), QStringLiteral("2 us"));
        QCOMPARE(model.index(2, 3).data().toString(), QStringLiteral("3 us"));
        // What is exported is what was asked.
        QVERIFY(model.toCsv().startsWith("task,begin_ns,length_ns\r\n0:0,"));
        // Of figures the largest come first, of names and moments the first.
        QCOMPARE(model.headerData(3, Qt::Horizontal, Qt::InitialSortOrderRole).value<Qt::SortOrder>(),
                 Qt::DescendingOrder);
        QVERIFY(!model.headerData(0, Qt::Horizontal, Qt::InitialSortOrderRole).isValid());
        panel.table().horizontalHeader()->setSortIndicator(3, Qt::DescendingOrder);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("0:0"));
    }

    void tasksAreLinksAndRowsAreRanges()
    {
        SqlPanel panel(*m_state);
        run(panel, "SELECT task, source, begin_ns, end_ns, 'x:1' AS other FROM task WHERE task = '1:0'");
        const TableModel& model = panel.table().table();
        const auto column = [&model](const char* name) {
            for (int at = 0; at < model.columnCount(); ++at)
                if (model.headerData(at, Qt::Horizontal).toString() == QLatin1String(name)) return at;
            return -1;
        };
        for (const char* link : {"task", "source"})
            QVERIFY2(model.index(0, column(link)).data(TableModel::LinkRole).toBool(), link);
        QVERIFY(!model.index(0, column("other")).data(TableModel::LinkRole).toBool());
        Q_EMIT panel.table().rowChosen(0, column("source"));
        QCOMPARE(m_state->selection().task, (TaskId{ProcessorId{0}, 0}));
        Q_EMIT panel.table().rowChosen(0, column("task"));
        QCOMPARE(m_state->selection().task, (TaskId{ProcessorId{1}, 0}));
        const QSignalSpy asked(&panel, &SqlPanel::timelineRequested);
        Q_EMIT panel.table().rowActivated(0, column("begin_ns"));
        const TimeNs begin = m_state->store().info().begin;
        QCOMPARE(m_state->range(), (TimeRange{begin + 2000, begin + 5000}));
        QCOMPARE(asked.size(), 1);
        // A message is written as a task is, and is none; nor is a task that the trace has not.
        run(panel, "SELECT message, '7:0' AS task FROM message LIMIT 1");
        for (int at = 0; at < model.columnCount(); ++at)
            QVERIFY(!model.index(0, at).data(TableModel::LinkRole).toBool());
    }

    void columnsArePlotted()
    {
        SqlPanel panel(*m_state);
        run(panel, "SELECT begin_ns, task, end_ns - begin_ns AS length_ns FROM task ORDER BY begin_ns DESC");
        panel.setPlotShown(true);
        QCOMPARE(panel.plot().series().size(), std::size_t{1});
        const PlotSeries& series = panel.plot().series().front();
        QCOMPARE(series.x, (std::vector<double>{0, 1000, 2000, 6000, 7000}));
        QCOMPARE(series.y, (std::vector<double>{4000, 1000, 3000, 1000, 1000}));
        // Empty cells are no points, and words no columns to plot.
        run(panel, "SELECT 1 AS a, 2 AS b UNION ALL SELECT NULL, 3 UNION ALL SELECT 0, 5");
        QCOMPARE(panel.plot().series().front().x, (std::vector<double>{0, 1}));
        QCOMPARE(panel.plot().series().front().y, (std::vector<double>{5, 2}));
        run(panel, "SELECT 'word' AS a");
        QVERIFY(panel.plot().series().empty());
    }

    void tablesAreListed()
    {
        SqlPanel panel(*m_state);
        Q_EMIT panel.tables().aboutToShow();
        QTRY_VERIFY(panel.tables().actions().size() > 5);
        QMenu* task = nullptr;
        for (QAction* each : panel.tables().actions())
            if (each->text() == QLatin1String("task")) task = each->menu();
        QVERIFY(task);
        QStringList columns;
        for (const QAction* each : task->actions()) columns << each->text();
        for (const char* name : {"task", "pe", "entry", "begin_ns", "end_ns", "source"})
            QVERIFY2(columns.contains(QLatin1String(name)), name);
        task->actions().last()->trigger();
        QCOMPARE(panel.editor().toPlainText(), columns.last());
        const QSignalSpy finished(&panel, &SqlPanel::finished);
        task->actions().first()->trigger();
        QTRY_COMPARE(finished.size(), 1);
        QCOMPARE(panel.table().table().rowCount(), 5);
    }

    // A text of the trace may stand in each row.
    void answersEndWhereTheyAreTooLarge()
    {
        const QString sql = QStringLiteral(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) "
            "SELECT i, replace(hex(zeroblob(250000)), '0', 'a') AS text FROM n");
        const auto table = runSql(m_state->results(), sql, 100'000, Progress());
        QVERIFY2(table.ok(), qPrintable(table ? QString() : table.error().what));
        QVERIFY(table->isCut);
        QCOMPARE(table->rows.size(), std::size_t{67});  // of a million bytes each, in 64 MiB
        const auto few = runSql(m_state->results(), sql + QStringLiteral(" LIMIT 10"), 100'000, Progress());
        QVERIFY(few.ok() && !few->isCut);
    }

    void copiesSayWhatTheyAre()
    {
        NoticeHearer window;
        SqlPanel panel(*m_state, &window);
        run(panel, "SELECT task FROM task");
        panel.table().selectRow(1);
        panel.table().copyRows();
        QCOMPARE(window.heard.last(), QStringLiteral("Copied: 1 row."));
        panel.table().clearSelection();
        panel.table().copyJson();
        QCOMPARE(window.heard.last(), QStringLiteral("Copied: 5 rows as JSON."));
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("\"task\"")));
        run(panel, "SELECT hex(zeroblob(5000)) AS long");
        panel.table().setCurrentIndex(panel.table().table().index(0, 0));
        panel.table().copyCell();
        QCOMPARE(QApplication::clipboard()->text(), QString(10'000, QLatin1Char('0')));
        QVERIFY(window.heard.last().size() < 1100);
    }

private:
    static void run(SqlPanel& panel, const char* sql)
    {
        const QSignalSpy finished(&panel, &SqlPanel::finished);
        panel.editor().setPlainText(QLatin1String(sql));
        panel.run();
        QTRY_COMPARE(finished.size(), 1);
        QVERIFY2(shownText(panel).contains(QStringLiteral("row")), qPrintable(shownText(panel)));
    }

    QTemporaryDir m_folder;
    std::unique_ptr<ViewState> m_state;
};

LONGPOLE_GUI_TEST(SqlPanelTest)
#include "tst_sqlpanel.moc"
