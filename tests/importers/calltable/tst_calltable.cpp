// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of MPI calls: text in, rows out; what rows cannot say goes by rules; damaged rows are counted; and whole runs.
#include "core/store/tracestore.h"
#include "importers/calltable/calltable.h"
#include "importers/calltable/rows.h"

#include "support/testmain.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <numeric>

using namespace longpole;

namespace {

constexpr const char* callsHead =
    "rank,seq,call,start_ns,end_ns,comm,peer,tag,wait_before,execution,wait_after,imbalance\n";

struct ReadCalls {
    Result<CallTable> table;
    ImportLog log;
};

ReadCalls read(const QByteArray& text)
{
    ReadCalls result{Error{}, ImportLog(QStringLiteral("calls.csv"))};
    result.table = readCallTable({text.constData(), std::size_t(text.size())}, QStringLiteral("calls.csv"), result.log,
                                 Progress{});
    return result;
}

// "Isend>Wait Irecv" for each row and what it completes.
QString completions(const CallTable& table, std::size_t rank)
{
    QStringList all;
    const CallTableRank& of = table.ranks[rank];
    for (std::size_t i = 0; i < of.rows.size(); ++i) {
        QStringList done;
        for (std::uint32_t k = 0; k < of.rows[i].doneCount; ++k)
            done << QString::number(of.doneRows[of.rows[i].firstDone + k]);
        if (!done.isEmpty()) all << QString::number(i) + QLatin1Char(':') + done.join(QLatin1Char('+'));
    }
    return all.join(QLatin1Char(' '));
}

}  // namespace

class TestCallTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void rowsAsTheyAre();
    void columnsInAnyOrder();
    void noTable_data();
    void noTable();
    void damagedRowsAreCounted_data();
    void damagedRowsAreCounted();
    void truncatedAnywhere();
    void requestsByTheRules_data();
    void requestsByTheRules();
    void overlappingRowsAreThreads();
    void manyOverlappingRows();
    void manyRowsInAnyOrder();
    void manyOpenRequests();
    void communicatorsFromRows();
    void importsWithItsWaits();
    void whicheverColumnIsTheLast();
    void ranksOfALine();
    void partsThatDifferAreCounted();

private:
    QString write(const QByteArray& text) const
    {
        const QString path = m_folder.filePath(QStringLiteral("calls.csv"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) return {};
        return path;
    }
    QTemporaryDir m_folder;
};

void TestCallTable::rowsAsTheyAre()
{
    const ReadCalls result = read(QByteArray(callsHead)
                             + "0,0,MPI_Send,10,20,MPI_COMM_WORLD,1,7,2,8,0,0.250000000\r\n"
                               "1,0,MPI_Sendrecv,5,30,MPI_COMM_WORLD,0;0,3;7,0,25,0,0.000000000\n"
                               "1,1,MPI_Bcast,40,41,MPI_COMM_WORLD,0,-,0,1,0,-");
    QVERIFY(result.table);
    QVERIFY(result.log.issues().empty());
    const CallTable& table = *result.table;
    QCOMPARE(table.rowCount, 3);
    QCOMPARE(table.ranks.size(), std::size_t(2));
    const CallRow& send = table.ranks[0].rows[0];
    QCOMPARE(send.begin, 10);
    QCOMPARE(send.end, 20);
    QCOMPARE(send.peer, 1);
    QCOMPARE(send.tag, 7);
    QCOMPARE(send.from, noRank);
    QCOMPARE(send.line, 2);
    QVERIFY(send.hasWaits);
    QCOMPARE(send.before, 2);
    QCOMPARE(send.execution, 8);
    const CallRow& both = table.ranks[1].rows[0];
    QCOMPARE(both.peer, 0);
    QCOMPARE(both.tag, 3);
    QCOMPARE(both.from, 0);
    QCOMPARE(both.fromTag, 7);
    QCOMPARE(table.ranks[1].rows[1].peer, 0);
    QCOMPARE(table.calls[table.ranks[1].rows[1].region].kind, CollectiveKind::OneToN);
}

void TestCallTable::columnsInAnyOrder()
{
    const ReadCalls result = read("end_ns, start_ns ,\"call\",rank,node\n9,4,MPI_Barrier,0,x\n");
    QVERIFY(result.table);
    QCOMPARE(result.table->ranks[0].rows[0].begin, 4);
    QCOMPARE(result.table->ranks[0].rows[0].end, 9);
    QCOMPARE(result.table->ranks[0].rows[0].comm, noComm);
    QVERIFY(!result.table->ranks[0].rows[0].hasWaits);
}

void TestCallTable::noTable_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("where");
    QTest::newRow("empty") << QByteArray() << QStringLiteral("calls.csv, line 1");
    QTest::newRow("another table") << QByteArray("pe,entry\n1,2\n") << QStringLiteral("calls.csv, line 1");
    QTest::newRow("no times") << QByteArray("rank,call\n0,MPI_Send\n") << QStringLiteral("calls.csv, line 1");
    QTest::newRow("no rows") << QByteArray(callsHead) << QStringLiteral("calls.csv, line 2");
    QTest::newRow("no row that can be read") << QByteArray(callsHead) + "x\n\n" << QStringLiteral("calls.csv, line 2");
}

void TestCallTable::noTable()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, where);
    const ReadCalls result = read(text);
    QVERIFY(!result.table);
    QCOMPARE(result.table.error().where, where);
    QVERIFY(!result.table.error().hint.isEmpty());
}

void TestCallTable::damagedRowsAreCounted_data()
{
    QTest::addColumn<QByteArray>("row");
    const auto row = [](const char* text) { QTest::newRow(text) << QByteArray(text); };
    row("x,0,MPI_Send,1,2,-,1,0,0,1,0,-");
    row("-1,0,MPI_Send,1,2,-,1,0,0,1,0,-");
    row("4000000000,0,MPI_Send,1,2,-,1,0,0,1,0,-");
    row("0,0,MPI_Send,1,,-,1,0,0,1,0,-");
    row("0,0,MPI_Send,5,2,-,1,0,0,1,0,-");
    row("0,0,,1,2,-,1,0,0,1,0,-");
    row("0,0,MPI_Send,1,2,-,one,0,0,1,0,-");
    row("0,0,MPI_Send,1,2,-,1;2;3,0,0,1,0,-");
    row("0,0,MPI_Send,1,99999999999999999999,-,1,0,0,1,0,-");
    row("0,0,MPI_Send,1,9000000000000000000,-,1,0,0,1,0,-");
    row("0,0,MPI_Send,-9000000000000000000,2,-,1,0,0,1,0,-");
    row("0,0,MPI_Send,1,2,-");
    row("0,0,MPI_Waitall,1,2,-,1;x,0;0,0,1,0,-");
    row("0,0,MPI_Waitall,1,2,-,1;>2,0;y,0,1,0,-");
}

void TestCallTable::damagedRowsAreCounted()
{
    QFETCH(QByteArray, row);
    const QByteArray good = "0,0,MPI_Send,1,2,-,1,0,0,1,0,-\n";
    const ReadCalls result = read(callsHead + good + row + '\n' + good);
    QVERIFY(result.table);
    QCOMPARE(result.table->rowCount, 2);
    const auto issues = result.log.issues();
    QCOMPARE(issues.size(), std::size_t(1));
    QCOMPARE(issues[0].kind, QStringLiteral("malformed_record"));
    QCOMPARE(issues[0].count, 1);
    QVERIFY2(issues[0].place.contains(QLatin1String("calls.csv")) && issues[0].place.contains(QLatin1Char('3')),
             qPrintable(issues[0].place));
}

void TestCallTable::truncatedAnywhere()
{
    const QByteArray all = QByteArray(callsHead)
                           + "0,0,MPI_Isend,10,20,MPI_COMM_WORLD,1,7,2,8,0,0.250000000\n"
                             "1,0,MPI_Sendrecv,5,30,MPI_COMM_WORLD,0;0,3;7,0,25,0,0.000000000\n"
                             "0,1,MPI_Waitall,40,41,-,-,-,0,1,0,-\n";
    for (qsizetype size = 0; size <= all.size(); ++size) {
        const ReadCalls result = read(all.left(size));
        if (!result.table) {
            QVERIFY(!result.table.error().what.isEmpty());
            continue;
        }
        const qsizetype lines = all.left(size).count('\n') - 1;
        QVERIFY(result.table->rowCount >= lines && result.table->rowCount <= lines + 1);
        if (size == all.size()) QVERIFY(result.log.issues().empty());
    }
}

void TestCallTable::requestsByTheRules_data()
{
    QTest::addColumn<QString>("calls");  // name, peer and tag, one row each
    QTest::addColumn<QString>("completed");
    const auto row = [](const char* name, const char* calls, const char* completed) {
        QTest::newRow(name) << QString::fromUtf8(calls) << QString::fromUtf8(completed);
    };
    row("the one that is named", "Irecv 1 5|Isend 1 6|Wait 1 6|Wait 1 5", "2:1 3:0");
    row("a receive before a send", "Isend 1 5|Irecv 1 5|Wait 1 5|Wait 1 5", "2:1 3:0");
    row("a send", "Irecv 1 5|Isend 1 5|Waitany >1 5|Wait 1 5", "2:1 3:0");
    row("the oldest of equal ones", "Irecv 1 5|Irecv 1 5|Wait 1 5|Wait 1 5", "2:0 3:1");
    row("the oldest, where none fits", "Irecv 1 5|Irecv 2 5|Wait 3 5", "2:0");
    row("collective calls have no peer", "Irecv 1 5|Ibcast 0 -|Wait - -|Wait 1 5", "2:1 3:0");
    row("a root is no peer", "Ibcast 1 0|Irecv 1 0|Wait 1 0", "2:1");
    row("nor has MPI_PROC_NULL", "Irecv 1 5|Isend - -|Wait - -", "2:1");
    row("all", "Irecv 1 5|Isend 1 6|Ibarrier - -|Waitall - -|Waitall - -", "3:0+1+2");
    row("some", "Irecv 1 5|Isend 1 6|Waitsome 1 6|Waitsome - -", "2:1 3:0");
    row("all of a part", "Irecv 1 5|Isend 1 6|Irecv 2 5|Ibarrier - -|Waitall 2;>1;- 5;6;-|Wait 1 5", "4:2+1+3 5:0");
    row("any and tests", "Irecv 1 5|Isend 1 6|Testany 1 6|Test 1 5|Testall - -", "2:1 3:0");
    row("none are open", "Wait - -|Waitall - -", "");
}

void TestCallTable::requestsByTheRules()
{
    QFETCH(QString, calls);
    QFETCH(QString, completed);
    QByteArray text = callsHead;
    int time = 0;
    for (const QString& call : calls.split(QLatin1Char('|'))) {
        const QStringList words = call.split(QLatin1Char(' '));
        text += QStringLiteral("0,%1,MPI_%2,%3,%4,MPI_COMM_WORLD,%5,%6,0,1,0,-\n")
                    .arg(time)
                    .arg(words[0])
                    .arg(2 * time)
                    .arg(2 * time + 1)
                    .arg(words[1], words[2])
                    .toUtf8();
        ++time;
    }
    const ReadCalls result = read(text);
    QVERIFY(result.table);
    QCOMPARE(completions(*result.table, 0), completed);
}

void TestCallTable::overlappingRowsAreThreads()
{
    const ReadCalls result = read(QByteArray(callsHead)
                             + "0,0,MPI_Recv,0,10,-,1,0,0,1,0,-\n"
                               "0,1,MPI_Recv,4,6,-,1,0,0,1,0,-\n"
                               "0,2,MPI_Recv,6,20,-,1,0,0,1,0,-\n"
                               "0,3,MPI_Recv,10,12,-,1,0,0,1,0,-\n");
    QVERIFY(result.table);
    const CallTableRank& rank = result.table->ranks[0];
    QCOMPARE(rank.threads, 2u);
    QCOMPARE(rank.rows[0].thread, 0u);
    QCOMPARE(rank.rows[1].thread, 1u);
    QCOMPARE(rank.rows[2].thread, 1u);
    QCOMPARE(rank.rows[3].thread, 0u);
    const auto first = rank.rowsOf(0);
    QCOMPARE(std::vector(first.begin(), first.end()), (std::vector<std::uint32_t>{0, 3}));
    const auto second = rank.rowsOf(1);
    QCOMPARE(std::vector(second.begin(), second.end()), (std::vector<std::uint32_t>{1, 2}));
}

// Each row is a thread of its own, until all are free at once.
void TestCallTable::manyOverlappingRows()
{
    constexpr int many = 300'000;
    const ReadCalls result = read("rank,call,start_ns,end_ns\n" + QByteArray("0,f,1,9\n").repeated(many)
                                  + QByteArray("0,f,9,9\n").repeated(many));
    QVERIFY(result.table);
    const CallTableRank& rank = result.table->ranks[0];
    QCOMPARE(rank.threads, std::uint32_t(many));
    QCOMPARE(rank.rows[many - 1].thread, std::uint32_t(many - 1));
    QCOMPARE(rank.rows.back().thread, 0u);
    QCOMPARE(rank.rowsOf(0).size(), std::size_t(many + 1));
    for (std::uint32_t thread = 1; thread < many; ++thread) QCOMPARE(rank.rowsOf(thread).size(), std::size_t(1));
}

// By their begins; of equal ones the earlier line is first. A table that is cancelled has no rows.
void TestCallTable::manyRowsInAnyOrder()
{
    QByteArray text(callsHead);
    for (std::int64_t i = 0; i < 200'000; ++i) {
        const QByteArray begin = QByteArray::number(qlonglong{i * 7919 % 50'021});
        text += "0,0,MPI_Send," + begin + ',' + begin + ",MPI_COMM_WORLD,1,0,-,-,-,-\n";
    }
    const ReadCalls result = read(text);
    QVERIFY(result.table);
    const auto& rows = result.table->ranks[0].rows;
    QCOMPARE(rows.size(), std::size_t(200'000));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        QCOMPARE(rows[i].begin, (rows[i].line - 2) * 7919 % 50'021);
        if (i > 0) QVERIFY(std::pair(rows[i - 1].begin, rows[i - 1].line) < std::pair(rows[i].begin, rows[i].line));
    }
    const Progress cancelled;
    cancelled.cancel();
    ImportLog log;
    QVERIFY(!readCallTable({text.constData(), std::size_t(text.size())}, QStringLiteral("calls.csv"), log, cancelled));
}

// Requests that are open together: named from the latest to the oldest, by Waits that name none of them, and again all.
void TestCallTable::manyOpenRequests()
{
    constexpr int many = 100'000;
    QByteArray text = "rank,call,start_ns,end_ns,peer,tag\n";
    for (int i = 0; i < many; ++i) text += "0,MPI_Isend,1,1,1," + QByteArray::number(i) + '\n';
    for (int i = many; i-- > many / 2;) text += "0,MPI_Wait,2,2,>1," + QByteArray::number(i) + '\n';
    text += QByteArray("0,MPI_Wait,3,3,>2,0\n").repeated(many / 4) + "0,MPI_Waitall,4,4,-,-\n";
    const ReadCalls result = read(text);
    QVERIFY(result.table);
    const CallTableRank& rank = result.table->ranks[0];
    std::vector<std::uint32_t> expected(many);
    std::iota(expected.begin(), expected.end(), 0u);
    std::reverse(expected.begin(), expected.end());
    std::reverse(expected.begin() + many / 2, expected.end());
    QCOMPARE(rank.doneRows, expected);
    QCOMPARE(rank.rows.back().doneCount, std::uint32_t(many / 4));
}

void TestCallTable::communicatorsFromRows()
{
    const ReadCalls result = read(QByteArray(callsHead)
                             + "2,0,MPI_Barrier,0,1,0:3,-,-,0,1,0,-\n"
                               "0,0,MPI_Barrier,0,1,0:3,-,-,0,1,0,-\n"
                               "0,1,MPI_Barrier,1,2,MPI_COMM_WORLD,-,-,0,1,0,-\n"
                               "0,2,MPI_Barrier,2,3,MPI_COMM_SELF,-,-,0,1,0,-\n"
                               "2,1,MPI_Barrier,2,3,MPI_COMM_SELF,-,-,0,1,0,-\n");
    QVERIFY(result.table);
    const auto& comms = result.table->communicators;
    using Members = std::vector<std::uint32_t>;
    QCOMPARE(comms.size(), std::size_t(4));
    QCOMPARE(comms[0].members, (Members{0, 2}));
    QCOMPARE(comms[1].members, (Members{0, 1, 2}));
    QVERIFY(comms[2].isSelf && comms[3].isSelf);
    QCOMPARE(comms[2].members, (Members{0}));
    QCOMPARE(comms[3].members, (Members{2}));
}

namespace {

// Figure 13's two: a collective call of four (the example of docs/algorithms.md 7.1), and a late sender.
const char* const rows =
    "0,0,MPI_Allreduce,0,11,MPI_COMM_WORLD,-,-,10,1,0,10.000000000\n"
    "1,0,MPI_Allreduce,4,12,MPI_COMM_WORLD,-,-,6,1,1,7.000000000\n"
    "2,0,MPI_Allreduce,10,11,MPI_COMM_WORLD,-,-,0,1,0,0.000000000\n"
    "3,0,MPI_Allreduce,6,13,MPI_COMM_WORLD,-,-,4,1,2,6.000000000\n"
    "0,1,MPI_Irecv,12,13,MPI_COMM_WORLD,1,9,0,1,0,0.000000000\n"
    "0,2,MPI_Wait,14,30,MPI_COMM_WORLD,1,9,6,10,0,0.600000000\n"
    "1,1,MPI_Send,20,25,MPI_COMM_WORLD,0,9,0,5,0,0.000000000\n";

}  // namespace

void TestCallTable::importsWithItsWaits()
{
    const QString path = write(QByteArray(callsHead) + rows);
    QVERIFY(probeCallTable(path));
    QCOMPARE(importerFor(path)->id, "mpi-calls");
    const QString target = m_folder.filePath(QStringLiteral("run.longpole"));
    const auto report = importCallTable(path, target, {}, Progress{});
    QVERIFY2(report, report ? "" : qPrintable(toText(report.error())));
    QCOMPARE(report->issues.size(), std::size_t(0));
    const auto store = TraceStore::open(target);
    QVERIFY(store);
    QCOMPARE((*store)->info().format, QString(callTableFormat));
    QCOMPARE((*store)->info().processors, 4);
    QCOMPARE((*store)->info().messages, 1);
    QCOMPARE((*store)->info().messagesMatched, 1);
    QCOMPARE((*store)->info().records, 7);
}

void TestCallTable::whicheverColumnIsTheLast()
{
    for (const char* end : {"\n", "\r\n"}) {
        const QByteArray line = end;
        QVERIFY(probeCallTable(write("rank,call,start_ns,end_ns" + line + "0,MPI_Init,1,2" + line)));
    }
}

// A line names no more than one rank that the table has room for, beside those that are free.
void TestCallTable::ranksOfALine()
{
    const auto table = [](int highest, int lines) -> QByteArray {
        return "rank,call,start_ns,end_ns\n" + QByteArray::number(highest) + ",MPI_Init,1,2\n"
               + QByteArray("0,MPI_Init,1,2\n").repeated(lines - 1);
    };
    QVERIFY(read(table(4095, 1)).table);
    QVERIFY(!read(table(4095 + 16, 1)).table);
    QVERIFY(read(table(8000, 8000)).table);
    const ReadCalls refused = read(table(20'000, 8000));
    QVERIFY(!refused.table);
    QVERIFY(refused.table.error().what.contains(QStringLiteral("The table names rank 20000")));
}

void TestCallTable::partsThatDifferAreCounted()
{
    QByteArray text = QByteArray(callsHead) + rows;
    text.replace("MPI_COMM_WORLD,1,9,6,10,0", "MPI_COMM_WORLD,1,9,7,9,0");
    text.replace("4,12,MPI_COMM_WORLD,-,-,6,1,1", "4,12,MPI_COMM_WORLD,-,-,6,2,0");
    const auto report = importCallTable(write(text), m_folder.filePath(QStringLiteral("run.longpole")), {}, Progress{});
    QVERIFY(report);
    QCOMPARE(report->issues.size(), std::size_t(1));
    QCOMPARE(report->issues[0].kind, QStringLiteral("call_parts_differ"));
    QCOMPARE(report->issues[0].count, 2);
}

LONGPOLE_TEST(TestCallTable)
#include "tst_calltable.moc"
