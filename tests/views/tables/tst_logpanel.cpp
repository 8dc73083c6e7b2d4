// SPDX-License-Identifier: GPL-3.0-or-later
// The log viewer: rows that show, filters, search, keys, and selections that go both ways.
#include "core/smalltrace.h"
#include "core/trace/format.h"
#include "views/drawnstore.h"
#include "views/state/viewstate.h"
#include "views/tables/logpanel.h"

#include "support/testmain.h"
#include "views/seen.h"

#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

namespace longpole {

using namespace test;

class TestLogPanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        // The offscreen platform says this of every window with a smallest size.
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }
    void initTestCase()
    {
        const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        m_small = *TraceStore::open(path);
        // Twenty thousand tasks on three PEs.
        m_long = std::make_unique<DrawnStore>(QStringList{QStringLiteral("AB").repeated(5000),
                                                          QStringLiteral("A.").repeated(5000),
                                                          QStringLiteral("BC").repeated(5000)});
    }

    void rowsAreInTheOrderOfTime()
    {
        Shown shown(m_small);
        QVERIFY(shownText(shown.panel).contains(QStringLiteral("\n12 records\n")));
        QStringList kinds;
        for (int row = 0; row < 12; ++row) kinds << kindText({}, *shown.panel.rows().record(row));
        QCOMPARE(kinds.join(QLatin1Char(' ')),
                 QStringLiteral("task idle message task event message task message pack idle task task"));
        const Record& task = *shown.panel.rows().record(6);
        const auto text = [&](LogColumn column) { return logText(*m_small, task, column); };
        QCOMPARE(text(LogColumn::Time), QStringLiteral("2 us"));
        QCOMPARE(text(LogColumn::Pe), QStringLiteral("1"));
        QCOMPARE(text(LogColumn::Name), QStringLiteral("Ring::pass"));
        QCOMPARE(text(LogColumn::Object), QStringLiteral("Ring[5]"));
        QCOMPARE(text(LogColumn::Duration), QStringLiteral("3 us"));
        QCOMPARE(text(LogColumn::Bytes), QStringLiteral("64"));
        QCOMPARE(text(LogColumn::Peer), QStringLiteral("← 0:0"));
        QCOMPARE(text(LogColumn::Text), QStringLiteral("task 1:0"));
        QCOMPARE(logText(*m_small, *shown.panel.rows().record(4), LogColumn::Text), QStringLiteral("note ä"));
    }

    // A note may be as long as a log: what a row shows of it is measured, and no more.
    void longNotesAreCutBeforeTheyAreDrawn()
    {
        const QString path = m_folder.filePath(QStringLiteral("notes.longpole"));
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            addSmallDefinitions(**writer);
            (*writer)->addText(8, QStringLiteral("note \t ") + QString(2'000'000, QLatin1Char('w')));
            auto stream = (*writer)->stream(0);
            for (TimeNs time = 1000; time < 1040; ++time)
                stream->append(ChunkKind::Mark, TrackId{10}, Row{time, 0, 1, 0, 8});
            stream.reset();
            QVERIFY((*writer)->finish(Progress()).ok());
        }
        const auto opened = TraceStore::open(path);
        QVERIFY(opened.ok());
        const std::shared_ptr<const TraceStore>& store = *opened;
        QElapsedTimer timer;
        timer.start();
        Shown shown(store);
        shown.panel.grab();
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
        const Record& note = *shown.panel.rows().record(0);
        QCOMPARE(logText(*store, note, LogColumn::Text, 12), QStringLiteral("note wwwww"));
        QCOMPARE(logText(*store, note, LogColumn::Text).size(), 2'000'005);
        // All of them together are more than anybody reads.
        LogView& rows = shown.panel.rows();
        QSignalSpy failures(&rows, &LogView::failed);
        rows.chooseRow(0);
        rows.chooseRow(39, true);
        rows.copyRows();
        QTRY_COMPARE_WITH_TIMEOUT(failures.count(), 1, 30'000);
        QVERIFY(failures.front().front().value<Error>().what.contains(QStringLiteral("longer than 67.1 MB")));
    }

    void filtersByKindProcessorRangeAndEntry()
    {
        Shown shown(m_small);
        QSignalSpy listed(&shown.panel, &LogPanel::listReplaced);
        const auto settled = [&](const char* count) {
            return QTest::qWaitFor([&] {
                return !shown.panel.isListing()
                       && shownText(shown.panel).contains(QStringLiteral("\n%1\n").arg(QLatin1String(count)));
            });
        };
        seen<QPushButton>(shown.panel, qPrintable(kindName(ChunkKind::Message))).click();
        QVERIFY(settled("9 records"));
        seen<QPushButton>(shown.panel, qPrintable(kindName(ChunkKind::Task))).click();
        QVERIFY(settled("4 records"));
        for (const ChunkKind kind : {ChunkKind::Idle, ChunkKind::Mark, ChunkKind::Overhead})
            seen<QPushButton>(shown.panel, qPrintable(kindName(kind))).click();
        QVERIFY(settled("0 records"));
        for (const ChunkKind kind :
             {ChunkKind::Task, ChunkKind::Message, ChunkKind::Idle, ChunkKind::Mark, ChunkKind::Overhead})
            seen<QPushButton>(shown.panel, qPrintable(kindName(kind))).click();
        QVERIFY(settled("12 records"));
        shown.state.setProcessors({ProcessorId{1}});
        QCOMPARE(shown.panel.processors().text(), QStringLiteral("1"));
        QVERIFY(settled("3 records"));
        shown.panel.processors().setText(QStringLiteral("7"));
        QTest::keyClick(&shown.panel.processors(), Qt::Key_Return);
        QVERIFY(shown.panel.message().contains(QStringLiteral("7")));
        QCOMPARE(shown.state.processors(), std::vector{ProcessorId{1}});
        shown.panel.processors().clear();
        QTest::keyClick(&shown.panel.processors(), Qt::Key_Return);
        QVERIFY(settled("12 records"));
        shown.state.setMarked({2000, 3000});
        QVERIFY(settled("12 records"));
        seen<QPushButton>(shown.panel, "Marked").click();
        QVERIFY(settled("3 records"));
        seen<QPushButton>(shown.panel, "Found").click();
        shown.state.setFilter(QStringLiteral("pass"));
        QVERIFY(settled("2 records"));
        seen<QPushButton>(shown.panel, "Marked").click();
        QVERIFY(settled("7 records"));
    }

    void aRowThatIsChosenIsSelectedEverywhere()
    {
        Shown shown(m_small);
        LogView& rows = shown.panel.rows();
        rows.chooseRow(6);
        QCOMPARE(shown.state.selection().task, (TaskId{ProcessorId{1}, 0}));
        rows.chooseRow(2);
        QCOMPARE(shown.state.selection().message, (MessageId{ProcessorId{0}, 0}));
        rows.chooseRow(9);  // idle: the selection stays
        QCOMPARE(shown.state.selection().message, (MessageId{ProcessorId{0}, 0}));
        QCOMPARE(rows.current(), 9);
        shown.state.reveal({.task = {ProcessorId{1}, 1}, .message = {}});
        QTRY_COMPARE(rows.current(), 11);
        shown.state.select({.task = {}, .message = {ProcessorId{0}, 2}});
        QTRY_COMPARE(rows.current(), 7);
    }

    // A click on the sender that a task's row names leads there, one beside it to the row's own task.
    void theSenderOfATaskIsALink()
    {
        Shown shown(m_small);
        LogView& rows = shown.panel.rows();
        shown.panel.resize(1300, 500);
        const int y = rows.fontMetrics().height() + 9 + 6 * (rows.fontMetrics().height() + 7) + 4;
        int ofSender = 0, ofRow = 0;
        for (int x = 5; x < rows.viewport()->width(); x += 5) {
            shown.state.select({});
            QTest::mouseClick(rows.viewport(), Qt::LeftButton, {}, QPoint(x, y));
            const TaskId task = shown.state.selection().task;
            if (task == TaskId{ProcessorId{0}, 0}) ++ofSender;
            else if (task == TaskId{ProcessorId{1}, 0}) ++ofRow;
            else QFAIL(qPrintable(longpole::toText(task)));
        }
        QVERIFY(ofSender > 5 && ofRow > ofSender);
        rows.chooseRow(9);  // idle has no sender
        for (int x = 5; x < rows.viewport()->width(); x += 5) {
            shown.state.select({});
            QTest::mouseClick(rows.viewport(), Qt::LeftButton, {},
                              QPoint(x, y + 3 * (rows.fontMetrics().height() + 7)));
            QVERIFY(!shown.state.selection().task.isValid());
        }
    }

    void aLongLogScrollsAndJumps()
    {
        Shown shown(m_long->shared());
        LogView& rows = shown.panel.rows();
        const std::int64_t count = rows.list()->count();
        QCOMPARE(count, 30'000);
        QVERIFY(rows.rowsShown() > 5 && rows.rowsShown() < 60);
        QTest::keyClick(&rows, Qt::Key_End);
        QTRY_VERIFY(rows.record(count - 1) && rows.current() == count - 1);
        QCOMPARE(rows.top(), count - rows.rowsShown());
        QCOMPARE(rows.verticalScrollBar()->value(), rows.verticalScrollBar()->maximum());
        QTest::keyClick(&rows, Qt::Key_Home);
        QTRY_VERIFY(rows.record(0) && rows.current() == 0 && rows.top() == 0);
        QTest::keyClick(&rows, Qt::Key_PageDown);
        QCOMPARE(rows.current(), rows.rowsShown());
        QTest::keyClick(&rows, Qt::Key_Down);
        QCOMPARE(rows.current(), rows.rowsShown() + 1);
        QTest::keyClick(&rows, Qt::Key_Up);
        rows.verticalScrollBar()->setValue(15'000);
        QTRY_VERIFY(rows.record(15'000));
        QCOMPARE(rows.top(), 15'000);
        // A page in the middle says what the brute force says: three tasks (or idle) begin each microsecond.
        QCOMPARE(rows.record(15'000)->ref.time, 5'000'000);
        QTest::mouseClick(rows.viewport(), Qt::LeftButton, {}, QPoint(40, rows.viewport()->height() / 2));
        QVERIFY(rows.current() > 15'000 && rows.current() < 15'000 + rows.rowsShown());
        // What is selected elsewhere comes into view.
        shown.state.select({.task = {ProcessorId{0}, 9'000}, .message = {}});
        const TaskId wanted{ProcessorId{0}, 9'000};
        QTRY_VERIFY(rows.record(rows.current()) && rows.record(rows.current())->task == wanted);
        QCOMPARE(rows.record(rows.current())->ref.time, 9'000'000);
    }

    void searchGoesOnAndRoundTheEnd()
    {
        Shown shown(m_small);
        LogPanel& panel = shown.panel;
        const auto found = [&](const char* text) {
            return QTest::qWaitFor([&] { return !panel.isSearching() && panel.message() == QLatin1String(text); });
        };
        panel.search().setText(QStringLiteral("note"));
        QTest::keyClick(&panel.search(), Qt::Key_Return);
        QVERIFY(found("record 5"));
        panel.search().setText(QStringLiteral("1:1"));
        QTest::keyClick(&panel.search(), Qt::Key_Return);
        QVERIFY(found("record 12"));
        QCOMPARE(shown.state.selection().task, (TaskId{ProcessorId{1}, 1}));
        panel.search().setText(QStringLiteral("main"));
        QTest::keyClick(&panel.search(), Qt::Key_Return);
        QVERIFY(found("record 1, round the end"));
        QTest::keyClick(&panel.search(), Qt::Key_Return, Qt::ShiftModifier);
        QVERIFY(found("record 1, round the end"));  // it is the only one
        panel.search().setText(QStringLiteral("/pass/"));
        QTest::keyClick(&panel.search(), Qt::Key_Return, Qt::ShiftModifier);
        QVERIFY(found("record 12, round the end"));
        panel.search().setText(QStringLiteral("nothing like it"));
        panel.findNext(true);
        QVERIFY(found("not found"));
        panel.search().setText(QStringLiteral("/(/"));
        panel.findNext(true);
        QTRY_VERIFY(panel.message().startsWith(QStringLiteral("The regular expression is wrong")));
        panel.search().setText(QStringLiteral("pass"));
        panel.findNext(true);
        QVERIFY(panel.isSearching());
        panel.cancelSearch();
        QVERIFY(!panel.isSearching() && panel.message().isEmpty());
    }

    void searchBeginsWhereTheHandIs()
    {
        Shown shown(m_long->shared());
        LogView& rows = shown.panel.rows();
        rows.verticalScrollBar()->setValue(15'000);
        QTRY_VERIFY(rows.record(15'000));
        shown.panel.search().setText(QStringLiteral("drawn::c"));
        shown.panel.findNext(true);
        QTRY_VERIFY(rows.currentRef());
        QVERIFY(rows.current() >= 15'000 && rows.current() < 15'006);
        const std::int64_t found = rows.current();
        // The current record counts, also when it is scrolled away.
        rows.verticalScrollBar()->setValue(0);
        QTRY_VERIFY(rows.record(0) && !rows.record(found));
        shown.panel.findNext(true);
        QTRY_VERIFY(rows.current() > found && rows.current() <= found + 6);
    }

    void theChoiceKeepsItsPlace()
    {
        Shown shown(m_long->shared());
        LogView& rows = shown.panel.rows();
        rows.verticalScrollBar()->setValue(15'000);
        QTRY_VERIFY(rows.record(15'000));
        shown.state.setProcessors({ProcessorId{1}});
        QTRY_VERIFY(shownText(shown.panel).contains(QStringLiteral("\n10\u2009000 records\n")));
        QTRY_VERIFY(rows.record(rows.top()));
        QCOMPARE(rows.record(rows.top())->ref.time, 5'000'000);
    }

    void whatAFilterLeavesOutIsFaint()
    {
        Shown shown(m_small);
        LogView& rows = shown.panel.rows();
        const auto inkOf = [&rows](std::int64_t row) {
            const QImage picture = rows.viewport()->grab().toImage();
            const int height = rows.fontMetrics().height() + 7;
            const int top = rows.fontMetrics().height() + 9 + static_cast<int>(row) * height;
            int most = 0;  // contrast
            const int ground = qGray(picture.pixel(1, top + 1));
            for (int x = 0; x < 130; ++x)
                for (int y = top; y < top + height; ++y)
                    most = std::max(most, std::abs(qGray(picture.pixel(x, y)) - ground));
            return most;
        };
        const int full = inkOf(0);
        const auto isFaint = [&](std::int64_t row) { return inkOf(row) < full * 3 / 4; };
        shown.state.setTaskFilter(TaskFilter{{2000, 4000}});  // main ran for 3 us itself, pass for 1 us
        QVERIFY(!isFaint(0));
        QVERIFY(isFaint(3));
        QVERIFY(!isFaint(2));  // a message
        shown.state.setTaskFilter({});
        shown.state.setFilter(QStringLiteral("pass"));
        QVERIFY(isFaint(0));
        QVERIFY(!isFaint(3));
        QVERIFY(isFaint(1));  // idle
    }

    void rowsAreCopiedAndExported()
    {
        Shown shown(m_small);
        LogView& rows = shown.panel.rows();
        rows.chooseRow(4);
        rows.copyRows();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("1 us\t0\tevent\tnotes\t\t\t\t\tnote ä\n"));
        rows.chooseRow(5, true);
        rows.copyRows();
        QTRY_COMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), 2);
        const QString path = m_folder.filePath(QStringLiteral("log.csv"));
        rows.writeCsv(path);
        QTRY_VERIFY(QFile::exists(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().split('\n');
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines[2], QByteArray("1500,0,message,Ring::pass,,10,64,→ 1 task,in task 0:1 · event 101\r"));
        QSignalSpy failures(&rows, &LogView::failed);
        rows.writeCsv(QStringLiteral("/proc/log.csv"));
        QTRY_COMPARE(failures.count(), 1);
    }

    void aTraceWithoutRecordsSaysSo()
    {
        const QString path = m_folder.filePath(QStringLiteral("sums.longpole"));
        auto writer = TraceWriter::create(path);
        TraceInfo info;
        info.end = 1000;
        (*writer)->setInfo(info);
        QVERIFY((*writer)->finish(Progress{}).ok());
        Shown shown(*TraceStore::open(path));
        QVERIFY(shownText(shown.panel).contains(QStringLiteral("\n0 records\n")));
        const QImage picture = shown.panel.rows().viewport()->grab().toImage();
        int inked = 0;
        for (int x = 0; x < picture.width(); ++x)
            for (int y = 0; y < picture.height(); ++y) inked += picture.pixel(x, y) != picture.pixel(0, 0);
        QVERIFY(inked > 100);  // the notice
    }

private:
    struct Shown {
        explicit Shown(std::shared_ptr<const TraceStore> store) : state(std::move(store)), panel(state)
        {
            panel.resize(1000, 300);
            panel.show();
            const bool isThere = QTest::qWaitFor([this] {
                const LogView& rows = panel.rows();
                return rows.list() && (rows.list()->count() == 0 || rows.record(rows.top()));
            });
            if (!isThere) qFatal("no list");
        }
        ViewState state;
        LogPanel panel;
    };

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_small;
    std::unique_ptr<DrawnStore> m_long;
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestLogPanel)
#include "tst_logpanel.moc"
