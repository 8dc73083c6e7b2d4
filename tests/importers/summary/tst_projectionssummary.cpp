// SPDX-License-Identifier: GPL-3.0-or-later
// Summary traces: text in, totals, tiles and entry bins out; what is wrong with a file is counted and never more than
// lost. The real trace's figures were added up independently from its text.
#include "core/trace/columns.h"
#include "importers/projections/processor.h"
#include "importers/smallrun.h"
#include "importers/summary/import.h"
#include "importers/summary/text.h"

#include "support/testmain.h"

#include <QDir>

#include <algorithm>
#include <map>
#include <utility>

using namespace longpole;

namespace {

// One processor, four intervals of 1 ms, entry method 5 three times.
const QByteArray summaryHead = "ver:7.1 0/1 count:4 ep:8 interval:1.000000e-03 phases:0\n";
const QByteArray busyLine = "  50 100   0  25\n";
const QByteArray entryLines =
    "EPExeTime: 0 0 0 0 0 1750 0 0 \nEPCallTime: 0 0 0 0 0 3 0 0 \nMaxEPTime: 0 0 0 0 0 1000 0 0 \n";
const QByteArray idleLine = "IdlePercent:   50   0 100   0\n";
const QByteArray plain = summaryHead + busyLine + entryLines + "NumMarks: 0 \n" + idleLine;
const QByteArray detailHead = "ver:7.1 cpu:0/1 numIntervals:4 numEPs:8 intervalSize:1.000000e-03\n";
const QByteArray detail = detailHead + "ExeTimePerEPperInterval 0+20 500 1000 0 249 0+8\n"
                                       "EPCallTimePerInterval 0+20 1+2 0 1 0+8\n";

std::shared_ptr<const TraceStore> imported(const SmallRun& run, const QString& source = {})
{
    static const QTemporaryDir out;  // stores read from it while a test has them
    const QString target = out.filePath(QStringLiteral("out.longpole"));
    const auto report = importSummaries(source.isEmpty() ? run.folder() : source, target, {}, Progress());
    if (!report) return nullptr;
    const auto store = TraceStore::open(target);
    return store ? *store : nullptr;
}

std::shared_ptr<const TraceStore> imported(const QByteArray& sum, const QByteArray& sumd)
{
    SmallRun run;
    run.write(QStringLiteral("p.sum.sts"), smallSymbols(1));
    run.write(QStringLiteral("p.0.sum"), sum);
    if (!sumd.isEmpty()) run.write(QStringLiteral("p.0.sumd"), sumd);
    return imported(run);
}

// Every level of the tiles adds up to the totals, entry bins to the profile; user + idle + overhead = T x PEs.
void checkSummarySums(const TraceStore& store)
{
    const TraceInfo& info = store.info();
    QVERIFY(info.overhead() >= 0);
    QCOMPARE(info.busy + info.idle + info.overhead(), info.duration() * info.processors);
    QVERIFY(!store.hasEvents());
    QVERIFY(store.chunks(ChunkKind::Task).empty());
    const bool hasDetail = !store.chunks(ChunkKind::EntryBin).empty();
    QCOMPARE((store.tileColumns() >> TileColumn::Tasks & 1) != 0, hasDetail);
    QCOMPARE(store.tileColumns() >> TileColumn::Messages & 1, 0u);
    for (const Processor& processor : store.processors()) {
        const auto bins = store.entryBins(processor.track);
        QVERIFY(bins);
        for (const int level : store.tileLevels(processor.track)) {
            const auto tiles = store.tiles(processor.track, level, {minTime, maxTime});
            QVERIFY(tiles);
            TileBin sum;
            for (const TileBin& bin : tiles->bins) {
                sum.busy += bin.busy;
                sum.idle += bin.idle;
                sum.tasks += bin.tasks;
                QVERIFY(bin.busy >= 0 && bin.idle >= 0 && bin.busy + bin.idle <= (TimeNs{1} << level));
                QVERIFY(bin.entryTime <= bin.busy);
            }
            QVERIFY(sum
                    == (TileBin{.busy = processor.busy,
                                .idle = processor.idle,
                                .tasks = bins->rows() > 0 ? processor.tasks : 0}));
        }
        if (bins->rows() == 0) continue;
        std::map<EntryId, std::pair<TimeNs, std::int64_t>> entries;
        for (std::size_t row = 0; row < bins->rows(); ++row) {
            entries[bins->entry[row]].first += bins->time[row];
            entries[bins->entry[row]].second += bins->tasks[row];
        }
        for (const ProfileRow& row : store.profile()) {
            if (row.pe != processor.pe) continue;
            QCOMPARE(entries[row.entry], (std::pair{row.exclusive, row.count}));
            entries.erase(row.entry);
        }
        QVERIFY(entries.empty());
    }
}

// "begin end busy idle tasks" in us, then "entry count time" of each profile row.
QString totalsOf(const TraceStore& store)
{
    const TraceInfo& info = store.info();
    QString text = QStringLiteral("%1 %2 %3 %4 %5")
                       .arg(info.begin / 1000)
                       .arg(info.end / 1000)
                       .arg(info.busy / 1000)
                       .arg(info.idle / 1000)
                       .arg(info.tasks);
    for (const ProfileRow& row : store.profile())
        text += QStringLiteral(", %1 %2 %3").arg(index(row.entry)).arg(row.count).arg(row.exclusive / 1000);
    return text;
}

}  // namespace

class TestProjectionsSummary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void summaries_data()
    {
        QTest::addColumn<QByteArray>("sum");
        QTest::addColumn<QByteArray>("sumd");
        QTest::addColumn<QString>("totals");
        QTest::addColumn<QString>("issues");
        const auto row = [](const char* name, const QByteArray& sum, const QByteArray& sumd, const char* totals,
                            const char* issues) {
            QTest::newRow(name) << sum << sumd << QString::fromUtf8(totals) << QString::fromUtf8(issues);
        };
        const char* const known = "0 4000 1750 1500 3, 5 3 1750";
        row("plain", plain, {}, known, "missing_detail*1@p.0.sum");
        row("detail", plain, detail, known, "");
        row("version 3, without words",
            "ver:3.0 0/1 count:4 ep:8 interval:1.000000e-03 phases:0\n" + busyLine
                + "0 0 0 0 0 1750 0 0 \n0 0 0 0 0 3 0 0 \n0 0 0 0 0 1000 0 0 \n0 \n",
            detail, "0 4000 1750 0 3, 5 3 1750", "missing_idle*1@p.0.sum");
        row("repeated", summaryHead + "  50+2   0+2\nEPExeTime: 0+5 1000 0+2\nEPCallTime: 0+5 7 0+2\nMaxEPTime: 0+8\n"
                        "NumMarks: 0 \nIdlePercent:    0+4\n",
            {}, "0 4000 1000 0 7, 5 7 1000", "missing_detail*1@p.0.sum");
        row("phases", plain + "[0] 1 2 3\n[1] 4 5 6\n", detail, known, "");
        // The run begins with the first entry method; start-up before it is in no figure.
        row("start-up", summaryHead + " 100+2  50+2\nEPExeTime: 0+5 999 0+2\nEPCallTime: 0+5 2 0+2\nMaxEPTime: 0+8\n"
                        "NumMarks: 0 \nIdlePercent:    0+2  50+2\n",
            detailHead + "ExeTimePerEPperInterval 0+22 500 499 0+8\nEPCallTimePerInterval 0+22 1+2 0+8\n",
            "2000 4000 1000 1000 2, 5 2 999", "");
        row("more in intervals than in entry methods", summaryHead + " 100+4\n" + entryLines + "NumMarks: 0 \n"
                                                       "IdlePercent:    0+4\n",
            detail, "0 4000 4000 0 3, 5 3 1750", "utilization_differs*1@p.0.sum");
        row("other calls in the .sumd", plain,
            detailHead + "ExeTimePerEPperInterval 0+20 500 1000 0 249 0+8\nEPCallTimePerInterval 0+20 1+2 0 2 0+8\n",
            known, "summary_detail_differs*1@p.0.sum");
        row("other sizes in the .sumd", plain,
            "ver:7.1 cpu:0/1 numIntervals:2 numEPs:6 intervalSize:2.000000e-03\n"
            "ExeTimePerEPperInterval 0+10 1500 249\nEPCallTimePerInterval 0+10 2 1\n",
            known, "");
        row("an entry method that the .sumd lacks", plain,
            detailHead + "ExeTimePerEPperInterval 0+32\nEPCallTimePerInterval 0+32\n", known,
            "summary_detail_differs*1@p.0.sum");
        row("marks", summaryHead + busyLine + entryLines + "NumMarks: 3 7 0.002500 1 0.000001 7 0.003999 \n" + idleLine,
            detail, known, "");
        row("bad marks", summaryHead + busyLine + entryLines + "NumMarks: 3 7 0.9 x 1 -5 3 7 nan\n" + idleLine, detail,
            known,
            "cut_summary*1@p.0.sum, line 6; malformed_summary*2@p.0.sum, line 6; number_out_of_range*2@p.0.sum, line "
            "6");
        row("unknown entry method", summaryHead + busyLine + "EPExeTime: 0+4 1750 0+3\nEPCallTime: 0+4 3 0+3\nMaxEPTime: 0+8\n"
                                    "NumMarks: 0 \n" + idleLine,
            {}, "0 4000 1750 1500 3, 4 3 1750", "missing_detail*1@p.0.sum; unknown_entry*1@p.0.sum");
        row("idle beyond the rest",
            summaryHead + busyLine + entryLines + "NumMarks: 0 \nIdlePercent:   60   0 100   0\n", detail, known,
            "impossible_percentage*1@p.0.sum, line 2");
        row("percentages out of range", summaryHead + " 150 -20  50 1x\n" + entryLines + "NumMarks: 0 \n" + idleLine,
            detail, "0 4000 1500 500 3, 5 3 1750",
            "impossible_percentage*4@p.0.sum, line 2; malformed_summary*1@p.0.sum, line 2; "
            "utilization_differs*1@p.0.sum");
        row("a bomb of zeros",
            summaryHead + "   0+4000000000\n" + entryLines + "NumMarks: 0 \nIdlePercent:    0+9000000000000\n", {},
            "0 4000 0 0 3, 5 3 1750",
            "long_summary*2@p.0.sum, line 2; missing_detail*1@p.0.sum; utilization_differs*1@p.0.sum");
        row("a bomb in the .sumd", plain,
            detailHead + "ExeTimePerEPperInterval 1+9223372036854775807\nEPCallTimePerInterval 1+4000000000\n",
            "0 4000 1750 1500 3, 5 3 1750", "*");
        row("garbage lines", summaryHead + busyLine + entryLines + "what is: this\n" + idleLine + "1 2 3\n", detail,
            known, "*");
        row("impossible numbers", summaryHead + busyLine +
                                  "EPExeTime: -1 99999999999999999999 0 0 0 1750 4002 4001\nEPCallTime: 0+5 3 2147483648 1\n"
                                  "MaxEPTime: 0+8\nNumMarks: 0 \n" + idleLine,
            {}, "0 4000 1750 1500 4, 5 3 1750, 7 1 4001", "*");
        row("less than one interval",
            "ver:7.1 0/1 count:1 ep:8 interval:1.000000e-09 phases:0\n 100\nEPExeTime: 0+8\n"
            "EPCallTime: 0+8\nMaxEPTime: 0+8\nNumMarks: 0 \nIdlePercent:    0\n",
            {}, "0 0 0 0 0", "missing_detail*1@p.0.sum; utilization_differs*1@p.0.sum");
    }
    void summaries()
    {
        QFETCH(QByteArray, sum);
        QFETCH(QByteArray, sumd);
        QFETCH(QString, totals);
        QFETCH(QString, issues);
        const auto store = imported(sum, sumd);
        QVERIFY(store);
        QCOMPARE(store->info().format, QString(summaryFormat));
        QCOMPARE(totalsOf(*store), totals);
        if (issues != QLatin1String("*")) QCOMPARE(issuesOf(*store), issues);
        else QVERIFY(!store->issues().empty());
        checkSummarySums(*store);
    }

    // 65,536 entry methods that ran, in a few bytes: as many as the file's size lets be kept.
    void bombsOfEntryMethods()
    {
        const QByteArray head = "ver:7.1 0/1 count:4 ep:65536 interval:1.000000e-03 phases:0\n" + busyLine;
        const QByteArray sums = "EPExeTime: 5+65536\nEPCallTime: 1+65536\nMaxEPTime: 5+65536\nNumMarks: 0 \n";
        const QByteArray cells =
            "ver:7.1 cpu:0/1 numIntervals:1 numEPs:65536 intervalSize:4.000000e-03\n"
            "ExeTimePerEPperInterval 5+65536\nEPCallTimePerInterval 1+65536\n";
        for (const auto& store : {imported(head + sums + idleLine, {}), imported(head + idleLine, cells)}) {
            QVERIFY(store);
            QVERIFY(store->profile().size() < 1000);
            QVERIFY(issuesOf(*store).contains(QStringLiteral("long_summary")));
        }
        // Those that did not run cost nothing.
        const auto sparse = imported(head + "EPExeTime: 0+60000 1750 0+5535\nEPCallTime: 0+60000 3 0+5535\n"
                                            "MaxEPTime: 0+65536\nNumMarks: 0 \n" + idleLine,
                                     {});
        QVERIFY(sparse);
        QCOMPARE(totalsOf(*sparse), QStringLiteral("0 4000 1750 1500 3, 60000 3 1750"));
        QVERIFY(!issuesOf(*sparse).contains(QStringLiteral("long_summary")));
    }

    // Of many marks, in no order.
    void endsWhenItIsCancelled()
    {
        QByteArray sum = summaryHead + busyLine + entryLines + "NumMarks: 400000 ";
        for (int i = 0; i < 400'000; ++i)
            sum += i % 2 == 0 ? QByteArrayLiteral("7 0.003000 ") : QByteArrayLiteral("1 0.000001 ");
        sum += '\n' + idleLine;
        ImportLog log;
        const auto whole = parseSummary(sum, log);
        QVERIFY(whole && whole->marks.size() == 400'000);
        QVERIFY(std::is_sorted(whole->marks.begin(), whole->marks.end(),
                               [](const Summary::Mark& a, const Summary::Mark& b) { return a.time < b.time; }));
        const Progress progress;
        progress.cancel();
        const auto begun = parseSummary(sum, log, progress);
        QVERIFY(begun && begun->marks.size() < 100'000);
    }

    // Bins of 2^20 ns, intervals of 10^6: each is shared out over the one or two bins that it overlaps.
    void intervalsAreSharedOut()
    {
        const auto store = imported(plain, detail);
        QVERIFY(store);
        QCOMPARE(store->info().interval, 1'000'000);
        QCOMPARE(store->tileLevels(TrackId{0}).front(), 20);
        const auto tiles = store->tiles(TrackId{0}, 20, {minTime, maxTime});
        QVERIFY(tiles);
        // 50 % of [0, 1 ms), all of [1, 2), none of [2, 3), 25 % of [3, 4); idle the rest of the first, and [2, 3).
        QCOMPARE(tiles->bins.size(), std::size_t{4});
        QCOMPARE(tiles->bins[0].busy, 500'000 + 48'576);
        QCOMPARE(tiles->bins[0].idle, 500'000);
        QCOMPARE(tiles->bins[1].busy, 951'424);
        QCOMPARE(tiles->bins[1].idle, 97'152);
        QCOMPARE(tiles->bins[2].busy, 36'432);
        QCOMPARE(tiles->bins[3].busy, 213'568);
        QCOMPARE(tiles->bins[1].entry, EntryId{5});
        QCOMPARE(tiles->bins[0].tasks + tiles->bins[1].tasks, 2);
    }

    void marksStandWhereTheyWere()
    {
        const auto store = imported(summaryHead + busyLine + entryLines
                                        + "NumMarks: 3 7 0.002500 1 0.000001 7 0.003999 \n" + idleLine,
                                    detail);
        QVERIFY(store);
        const QString seven = QString::number(regionNumber(RegionKind::UserEvent, 7));
        const QString one = QString::number(regionNumber(RegionKind::UserEvent, 1));
        QCOMPARE(rowsOf(*store, ChunkKind::Mark, TrackId{0}, {MarkColumn::Time, MarkColumn::Region}),
                 (QStringList{QStringLiteral("1000 ") + one, QStringLiteral("2500000 ") + seven,
                              QStringLiteral("3999000 ") + seven}));
        QCOMPARE(store->region(RegionId{regionNumber(RegionKind::UserEvent, 7)})->name, QStringLiteral("event 7"));
    }

    // Which files make a run: the program's name may hold dots.
    void files()
    {
        SmallRun run;
        run.write(QStringLiteral("a.sum.sum.sts"), smallSymbols(3));
        run.write(QStringLiteral("a.sum.0.sum"), plain);
        run.write(QStringLiteral("a.sum.0.sumd"), detail);
        run.write(QStringLiteral("a.sum.2.sum"), plain);
        run.write(QStringLiteral("a.sum.7.sum"), plain);
        run.write(QStringLiteral("a.sum.x.sum"), plain);
        for (const QString& name : {QString(), QStringLiteral("a.sum.sum.sts"), QStringLiteral("a.sum.0.sum"),
                                    QStringLiteral("a.sum.0.sumd")}) {
            const QString path = name.isEmpty() ? run.folder() : run.path(name);
            QVERIFY(importerFor(path) != nullptr);
            QCOMPARE(QString::fromLatin1(importerFor(path)->id), QStringLiteral("projections-summary"));
            const auto store = imported(run, path);
            QVERIFY(store);
            QCOMPARE(store->info().processors, 3);
            QCOMPARE(store->info().program, QStringLiteral("a.sum"));
            QCOMPARE(store->info().tasks, 6);
            QVERIFY(!store->processor(ProcessorId{1})->hasLog);
            QCOMPARE(issuesOf(*store), QStringLiteral("foreign_log*1@a.sum.7.sum; missing_detail*1@a.sum.2.sum; "
                                                      "missing_log*1@PE 1"));
            checkSummarySums(*store);
        }
        // Event logs say more.
        run.write(QStringLiteral("a.sum.0.log"), "PROJECTIONS-RECORD 1\n7 1\n");
        QCOMPARE(QString::fromLatin1(importerFor(run.folder())->id), QStringLiteral("projections"));
        QCOMPARE(QString::fromLatin1(importerFor(run.path(QStringLiteral("a.sum.0.sum")))->id),
                 QStringLiteral("projections-summary"));
        // Two runs in a folder, and the mean that +sumonly makes.
        SmallRun other;
        other.write(QStringLiteral("a.0.sum"), plain);
        other.write(QStringLiteral("b.0.sum"), plain);
        const auto two = importSummaries(other.folder(), other.path(QStringLiteral("o")), {}, Progress());
        QVERIFY(!two);
        QVERIFY(two.error().what.contains(QStringLiteral("a, b")));
        other.write(QStringLiteral("c.sum"), plain);
        const auto mean = importSummaries(other.path(QStringLiteral("c.sum")), other.path(QStringLiteral("o")), {},
                                          Progress());
        QVERIFY(!mean);
        QVERIFY(mean.error().hint.contains(QStringLiteral("+sumonly")));
    }

    void unusableFilesAreErrors()
    {
        for (const QByteArray& text :
             {QByteArray(), QByteArray("\n"), QByteArray("ver:7.1 0/1 count:0 ep:1 interval:1e-3\n"),
              QByteArray("ver:7.1 0/1 count:4 ep:1\n0\n"), QByteArray(10000, '\xff'),
              QByteArray("ver:7.1 0/1 count:4 ep:-1 interval:1e-3\n"),
              QByteArray("ver:7.1 0/1 count:4 ep:1 interval:-1\n"),
              QByteArray("ver:7.1 0/1 count:4 ep:1 interval:1e300\n")}) {
            SmallRun run;
            run.write(QStringLiteral("p.0.sum"), text);
            const auto report = importSummaries(run.folder(), run.path(QStringLiteral("o")), {}, Progress());
            QVERIFY(!report);
            QVERIFY(!report.error().hint.isEmpty());
            QVERIFY(!QFile::exists(run.path(QStringLiteral("o"))));
        }
    }

    // A file that ends anywhere: an error, or not more than the whole one holds.
    void cutAnywhere()
    {
        for (qsizetype length = 0; length < plain.size(); ++length) {
            const auto store = imported(plain.left(length), detail);
            if (!store) continue;
            checkSummarySums(*store);
            QVERIFY(store->info().busy <= 1'750'000 && store->info().idle <= 1'500'000 && store->info().tasks <= 3);
            QVERIFY(!store->issues().empty());
        }
        for (qsizetype length = 1; length < detail.size(); ++length) {
            const auto store = imported(plain, detail.left(length));
            QVERIFY(store);
            checkSummarySums(*store);
            QCOMPARE(totalsOf(*store), QStringLiteral("0 4000 1750 1500 3, 5 3 1750"));
            QVERIFY(!store->issues().empty());
        }
    }

    void realTrace()
    {
        const QString folder = QStringLiteral(LONGPOLE_TEST_DATA "/stencil3d_summary_p4");
        QTemporaryDir out;
        const auto report = importSummaries(folder, out.filePath(QStringLiteral("x.longpole")), {}, Progress());
        QVERIFY(report);
        const auto opened = TraceStore::open(report->file);
        QVERIFY(opened);
        const TraceInfo& info = (*opened)->info();
        QCOMPARE(info.program, QStringLiteral("stencil3d.sum"));
        QCOMPARE(info.version, QStringLiteral("7.1"));
        QCOMPARE(info.processors, 4);
        const std::vector<std::int64_t> figures = {info.begin, info.end,   info.busy,
                                                   info.idle,  info.tasks, info.records};
        QCOMPARE(figures,
                 (std::vector<std::int64_t>{591'000'000, 1'568'000'000, 1'630'200'000, 2'073'820'000, 139'083, 6263}));
        TimeNs exclusive = 0;
        for (const ProfileRow& row : (*opened)->profile()) exclusive += row.exclusive;
        QCOMPARE(exclusive, 1'603'322'000);
        checkSummarySums(**opened);
    }
};

LONGPOLE_TEST(TestProjectionsSummary)
#include "tst_projectionssummary.moc"
