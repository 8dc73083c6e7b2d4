// SPDX-License-Identifier: GPL-3.0-or-later
// SQL over a trace: every virtual table shows what was written, push-down changes nothing but the time, only SELECT
// runs, queries can be stopped, and the module loads into the stock sqlite3 shell.
#include "core/smalltrace.h"
#include "core/sql/sqlsession.h"
#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"

#include "support/testmain.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <bit>
#include <ctime>
#include <random>

using namespace longpole;

namespace {

QString cellText(const QVariant& value)
{
    if (value.isNull()) return QStringLiteral("null");
    return value.toString();
}

// All rows of a query, cells joined by blanks; or its error.
QStringList rowsOf(SqlSession& session, const QString& query)
{
    QStringList rows;
    const auto take = [&rows](std::span<const QVariant> cells) {
        QStringList texts;
        for (const QVariant& cell : cells) texts += cellText(cell);
        rows += texts.join(QLatin1Char(' '));
        return true;
    };
    const Result<> ran = session.run(
        query, [](const QStringList&) {}, take, Progress());
    if (!ran) return {QStringLiteral("error: ") + ran.error().what};
    return rows;
}

std::unique_ptr<SqlSession> openSession(const QString& path)
{
    auto store = TraceStore::open(path);
    if (!store) return nullptr;
    auto session = SqlSession::open(*store);
    return session ? std::move(session).value() : nullptr;
}

constexpr int randomTasks = 20000;

// The source of task i of a processor: a task of the next one, sent 10 ns before it ended.
Row sourceRow(std::uint32_t pe, int i)
{
    return {std::int64_t(Link::Message), (pe + 1) % 3, i / 2, 10, i % 100, i, (pe + 1) % 3};
}

// Sources come from two streams, so that their chunks end elsewhere than those of the tasks.
void writeSources(TraceWriter& writer)
{
    for (std::uint32_t half = 0; half < 2; ++half) {
        const auto stream = writer.stream(3 + half);
        for (std::uint32_t pe = 0; pe < 3; ++pe)
            for (int i = half == 0 ? 0 : 5000; i < (half == 0 ? 5000 : randomTasks); ++i)
                stream->append(ChunkKind::TaskSource, TrackId{100 + pe}, sourceRow(pe, i));
    }
}

// One row or two of the kinds that a small Charm++ run has not.
void writeOtherKinds(TraceWriter& writer)
{
    writer.add(Region{.id = RegionId{4}, .kind = RegionKind::Function, .number = 4, .name = QStringLiteral("solve")});
    const TrackId track{100};
    const auto bits = [](double value) { return std::bit_cast<std::int64_t>(value); };
    const auto stream = writer.stream(5);
    stream->append(ChunkKind::Interval, track, Row{10, 50, 20, 0, 4, 3});
    stream->append(ChunkKind::Interval, track, Row{20, 20, 0, 1, 0xffffffff, 0});
    stream->append(ChunkKind::Counter, track, Row{15, 4, bits(2.5), bits(-1)});
    stream->append(ChunkKind::Hop, track, Row{16, std::int64_t(HopKind::Dequeue), 2, 77});
    stream->append(ChunkKind::MpiCall, track, Row{5, 10, 4, 1, 0, 2, 99, 1024, 3, 6, 1, 1, 3, 2, 7, -1, 0, 16, 0, 24});
}

// Tasks of three PEs that begin at random increasing times; now and then one lasts very long.
Result<> writeRandomTrace(const QString& path)
{
    std::mt19937_64 random(7);
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    for (std::uint32_t entry = 0; entry < 5; ++entry)
        (*writer)->add(Entry{.id = EntryId{entry}, .name = QStringLiteral("f"), .chare = QStringLiteral("Main")});
    for (std::uint32_t pe = 0; pe < 3; ++pe) {
        const TrackId track{100 + pe};
        const ProcessorId id{pe};
        (*writer)->add(Track{.id = track, .name = QStringLiteral("PE"), .pe = id});
        (*writer)->add(Processor{.pe = id, .track = track, .name = QStringLiteral("PE")});
        auto stream = (*writer)->stream(pe);
        TimeNs begin = 0;
        for (int i = 0; i < randomTasks; ++i) {
            begin += static_cast<TimeNs>(random() % 1000);
            const TimeNs duration = static_cast<TimeNs>(random() % 5000 == 0 ? 3'000'000 : random() % 500);
            stream->append(ChunkKind::Task, track,
                           taskRow(begin, begin + duration, static_cast<std::int64_t>(random() % 5)));
            stream->append(ChunkKind::Message, track, messageRow(begin, i, 0, 0, i));
        }
    }
    writeSources(**writer);
    writeOtherKinds(**writer);
    return (*writer)->finish(Progress());
}

// A task on each of so many tracks, which belong to PE 0 and 1 by turns. What PE 0 sends takes 500 ns at least to
// itself, 700 ns to PE 1; so do messages of others, of which none is there.
Result<> writeAlternatingTracks(const QString& path, std::uint32_t tracks, std::int64_t latencies)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    addSmallDefinitions(**writer);
    auto stream = (*writer)->stream(0);
    for (std::uint32_t i = 0; i < tracks; ++i) {
        const TrackId track{1000 + i};
        (*writer)->add(Track{
            .id = track, .parent = TrackId{1}, .name = QString::number(i), .pe = static_cast<ProcessorId>(i % 2)});
        const TimeNs begin = 10'000 * (i + TimeNs{1});
        stream->append(ChunkKind::Task, track, taskRow(begin, begin + 1000, 1));
        stream->append(ChunkKind::TaskSource, track, Row{std::int64_t(Link::Message), 0, -1, 0, 2000, -1, 0});
    }
    for (std::uint32_t pe = 0; pe < 2; ++pe)
        for (std::int64_t from = 0; from < latencies; ++from)
            stream->append(ChunkKind::Latency, TrackId{10 + pe}, Row{from, pe == 0 ? 500 : 700, 1});
    stream->close();
    return (*writer)->finish(Progress());
}

double secondsOf(SqlSession& session, const QString& query)
{
    const std::clock_t begun = std::clock();
    rowsOf(session, query);
    return double(std::clock() - begun) / CLOCKS_PER_SEC;
}

}  // namespace

class TestSql : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_path;
    QString m_randomPath;
    std::unique_ptr<SqlSession> m_session;
    std::unique_ptr<SqlSession> m_random;

private Q_SLOTS:
    void initTestCase()
    {
        m_path = m_folder.filePath(QStringLiteral("small.longpole"));
        m_randomPath = m_folder.filePath(QStringLiteral("random.longpole"));
        QVERIFY(writeSmallTrace(m_path).ok());
        QVERIFY(writeRandomTrace(m_randomPath).ok());
        m_session = openSession(m_path);
        m_random = openSession(m_randomPath);
        QVERIFY(m_session && m_random);
    }
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void tablesShowTheirRows_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QStringList>("rows");
        const auto row = [](const char* name, const char* query, const QStringList& rows) {
            QTest::newRow(name) << QString::fromLatin1(query) << rows;
        };
        row("task",
            "SELECT task, pe, entry, begin_ns, end_ns, exclusive_ns, object, source, source_offset_ns, sent_ns,"
            " received_ns, estimated FROM task",
            {QStringLiteral("0:0 0 0 1000 5000 3000 Main null null null null null"),
             QStringLiteral("0:1 0 1 2000 3000 1000 Ring[3] null null null null null"),
             QStringLiteral("0:2 0 1 7000 8000 1000 Ring[4] 0:0 4000 5100 7000 1"),
             QStringLiteral("1:0 1 1 3000 6000 3000 Ring[5] 0:0 500 1500 3000 1"),
             QStringLiteral("1:1 1 1 8000 9000 1000 Ring[6] 0:1 500 2500 4000 1")});
        row("message", "SELECT message, source, entry, sent_ns, bytes, executions, kind FROM message",
            {QStringLiteral("0:0 0:0 1 1500 64 1 single"), QStringLiteral("0:1 0:1 1 2500 64 1 single"),
             QStringLiteral("0:2 0:0 1 5100 64 1 single")});
        row("idle", "SELECT * FROM idle", {QStringLiteral("0 5500 7000"), QStringLiteral("1 1000 3000")});
        row("overhead", "SELECT pe, kind, begin_ns, end_ns FROM overhead", {QStringLiteral("0 pack 5100 5200")});
        row("mark", "SELECT track, name, time_ns, text FROM mark", {QStringLiteral("10 notes 2000 note \u00e4")});
        row("interval", "SELECT count(*) FROM interval", {QStringLiteral("0")});
        row("counter", "SELECT count(*) FROM counter", {QStringLiteral("0")});
        row("hop", "SELECT count(*) FROM hop", {QStringLiteral("0")});
        row("mpi_call", "SELECT count(*) FROM mpi_call", {QStringLiteral("0")});
        row("one task", "SELECT entry FROM task WHERE task = '1:1'", {QStringLiteral("1")});
        row("no such task", "SELECT entry FROM task WHERE task = '1:2'", {});
        row("not the id's spelling", "SELECT entry FROM task WHERE task = '01:1'", {});
        row("join", "SELECT a.task, b.task FROM task a JOIN task b ON b.task = a.source WHERE a.pe = 1",
            {QStringLiteral("1:0 0:0"), QStringLiteral("1:1 0:1")});
        row("links", "SELECT link, count(*) FROM task GROUP BY link ORDER BY link",
            {QStringLiteral("message 3"), QStringLiteral("none 2")});
        row("plain tables",
            "SELECT e.name, sum(p.exclusive_ns) FROM profile p JOIN entry e ON e.id = p.entry GROUP BY 1",
            {QStringLiteral("Main() 3000"), QStringLiteral("pass(int) 6000")});
        row("processor", "SELECT pe, node, process, kind, name FROM processor WHERE pe = 1",
            {QStringLiteral("1 0 0 pe PE 1")});
        row("issue", "SELECT kind, count, place FROM issue", {QStringLiteral("unmatched 5 ring.1.log, line 3")});
        row("meta", "SELECT value FROM meta WHERE key = 'begin_ns'", {QStringLiteral("1000")});
        row("foreign keys hold", "SELECT count(*) FROM pragma_foreign_key_check",
            {QStringLiteral("error: SQLite says: not authorized.")});
        row("columns of a table", "SELECT group_concat(name) FROM pragma_table_info('idle')",
            {QStringLiteral("pe,begin_ns,end_ns")});
        row("values", "VALUES (1, 'x'), (2.5, NULL)", {QStringLiteral("1 x"), QStringLiteral("2.5 null")});
        row("recursion", "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
            {QStringLiteral("1"), QStringLiteral("2"), QStringLiteral("3")});
        row("a trailing comment", "SELECT 1; -- done", {QStringLiteral("1")});
    }
    void tablesShowTheirRows()
    {
        QFETCH(QString, query);
        QFETCH(QStringList, rows);
        QCOMPARE(rowsOf(*m_session, query), rows);
    }

    // Least latencies are not read again whenever rows come to another PE.
    void tracksOfPesByTurns()
    {
        const QString path = m_folder.filePath(QStringLiteral("turns.longpole"));
        const Result<> written = writeAlternatingTracks(path, 1000, 30'000);
        QVERIFY2(written.ok(), written ? "" : qPrintable(written.error().what));
        const auto session = openSession(path);
        QVERIFY(session);
        QCOMPARE(rowsOf(*session, QStringLiteral("SELECT pe, received_ns - sent_ns, estimated, count(*) FROM task"
                                                 " GROUP BY 1, 2, 3 ORDER BY 1")),
                 (QStringList{QStringLiteral("0 500 1 500"), QStringLiteral("1 700 1 500")}));
        QCOMPARE(rowsOf(*session, QStringLiteral("SELECT count(received_ns) FROM task WHERE pe = 1")),
                 QStringList{QStringLiteral("500")});
        const double sent = secondsOf(*session, QStringLiteral("SELECT sum(sent_ns) FROM task"));
        const double received = secondsOf(*session, QStringLiteral("SELECT sum(received_ns) FROM task"));
        QVERIFY2(received < 20 * sent + 0.1, qPrintable(QStringLiteral("%1 s, not %2 s").arg(received).arg(sent)));
    }

    void otherKindsShowTheirRows()
    {
        QCOMPARE(rowsOf(*m_random, QStringLiteral("SELECT track, depth, region, begin_ns, end_ns, exclusive_ns"
                                                  " FROM interval")),
                 (QStringList{QStringLiteral("100 0 solve 10 60 30"), QStringLiteral("100 1 null 20 40 20")}));
        QCOMPARE(rowsOf(*m_random, QStringLiteral("SELECT track, name, time_ns, value, user_time FROM counter")),
                 QStringList{QStringLiteral("100 solve 15 2.5 -1")});
        QCOMPARE(rowsOf(*m_random, QStringLiteral("SELECT * FROM hop")),
                 QStringList{QStringLiteral("0 16 dequeue 2 77")});
        QCOMPARE(rowsOf(*m_random, QStringLiteral("SELECT * FROM mpi_call WHERE rank = 0")),
                 QStringList{
                     QStringLiteral("0 1 solve 5 15 0 2 99 1024 3 6 1 late_sender 3 2 7 null 0:0 16 100 null 24")});
        QCOMPARE(rowsOf(*m_random, QStringLiteral("SELECT count(*) FROM interval WHERE track = 101")),
                 QStringList{QStringLiteral("0")});
    }

    // Each row meets its own row of the aligned kind, also when chunks are entered in their middle.
    void sourcesStandWithTheirTasks()
    {
        const QStringList rows = rowsOf(*m_random,
                                        QStringLiteral("SELECT pe, source, begin_ns - sent_ns, message FROM task"));
        QCOMPARE(rows.size(), 3 * randomTasks);
        for (std::uint32_t pe = 0; pe < 3; ++pe)
            for (int i = 0; i < randomTasks; ++i) {
                const QString expected =
                    QStringLiteral("%1 %2:%3 %4 %2:%5").arg(pe).arg((pe + 1) % 3).arg(i / 2).arg(i % 100).arg(i);
                QCOMPARE(rows[static_cast<qsizetype>(pe) * randomTasks + i], expected);
            }
        QCOMPARE(rowsOf(*m_random,
                        QStringLiteral("SELECT source FROM task WHERE task IN ('1:4999', '1:5000', '1:13192')"
                                       " ORDER BY begin_ns")),
                 (QStringList{QStringLiteral("2:2499"), QStringLiteral("2:2500"), QStringLiteral("2:6596")}));
    }

    // A materialized copy of the table is filtered by SQLite alone.
    void pushDownChangesNothing_data()
    {
        QTest::addColumn<QString>("where");
        QTest::addColumn<bool>("some");  // whether rows are expected
        for (const char* where :
             {"pe = 1", "pe IN (0, 2)", "pe > 0 AND pe < 2", "pe >= 1.5", "pe = '1'",
              "begin_ns >= 5000000 AND begin_ns < 5001000", "end_ns >= 5000000 AND begin_ns <= 5000000",
              "end_ns > 9000000 AND end_ns < 9000500", "pe = 2 AND begin_ns BETWEEN 100 AND 2000000",
              "begin_ns >= 4999999.5 AND begin_ns <= 5000400.5", "begin_ns < '2000'",
              "begin_ns < 'x' AND pe = 1 AND end_ns < 100000", "task = '2:19999'",
              "task IN ('0:0', '1:8192', '2:20000')", "begin_ns > -9223372036854775808 AND pe = 0"})
            QTest::newRow(where) << QString::fromLatin1(where) << true;
        for (const char* where : {"pe = 7", "pe IS NULL", "begin_ns > 9.2e18", "begin_ns > NULL", "end_ns <= -1",
                                  "task = '3:0'", "task = 5", "pe = -1", "pe = 4294967296"})
            QTest::newRow(where) << QString::fromLatin1(where) << false;
    }
    void pushDownChangesNothing()
    {
        QFETCH(QString, where);
        QFETCH(bool, some);
        const QString select = QStringLiteral("%1 SELECT task, begin_ns, end_ns, entry FROM %2 WHERE %3 ORDER BY task");
        const QString copy = QStringLiteral(
            "WITH t(task, begin_ns, end_ns, entry, pe) AS MATERIALIZED"
            " (SELECT task, begin_ns, end_ns, entry, pe FROM task)");
        const QStringList fast = rowsOf(*m_random, select.arg(QString(), QStringLiteral("task"), where));
        QCOMPARE(fast, rowsOf(*m_random, select.arg(copy, QStringLiteral("t"), where)));
        QCOMPARE(!fast.isEmpty(), some);
        QVERIFY(fast.isEmpty() || !fast[0].startsWith(QStringLiteral("error")));
    }

    void countsAll()
    {
        QCOMPARE(rowsOf(*m_random, QStringLiteral("SELECT count(*) FROM task")), QStringList{QStringLiteral("60000")});
    }

    void orderOfOneProcessorIsReadNotSorted()
    {
        const QString query = QStringLiteral("SELECT begin_ns FROM task WHERE pe = %1 ORDER BY begin_ns");
        const QStringList plan = rowsOf(*m_random, QStringLiteral("EXPLAIN QUERY PLAN ") + query.arg(1));
        QCOMPARE(plan.size(), 1);  // no "USE TEMP B-TREE"
        const QStringList rows = rowsOf(*m_random, query.arg(1));
        QCOMPARE(rows.size(), randomTasks);
        for (qsizetype i = 1; i < rows.size(); ++i) QVERIFY(rows[i - 1].toLongLong() <= rows[i].toLongLong());
    }

    void onlySelectRuns_data()
    {
        QTest::addColumn<QString>("query");
        for (const char* query : {"DELETE FROM entry",
                                  "INSERT INTO entry VALUES(5, 'x', 'y', 'user', 0)",
                                  "UPDATE meta SET value = 1",
                                  "CREATE TABLE t(a)",
                                  "CREATE TEMP TABLE t(a)",
                                  "DROP TABLE entry",
                                  "ATTACH ':memory:' AS m",
                                  "PRAGMA user_version = 8",
                                  "PRAGMA writable_schema = 1",
                                  "VACUUM",
                                  "BEGIN",
                                  "ANALYZE",
                                  "SELECT load_extension('x')",
                                  "CREATE VIRTUAL TABLE v USING task",
                                  "DELETE FROM task",
                                  "SELECT 1; DELETE FROM entry",
                                  "SELECT",
                                  "",
                                  "-- nothing",
                                  "SELECT nothing FROM nowhere"})
            QTest::newRow(query) << QString::fromLatin1(query);
    }
    void onlySelectRuns()
    {
        QFETCH(QString, query);
        const QStringList rows = rowsOf(*m_session, query);
        QCOMPARE(rows.size(), 1);
        QVERIFY2(rows[0].startsWith(QStringLiteral("error: ")), qPrintable(rows[0]));
        QCOMPARE(rowsOf(*m_session, QStringLiteral("SELECT count(*) FROM entry")), QStringList{QStringLiteral("2")});
    }

    void queriesCanBeStopped()
    {
        Progress progress;
        int seen = 0;
        const auto take = [&](std::span<const QVariant>) {
            if (++seen == 3) progress.cancel();
            return true;
        };
        const Result<> ran = m_random->run(
            QStringLiteral("SELECT a.task FROM task a, task b, task c"), [](const QStringList&) {}, take, progress);
        QVERIFY(!ran);
        QVERIFY(wasCancelled(ran.error()));
        QCOMPARE(rowsOf(*m_random, QStringLiteral("SELECT 1")), QStringList{QStringLiteral("1")});
    }

    void rowsCanBeRefused()
    {
        int seen = 0;
        const auto take = [&](std::span<const QVariant>) { return ++seen < 2; };
        const Result<> ran = m_random->run(
            QStringLiteral("SELECT task FROM task"), [](const QStringList&) {}, take, Progress());
        QVERIFY(ran.ok());
        QCOMPARE(seen, 2);
    }

    void columnsAreNamed()
    {
        QStringList names;
        const Result<> ran = m_session->run(
            QStringLiteral("SELECT * FROM idle"), [&](const QStringList& columns) { names = columns; },
            [](std::span<const QVariant>) { return true; }, Progress());
        QVERIFY(ran.ok());
        QCOMPARE(names, (QStringList{QStringLiteral("pe"), QStringLiteral("begin_ns"), QStringLiteral("end_ns")}));
    }

    void loadsIntoTheShell()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("the shell cannot load a module with a sanitizer");
#endif
        const QString shell = QStandardPaths::findExecutable(QStringLiteral("sqlite3"));
        if (shell.isEmpty()) QSKIP("there is no sqlite3 shell");
        QProcess process;
        QString module = QStringLiteral(LONGPOLE_SQLITE_MODULE_PATH);
        module.chop(3);  // the shell adds .so
        process.start(shell, {QStringLiteral("-batch"), m_path, QStringLiteral(".load ") + module,
                              QStringLiteral("SELECT count(*), max(end_ns) FROM task WHERE pe = 1")});
        QVERIFY(process.waitForFinished());
        QCOMPARE(QString::fromUtf8(process.readAllStandardError()), QString());
        QCOMPARE(QString::fromUtf8(process.readAllStandardOutput()), QStringLiteral("2|9000\n"));
    }
};

LONGPOLE_TEST(TestSql)
#include "tst_sql.moc"
