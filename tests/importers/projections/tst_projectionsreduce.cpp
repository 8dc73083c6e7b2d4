// SPDX-License-Identifier: GPL-3.0-or-later
// Reduced traces: what is written is exactly what the original has, of the PEs and the time that are kept; nothing else
// is touched, and nothing half done stays.
#include "core/trace/columns.h"
#include "importers/projections/cut.h"
#include "importers/projections/lines.h"
#include "importers/projections/processor.h"
#include "importers/projections/reduce.h"
#include "importers/projections/stswriter.h"
#include "importers/smallrun.h"

#include "support/synthetic.h"
#include "support/testmain.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>

#include <atomic>
#include <csignal>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

using namespace longpole;

namespace {

using EntryBusy = std::map<std::pair<std::uint32_t, std::int64_t>, TimeNs>;  // by PE and entry

constexpr TimeRange all{minTime, maxTime};

QString data(const char* name) { return QStringLiteral(LONGPOLE_TEST_DATA "/") + QString::fromUtf8(name); }

// The exclusive time of every entry on every PE inside a range.
EntryBusy busyIn(const TraceStore& store, TimeRange range)
{
    EntryBusy busy;
    for (const Processor& processor : store.processors()) {
        const std::uint32_t pe = index(processor.pe);
        std::vector<std::int64_t> entries;
        std::vector<std::int64_t> more;  // pieces of a task that has several
        const auto add = [&](std::int64_t entry, TimeNs begin, TimeNs duration) {
            const TimeNs inside = overlap({begin, begin + duration}, range);
            if (inside > 0) busy[{pe, entry}] += inside;
        };
        for (const ChunkRef& ref : store.chunks(ChunkKind::Task, processor.track)) {
            const auto chunk = store.read(ref);
            for (std::uint32_t row = 0; chunk && row < ref.rows; ++row) {
                entries.push_back((*chunk)->at(TaskColumn::Entry, row));
                if ((*chunk)->at(TaskColumn::Pieces, row) > 0) continue;
                add(entries.back(), (*chunk)->at(TaskColumn::Begin, row), (*chunk)->at(TaskColumn::Duration, row));
            }
        }
        for (const ChunkRef& ref : store.chunks(ChunkKind::Piece, processor.track)) {
            const auto chunk = store.read(ref);
            for (std::uint32_t row = 0; chunk && row < ref.rows; ++row) {
                add(entries[std::size_t((*chunk)->at(PieceColumn::Task, row))], (*chunk)->at(PieceColumn::Begin, row),
                    (*chunk)->at(PieceColumn::Duration, row));
            }
        }
    }
    return busy;
}

// The first entry whose time differs; empty if none does.
QString difference(const EntryBusy& actual, const EntryBusy& expected)
{
    EntryBusy either = actual;
    either.insert(expected.begin(), expected.end());
    for (const auto& [key, time] : either) {
        const auto timeIn = [&key](const EntryBusy& busy) { return busy.contains(key) ? busy.at(key) : 0; };
        if (timeIn(actual) != timeIn(expected)) {
            return QStringLiteral("PE %1, entry %2: %3 ns instead of %4")
                .arg(key.first)
                .arg(key.second)
                .arg(timeIn(actual))
                .arg(timeIn(expected));
        }
    }
    return {};
}

TimeNs idleIn(const TraceStore& store, TimeRange range)
{
    TimeNs idle = 0;
    for (const ChunkRef& ref : store.chunks(ChunkKind::Idle)) {
        const auto chunk = store.read(ref);
        for (std::uint32_t row = 0; chunk && row < ref.rows; ++row) {
            const TimeNs begin = (*chunk)->at(IdleColumn::Begin, row);
            idle += overlap({begin, begin + (*chunk)->at(IdleColumn::Duration, row)}, range);
        }
    }
    return idle;
}

// Name and content of every file directly in a folder.
std::map<QString, QByteArray> filesOf(const QString& folder)
{
    std::map<QString, QByteArray> content;
    QDirIterator files(folder, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        const QString name = QDir(folder).relativeFilePath(file.fileName());
        content[name] = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
    }
    return content;
}

// What a log holds, inflated.
QByteArray inflated(const QString& path)
{
    Result<std::unique_ptr<InputFile>> input = InputFile::open(path);
    if (!input) return "unreadable";
    QByteArray bytes;
    std::vector<char> block(65536);
    while (true) {
        const Result<std::size_t> got = (*input)->read(block);
        if (!got || *got == 0) return bytes;
        bytes.append(block.data(), qsizetype(*got));
    }
}

// An imported trace with the folder that it came from, and reduced ones beside it.
class Reduced {
public:
    explicit Reduced(const QString& source, const ImportOptions& options = {}) { import(source, options); }

    const TraceStore& store() const { return *m_store; }
    QString place(const QString& name) const { return m_folder.filePath(name); }

    Result<ReductionReport> reduce(ProjectionsReduction wanted, const QString& to = QStringLiteral("reduced")) const
    {
        wanted.folder = place(to);
        return reduceTo(wanted, Progress());
    }
    Result<ReductionReport> reduceTo(const ProjectionsReduction& wanted, const Progress& progress) const
    {
        const Result<ProjectionsSource> source = projectionsSource(*m_store, m_store->info().source);
        if (!source) return source.error();
        return reduceProjections(*m_store, *source, wanted, progress);
    }

private:
    void import(const QString& source, const ImportOptions& options)
    {
        const QString target = m_folder.filePath(QStringLiteral("t.longpole"));
        const Result<ImportReport> report = importProjections(source, target, options, Progress());
        if (!report) qFatal("%s", qPrintable(toText(report.error())));
        m_store = *TraceStore::open(target);
    }

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
};

ProjectionsReduction ofPes(std::vector<std::uint32_t> pes)
{
    ProjectionsReduction wanted;
    wanted.pes = std::move(pes);
    return wanted;
}

ProjectionsReduction ofRange(TimeRange range)
{
    ProjectionsReduction wanted;
    wanted.range = range;
    return wanted;
}

QStringList totals(const TraceInfo& info)
{
    QStringList figures;
    for (const std::int64_t figure :
         {info.processors, info.tasks, info.messages, info.messagesMatched, info.executionsUnmatched, info.records,
          info.begin, info.end, info.busy, info.idle, info.startup}) {
        figures += QString::number(figure);
    }
    return figures;
}

QStringList profileOf(const TraceStore& store, std::uint32_t pe)
{
    QStringList rows;
    for (const ProfileRow& row : store.profile()) {
        if (index(row.pe) != pe) continue;
        QStringList cells;
        for (const std::int64_t cell :
             {std::int64_t{index(row.entry)}, row.count, row.time, row.exclusive, row.messages, row.bytes}) {
            cells += QString::number(cell);
        }
        rows += cells.join(u' ');
    }
    return rows;
}

// A log of records, cut; lines joined.
QByteArray cutOf(const QByteArray& log, const LogCutting& cutting, const QByteArray& version = "11.0")
{
    ImportLog issues;
    const RecordLayout layout = RecordLayout::of(parseSymbols(smallSymbols(1, {}, version), issues));
    ProjectionsLog reader(InputFile::fromBytes(log, QStringLiteral("log")), layout, issues);
    reader.start();
    QByteArray lines;
    LogCut cut(reader, layout, cutting,
               [&](std::string_view line) { lines.append(line.data(), qsizetype(line.size())); });
    LogRecord record;
    while (const std::optional<Decoded> decoded = reader.step(record)) cut.add(*decoded, record, reader.raw());
    cut.finish();
    return lines;
}

LogCutting between(std::int64_t beginUs, std::int64_t endUs)
{
    LogCutting cutting;
    cutting.range = {beginUs * 1000, endUs * 1000};
    return cutting;
}

// A log that a program could have written: nested and suspended blocks, idling, packing, pairs, back to back and with
// gaps; and, as often as `damage` says, records that are missing.
QByteArray randomLog(std::mt19937& random, int damage)
{
    const auto upTo = [&](int most) { return int(random() % std::uint32_t(most + 1)); };
    QByteArray log = "6 10\n";
    std::int64_t now = 10;
    struct Block {
        int entry;
        int event;
        bool isSuspended;
    };
    std::vector<Block> open;
    int event = 0;
    const auto put = [&](const QByteArray& line) {
        if (damage == 0 || upTo(99) >= damage) log += line + '\n';
    };
    const auto n = [](std::int64_t number) -> QByteArray { return QByteArray::number(qlonglong{number}) + ' '; };
    const auto begin = [&](int entry, int number) {
        put("2 21 " + n(entry) + n(now) + n(number) + "0 64 0 " + (entry == 5 ? "3 " : "0 0 0 0 ") + n(now));
    };
    const auto end = [&](int entry, int number) { put("3 0 " + n(entry) + n(now) + n(number) + "0 0 " + n(now)); };
    for (int i = 0; i < 120; ++i) {
        now += upTo(3) == 0 ? 0 : upTo(12);
        switch (upTo(9)) {
        case 0:
        case 1:
        case 2:
            if (open.size() > 3) break;
            if (!open.empty() && upTo(1) == 0) {  // makes room for an inner one
                end(open.back().entry, open.back().event);
                open.back().isSuspended = true;
            }
            open.push_back({upTo(1) == 0 ? 5 : 6, upTo(5) == 0 ? -1 : event++, false});
            begin(open.back().entry, open.back().event);
            break;
        case 3:
        case 4:
        case 5:
            if (open.empty()) break;
            end(open.back().entry, open.back().event);
            open.pop_back();
            while (!open.empty() && open.back().isSuspended) {
                if (upTo(3) == 0) {  // had ended for good
                    open.pop_back();
                    continue;
                }
                open.back().isSuspended = false;
                begin(open.back().entry, open.back().event);  // goes on
            }
            break;
        case 6:
            if (!open.empty()) break;
            put("14 " + n(now) + '0');
            now += upTo(30);
            put("15 " + n(now) + '0');
            break;
        case 7:
            put("16 " + n(now) + '0');
            now += upTo(2);
            put("17 " + n(now) + '0');
            break;
        case 8: put("1 21 5 " + n(now) + n(event++) + "0 100 0"); break;
        default: {
            const std::int64_t before = std::max<std::int64_t>(now - upTo(40), 0);
            put("100 7 " + n(before) + n(event) + "0 0");
            put("100 7 " + n(now) + n(event++) + "0 0");
        }
        }
    }
    for (; !open.empty(); open.pop_back())
        if (!open.back().isSuspended) end(open.back().entry, open.back().event);
    return log + "7 " + QByteArray::number(qlonglong{now + upTo(20)}) + '\n';
}

}  // namespace

class TestProjectionsReduce : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // One log, cut by hand: blocks, idling and pairs that cross the edges.
    void cutting_data()
    {
        QTest::addColumn<QByteArray>("log");
        QTest::addColumn<int>("begin");
        QTest::addColumn<int>("end");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* name, const char* log, int begin, int end, const char* expected) {
            QTest::newRow(name) << QByteArray(log) << begin << end << QByteArray(expected);
        };
        const char* const blocks =
            "6 0\n14 5 0\n15 10 0\n2 21 5 10 8 0 112 0 6 900\n1 21 5 15 0 0 112 2\n"
            "3 0 5 20 8 0 0 903\n14 20 0\n15 30 0\n7 40\n";
        row("inside a block", blocks, 12, 18,
            "6 12\n2 21 5 12 8 0 112 0 6 900\n1 21 5 15 0 0 112 2\n3 0 5 18 8 0 0 900\n7 18\n");
        row("idling at both ends", blocks, 7, 25,
            "6 7\n14 7 0\n15 10 0\n2 21 5 10 8 0 112 0 6 900\n1 21 5 15 0 0 112 2\n3 0 5 20 8 0 0 903\n14 20 0\n"
            "15 25 0\n7 25\n");
        row("at the edges of a block", blocks, 10, 20,
            "6 10\n2 21 5 10 8 0 112 0 6 900\n1 21 5 15 0 0 112 2\n3 0 5 20 8 0 0 903\n7 20\n");
        row("where nothing is", blocks, 32, 35, "6 32\n7 35\n");
        row("behind the end", blocks, 50, 60, "6 50\n7 50\n");
        row("before the begin", "6 40\n14 41 0\n15 42 0\n7 43\n", 10, 20, "6 20\n7 20\n");
        row("raw nesting", "2 21 6 10 1 0 0 0 0 0 0 0 5\n2 21 5 12 2 0 0 0 6 6\n3 0 5 20 2 0 0 7\n3 0 6 30 1 0 0 8\n",
            15, 18, "2 21 6 15 1 0 0 0 0 0 0 0 5\n2 21 5 15 2 0 0 0 6 6\n3 0 5 18 2 0 0 6\n3 0 6 18 1 0 0 5\n");
        row("an end of an outer block ends the inner ones",
            "2 21 6 10 1 0 0 0 0 0 0 0 5\n2 21 5 12 2 0 0 0 6 6\n3 0 6 20 1 0 0 8\n16 30 0\n", 25, 40, "16 30 0\n");
        row("idled in a block whose end is lost",
            "2 21 6 10 1 0 0 0 0 0 0 0 5\n14 12 0\n15 14 0\n2 21 5 30 2 0 0 0 6 6\n", 20, 40,
            "2 21 6 20 1 0 0 0 0 0 0 0 5\n14 20 0\n15 20 0\n2 21 5 30 2 0 0 0 6 6\n");
        row("tracing off", "2 21 6 10 1 0 0 0 0 0 0 0 5\n12 20\n11 50\n", 30, 40, "12 30\n11 40\n");
        row("pairs and functions",
            "98 7 5 1 0 3\n98 7 6 2 0 4\n22 8 17 12 file.c\n99 7 9 3 0 3\n16 12 0\n99 7 20 4 0 4\n23 30 17\n", 10, 15,
            "98 7 10 2 0 4\n22 10 17 12 file.c\n16 12 0\n17 15 0\n23 15 17\n99 7 15 2 0 4\n");
        row("intervals, written at their end",
            "100 7 2 1 0 0\n100 7 5 1 0 0\n100 7 4 2 0 0\n100 7 12 2 0 0\n100 7 11 3 0 0\n100 7 13 3 0 0\n"
            "100 7 14 4 0 0\n100 7 22 4 0 0\n100 7 25 5 0 0\n100 7 26 5 0 0\n100 7 12 6 0 0\n",
            10, 20, "100 7 10 2 0 0\n100 7 12 2 0 0\n100 7 11 3 0 0\n100 7 13 3 0 0\n100 7 14 4 0 0\n100 7 20 4 0 0\n");
        row("time is not the third field",
            "26 77 5\n13 9 5 1 0\n26 78 15\n27 4096 15\n30 1 15\n32 15 -1 0.5 0 3\n13 9 15 2 0\n27 4097 25\n30 2 25\n",
            10, 20, "26 78 15\n27 4096 15\n30 1 15\n32 15 -1 0.5 0 3\n13 9 15 2 0\n");
        row("notes", "28 5 3abc\n28 15 4 abcd\n29 2 12 8 3abc\n29 15 30 8 4 abcd\n29 30 40 8 1a\n", 10, 20,
            "28 15 4 abcd\n29 10 12 8 3abc\n29 15 20 8 4 abcd\n");
        row("times that go back count as the one before", "14 12 0\n15 8 0\n16 5 0\n17 22 0\n", 10, 20,
            "14 12 0\n15 8 0\n16 5 0\n17 20 0\n");
        row("what cannot be read stays where it is", "999 1\n14 12 0\ngarbage\n15 13 0\n18 30 0\n999 2\n", 10, 20,
            "14 12 0\ngarbage\n15 13 0\n");
        row("differences become times", "6 5\n14 3 0\n15 10 0\n16 2 0\n7 30\n", 10, 25,
            "6 10\n14 10 0\n15 18 0\n16 20 0\n17 25 0\n7 25\n");
    }
    void cutting()
    {
        QFETCH(QByteArray, log);
        QFETCH(int, begin);
        QFETCH(int, end);
        const bool isDelta = QByteArray(QTest::currentDataTag()).startsWith("differences");
        const QByteArray header = isDelta ? "PROJECTIONS-RECORD 9 DELTA\n" : "PROJECTIONS-RECORD 9\n";
        QTEST(cutOf(header + log, between(begin, end)), "expected");
    }

    // Without a range everything is given on as it is.
    void uncut()
    {
        const QByteArray log = "6 10\n2 21 5 10 8 0 112 0 6 900\n  junk\n100 7 2 1 0 0\n14 3 0\n7 40\n14 50 0\r\n";
        QCOMPARE(cutOf("PROJECTIONS-RECORD 9\n" + log, {}), log);
        QCOMPARE(cutOf("PROJECTIONS-RECORD 9 DELTA\n" + log, {}), log);
        QCOMPARE(cutOf("PROJECTIONS-RECORD 9\n" + log + "15 6", {}), log);  // the last line is cut
    }

    // A path's steps stand where they end, never between the lines of a pair and never behind the log's end.
    void pathOfALog()
    {
        const QByteArray log =
            "6 0\n14 5 0\n15 10 0\n100 7 2 1 0 0\n100 7 9 1 0 0\n1 21 5 15 41 0 112 2\n"
            "100 32000 1 5 0 0\n100 32000 3 5 0 0\n7 40\n";
        const TimeRange steps[] = {{2000, 10000}, {11000, 12000}, {30000, 40000}};
        LogCutting cutting;
        cutting.path = steps;
        cutting.pathEvent = 32000;
        cutting.replacesPath = true;
        cutting.firstPathEventNumber = 42;
        cutting.pe = 3;
        QCOMPARE(cutOf("PROJECTIONS-RECORD 9\n" + log, cutting),
                 QByteArray("6 0\n14 5 0\n15 10 0\n100 7 2 1 0 0\n100 7 9 1 0 0\n"
                            "100 32000 2 42 3 0\n100 32000 10 42 3 0\n100 32000 11 43 3 0\n100 32000 12 43 3 0\n"
                            "1 21 5 15 41 0 112 2\n100 32000 30 44 3 0\n100 32000 40 44 3 0\n7 40\n"));
        cutting.replacesPath = false;
        QVERIFY(cutOf("PROJECTIONS-RECORD 9\n" + log, cutting).contains("100 32000 3 5 0 0\n100 32000 30 44 3 0\n"));
    }

    // Busy time of every entry, idle time and the intervals of a cut log are those of the whole one inside the range.
    void randomLogs_data()
    {
        QTest::addColumn<int>("seed");
        QTest::addColumn<int>("damage");
        for (int seed = 0; seed < 4; ++seed) QTest::newRow(qPrintable(QString::number(seed))) << seed << 0;
        QTest::newRow("records are missing") << 100 << 10;
    }
    void randomLogs()
    {
        QFETCH(int, seed);
        QFETCH(int, damage);
        std::mt19937 random{std::uint32_t(seed)};
        SmallRun run;
        constexpr int processors = 48;
        run.symbols(smallSymbols(processors));
        for (int pe = 0; pe < processors; ++pe) run.log(pe, randomLog(random, damage));
        const Reduced reduced(run.folder());
        const TraceInfo& whole = reduced.store().info();
        for (int i = 0; i < 2; ++i) {
            const std::int64_t length = whole.duration() / 1000;
            const TimeNs from = whole.begin + 1000 * std::int64_t(random() % std::uint64_t(length + 1));
            const TimeRange range{from, from + 1000 * std::int64_t(1 + random() % std::uint64_t(length))};
            const Result<ReductionReport> report = reduced.reduce(ofRange(range), QStringLiteral("%1").arg(i));
            QVERIFY(report);
            const Reduced again(reduced.place(QStringLiteral("%1").arg(i)));
            // What lies before the run's first task belongs to no run.
            const TimeRange kept = reducedRange(whole, range);
            const TimeNs begin = std::max(kept.begin, again.store().info().begin);
            QVERIFY(whole.tasks > 100);
            // What an execution without an end lasted is a guess, for which a part of a log may have less to go by.
            if (damage == 0) {
                QCOMPARE(difference(busyIn(again.store(), all), busyIn(reduced.store(), kept)), QString());
                QCOMPARE(idleIn(again.store(), {begin, maxTime}), idleIn(reduced.store(), {begin, kept.end}));
            }
            if (kept.begin != minTime) QVERIFY(again.store().info().begin >= kept.begin);
            if (kept.end != maxTime) QVERIFY(again.store().info().end <= kept.end);
            const Result<ReductionReport> twice = again.reduce(ofRange({minTime, maxTime}));
            QVERIFY(twice);
            for (const auto& [name, content] : filesOf(reduced.place(QString::number(i))))
                QCOMPARE(filesOf(again.place(QStringLiteral("reduced")))[name], content);
        }
    }

    // All PEs and all the time: the same trace; once more: the same bytes.
    void wholeTraces_data()
    {
        QTest::addColumn<int>("files");
        QTest::newRow("features_p4") << 6;
        QTest::newRow("features_smalllog_p4") << 6;
        QTest::newRow("features_notes_p4") << 6;
        QTest::newRow("fib_subdirs_nogz_p4") << 6;
        QTest::newRow("fib_binary_p2") << 4;
        QTest::newRow("wave2d_killed_p3") << 5;
        QTest::newRow("cpath_p4") << 6;
        QTest::newRow("jacobi2d_sdag_p4") << 6;
        QTest::newRow("gauss_seidel_p8") << 10;
    }
    void wholeTraces()
    {
        QFETCH(int, files);
        const Reduced whole(data(QTest::currentDataTag()));
        const Result<ReductionReport> report = whole.reduce({});
        QVERIFY2(report, report ? "" : qPrintable(toText(report.error())));
        QCOMPARE(report->files.size(), files);
        QCOMPARE(report->pes.size(), whole.store().processors().size());
        std::int64_t bytes = 0;
        for (const QString& file : report->files) bytes += QFileInfo(file).size();
        QCOMPARE(report->bytesAfter, bytes);

        const Reduced reduced(whole.place(QStringLiteral("reduced")));
        QCOMPARE(totals(reduced.store().info()), totals(whole.store().info()));
        for (const std::uint32_t pe : report->pes)
            QCOMPARE(profileOf(reduced.store(), pe), profileOf(whole.store(), pe));
        QCOMPARE(rowsOf(reduced.store(), ChunkKind::Counter, TrackId{0}),
                 rowsOf(whole.store(), ChunkKind::Counter, TrackId{0}));
        for (const std::uint32_t pe : report->pes) {
            const QByteArray log = inflated(report->files[report->files.size() - qsizetype(report->pes.size() - pe)]);
            QCOMPARE(log.left(log.indexOf('\n')), "PROJECTIONS-RECORD " + QByteArray::number(log.count('\n') - 1));
        }

        QVERIFY(reduced.reduce({}));
        QCOMPARE(filesOf(reduced.place(QStringLiteral("reduced"))), filesOf(whole.place(QStringLiteral("reduced"))));
    }

    void somePes_data() { wholeTraces_data(); }
    void somePes()
    {
        const Reduced whole(data(QTest::currentDataTag()));
        const Result<ReductionReport> report = whole.reduce(ofPes({0, 1}));
        QVERIFY(report);
        QCOMPARE(report->pes, (std::vector<std::uint32_t>{0, 1}));
        QVERIFY(report->bytesAfter < report->bytesBefore);
        const Reduced reduced(whole.place(QStringLiteral("reduced")));
        for (const std::uint32_t pe : report->pes) {
            QVERIFY(!profileOf(whole.store(), pe).isEmpty());
            QCOMPARE(profileOf(reduced.store(), pe), profileOf(whole.store(), pe));
            QCOMPARE(reduced.store().processor(ProcessorId{pe})->records,
                     whole.store().processor(ProcessorId{pe})->records);
        }
        if (reduced.store().processors().size() > 2) QVERIFY(!reduced.store().processor(ProcessorId{2})->hasLog);
    }

    void ranges_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<int>("from");  // tenths of the run
        QTest::addColumn<int>("to");
        const auto row = [](const char* trace, int from, int to) {
            QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(QString::fromUtf8(trace)).arg(from)))
                << QString::fromUtf8(trace) << from << to;
        };
        for (const char* trace : {"features_p4", "features_smalllog_p4", "features_notes_p4", "fib_subdirs_nogz_p4",
                                  "fib_binary_p2", "wave2d_killed_p3", "cpath_p4", "jacobi2d_sdag_p4"}) {
            row(trace, 4, 6);
        }
        for (const int from : {0, 1, 5, 8}) row("features_p4", from, from + 2);
    }
    void ranges()
    {
        QFETCH(QString, trace);
        QFETCH(int, from);
        QFETCH(int, to);
        const Reduced whole(data(trace.toUtf8().constData()));
        const TraceInfo& info = whole.store().info();
        const TimeNs tenth = info.duration() / 10;
        const TimeRange asked{info.begin + from * tenth + 1, info.begin + to * tenth - 1};  // no whole microseconds
        const Result<ReductionReport> report = whole.reduce(ofRange(asked));
        QVERIFY(report);
        const TimeRange kept = reducedRange(info, asked);
        QVERIFY(kept.begin <= asked.begin && kept.begin > asked.begin - 1000 && kept.begin % 1000 == 0);
        QVERIFY(kept.end >= asked.end && kept.end < asked.end + 1000 && kept.end % 1000 == 0);
        const Reduced reduced(whole.place(QStringLiteral("reduced")));
        QVERIFY(!busyIn(whole.store(), kept).empty());
        QCOMPARE(difference(busyIn(reduced.store(), all), busyIn(whole.store(), kept)), QString());
        QVERIFY(reduced.store().info().begin >= kept.begin);
        QVERIFY(reduced.store().info().end <= kept.end);
        QFile rc(QFileInfo(report->files.front()).absoluteFilePath());
        QVERIFY(rc.open(QIODevice::ReadOnly));
        if (rc.size() > 0) {
            const QByteArray end = "\nRC_GLOBAL_END_TIME   " + QByteArray::number(qlonglong{kept.end / 1000}) + '\n';
            const QByteArray text = rc.readAll();
            QVERIFY2(text.startsWith("RC_GLOBAL_START_TIME 0\n") && text.contains(end), text.constData());
        }
    }

    // A path that a program computed while it ran, and one that is put in its place.
    void path()
    {
        const Reduced whole(data("cpath_p4"));
        ProjectionsReduction wanted = ofPes({1});
        wanted.path = {{1, 200'000'000, 200'010'000}, {1, 190'000'000, 190'000'000}, {2, 210'000'000, 210'010'000}};
        const Result<ReductionReport> report = whole.reduce(wanted);
        QVERIFY(report);
        QCOMPARE(report->pathSteps, 2);
        QFile symbols(report->files[1]);
        QVERIFY(symbols.open(QIODevice::ReadOnly));
        QCOMPARE(symbols.readAll().count("Critical Path"), 1);
        const QByteArray log = inflated(report->files[2]);
        QCOMPARE(log.count("\n100 32000 "), 4);
        QVERIFY(log.contains("\n100 32000 190000 89 1 0\n100 32000 190000 89 1 0\n"));
        QVERIFY(log.contains("\n100 32000 200000 90 1 0\n100 32000 200010 90 1 0\n"));

        const Reduced reduced(whole.place(QStringLiteral("reduced")));
        QCOMPARE(rowsOf(reduced.store(), ChunkKind::Interval, userEventTrack(1),
                        {IntervalColumn::Begin, IntervalColumn::Duration, IntervalColumn::Region}),
                 (QStringList{QStringLiteral("190000000 0 32000"), QStringLiteral("200000000 10000 32000")}));
        QCOMPARE(reduced.store().region(RegionId{32000})->name, QStringLiteral("Critical Path"));
        QVERIFY(reduced.reduce(wanted));
        QCOMPARE(filesOf(reduced.place(QStringLiteral("reduced"))), filesOf(whole.place(QStringLiteral("reduced"))));
    }

    // In AMPI runs the intervals of a rank have its number: the path is no rank's.
    void pathOfAmpi()
    {
        const SmallRun run;
        run.symbols(smallSymbols(1).replace("dummy_thread_chare", "AMPI").replace("dummy_thread_ep", "rank"));
        run.log(0, "6 0\n2 4 0 10 8 0 112 0 0 0 0 0 900\n100 7 11 9 0 0\n100 7 12 9 0 0\n3 0 0 20 8 0 0 903\n7 30\n");
        const Reduced whole(run.folder());
        ProjectionsReduction wanted;
        wanted.path = {{0, 10'000, 20'000}};
        const Result<ReductionReport> report = whole.reduce(wanted);
        QVERIFY(report);
        QVERIFY(inflated(report->files.back()).contains("100 32000 10 10 0 -1\n100 32000 20 10 0 -1\n7 30\n"));
        const Reduced reduced(whole.place(QStringLiteral("reduced")));
        QCOMPARE(rowsOf(reduced.store(), ChunkKind::Interval, virtualRankTrack(0)).size(), 1);
        QCOMPARE(rowsOf(reduced.store(), ChunkKind::Interval, userEventTrack(0)).size(), 1);
    }

    void userEvent_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        QTest::addColumn<int>("id");
        const auto row = [](const char* name, const char* text, const char* expected, int id) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(expected) << id;
        };
        row("the first", "VERSION 11.0\nTOTAL_EVENTS 0\nMESSAGE 0 0\nTOTAL_STATS 1\nSTAT 1 s\nEND\n",
            "VERSION 11.0\nTOTAL_EVENTS 1\nMESSAGE 0 0\nTOTAL_STATS 1\nEVENT 32000 Critical Path\nSTAT 1 s\nEND\n",
            32000);
        row("after others", "TOTAL_EVENTS 1\nEVENT 7 seven\nEND\n",
            "TOTAL_EVENTS 2\nEVENT 7 seven\nEVENT 32000 Critical Path\nEND\n", 32000);
        row("there already", "TOTAL_EVENTS 1\nEVENT 32000 Critical Path\nEND\n",
            "TOTAL_EVENTS 1\nEVENT 32000 Critical Path\nEND\n", 32000);
        row("the program's own", "TOTAL_EVENTS 1\nEVENT 32000 mine\nEND\n",
            "TOTAL_EVENTS 2\nEVENT 32000 mine\nEVENT 32001 Critical Path\nEND\n", 32001);
        row("a total that is too small", "TOTAL_EVENTS 0\nEVENT 7 seven\nEVENT 8 eight\nEND\n",
            "TOTAL_EVENTS 3\nEVENT 7 seven\nEVENT 8 eight\nEVENT 32000 Critical Path\nEND\n", 32000);
        row("no total", "VERSION 3.0\nTOTAL_EPS 1\nEND\n",
            "VERSION 3.0\nTOTAL_EPS 1\nTOTAL_EVENTS 1\nEVENT 32000 Critical Path\nEND\n", 32000);
        row("without an end", "TOTAL_EVENTS 0\nCHARE 0 \"a\" -1\n",
            "TOTAL_EVENTS 1\nCHARE 0 \"a\" -1\nEVENT 32000 Critical Path\n", 32000);
    }
    void userEvent()
    {
        QFETCH(QByteArray, text);
        const SymbolsWithEvent symbols = withUserEvent(text, 32000, QStringLiteral("Critical Path"));
        QTEST(symbols.text, "expected");
        QTEST(int(symbols.id), "id");
        QCOMPARE(symbols.isKnown, symbols.text == text);
        QCOMPARE(withUserEvent(symbols.text, 32000, QStringLiteral("Critical Path")).text, symbols.text);
    }

    // A written table reads as it was, in every version's layout.
    void symbols_data()
    {
        QTest::addColumn<QByteArray>("version");
        for (const char* version : {"5.0", "8.0", "9.0", "10.0", "11.0"}) QTest::newRow(version) << QByteArray(version);
    }
    void symbols()
    {
        QFETCH(QByteArray, version);
        ImportLog log;
        const QByteArray more =
            "EVENT 7 Nested <region> \"quoted\"\nSTAT 3 queue length\nTOTAL_PAPI_EVENTS 1\n"
            "PAPI_EVENT 0 PAPI_TOT_INS\n";
        ProjectionsSymbols symbols = parseSymbols(smallSymbols(3, more), log);
        symbols.version = QString::fromUtf8(version);
        symbols.versionNumber = version.toDouble();
        if (symbols.versionNumber < 9.0)
            for (auto& [id, chare] : symbols.chares) chare.dimensions = -1;
        const ProjectionsSymbols again = parseSymbols(symbolsText(symbols), log);
        QCOMPARE(log.issues().size(), 0u);
        QCOMPARE(again.versionNumber, symbols.versionNumber);
        QCOMPARE(again.processors, 3);
        QCOMPARE(again.events, symbols.events);
        QCOMPARE(again.statistics, symbols.statistics);
        QCOMPARE(again.counters, symbols.counters);
        QCOMPARE(again.papiCounters, 1u);
        QCOMPARE(again.entries.size(), symbols.entries.size());
        for (const auto& [id, entry] : symbols.entries) {
            QCOMPARE(again.entries.at(id).name, entry.name);
            QCOMPARE(again.entries.at(id).chare, entry.chare);
            QCOMPARE(again.dimensionsOf(id), symbols.dimensionsOf(id));
        }
    }

    // A killed run has an empty .sts: the reduced one gets the names that the import had.
    void namesOfAKilledRun()
    {
        const SmallRun other;
        other.symbols(smallSymbols(7, "EVENT 7 seven\n"));
        const SmallRun run;
        run.symbols({});
        run.log(0, "6 0\n2 21 5 10 8 0 112 0 6 900\n3 0 5 20 8 0 0 903\n");
        run.log(1, "6 0\n2 21 6 10 9 0 112 0 0 0 0 0 900\n3 0 6 20 9 0 0 903\n15 3");
        ImportOptions options;
        options.symbols = other.path(QStringLiteral("p.sts"));
        const Reduced whole(run.folder(), options);
        const Result<ReductionReport> report = whole.reduce({});
        QVERIFY(report);
        QVERIFY(report->hasSymbols);
        const Reduced reduced(whole.place(QStringLiteral("reduced")));
        QCOMPARE(reduced.store().info().processors, 2);
        QCOMPARE(reduced.store().entry(EntryId{5})->name, QStringLiteral("step(int n)"));
        QCOMPARE(reduced.store().entry(EntryId{5})->chare, QStringLiteral("Line"));
        QCOMPARE(totals(reduced.store().info()), totals(whole.store().info()));
        QCOMPARE(issuesOf(reduced.store()), QStringLiteral("missing_end_of_log*2@p.0.log, line 4; "
                                                           "unmatched_execution*2@task 0:0"));
        const Reduced nameless(run.folder());
        const Result<ReductionReport> without = nameless.reduce({});
        QVERIFY(without && !without->hasSymbols);
        QCOMPARE(QFileInfo(without->files.front()).size(), 0);
    }

    // Every kind of binary record becomes a line that reads as the same record.
    void binaryRecords()
    {
        const RecordLayout layout = [] {
            ImportLog log;
            return RecordLayout::of(parseSymbols(smallSymbols(1, "TOTAL_PAPI_EVENTS 1\n"), log));
        }();
        const auto check = [&](const QByteArray& bytes, const char* line) {
            LogRecord record;
            std::size_t used = 0;
            const std::span<const char> raw(bytes.constData(), std::size_t(bytes.size()));
            QCOMPARE(decodeBinary(raw, layout, record, used), Decoded::Record);
            QCOMPARE(used, raw.size());
            QCOMPARE(QByteArray::fromStdString(lineOf(record, layout, raw)), QByteArray(line));
        };
        const auto bytes = [](std::initializer_list<QByteArray> fields) {
            QByteArray record;
            for (const QByteArray& field : fields) record += field;
            return QByteArray(record + '\n');
        };
        const auto u1 = [](int number) { return QByteArray(1, char(number)); };
        const auto of = [](auto number) { return QByteArray(reinterpret_cast<const char*>(&number), sizeof number); };
        const auto u2 = [&](int number) { return of(std::uint16_t(number)); };
        const auto i4 = [&](int number) { return of(std::int32_t(number)); };
        const auto u8 = [&](std::int64_t number) { return of(number); };
        check(bytes({u1(1), u2(65535), u2(5), u8(70), i4(8), i4(3), i4(112), u8(2)}), "1 65535 5 70 8 3 112 2\n");
        check(bytes({u1(2), u2(21), u2(5), u8(71), i4(-1), i4(3), i4(112), u8(0), i4(-6), u8(900), u8(17)}),
              "2 21 5 71 -1 3 112 0 -6 900 17\n");
        check(bytes({u1(2), u2(21), u2(7), u8(71), i4(8), i4(3), i4(112), u8(60), u2(1), u2(2), u2(3), u2(65535),
                     u8(-1), u8(17)}),
              "2 21 7 71 8 3 112 60 1 2 3 -1 18446744073709551615 17\n");
        check(bytes({u1(3), u2(0), u2(5), u8(75), i4(8), i4(3), i4(0), u8(903), u8(18)}), "3 0 5 75 8 3 0 903 18\n");
        check(bytes({u1(20), u2(23), u2(1), u8(70), i4(8), i4(3), i4(112), u8(2), i4(4)}), "20 23 1 70 8 3 112 2 4\n");
        check(bytes({u1(21), u2(5), u2(1), u8(70), i4(8), i4(3), i4(112), u8(2), i4(2), u8(2), i4(0), i4(2)}),
              "21 5 1 70 8 3 112 2 2 2 0 2\n");
        check(bytes({u1(21), u2(5), u2(1), u8(70), i4(8), i4(3), i4(112), u8(2), i4(2), i4(4), i4(7)}),
              "21 5 1 70 8 3 112 2 2 4 7\n");
        check(bytes({u1(4), u2(5), u8(70), i4(8), i4(3)}), "4 5 70 8 3\n");
        check(bytes({u1(10), u2(5), u2(1), u8(70), i4(8), i4(3), i4(112)}), "10 5 1 70 8 3 112\n");
        check(bytes({u1(6), u8(1)}), "6 1\n");
        check(bytes({u1(12), u8(-1)}), "12 18446744073709551615\n");
        check(bytes({u1(8), u8(5), i4(0), i4(0)}), "8 5 0 0\n");
        check(bytes({u1(14), u8(5), i4(3)}), "14 5 3\n");
        check(bytes({u1(13), u2(9), u8(5), i4(1), i4(0)}), "13 9 5 1 0\n");
        check(bytes({u1(100), u2(9), u8(5), i4(1), i4(0), i4(4)}), "100 9 5 1 0 4\n");
        check(bytes({u1(26), i4(-7), u8(5)}), "26 -7 5\n");
        check(bytes({u1(27), u8(std::int64_t{1} << 40), u8(5)}), "27 1099511627776 5\n");
        check(bytes({u1(28), u8(5), u8(9), "two\nlines"}), "28 5 9 two lines\n");
        check(bytes({u1(29), u8(5), u8(6), i4(8), u8(2), "4x"}), "29 5 6 8 2 4x\n");
        check(bytes({u1(30), u2(2), u8(5)}), "30 2 5\n");
        check(bytes({u1(32), u8(5), of(-1.0), of(1e-5), i4(3), u2(1)}), "32 5 -1 0.00001 3 1\n");
        check(bytes({u1(32), u8(5), of(0.1), of(1e22), i4(3), u2(1)}), "32 5 0.1 10000000000000000000000 3 1\n");
    }

    void errors()
    {
        const SmallRun run;
        const auto restore = [&] {
            run.symbols(smallSymbols(3));
            run.log(0, "6 0\n2 21 5 10 8 0 112 0 6 900\n3 0 5 20 8 0 0 903\n7 30\n");
            run.log(1, "6 0\n7 40\n");
        };
        restore();
        const Reduced whole(run.folder());
        const auto wrong = [&](ProjectionsReduction wanted, const QString& folder) {
            wanted.folder = folder;
            const Result<ReductionReport> report = whole.reduceTo(wanted, Progress());
            return report ? QString() : report.error().what;
        };
        const std::map<QString, QByteArray> before = filesOf(run.folder());
        const QString target = whole.place(QStringLiteral("new/reduced"));
        // Where it must not write.
        const QString own = QStringLiteral("The original logs lie in this folder; it is left as it is.");
        QCOMPARE(wrong({}, run.folder()), own);
        QCOMPARE(wrong({}, run.folder() + QStringLiteral("/x/..")), own);
        QCOMPARE(wrong({}, run.path(QStringLiteral("p.projdir.3"))), own);
        QVERIFY(QFile::link(run.folder(), whole.place(QStringLiteral("link"))));
        QCOMPARE(wrong({}, whole.place(QStringLiteral("link"))), own);
        QCOMPARE(wrong({}, run.path(QStringLiteral("p.sts"))),
                 QStringLiteral("A file is in the way of the folder to write."));
        QCOMPARE(wrong({}, QStringLiteral("/proc/nowhere/reduced")),
                 QStringLiteral("The folder cannot be created: No such file or directory."));
        QCOMPARE(wrong(ofPes({2}), target), QStringLiteral("The original has no logs of these processors."));
        QVERIFY(!QFileInfo::exists(whole.place(QStringLiteral("new"))));
        QCOMPARE(filesOf(run.folder()), before);

        QCOMPARE(wrong(ofPes({0, 2}), target), QString());
        QCOMPARE(QDir(target).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 (QStringList{QStringLiteral("p.0.log"), QStringLiteral("p.sts")}));
        QCOMPARE(wrong(ofPes({1}), target), QStringLiteral("The folder has a trace of this name already (p.0.log)."));
        QCOMPARE(QDir(target).entryList(QDir::Files).size(), 2);

        // The original has changed since, or is gone.
        const QString other = whole.place(QStringLiteral("other"));
        run.log(0, "6 0\n7 30\n");
        QCOMPARE(wrong({}, other), QStringLiteral("The original trace has changed since it was imported."));
        QVERIFY(QFile::remove(run.path(QStringLiteral("p.0.log"))));
        QCOMPARE(wrong({}, other), QStringLiteral("The original log of PE 0 is gone."));
        QVERIFY(QFile::remove(run.path(QStringLiteral("p.1.log"))));
        QCOMPARE(wrong({}, other), QStringLiteral("There are no event logs of this run."));
        QVERIFY(QDir(run.folder()).removeRecursively());
        QCOMPARE(wrong({}, other), QStringLiteral("The original trace is gone."));
        QVERIFY(!QFileInfo::exists(other));
    }

    void unwritableFolder()
    {
        if (geteuid() == 0) QSKIP("root may write everywhere");
        const Reduced whole(data("nqueen_p4"));
        QVERIFY(QDir().mkdir(whole.place(QStringLiteral("locked"))));
        QVERIFY(QFile::setPermissions(whole.place(QStringLiteral("locked")), QFile::ReadOwner | QFile::ExeOwner));
        const Result<ReductionReport> report = whole.reduce({}, QStringLiteral("locked"));
        QVERIFY(!report);
        QCOMPARE(report.error().what, QStringLiteral("The folder cannot be written: Permission denied."));
    }

    // A disk that takes no more: nothing stays.
    void fullDisk()
    {
        const Reduced whole(data("jacobi2d_sdag_p4"));
        QVERIFY(QDir().mkdir(whole.place(QStringLiteral("full"))));
        struct rlimit before {};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        struct rlimit small = before;
        small.rlim_cur = 50'000;
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        const Result<ReductionReport> copied = whole.reduce({}, QStringLiteral("full"));
        const TraceInfo& info = whole.store().info();
        const Result<ReductionReport> cut = whole.reduce(ofRange({info.begin, info.end - 1000}),
                                                         QStringLiteral("full"));
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        for (const Result<ReductionReport>* report : {&copied, &cut}) {
            QVERIFY(!*report);
            QCOMPARE(report->error().what, QStringLiteral("The file could not be written: File too large."));
            QVERIFY(report->error().where.startsWith(whole.place(QStringLiteral("full/jacobi2d."))));
        }
        QVERIFY(filesOf(whole.place(QStringLiteral("full"))).empty());
        QVERIFY(whole.reduce({}, QStringLiteral("full")));
    }

    void cancelled()
    {
        QTemporaryDir folder;
        QVERIFY(!writeSynthetic(folder.path(), {.records = 2'000'000}).isEmpty());
        const Reduced whole(folder.path());
        ProjectionsReduction wanted = ofRange({whole.store().info().begin + 1000, maxTime});
        wanted.folder = whole.place(QStringLiteral("reduced"));
        const Progress progress;
        std::atomic<bool> isDone{false};
        std::thread user([&] {
            while (!isDone && progress.fraction() < 0.3) std::this_thread::yield();
            progress.cancel();
        });
        const Result<ReductionReport> report = whole.reduceTo(wanted, progress);
        isDone = true;
        user.join();
        QVERIFY(!report);
        QVERIFY(wasCancelled(report.error()));
        QVERIFY(!QFileInfo::exists(wanted.folder));
    }

    // What a killed writer left is removed; other files in the folder stay.
    void leftOvers()
    {
        const Reduced whole(data("nqueen_p4"));
        QVERIFY(QDir().mkpath(whole.place(QStringLiteral("reduced/.longpole-part-1/below"))));
        QFile notes(whole.place(QStringLiteral("reduced/notes.txt")));
        QVERIFY(notes.open(QIODevice::WriteOnly));
        QVERIFY(whole.reduce(ofPes({0})));
        const QDir reduced(whole.place(QStringLiteral("reduced")));
        QCOMPARE(reduced.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 (QStringList{QStringLiteral("notes.txt"), QStringLiteral("nqueen.0.log.gz"),
                              QStringLiteral("nqueen.projrc"), QStringLiteral("nqueen.sts")}));
    }
};

LONGPOLE_TEST(TestProjectionsReduce)
#include "tst_projectionsreduce.moc"
