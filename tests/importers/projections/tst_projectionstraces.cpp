// SPDX-License-Identifier: GPL-3.0-or-later
// Real traces: golden figures, counted independently (records with zcat | wc -l, the rest with a separate reading of
// the logs by the definitions), and imports that must not differ: threads, spilling, binary and text.
#include "core/trace/columns.h"
#include "importers/projections/log.h"
#include "importers/smallrun.h"

#include "support/synthetic.h"
#include "support/testmain.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>

#include <map>
#include <utility>

using namespace longpole;

namespace {

QByteArray hashOf(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QCryptographicHash::hash(file.readAll(), QCryptographicHash::Sha256);
}

// Name, size, time and content of every file below a folder.
QStringList stateOf(const QString& folder)
{
    QStringList state;
    QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        const QFileInfo info(path);
        state += path + u' ' + QString::number(info.lastModified().toMSecsSinceEpoch()) + u' '
                 + QString::fromLatin1(hashOf(path).toHex());
    }
    state.sort();
    return state;
}

// A trace in the repository, else in the shared folder; empty if it is in neither.
QString traceFolder(const QString& name)
{
    for (const char* root : {LONGPOLE_TEST_DATA, LONGPOLE_SHARED_TRACES}) {
        QString folder = QString::fromUtf8(root) + u'/' + name;
        if (QDir(folder).exists()) return folder;
    }
    return {};
}

// A decoded record as a line of a text log, for the types that the binary trace has.
QByteArray lineOf(const LogRecord& r)
{
    const auto n = [](std::int64_t number) -> QByteArray { return ' ' + QByteArray::number(qlonglong{number}); };
    QByteArray line = QByteArray::number(static_cast<int>(r.type));
    const QByteArray time = n(r.time / 1000);
    switch (r.type) {
    case RecordType::Creation:
    case RecordType::CreationBroadcast:
        line += n(r.messageType) + n(r.entry) + time + n(r.event) + n(r.pe) + n(r.bytes) + n(r.sendDuration / 1000);
        if (r.type == RecordType::CreationBroadcast) line += n(r.value);
        break;
    case RecordType::BeginProcessing:
        line += n(r.messageType) + n(r.entry) + time + n(r.event) + n(r.pe) + n(r.bytes) + n(r.received / 1000);
        for (int i = 0; i < r.indices; ++i) line += n(r.index[static_cast<std::size_t>(i)]);
        line += n(r.cpu / 1000);
        break;
    case RecordType::EndProcessing:
        line += " 0" + n(r.entry) + time + n(r.event) + n(r.pe) + " 0" + n(r.cpu / 1000);
        break;
    default: line += time + n(r.pe);
    }
    return line + '\n';
}

// All rows of all kinds.
QStringList everything(const TraceStore& store)
{
    QStringList rows;
    for (const ChunkSpec& spec : chunkSpecs()) {
        for (const ChunkRef& ref : store.chunks(spec.kind)) {
            rows += QString::fromLatin1(spec.name)
                    + QStringLiteral(" %1 %2 %3").arg(index(ref.track)).arg(ref.level).arg(ref.hash);
        }
    }
    return rows;
}

// Every level of a processor's tiles adds up to its totals and to the bytes of its messages, which its entry methods
// created or no task did; its entry bins to its profile.
void checkLogSums(const TraceStore& store, const Processor& processor)
{
    TileBin expected{.busy = processor.busy,
                     .idle = processor.idle,
                     .tasks = processor.tasks,
                     .messages = processor.messages,
                     .pack = processor.pack};
    std::int64_t outside = 0;
    for (const ChunkRef& ref : store.chunks(ChunkKind::Message, processor.track)) {
        const auto chunk = store.read(ref, 1u << MessageColumn::Bytes | 1u << MessageColumn::Task);
        QVERIFY(chunk);
        for (std::uint32_t row = 0; row < ref.rows; ++row) {
            const std::int64_t bytes = (*chunk)->at(MessageColumn::Bytes, row);
            expected.bytes += bytes;
            if ((*chunk)->at(MessageColumn::Task, row) < 0) outside += bytes;
        }
    }
    for (const int level : store.tileLevels(processor.track)) {
        const auto tiles = store.tiles(processor.track, level, {minTime, maxTime});
        QVERIFY(tiles);
        TileBin sum;
        for (const TileBin& bin : tiles->bins) {
            sum.busy += bin.busy;
            sum.idle += bin.idle;
            sum.tasks += bin.tasks;
            sum.messages += bin.messages;
            sum.bytes += bin.bytes;
            sum.pack += bin.pack;
        }
        QVERIFY(sum == expected);
    }
    std::map<EntryId, std::pair<TimeNs, std::int64_t>> entries;
    const auto bins = store.entryBins(processor.track);
    QVERIFY(bins);
    for (std::size_t row = 0; row < bins->rows(); ++row) {
        entries[bins->entry[row]].first += bins->time[row];
        entries[bins->entry[row]].second += bins->tasks[row];
    }
    std::int64_t bytes = 0;
    for (const ProfileRow& row : store.profile()) {
        if (row.pe != processor.pe) continue;
        QCOMPARE(entries[row.entry], (std::pair{row.exclusive, row.count}));
        entries.erase(row.entry);
        bytes += row.bytes;
    }
    QVERIFY(entries.empty());
    QCOMPARE(bytes + outside, expected.bytes);
}

}  // namespace

class TestProjectionsTraces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void golden_data()
    {
        QTest::addColumn<QList<qlonglong>>("expected");
        // records, tasks, messages, matched, unmatched, begin, end, busy, idle (us), repaired, blocks
        const auto row = [](const char* name, const QList<qlonglong>& expected) { QTest::newRow(name) << expected; };
        row("blocker_p6", {2274, 502, 508, 497, 0, 79204, 374022, 372571, 1395111, 0, 0});
        row("chain_and_bulk_p6", {6398, 1828, 1752, 1721, 0, 201263, 374758, 614553, 424926, 0, 0});
        row("cpath_p4", {1848, 472, 382, 354, 14, 172397, 271977, 49243, 309831, 0, 0});
        row("features_notes_p4", {5000, 1099, 482, 391, 115, 314814, 394894, 51100, 196108, 0, 270});
        row("features_p4", {5037, 1096, 485, 391, 113, 296167, 387703, 49858, 269670, 0, 268});
        row("features_smalllog_p4", {5193, 1112, 509, 409, 117, 352451, 443588, 52175, 205399, 0, 266});
        row("fib_subdirs_nogz_p4", {4669, 1866, 871, 861, 0, 292206, 299481, 1058, 21659, 0, 1002});
        row("fib_binary_p2", {1805, 707, 337, 327, 0, 66497, 66875, 372, 23, 0, 379});
        row("gauss_seidel_p8", {19357, 5879, 5789, 5770, 54, 127950, 356446, 1416710, 374620, 48, 0});
        row("jacobi2d_sdag_p4", {95653, 42412, 9137, 9123, 66, 201712, 351879, 74342, 406802, 128, 30645});
        row("nqueen_p4", {1755, 532, 535, 523, 1, 206017, 213881, 586, 29796, 0, 1});
        row("pingpong_net_p2", {81732, 9344, 7712, 7677, 1305, 25032, 3611825, 104022, 6615422, 0, 0});
        row("pipeline_p6", {7910, 2112, 2038, 2007, 0, 78276, 335255, 818366, 721005, 0, 0});
        row("shared_variables_p6", {9096, 1951, 1384, 1230, 1, 133374, 231822, 272746, 314862, 0, 0});
        row("stencil3d_lb_p4", {325909, 139841, 40383, 40333, 107, 311657, 2142973, 2153230, 4951553, 64, 94220});
        row("wave2d_net_p6", {276713, 78769, 62911, 62897, 256, 165947, 10017935, 411364, 56937931, 12993, 0});
        row("wave2d_p6", {223304, 78770, 62906, 62892, 257, 435938, 785012, 395840, 1391270, 256, 0});
        row("large/wave2d_big_p6",
            {9122808, 3219109, 2578546, 2578532, 269, 600495, 5987626, 6940309, 23018582, 3328, 0});
    }
    void golden()
    {
        const QString folder = traceFolder(QString::fromLatin1(QTest::currentDataTag()));
        if (folder.isEmpty()) QSKIP("The shared traces are not here.");
        QFETCH(QList<qlonglong>, expected);
        const bool isSmall = folder.startsWith(QStringLiteral(LONGPOLE_TEST_DATA));
        const QStringList before = isSmall ? stateOf(folder) : QStringList();
        QTemporaryDir out;
        const auto report = importProjections(folder, out.filePath(QStringLiteral("x.longpole")), {}, Progress());
        QVERIFY(report);
        const auto opened = TraceStore::open(report->file);
        QVERIFY(opened);
        const TraceStore& store = **opened;
        const TraceInfo& info = store.info();
        qlonglong repaired = 0;
        qlonglong blocks = 0;
        TimeNs exclusive = 0;
        for (const ProfileRow& row : store.profile()) exclusive += row.exclusive;
        for (const ChunkRef& ref : store.chunks(ChunkKind::TaskSource)) {
            const auto chunk = store.read(ref, 1u << TaskSourceColumn::Link);
            QVERIFY(chunk);
            for (std::uint32_t row = 0; row < ref.rows; ++row) {
                const auto link = static_cast<Link>((*chunk)->at(TaskSourceColumn::Link, row));
                repaired += link == Link::RepairedBcast;
                blocks += link == Link::Block;
            }
        }
        const QList<qlonglong> actual = {info.records,
                                         info.tasks,
                                         info.messages,
                                         info.messagesMatched,
                                         info.executionsUnmatched,
                                         info.begin / 1000,
                                         info.end / 1000,
                                         info.busy / 1000,
                                         info.idle / 1000,
                                         repaired,
                                         blocks};
        QCOMPARE(actual, expected);
        QCOMPARE(report->records, expected[0]);
        QCOMPARE(exclusive, info.busy);  // user time is what the profile adds up to
        for (const Processor& processor : store.processors()) checkLogSums(store, processor);
        if (isSmall) QCOMPARE(stateOf(folder), before);
    }

    void killed()
    {
        const QString folder = traceFolder(QStringLiteral("wave2d_killed_p3"));
        QTemporaryDir out;
        const auto report = importProjections(folder, out.filePath(QStringLiteral("x.longpole")), {}, Progress());
        QVERIFY(report);
        QStringList kinds;
        for (const Issue& issue : report->issues) kinds += issue.kind + QStringLiteral("*%1").arg(issue.count);
        QCOMPARE(kinds.first(5).join(u' '),
                 QStringLiteral("cut_log*3 cut_record*3 empty_symbols*1 foreign_key*263 missing_end_of_log*3"));
        const auto store = TraceStore::open(report->file);
        QVERIFY(store);
        QCOMPARE((*store)->info().processors, 3);
        QVERIFY((*store)->entry(EntryId{151}) != nullptr);
        QCOMPARE((*store)->entry(EntryId{151})->name, QStringLiteral("entry 151"));
    }

    // Flushes, tracing off, notes, statistics, phases: what the features traces have.
    void features()
    {
        QTemporaryDir out;
        const QString target = out.filePath(QStringLiteral("x.longpole"));
        const auto import = [&](const char* name) {
            const auto report = importProjections(traceFolder(QString::fromLatin1(name)), target, {}, Progress());
            return report ? *TraceStore::open(target) : nullptr;
        };
        const auto countOf = [](const TraceStore& store, const char* kind) {
            for (const RecordCount& count : store.counts()) {
                if (count.kind == QLatin1String(kind)) return count.count;
            }
            return std::int64_t{0};
        };
        const auto plain = import("features_p4");
        QVERIFY(plain);
        QCOMPARE(countOf(*plain, "creation_multicast"), 3);
        QCOMPARE(countOf(*plain, "user_event_pair"), 180);
        QCOMPARE(countOf(*plain, "end_phase"), 3);
        QVERIFY(plain->processor(ProcessorId{0})->untraced > 3'000'000);
        std::size_t intervals = 0;
        for (const ChunkRef& ref : plain->chunks(ChunkKind::Interval)) intervals += ref.rows;
        QCOMPARE(static_cast<std::int64_t>(intervals),
                 countOf(*plain, "user_event_pair") / 2 + countOf(*plain, "end_user_event_pair"));
        const auto flushed = import("features_smalllog_p4");
        QVERIFY(flushed);
        QCOMPARE(countOf(*flushed, "begin_interrupt"), 24);
        const auto noted = import("features_notes_p4");
        QVERIFY(noted);
        QStringList texts;
        for (const ChunkRef& ref : noted->chunks(ChunkKind::Mark)) {
            const auto chunk = noted->read(ref);
            QVERIFY(chunk);
            for (std::uint32_t row = 0; row < ref.rows; ++row) {
                if ((*chunk)->at(MarkColumn::Text, row) >= 0) texts += noted->text((*chunk)->at(MarkColumn::Text, row));
            }
        }
        QCOMPARE(static_cast<std::int64_t>(texts.size()),
                 countOf(*noted, "user_supplied_note") + countOf(*noted, "user_supplied_bracketed_note"));
        QVERIFY(texts.contains(QStringLiteral("bracketed note text")));
        QVERIFY(texts.contains(QStringLiteral("step 0 done; note with <EP 5> and spaces and newline")));
    }

    // The same file byte for byte, whatever the threads and however often.
    void threads()
    {
        QTemporaryDir source;
        QTemporaryDir out;
        const QString synthetic = writeSynthetic(source.path(), {.processors = 5, .records = 60'000});
        QVERIFY(!synthetic.isEmpty());
        for (const QString& path :
             {synthetic, traceFolder(QStringLiteral("features_p4")), traceFolder(QStringLiteral("gauss_seidel_p8"))}) {
            QByteArray first;
            for (const unsigned threads : {1u, 2u, 3u, 2u}) {
                const QString target = out.filePath(QStringLiteral("x.longpole"));
                QVERIFY(importProjections(path, target, {.symbols = {}, .threads = threads}, Progress()));
                const QByteArray hash = hashOf(target);
                if (first.isEmpty()) first = hash;
                QCOMPARE(hash, first);
            }
        }
    }

    void spilling()
    {
        QTemporaryDir source;
        QTemporaryDir out;
        const QString synthetic = writeSynthetic(source.path(), {.processors = 3, .records = 300'000});
        QVERIFY(!synthetic.isEmpty());
        for (const QString& path :
             {synthetic, traceFolder(QStringLiteral("features_p4")), traceFolder(QStringLiteral("jacobi2d_sdag_p4"))}) {
            const QString one = out.filePath(QStringLiteral("one.longpole"));
            const QString two = out.filePath(QStringLiteral("two.longpole"));
            QVERIFY(importProjections(path, one, {}, Progress()));
            QVERIFY(importProjections(path, two, {}, Progress(), {.creationMemory = 0, .executionMemory = 0}));
            QCOMPARE(hashOf(one), hashOf(two));
            QCOMPARE(QDir(out.path()).entryList(QDir::Files | QDir::Hidden).size(), 2);
        }
    }

    void synthetic()
    {
        QTemporaryDir source;
        QTemporaryDir out;
        for (const bool isCompressed : {false, true}) {
            const QString path = writeSynthetic(
                source.path(), {.processors = 4, .records = 40'000, .seed = 3, .isCompressed = isCompressed});
            const auto report = importProjections(path, out.filePath(QStringLiteral("x.longpole")), {}, Progress());
            QVERIFY(report);
            QCOMPARE(report->issues.size(), isCompressed ? 1u : 0u);  // then each log is there twice
            const auto store = TraceStore::open(report->file);
            QVERIFY(store);
            QCOMPARE((*store)->info().tasks, 4 * 32 * 100);
            QCOMPARE((*store)->info().messages, 4 * 32 * 101);
            QCOMPARE((*store)->info().messagesMatched, 4 * 32 * 100);
        }
    }

    // The binary trace, and its records written as text, give the same rows.
    void binaryAndText()
    {
        const QString folder = traceFolder(QStringLiteral("fib_binary_p2"));
        SmallRun text;
        QFile sts(folder + QStringLiteral("/fib.sts"));
        QVERIFY(sts.open(QIODevice::ReadOnly));
        const QByteArray symbols = sts.readAll();
        text.symbols(symbols);
        ImportLog log;
        const RecordLayout layout = RecordLayout::of(parseSymbols(symbols, log));
        for (int pe = 0; pe < 2; ++pe) {
            auto input = InputFile::open(folder + QStringLiteral("/fib.%1.log").arg(pe));
            QVERIFY(input);
            ProjectionsLog reader(std::move(*input), layout, log);
            QByteArray lines;
            LogRecord record;
            while (reader.next(record)) lines += lineOf(record);
            QVERIFY(reader.isBinary());
            text.log(pe, lines);
        }
        QCOMPARE(log.issues().size(), 0u);
        const auto fromText = text.import();
        QVERIFY(fromText);
        QTemporaryDir out;
        const auto report = importProjections(folder, out.filePath(QStringLiteral("x.longpole")), {}, Progress());
        QVERIFY(report);
        const auto fromBinary = TraceStore::open(report->file);
        QVERIFY(fromBinary);
        QVERIFY(everything(*fromText).size() > 10);
        QCOMPARE(everything(**fromBinary), everything(*fromText));
        QCOMPARE((*fromBinary)->info().format, QStringLiteral("projections-binary"));
    }
};

LONGPOLE_TEST(TestProjectionsTraces)
#include "tst_projectionstraces.moc"
