// SPDX-License-Identifier: GPL-3.0-or-later
// Files whose checksums are right and whose content is not are refused, with words, before anything relies on them.
#include "core/base/timelimits.h"
#include "core/hostilestore.h"
#include "core/manyprocessors.h"
#include "core/smalltrace.h"
#include "core/sql/sqlsession.h"
#include "core/store/rows.h"
#include "core/store/tracestore.h"

#include "support/testmain.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include <sys/stat.h>

using namespace longpole;

namespace {

constexpr TrackId zeroTrack{10};

Result<> readAll(const TraceStore& store)
{
    for (const ChunkSpec& spec : chunkSpecs())
        for (const ChunkRef& ref : store.chunks(spec.kind))
            if (const auto read = store.read(ref); !read) return read.error();
    return Unit{};
}

}  // namespace

class TestHostile : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_sound;
    int m_copies = 0;

    QString copy()
    {
        const QString path = m_folder.filePath(QStringLiteral("%1.longpole").arg(++m_copies));
        QFile::copy(m_sound, path);
        return path;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_sound = m_folder.filePath(QStringLiteral("sound.longpole"));
        QVERIFY(writeSmallTrace(m_sound).ok());
    }

    // Making the stamp right again is not what is refused.
    void anEditThatChangesNothingOpens()
    {
        const QString path = copy();
        QVERIFY(editStore(path, "UPDATE entry SET name = 'same' WHERE id = 0").ok());
        QVERIFY(editChunk(path, ChunkKind::Task, zeroTrack, [](auto&) {}).ok());
        const auto opened = TraceStore::open(path);
        QVERIFY2(opened.ok(), opened ? "" : qPrintable(opened.error().what));
        QVERIFY(readAll(**opened).ok());
    }

    // A trace that has parts of the events opens, and nobody can take these for all: every way to rows ends with the
    // reason but those that say that they know.
    void partsAreNotTakenForAll()
    {
        const QString path = copy();
        QVERIFY(editStore(path, sqlOfParts()
                                    + "DELETE FROM chunk WHERE kind = 'message';"
                                      "UPDATE chunk SET first_row = first_row + 1 WHERE kind = 'mark'")
                    .ok());
        const auto opened = TraceStore::open(path);
        QVERIFY2(opened.ok(), opened ? "" : qPrintable(opened.error().what));
        const TraceStore& store = **opened;
        QVERIFY(!store.hasEvents());
        const QString why = requireEvents(store).error().what;
        QVERIFY(why.contains(QStringLiteral("parts of the run only")));
        for (const ChunkSpec& spec : chunkSpecs()) {
            const bool isSum = spec.kind == ChunkKind::Tile || spec.kind == ChunkKind::EntryBin
                               || spec.kind == ChunkKind::Latency;
            for (const ChunkRef& ref : store.chunks(spec.kind))
                if (const auto read = store.read(ref); isSum) QVERIFY(read.ok());
                else QCOMPARE(read.error().what, why);
            if (isSum) continue;
            QVERIFY(!store.chunks(spec.kind).empty() && !store.chunks(spec.kind, zeroTrack).empty());
            for (const ChunkRef& ref : store.keptChunks(spec.kind, zeroTrack)) {
                QCOMPARE(store.read(ref).error().what, why);
                QVERIFY(store.read(ref, 0xffffffffu, Coverage::Kept).ok());
            }
        }
        auto tasks = store.rows<TaskRow>(zeroTrack, TaskRow::Begin);
        QVERIFY(tasks.next() == nullptr);
        QCOMPARE(tasks.result().error().what, why);
        auto messages = store.rows<MessageRow>(zeroTrack, MessageRow::Sent);  // of which it has none
        QVERIFY(messages.next() == nullptr);
        QCOMPARE(messages.result().error().what, why);
        RowSeeker<MessageRow> seeker(store, zeroTrack, MessageRow::Sent);
        QCOMPARE(seeker.find(0).error().what, why);
        QCOMPARE(store.task({ProcessorId{0}, 0}).error().what, why);
        const auto session = SqlSession::open(*opened);
        QVERIFY(session.ok());
        int rows = 0;  // one that is there can be asked for by its id
        const Result<> asked = (*session)->run(
            QStringLiteral("SELECT * FROM task WHERE task = '0:0'"), [](const QStringList&) {},
            [&rows](std::span<const QVariant>) { return ++rows > 0; }, Progress{});
        QVERIFY2(asked.ok(), asked ? "" : qPrintable(asked.error().what));
        QCOMPARE(rows, 1);
        for (const char* query :
             {"SELECT count(*) FROM task", "SELECT * FROM message", "SELECT 1 FROM idle WHERE pe = 1"}) {
            const Result<> ran = (*session)->run(
                QString::fromUtf8(query), [](const QStringList&) {}, [](std::span<const QVariant>) { return true; },
                Progress{});
            QVERIFY2(!ran.ok(), query);
            QVERIFY2(ran.error().what.contains(QStringLiteral("parts of the run only")), qPrintable(ran.error().what));
        }
    }

    // What is kept can be read: by those who ask for a range that is.
    void keptRangesAreRead()
    {
        const QString path = copy();
        QVERIFY(editStore(path, sqlOfParts() + "INSERT INTO kept VALUES (0, -1000000000000, 1000000000000)").ok());
        const auto opened = TraceStore::open(path);
        QVERIFY2(opened.ok(), opened ? "" : qPrintable(opened.error().what));
        const auto sound = TraceStore::open(m_sound);
        QVERIFY(sound.ok());
        const TimeRange range{0, 1'000'000};
        QVERIFY((*opened)->isKept(ProcessorId{0}, range) && !(*opened)->isKept(ProcessorId{1}, range));
        QVERIFY((*sound)->isKept(ProcessorId{1}, range));
        const auto count = [&range](const TraceStore& store, TrackId track) {
            auto tasks = store.rows<TaskRow>(track, TaskRow::Begin, {.touching = range});
            int rows = 0;
            while (tasks.next() != nullptr) ++rows;
            return tasks.result() ? rows : -1;
        };
        QVERIFY(count(**sound, zeroTrack) > 0);
        QCOMPARE(count(**opened, zeroTrack), count(**sound, zeroTrack));
        QCOMPARE(count(**opened, (*sound)->processor(ProcessorId{1})->track), -1);
        QCOMPARE((*opened)->task({ProcessorId{0}, 0}).ok(), true);
    }

    // What a program has, and no more.
    void depthsThatAreFine()
    {
        const QString path = copy();
        QVERIFY(editStore(path,
                          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2048) INSERT INTO "
                          "call_path SELECT i + 50, CASE i WHEN 1 THEN NULL ELSE i + 49 END, 'function', 'f', '', 0, "
                          "'' FROM n;"
                          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 64) INSERT INTO track "
                          "SELECT i + 900, CASE i WHEN 1 THEN NULL ELSE i + 899 END, 'node', 'n', NULL FROM n;"
                          "UPDATE entry SET name = printf('%.*c', 1024, 'x') WHERE id = 0")
                    .ok());
        const auto opened = TraceStore::open(path);
        QVERIFY2(opened.ok(), opened ? "" : qPrintable(opened.error().what));
    }

    void tablesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("sql");
        const auto row = [](const char* name, const QByteArray& sql) { QTest::newRow(name) << sql; };
        row("a table that hides the module's", "CREATE TABLE task(task, pe)");
        row("a view", "CREATE VIEW idle AS SELECT 1 AS pe");
        row("a trigger", "CREATE TRIGGER x AFTER INSERT ON meta BEGIN SELECT 1; END");
        row("an index", "CREATE INDEX i ON entry(name)");
        row("statistics", "ANALYZE");
        row("a table of other words", "DROP TABLE text; CREATE TABLE text(id INTEGER PRIMARY KEY, text TEXT)");
        row("an endless view in the place of meta",
            "CREATE TABLE spare AS SELECT * FROM meta; DROP TABLE meta; CREATE VIEW meta AS WITH RECURSIVE n(key, "
            "value) "
            "AS (SELECT 'a', 1 UNION ALL SELECT key, value + 1 FROM n LIMIT 100) SELECT key, value FROM n");
        row("a processor that a narrow number would make 0",
            "UPDATE processor SET pe = 4294967296 WHERE pe = 1; UPDATE track SET pe = 4294967296 WHERE pe = 1;"
            "UPDATE profile SET pe = 4294967296 WHERE pe = 1");
        row("more kinds of issues than there are",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) INSERT INTO issue SELECT 'a' "
            "|| i, "
            "1, '' FROM n");
        row("a huge processor",
            "UPDATE processor SET pe = 400000000 WHERE pe = 1; UPDATE track SET pe = 400000000 "
            "WHERE pe = 1; UPDATE profile SET pe = 400000000 WHERE pe = 1");
        row("a processor whose number is far beyond their count",
            "UPDATE processor SET pe = 1048575 WHERE pe = 1; UPDATE track SET pe = 1048575 "
            "WHERE pe = 1; UPDATE profile SET pe = 1048575 WHERE pe = 1");
        row("a negative processor",
            "UPDATE processor SET pe = -1 WHERE pe = 1; UPDATE track SET pe = -1 WHERE pe = 1;"
            "UPDATE profile SET pe = -1 WHERE pe = 1");
        row("a region that stands for none", "UPDATE region SET id = 4294967295");
        row("an entry method that stands for none", "UPDATE entry SET id = 4294967295 WHERE id = 1");
        row("a chare array of seven dimensions", "UPDATE chare SET dimensions = 7 WHERE id = 1");
        row("a chare array of fewer than no dimensions", "UPDATE chare SET dimensions = -2 WHERE id = 1");
        row("an id that is text", "UPDATE entry SET chare_id = 'one' WHERE id = 1");
        row("more processors than rows", "UPDATE meta SET value = 2147483647 WHERE key = 'processors'");
        row("fewer than no processors", "UPDATE meta SET value = -1 WHERE key = 'processors'");
        row("fewer than no tasks", "UPDATE meta SET value = -5 WHERE key = 'tasks'");
        row("a part of a part", sqlOfParts() + "UPDATE meta SET value = 2 WHERE key = 'part'");
        row("a part of a summary", sqlOfParts() + "UPDATE meta SET value = 'projections-summary' WHERE key = 'format'");
        row("a whole trace with the tables of parts", sqlOfParts() + "UPDATE meta SET value = 0 WHERE key = 'part'");
        row("a whole trace that says what it kept",
            sqlOfParts() + "UPDATE meta SET value = 0 WHERE key = 'part'; INSERT INTO kept VALUES (0, 1, 2)");
        row("a trace of parts without their tables", "UPDATE meta SET value = 1 WHERE key = 'part'");
        row("a trace of parts without one of their tables", sqlOfParts() + "DROP TABLE result_cause");
        row("a trace of parts whose last table lacks", sqlOfParts() + "DROP TABLE result_outside_tasks");
        row("kept of no processor", sqlOfParts() + "INSERT INTO kept VALUES (77, 1, 2)");
        row("kept times that touch", sqlOfParts() + "INSERT INTO kept VALUES (0, 1, 5), (0, 5, 9)");
        row("kept times out of order", sqlOfParts() + "INSERT INTO kept VALUES (1, 1, 5), (0, 7, 9)");
        row("a kept time that ends before it begins", sqlOfParts() + "INSERT INTO kept VALUES (0, 5, 1)");
        row("answers that are text", sqlOfParts() + "INSERT INTO result_wait_of_rank VALUES (0, 'x', 2)");
        row("rows written twice",
            sqlOfParts() + "INSERT INTO chunk SELECT id + 1000, kind, track, level, first_row, rows, first_begin_ns, "
            "last_begin_ns, max_end_ns, hash FROM chunk WHERE kind = 'task'");
        row("a run whose length is no time",
            "UPDATE meta SET value = 9223372036854775807 WHERE key = 'end_ns'; "
            "UPDATE meta SET value = -9223372036854775807 WHERE key = 'begin_ns'");
        row("a row that begins before all time",
            "UPDATE chunk SET first_begin_ns = -(1 << 61) - 1 WHERE kind = 'task'");
        row("a row that begins after all time",
            "UPDATE chunk SET last_begin_ns = (1 << 61) + 1 WHERE kind = 'message'");
        row("a row that ends after all time", "UPDATE chunk SET max_end_ns = (1 << 61) + 1 WHERE kind = 'idle'");
        row("a first record before all time", "UPDATE processor SET first_record_ns = -(1 << 61) - 1 WHERE pe = 1");
        row("a last record after all time", "UPDATE processor SET last_record_ns = (1 << 61) + 1 WHERE pe = 1");
        row("a start before all time", "UPDATE processor SET started_ns = -(1 << 61) - 1 WHERE pe = 1");
        row("a stop after all time", "UPDATE processor SET stopping_ns = (1 << 61) + 1 WHERE pe = 1");
        row("a run that was busy for less than nothing", "UPDATE meta SET value = -1 WHERE key = 'busy_ns'");
        row("busy for less than nothing", "UPDATE processor SET busy_ns = -1 WHERE pe = 1");
        row("idle for longer than any run", "UPDATE processor SET idle_ns = (1 << 62) + 1 WHERE pe = 1");
        row("a profile of more time than any run has", "UPDATE profile SET time_ns = (1 << 62) + 1 WHERE pe = 1");
        row("a profile of less", "UPDATE profile SET exclusive_ns = -(1 << 62) - 1 WHERE pe = 1");
        row("a run that ends before it begins", "UPDATE meta SET value = -9000000000000 WHERE key = 'end_ns'");
        row("a track of no processor", "UPDATE track SET pe = 77 WHERE id = 10");
        row("a processor of no track", "UPDATE processor SET track = 77 WHERE pe = 1");
        row("two processors on one track", "UPDATE processor SET track = 10");
        row("a track below itself", "UPDATE track SET parent = 10 WHERE id = 10");
        row("tracks in a ring",
            "UPDATE track SET parent = 10 WHERE id = 11; UPDATE track SET parent = 11 WHERE id = 10");
        row("a track below none that there is", "UPDATE track SET parent = 999 WHERE id = 10");
        row("a call path below none that there is", "INSERT INTO call_path VALUES (9, 8, 'function', 'f', '', 0, '')");
        row("a call path below itself", "INSERT INTO call_path VALUES (9, 9, 'function', 'f', '', 0, '')");
        row("a call path 2^32", "INSERT INTO call_path VALUES (4294967296, NULL, 'function', 'f', '', 0, '')");
        row("call paths deeper than stacks are",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2049) INSERT INTO call_path "
            "SELECT i + 50, CASE i WHEN 1 THEN NULL ELSE i + 49 END, 'function', 'f', '', 0, '' FROM n");
        row("rows of the timeline in each other without end",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 65) INSERT INTO track "
            "SELECT i + 900, CASE i WHEN 1 THEN NULL ELSE i + 899 END, 'node', 'n', NULL FROM n");
        row("a long name", "UPDATE entry SET name = printf('%.*c', 1025, 'x') WHERE id = 0");
        row("a long name of a chare", "UPDATE entry SET chare = printf('%.*c', 1025, 'x') WHERE id = 0");
        row("a profile of no processor", "UPDATE profile SET pe = 9 WHERE pe = 1");
        row("fewer than no executions", "UPDATE profile SET count = -1");
        row("a chunk of no track", "UPDATE chunk SET track = 999 WHERE kind = 'hop' OR kind = 'mark'");
        row("a chunk's track that a narrow number would make 10",
            "UPDATE chunk SET track = 4294967306 WHERE track = 10");
        row("a level of what has none", "UPDATE chunk SET level = 3 WHERE kind = 'task'");
        row("tiles that are far apart",
            "INSERT INTO chunk SELECT id + 500, kind, track, level, first_row + (1 << 40), rows, first_begin_ns, "
            "last_begin_ns, max_end_ns, hash FROM chunk WHERE kind = 'tile' AND track = 4294967295");
        row("tiles that overlap",
            "INSERT INTO chunk SELECT id + 500, kind, track, level, first_row, rows, first_begin_ns, last_begin_ns, "
            "max_end_ns, hash FROM chunk WHERE kind = 'tile' AND track = 10");
        row("tiles of a block of few processors",
            "UPDATE chunk SET track = 2147483648 WHERE kind = 'tile' AND track = 4294967295");
        row("tiles after all time", "UPDATE chunk SET first_row = 1 << 62 WHERE kind = 'tile'");
        row("tiles before all time", "UPDATE chunk SET first_row = -(1 << 62) WHERE kind = 'tile'");
        row("tiles without bytes",
            "DELETE FROM chunk WHERE kind = 'tile' AND track = 10; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
            "i + 1 FROM n LIMIT 20) INSERT INTO chunk SELECT i + 500, 'tile', 10, 0, (i - 1) * 65536, 65536, 0, 0, 0, "
            "0 FROM n");
        row("rows without bytes",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) INSERT INTO chunk SELECT i + "
            "500, "
            "'counter', 10, 0, (i - 1) * 65536, 65536, 0, 0, 0, 0 FROM n");
    }
    void tablesAreRefused()
    {
        QFETCH(QByteArray, sql);
        const QString path = copy();
        const Result<> edited = editStore(path, sql);
        if (!edited && !sql.contains("VIEW meta")) QFAIL(qPrintable(edited.error().what));
        const auto opened = TraceStore::open(path);
        QVERIFY(!opened);
        QVERIFY2(opened.error().what.startsWith(QStringLiteral("The file is damaged: ")),
                 qPrintable(opened.error().what));
        QCOMPARE(opened.error().where, path);
    }

    // Where there are many processors.
    void blocksAreRefused_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const QByteArray& sql, const char* says = "rows are missing") {
            QTest::newRow(name) << sql << QString::fromLatin1(says);
        };
        row("behind the last", "UPDATE chunk SET track = track + 32 WHERE track BETWEEN 2147483648 AND 2147483679");
        row("of a size that there is not",
            "UPDATE chunk SET track = track + (1 << 25) WHERE track BETWEEN 2147483648 AND 2147483679");
        row("twice",
            "INSERT INTO chunk SELECT id + 100000, kind, track, level, first_row, rows, first_begin_ns, last_begin_ns, "
            "max_end_ns, hash FROM chunk WHERE track = 2147483648");
        row("of another kind", "UPDATE chunk SET kind = 'entry_bin', level = 0 WHERE track = 2147483648");
        row("more than an import writes",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 32) INSERT INTO chunk SELECT i + "
            "100000, 'tile', 2147483647 + i, 0, 0, 65536, 0, 0, 0, 0 FROM n",
            "tiles");
    }
    void blocksAreRefused()
    {
        QFETCH(QByteArray, sql);
        QFETCH(QString, says);
        const QString path = m_folder.filePath(QStringLiteral("many%1.longpole").arg(++m_copies));
        QVERIFY(writeManyProcessors(path, 512, 0, 1).ok());
        QVERIFY(editStore(path, "UPDATE entry SET name = 'same' WHERE id = 0").ok());
        const auto sound = TraceStore::open(path);
        QVERIFY2(sound.ok(), sound ? "" : qPrintable(sound.error().what));
        const Result<> edited = editStore(path, sql);
        QVERIFY2(edited.ok(), edited ? "" : qPrintable(edited.error().what));
        const auto opened = TraceStore::open(path);
        QVERIFY(!opened);
        QVERIFY2(opened.error().what.startsWith(QStringLiteral("The file is damaged: "))
                     && opened.error().what.contains(says),
                 qPrintable(opened.error().what));
    }

    void columnsAreRefused_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("column");
        QTest::addColumn<qint64>("value");
        const auto row = [](const char* name, ChunkKind kind, int column, std::int64_t value) {
            QTest::newRow(name) << int(kind) << column << qint64(value);
        };
        constexpr std::int64_t wide = std::int64_t{1} << 32;
        row("entry 2^32", ChunkKind::Task, TaskColumn::Entry, wide);
        row("entry -1", ChunkKind::Task, TaskColumn::Entry, -1);
        row("outer below", ChunkKind::Task, TaskColumn::Outer, -1);
        row("outer above the first", ChunkKind::Task, TaskColumn::Outer, 100);
        row("begin before the directory's", ChunkKind::Task, TaskColumn::Begin, -5);
        row("end after the directory's", ChunkKind::Task, TaskColumn::Duration, 1 << 30);
        row("a task that ends before it begins", ChunkKind::Task, TaskColumn::Duration, -1);
        row("an idle time that ends before it begins", ChunkKind::Idle, IdleColumn::Duration, -1);
        row("less than nothing nested", ChunkKind::Task, TaskColumn::Nested, -1);
        row("more nested than the duration", ChunkKind::Task, TaskColumn::Nested, 1 << 30);
        row("less than nothing busy", ChunkKind::Tile, TileColumn::Busy, -1);
        row("less than no time in a bin", ChunkKind::EntryBin, EntryBinColumn::Time, -1);
        row("link", ChunkKind::TaskSource, TaskSourceColumn::Link, 99);
        row("message of no row", ChunkKind::TaskSource, TaskSourceColumn::MessageIndex, 0x7fffffff);
        row("message 2^32", ChunkKind::TaskSource, TaskSourceColumn::MessageIndex, wide);
        row("message of no processor", ChunkKind::TaskSource, TaskSourceColumn::CreatorPe, 2);
        row("source of no row", ChunkKind::TaskSource, TaskSourceColumn::SourceIndex, 3);
        row("source of no processor", ChunkKind::TaskSource, TaskSourceColumn::SourcePe, 5);
        row("piece of no task", ChunkKind::Piece, PieceColumn::Task, 3);
        row("message by no task", ChunkKind::Message, MessageColumn::Task, 3);
        row("kind of message", ChunkKind::Message, MessageColumn::Kind, 3);
        row("region 2^32", ChunkKind::Mark, MarkColumn::Region, wide);
        row("dominant entry 2^32", ChunkKind::Tile, TileColumn::Entry, wide);
        row("entry of a bin", ChunkKind::EntryBin, EntryBinColumn::Entry, wide);
        row("latency from 2^32", ChunkKind::Latency, LatencyColumn::SourcePe, wide);
        constexpr std::int64_t far = (std::int64_t{1} << 62) + 1;
        row("received before all time", ChunkKind::Task, TaskColumn::Received, -far);
        row("received after all time", ChunkKind::Task, TaskColumn::Received, far);
        row("more time of a CPU than any run has", ChunkKind::Task, TaskColumn::Cpu, far);
        row("sent after all time", ChunkKind::TaskSource, TaskSourceColumn::Offset, far);
        row("under way for longer than any run", ChunkKind::TaskSource, TaskSourceColumn::Latency, far);
        row("under way for less than any run back", ChunkKind::TaskSource, TaskSourceColumn::Latency, minTime);
        row("a message after all time", ChunkKind::Message, MessageColumn::Offset, far);
        row("a call longer than any run", ChunkKind::Message, MessageColumn::Duration, far);
        row("least latency longer than any run", ChunkKind::Latency, LatencyColumn::Least, far);
    }
    void columnsAreRefused()
    {
        QFETCH(int, kind);
        QFETCH(int, column);
        QFETCH(qint64, value);
        const QString path = copy();
        const auto change = [&](std::vector<StoredColumn>& columns) {
            columns[static_cast<std::size_t>(column)].back() = value;
        };
        QVERIFY(editChunk(path, static_cast<ChunkKind>(kind), zeroTrack, change).ok());
        const auto opened = TraceStore::open(path);
        QVERIFY2(opened.ok(), opened ? "" : qPrintable(opened.error().what));
        const Result<> read = readAll(**opened);
        QVERIFY(!read);
        QVERIFY2(read.error().what.contains(QStringLiteral("numbers that no trace has")),
                 qPrintable(read.error().what));
    }

    // Those that are as far from zero as times may be; minTime is a message whose arrival is not known.
    void timesAtTheirLimitsAreFine()
    {
        const QString path = copy();
        QVERIFY(editStore(path,
                          "UPDATE meta SET value = 1 << 61 WHERE key = 'end_ns'; UPDATE meta SET value = -(1 << 61) "
                          "WHERE key = 'begin_ns'; UPDATE processor SET busy_ns = 1 << 62, first_record_ns = -(1 << "
                          "61), last_record_ns = 1 << 61, started_ns = NULL, stopping_ns = NULL; UPDATE profile SET "
                          "time_ns = 1 << 62, exclusive_ns = -(1 << 62)")
                    .ok());
        QVERIFY(editChunk(path, ChunkKind::Task, zeroTrack, [](auto& columns) {
                    columns[TaskColumn::Received] = {minTime, -longestTime, longestTime};
                }).ok());
        QVERIFY(editChunk(path, ChunkKind::Message, zeroTrack, [](auto& columns) {
                    columns[MessageColumn::Offset].front() = longestTime;
                    columns[MessageColumn::Offset].back() = -longestTime;
                }).ok());
        const auto opened = TraceStore::open(path);
        QVERIFY2(opened.ok(), opened ? "" : qPrintable(opened.error().what));
        const Result<> read = readAll(**opened);
        QVERIFY2(read.ok(), read ? "" : qPrintable(read.error().what));
    }

    // Readers count bins by the last one.
    void binsThatGoBackAreRefused()
    {
        const QString path = copy();
        const auto change = [](std::vector<StoredColumn>& columns) {
            StoredColumn& bins = columns[EntryBinColumn::Bin];
            QVERIFY(bins.size() > 2 && bins.front() < bins[bins.size() - 2]);
            bins.back() = bins.front();
        };
        QVERIFY(editChunk(path, ChunkKind::EntryBin, zeroTrack, change).ok());
        const auto opened = TraceStore::open(path);
        QVERIFY(opened.ok());
        const Result<EntryBins> bins = (*opened)->entryBins(zeroTrack);
        QVERIFY(!bins);
        QVERIFY2(bins.error().what.contains(QStringLiteral("cannot be decoded")), qPrintable(bins.error().what));
    }

    // All readers of a trace read the file that was opened, also when another one has taken its name since.
    void aReplacedFileDoesNotMixIn()
    {
        const QString path = copy();
        const QString other = copy();
        QVERIFY(editStore(other, "UPDATE meta SET value = 'another' WHERE key = 'program'").ok());
        const auto opened = TraceStore::open(path);
        QVERIFY(opened.ok());
        std::filesystem::rename(other.toStdString(), path.toStdString());
        const auto program = [&]() -> QString {
            const auto session = SqlSession::open(*opened);
            if (!session) return session.error().what;
            QString found;
            const auto take = [&found](std::span<const QVariant> cells) { return found = cells[0].toString(), true; };
            if (!(*session)->run(
                    QStringLiteral("SELECT value FROM meta WHERE key = 'program'"), [](const QStringList&) {}, take,
                    Progress()))
                return {};
            return found;
        };
        QCOMPARE(program(), QStringLiteral("ring"));
        QVERIFY(readAll(**opened).ok());
        QVERIFY(QFile::remove(path));
        QCOMPARE(program(), QStringLiteral("ring"));
    }

    // Opening does not wait for a pipe's other end.
    void specialFilesAreRefused()
    {
        const QString path = m_folder.filePath(QStringLiteral("pipe.longpole"));
        QCOMPARE(::mkfifo(QFile::encodeName(path).constData(), 0600), 0);
        for (const QString& name : {path, QStringLiteral("/dev/zero"), m_folder.path()}) {
            const auto opened = TraceStore::open(name);
            QVERIFY(!opened);
            QCOMPARE(opened.error().what, QStringLiteral("This is no ordinary file."));
        }
    }

    // A query sorts in memory, of which it gets so much.
    void queriesAreBounded()
    {
        const auto opened = TraceStore::open(m_sound);
        QVERIFY(opened.ok());
        const auto session = SqlSession::open(*opened);
        QVERIFY(session.ok());
        const auto ask = [&](const char* query) {
            return (*session)->run(
                QString::fromLatin1(query), [](const QStringList&) {}, [](std::span<const QVariant>) { return true; },
                Progress());
        };
        QVERIFY(ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) "
                    "SELECT i FROM n ORDER BY -i")
                    .ok());
        const Result<> endless = ask(
            "WITH RECURSIVE n(i, t) AS (SELECT 1, zeroblob(100000) UNION ALL SELECT i + 1, "
            "zeroblob(100000) FROM n) SELECT i, t FROM n ORDER BY -i");
        QVERIFY(!endless);
        QVERIFY2(endless.error().what.contains(QStringLiteral("more memory")), qPrintable(endless.error().what));
    }
};

LONGPOLE_TEST(TestHostile)
#include "tst_hostile.moc"
