// SPDX-License-Identifier: GPL-3.0-or-later
// Reduced traces: what is written is exactly what the original has, of the PEs and the time that are kept, whole.
#include "importers/projections/cut.h"
#include "importers/projections/lines.h"
#include "importers/projections/processor.h"
#include "importers/projections/reduce.h"
#include "importers/projections/stswriter.h"
#include "importers/smallrun.h"

#include "importers/projections/reduced.h"
#include "support/testmain.h"

#include <QRegularExpression>

using namespace longpole;

namespace {

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

}  // namespace

class TestProjectionsReduce : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

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

    // Of files that links lead to only what is a trace's goes into a run that may be sent to a stranger.
    void linksToOtherFiles()
    {
        const SmallRun secrets;
        secrets.write(QStringLiteral("key"), "-----BEGIN KEY-----\nc2VjcmV0\n# c2VjcmV0\nMERGE 0 8 0 9\n");
        const SmallRun run;
        run.log(0, "6 0\n2 21 5 10 8 0 112 0 6 900\n3 0 5 20 8 0 0 903\n7 30\n");
        for (const char* name : {"p.sts", "p.merges", "p.projrc", "p.1.log"})
            QVERIFY(QFile::link(secrets.path(QStringLiteral("key")), run.path(QLatin1String(name))));
        const Reduced whole(run.folder());
        QVERIFY(whole.reduce({}));
        const std::map<QString, QByteArray> written = filesOf(whole.place(QStringLiteral("reduced")));
        QCOMPARE(written.size(), 5u);
        for (const auto& [name, bytes] : written)
            QVERIFY2(!bytes.contains("KEY") && !bytes.contains("c2VjcmV0"), qPrintable(name));
        QCOMPARE(written.at(QStringLiteral("p.merges")), QByteArray("MERGE 0 8 0 9\n"));
        QCOMPARE(written.at(QStringLiteral("p.1.log")), QByteArray("PROJECTIONS-RECORD 0\n"));
    }

    // A sound run whose files are links is reduced as the run that they lead to.
    void linksToARun()
    {
        const SmallRun run;
        run.symbols(smallSymbols(1));
        run.log(0, "6 0\n2 21 5 10 8 0 112 0 6 900\n3 0 5 20 8 0 0 903\n7 30\n");
        run.write(QStringLiteral("p.merges"), "MERGE 0 8 0 9\n");
        run.write(QStringLiteral("p.projrc"), "RC_GLOBAL_START_TIME 0\nRC_GLOBAL_END_TIME   30\n\n");
        const SmallRun links;
        for (const auto& [name, bytes] : filesOf(run.folder())) QVERIFY(QFile::link(run.path(name), links.path(name)));
        const Reduced whole(run.folder());
        const Reduced linked(links.folder());
        QVERIFY(whole.reduce({}));
        QVERIFY(linked.reduce({}));
        QCOMPARE(filesOf(linked.place(QStringLiteral("reduced"))), filesOf(whole.place(QStringLiteral("reduced"))));
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
};

LONGPOLE_TEST(TestProjectionsReduce)
#include "tst_projectionsreduce.moc"
