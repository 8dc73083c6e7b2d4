// SPDX-License-Identifier: GPL-3.0-or-later
// Small runs written as text: what becomes of each record, and every soft error.
#include "importers/smallrun.h"

#include "importers/common/importer.h"

#include "importers/projections/logparts.h"
#include "support/testmain.h"

#include <QCryptographicHash>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTranslator>

#include <bit>

using namespace longpole;

class TestProjectionsImport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // One row per soft error: the records of PE 0's log, and the issues that come of them.
    void issues_data()
    {
        QTest::addColumn<QByteArray>("log");
        QTest::addColumn<QString>("issues");
        const auto row = [](const char* name, const QByteArray& log, const char* issues) {
            QTest::newRow(name) << log << QString::fromLatin1(issues);
        };
        const QByteArray matched = "1 4 6 50 900 0 80 0\n" + taskA;
        row("none", "6 1\n" + matched + end, "");
        row("empty", "", "empty_log*1@p.0.log");
        row("no end", "6 1\n" + matched, "missing_end_of_log*1@p.0.log, line 5");
        row("after end", "6 1\n" + matched + end + "14 1000 0\n15 1001 0\n", "record_after_end*2@p.0.log, line 7");
        row("cut record", "6 1\n" + matched + "14 20",
            "cut_record*1@p.0.log, line 6; missing_end_of_log*1@p.0.log, line 5");
        row("malformed", "6 1\nnonsense\n" + matched + "14\n" + end, "malformed_record*2@p.0.log, line 3");
        row("blank line", "6 1\n\n" + matched + end, "malformed_record*1@p.0.log, line 3");
        row("unknown type", "6 1\n55 1 2 3\n" + matched + end, "unknown_record*1@p.0.log, line 3");
        row("unknown entry", "6 1\n1 4 77 20 3 0 80 0\n" + matched + end, "unknown_entry*1@p.0.log, line 3");
        row("entry out of range", "6 1\n1 4 777777 20 3 0 80 0\n" + matched + end,
            "entry_out_of_range*1@p.0.log, line 3");
        row("number out of range", "6 1\n13 999999999 20 3 0\n" + matched + end,
            "number_out_of_range*1@p.0.log, line 3");
        row("time out of range", "6 1\n" + matched + "14 18446744073709551000 0\n15 120 0\n" + end,
            "time_out_of_range*1@p.0.log, line 6");
        row("2^63", "6 1\n" + matched + "14 9223372036854775808 0\n15 120 0\n" + end,
            "time_out_of_range*1@p.0.log, line 6");
        row("time backwards", "6 1\n" + matched + "14 90 0\n15 120 0\n" + end, "time_backwards*1@p.0.log, line 6");
        row("missing end",
            "6 1\n" + matched + "2 4 6 200 900 0 80 0 0 0 0 0 5\n14 300 0\n15 400 0\n" + taskA.left(0)
                + "2 4 6 500 900 0 80 0 0 0 0 0 5\n3 0 6 510 900 0 0 6\n" + end,
            "missing_end*1@p.0.log, line 9");
        row("end without begin", "6 1\n3 0 6 20 900 0 0 6\n" + matched + end, "end_without_begin*1@p.0.log, line 3");
        row("end mismatch", "6 1\n1 4 6 50 900 0 80 0\n2 4 6 100 900 0 80 0 0 0 0 0 5\n3 0 5 110 901 0 0 6\n" + end,
            "end_mismatch*1@p.0.log, line 5");
        row("idle", "6 1\n15 5 0\n14 6 0\n14 7 0\n15 8 0\n" + matched + end, "unpaired_idle*2@p.0.log, line 3");
        row("pack", "6 1\n17 5 0\n16 6 0\n16 7 0\n17 8 0\n19 8 0\n9 8 0 0\n" + matched + end,
            "unpaired_overhead*4@p.0.log, line 3");
        row("pairs",
            "6 1\n" + matched + "100 3 500 7 0 0\n100 3 510 8 0 0\n100 3 520 8 0 0\n98 4 600 9 0 1\n99 4 610 10 0 2\n"
                + end,
            "unpaired_user_event*3@p.0.log, line 7");
        row("unmatched", "6 1\n" + taskA + end, "unmatched_execution*1@task 0:0");
        row("processor out of range", "6 1\n2 4 6 100 900 7 80 0 0 0 0 0 5\n3 0 6 110 900 7 0 6\n" + end,
            "processor_out_of_range*1@task 0:0; unmatched_execution*1@task 0:0");
        row("negative latency", "6 1\n" + taskA + "1 4 6 150 900 0 80 0\n" + end, "negative_latency*1@task 0:0");
        row("duplicate key", "6 1\n1 4 6 40 900 0 80 0\n" + matched + end, "duplicate_key*1@p.0.log");
    }

    void issues()
    {
        QFETCH(QByteArray, log);
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.log(0, log);
        const auto store = run.import();
        QVERIFY(store);
        QTEST(issuesOf(*store), "issues");
        const std::int64_t lines = log.count('\n');
        QCOMPARE(store->info().records, lines);
    }

    // Every column of what a task and a message become, once.
    void rows()
    {
        SmallRun run;
        run.symbols(smallSymbols(2));
        run.log(0,
                "6 10\n1 21 5 50 3 0 112 2\n2 4 6 100 0 0 80 0 0 0 0 9 700\n20 3 7 104 4 0 64 1 2\n21 5 6 105 5 0 32 0 "
                "2 2 0 1\n"
                "3 0 6 110 0 0 0 703\n1 4 6 111 6 0 16 0\n14 112 0\n1 4 6 113 7 0 16 0\n15 120 0\n7 1000\n");
        run.log(
            1,
            "6 12\n2 21 5 130 3 0 112 125 42 900\n3 0 5 150 3 0 0 910\n2 4 7 150 4 0 64 0 1 2 3 4 910\n3 0 7 151 4 0 0 "
            "911\n"
            "2 4 6 160 6 0 16 0 0 0 0 0 911\n3 0 6 165 6 0 0 912\n2 4 6 170 7 0 16 0 0 0 0 0 912\n3 0 6 175 7 0 0 913\n"
            "2 65535 5 175 -1 1 0 0 42 913\n3 0 5 180 -1 1 0 914\n7 900\n");
        const auto store = run.import();
        QVERIFY(store);
        using S = QStringList;
        QCOMPARE(rowsOf(*store, ChunkKind::Task, pe0),
                 (S{QStringLiteral("100000 10000 0 6 0 0 80 4 %1 3000 0 0 0 9 0 0").arg(minTime)}));
        const QString unknown = QString::number(minTime);
        QCOMPARE(rowsOf(*store, ChunkKind::Task, pe1),
                 (S{QStringLiteral("130000 20000 0 5 0 0 112 21 -5000 10000 42 0 0 0 0 0"),
                    QStringLiteral("150000 1000 0 7 0 0 64 4 ") + unknown + QStringLiteral(" 1000 1 2 3 4 0 0"),
                    QStringLiteral("160000 5000 0 6 0 0 16 4 ") + unknown + QStringLiteral(" 1000 0 0 0 0 0 0"),
                    QStringLiteral("170000 5000 0 6 0 0 16 4 ") + unknown + QStringLiteral(" 1000 0 0 0 0 0 0"),
                    QStringLiteral("175000 5000 0 5 0 0 0 65535 ") + unknown + QStringLiteral(" 1000 42 0 0 0 0 0")}));
        // Sent, task, offset, entry, bytes, kind, destinations, duration, event, type.
        QCOMPARE(rowsOf(*store, ChunkKind::Message, pe0),
                 (S{QStringLiteral("50000 -1 0 5 112 0 1 2000 3 21"), QStringLiteral("104000 0 4000 7 64 1 2 1000 4 3"),
                    QStringLiteral("105000 0 5000 6 32 2 2 0 5 5"), QStringLiteral("111000 0 10000 6 16 0 1 0 6 4"),
                    QStringLiteral("113000 -1 0 6 16 0 1 0 7 4")}));
        QCOMPARE(rowsOf(*store, ChunkKind::MessageExecutions, pe0),
                 (S{QStringLiteral("1"), QStringLiteral("1"), QStringLiteral("0"), QStringLiteral("1"),
                    QStringLiteral("1")}));
        // Link, source PE, row, offset, latency, message, creator: start-up, task, task's end, after idling, block.
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, pe1),
                 (S{QStringLiteral("4 0 0 0 80000 0 0"), QStringLiteral("1 0 0 4000 46000 1 0"),
                    QStringLiteral("1 0 0 10000 49000 3 0"), QStringLiteral("4 0 0 0 57000 4 0"),
                    QStringLiteral("3 1 3 5000 0 -1 1")}));
        QCOMPARE(rowsOf(*store, ChunkKind::Latency, pe1), (S{QStringLiteral("0 46000 4")}));
        QCOMPARE(rowsOf(*store, ChunkKind::Idle, pe0), (S{QStringLiteral("112000 8000")}));
        const TraceInfo& info = store->info();
        QCOMPARE(info.begin, 100000);
        QCOMPARE(info.end, 1000000);
        QCOMPARE(info.startup, 90000);
        QCOMPARE(info.tasks, 6);
        QCOMPARE(info.messages, 5);
        QCOMPARE(info.messagesMatched, 4);
        QCOMPARE(info.executionsUnmatched, 1);
        QCOMPARE(info.busy, 10000 + 36000);
        QCOMPARE(info.idle, 8000);
        QCOMPARE(info.format, QStringLiteral("projections"));
        QCOMPARE(info.version, QStringLiteral("11.0"));
        QCOMPARE(info.program, QStringLiteral("p"));
        QCOMPARE(info.commandline, QStringLiteral("./small +p2"));
        QCOMPARE(info.source, run.path(QStringLiteral("p.sts")));
        QCOMPARE(info.fingerprint.size(), 32);
        QCOMPARE(store->profile().size(), 4u);
        const ProfileRow expected{ProcessorId{0}, EntryId{6}, 1, 10000, 10000, 3, 112};
        QCOMPARE(store->profile()[0], expected);
    }

    // Busy, idle and pack are disjoint, and only time of the run counts (zero is 100 us here).
    void totals()
    {
        SmallRun run;
        run.symbols(smallSymbols(2));
        run.log(0, "6 10\n2 4 6 100 0 0 80 0 0 0 0 0 1\n3 0 6 110 0 0 0 1\n7 200\n");
        run.log(1,
                "6 10\n14 50 1\n15 120 1\n16 120 1\n17 124 1\n2 4 6 124 0 0 80 0 0 0 0 0 1\n16 125 1\n17 126 1\n14 126 "
                "1\n15 128 1\n"
                "3 0 6 130 0 0 0 1\n8 140 0 0\n9 145 0 0\n12 150\n11 180\n7 190\n");
        const auto store = run.import();
        QVERIFY(store);
        const Processor& one = *store->processor(ProcessorId{1});
        QCOMPARE(one.busy, 6000);
        QCOMPARE(one.idle, 20000);
        QCOMPARE(one.pack, 4000);
        QCOMPARE(one.flush, 5000);
        QCOMPARE(one.untraced, 30000);
        QCOMPARE(rowsOf(*store, ChunkKind::Idle, pe1), (QStringList{QStringLiteral("50000 70000")}));
        QCOMPARE(rowsOf(*store, ChunkKind::Overhead, pe1),
                 (QStringList{QStringLiteral("120000 4000 0"), QStringLiteral("125000 1000 0"),
                              QStringLiteral("140000 5000 2"), QStringLiteral("150000 30000 3")}));
        QCOMPARE(issuesOf(*store), QStringLiteral("unmatched_execution*2@task 0:0"));
    }

    // A broadcast that no task sent, and what its message for another entry method led to: that delivers no message.
    void sequelOfABroadcastWithoutTask()
    {
        SmallRun run;
        run.symbols(smallSymbols(2));
        run.log(0, "6 1\n1 24 5 50 8 0 112 0\n7 900\n");
        run.log(1, "6 1\n2 4 6 100 8 0 112 0 0 0 0 0 1\n3 0 6 110 8 0 0 1\n7 900\n");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, pe1), (QStringList{QStringLiteral("4 0 0 0 50000 -1 0")}));
        QCOMPARE(rowsOf(*store, ChunkKind::MessageExecutions, pe0), (QStringList{QStringLiteral("0")}));
    }

    // An array broadcast whose elements on PE 1 name PE 1 as the origin, where another message has that event.
    void wrongKeys()
    {
        SmallRun run;
        run.symbols(smallSymbols(3));
        run.log(0, "6 1\n1 24 5 50 8 0 112 0\n7 900\n");
        run.log(1,
                "6 1\n2 4 5 100 8 1 112 0 3 1\n3 0 5 110 8 1 0 1\n1 4 6 400 8 1 80 0\n2 4 5 500 9 1 112 0 3 1\n3 0 5 "
                "510 9 1 0 1\n7 900\n");
        run.log(2, "6 1\n2 4 5 200 8 2 112 0 4 1\n3 0 5 210 8 2 0 1\n7 900\n");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, pe1, {TaskSourceColumn::Link, TaskSourceColumn::CreatorPe}),
                 (QStringList{QStringLiteral("4 0"), QStringLiteral("0 -1")}));
        QCOMPARE(rowsOf(*store, ChunkKind::MessageExecutions, pe0), (QStringList{QStringLiteral("2")}));
        QCOMPARE(rowsOf(*store, ChunkKind::MessageExecutions, pe1), (QStringList{QStringLiteral("0")}));
        QCOMPARE(issuesOf(*store), QStringLiteral("repaired_broadcast*2@task 1:0; unmatched_execution*1@task 1:1"));
    }

    // Only what is for the message's entry method delivers it. What a broadcast leads to still hangs on it; a thread
    // that is resumed under the key of another message has no known sender.
    void keysOfOtherEntries()
    {
        SmallRun run;
        run.symbols(smallSymbols(2));
        run.log(0,
                "6 1\n2 4 6 10 90 5 80 0 0 0 0 0 1\n1 3 6 12 0 0 80 0\n1 24 6 14 1 0 80 0\n3 0 6 20 90 5 0 1\n"
                "2 3 6 30 0 0 80 0 0 0 0 0 1\n3 0 6 40 0 0 0 1\n7 900\n");
        run.log(1,
                "6 1\n2 4 5 100 0 0 112 0 3 1\n3 0 5 110 0 0 0 1\n2 4 5 200 1 0 112 0 3 1\n3 0 5 210 1 0 0 1\n"
                "2 24 6 300 1 0 80 0 0 0 0 0 1\n3 0 6 310 1 0 0 1\n7 900\n");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, pe1,
                        {TaskSourceColumn::Link, TaskSourceColumn::MessageIndex, TaskSourceColumn::SourceIndex}),
                 (QStringList{QStringLiteral("0 -1 0"), QStringLiteral("6 1 0"), QStringLiteral("1 1 0")}));
        QCOMPARE(rowsOf(*store, ChunkKind::MessageExecutions, pe0),
                 (QStringList{QStringLiteral("1"), QStringLiteral("1")}));
        QCOMPARE(store->info().messagesMatched, 2);
        QVERIFY2(issuesOf(*store).contains(QStringLiteral("foreign_key*2@task 1:0")), qPrintable(issuesOf(*store)));
    }

    // A label that is stored is in the importer's words, whatever language the program speaks.
    void labelsAreNotTranslated()
    {
        class Foreign : public QTranslator {
        public:
            QString translate(const char*, const char* text, const char*, int) const override
            {
                return QStringLiteral("?") + QString::fromUtf8(text);
            }
            bool isEmpty() const override { return false; }
        };
        const auto stamps = [](const char* number) {
            QStringList labels;
            for (const char* name : {"nqueen_p4", "features_p4"}) {
                const QTemporaryDir folder;
                const QString source = QStringLiteral(LONGPOLE_TEST_DATA "/") + QLatin1String(name);
                const QString target = folder.filePath(QLatin1String(number));
                if (!importerFor(source)->import(source, target, ImportOptions{}, Progress{}).ok()) qFatal("no import");
                QFile file(target);
                if (!file.open(QIODevice::ReadOnly)) qFatal("no file");
                labels << QString::fromLatin1(
                    QCryptographicHash::hash(file.readAll(), QCryptographicHash::Sha256).toHex());
            }
            return labels;
        };
        const QStringList plain = stamps("a");
        Foreign foreign;
        QCoreApplication::installTranslator(&foreign);
        const QStringList translated = stamps("a");
        QCoreApplication::removeTranslator(&foreign);
        QCOMPARE(translated, plain);
    }

    void manyExecutions()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        QByteArray log = "6 1\n20 24 5 50 8 0 112 0 1\n";
        for (int i = 0; i < 700; ++i) {
            const QByteArray t = QByteArray::number(100 + 2 * i);
            log += "2 4 5 " + t + " 8 0 112 0 " + QByteArray::number(i) + " 1\n3 0 5 " + t + " 8 0 0 1\n";
        }
        run.log(0, log + "7 5000\n");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(store->info().tasks, 700);
        QCOMPARE(rowsOf(*store, ChunkKind::MessageExecutions, pe0), (QStringList{QStringLiteral("700")}));
    }

    void eventsOutOfOrder()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.log(0,
                "6 1\n1 4 6 10 9 0 1 0\n1 4 6 11 3 0 2 0\n1 4 6 12 7 0 3 0\n"
                "2 4 6 100 7 0 3 0 0 0 0 0 1\n3 0 6 110 7 0 0 1\n2 4 6 120 3 0 2 0 0 0 0 0 1\n3 0 6 130 3 0 0 1\n"
                "2 4 6 140 9 0 1 0 0 0 0 0 1\n3 0 6 150 9 0 0 1\n7 200\n");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, pe0,
                        {TaskSourceColumn::MessageIndex, TaskSourceColumn::Latency}),
                 (QStringList{QStringLiteral("2 88000"), QStringLiteral("1 109000"), QStringLiteral("0 130000")}));
        QCOMPARE(issuesOf(*store), QString());
    }

    void userRecords()
    {
        SmallRun run;
        run.symbols(smallSymbols(1, "EVENT 3 solve\nSTAT 7 residual\n"));
        run.log(0, "6 1\n" + taskA +
                       "13 3 120 1 0\n13 9 121 2 0\n26 5 122\n27 4294967296 123\n28 124 6hello!\n30 2 125\n"
                       "29 90 110 3 5notes\n32 126 -1 1e-05 0 7\n98 3 130 3 0 5\n98 4 131 4 0 5\n99 4 135 5 0 5\n99 3 "
                       "140 6 0 5\n"
                       "100 3 105 7 0 0\n100 3 150 7 0 0\n4 2 151 8 1\n5 2 152 8 1\n10 2 6 153 8 1 44\n10 2 154 9 1\n"
                       "22 155 11 40 file.C\n23 160 11\n24 1 2 3\n7 1000\n");
        const auto store = run.import();
        QVERIFY(store);
        using S = QStringList;
        const auto region = [](RegionKind kind, std::uint32_t n) {
            return QString::number((static_cast<std::uint32_t>(kind) << 28) | n);
        };
        const QString event3 = region(RegionKind::UserEvent, 3);
        QCOMPARE(rowsOf(*store, ChunkKind::Mark, pe0),
                 (S{QStringLiteral("90000 20000 ") + event3 + QStringLiteral(" 0 1"),
                    QStringLiteral("120000 0 ") + event3 + QStringLiteral(" 0 -1"),
                    QStringLiteral("121000 0 ") + region(RegionKind::UserEvent, 9) + QStringLiteral(" 0 -1"),
                    QStringLiteral("124000 0 ") + region(RegionKind::Note, 0) + QStringLiteral(" 0 0"),
                    QStringLiteral("125000 0 ") + region(RegionKind::Phase, 2) + QStringLiteral(" 2 -1")}));
        QCOMPARE(store->text(0), QStringLiteral("hello!"));
        QCOMPARE(store->text(1), QStringLiteral("notes"));
        const TrackId events{0x40000000u};
        // Begin, duration, nested, depth, region, nestedID. The 100 pair encloses the two brackets.
        QCOMPARE(rowsOf(*store, ChunkKind::Interval, events),
                 (S{QStringLiteral("105000 45000 10000 0 ") + event3 + QStringLiteral(" 0"),
                    QStringLiteral("130000 10000 4000 1 ") + event3 + QStringLiteral(" 5"),
                    QStringLiteral("131000 4000 0 2 ") + region(RegionKind::UserEvent, 4) + QStringLiteral(" 5"),
                    QStringLiteral("155000 5000 0 0 ") + region(RegionKind::Function, 11) + QStringLiteral(" 0")}));
        QCOMPARE(store->track(events)->parent, pe0);
        QCOMPARE(store->track(events)->kind, TrackKind::UserEvents);
        const auto bits = [](double v) { return QString::number(std::bit_cast<std::int64_t>(v)); };
        const QString none = bits(-1.0);
        QCOMPARE(rowsOf(*store, ChunkKind::Counter, pe0),
                 (S{QStringLiteral("122000 ") + region(RegionKind::UserSupplied, 0) + u' ' + bits(5) + u' ' + none,
                    QStringLiteral("123000 ") + region(RegionKind::Memory, 0) + u' ' + bits(4294967296.0) + u' ' + none,
                    QStringLiteral("126000 ") + region(RegionKind::Stat, 7) + u' ' + bits(1e-05) + u' ' + none}));
        QCOMPARE(rowsOf(*store, ChunkKind::Hop, pe0),
                 (S{QStringLiteral("151000 0 1 8"), QStringLiteral("152000 1 1 8"), QStringLiteral("153000 2 1 8"),
                    QStringLiteral("154000 2 1 9")}));
        QCOMPARE(store->region(RegionId{3})->name, QStringLiteral("solve"));
        QCOMPARE(store->region(RegionId{9})->name, QStringLiteral("event 9"));
        QCOMPARE(issuesOf(*store), QStringLiteral("unmatched_execution*1@task 0:0"));
    }

    void ampiRanks()
    {
        SmallRun run;
        run.symbols(
            "VERSION 11.0\nPROCESSORS 2\nCHARE 0 \"AMPI\" -1\nENTRY CHARE 0 \"rank\" 0 0\nEVENT 3 AMPI_Recv\nEND\n");
        run.log(0,
                "6 1\n2 4 0 100 0 0 80 0 0 0 0 0 5\n3 0 0 110 0 0 0 6\n100 3 200 1 0 4\n100 3 250 1 0 4\n100 3 100 2 0 "
                "7\n100 3 300 2 0 7\n7 900\n");
        run.log(1, "6 1\n100 3 50 1 0 4\n100 3 90 1 0 4\n7 900\n");
        const auto store = run.import();
        QVERIFY(store);
        const TrackId rank4{0x50000004u};
        QCOMPARE(rowsOf(*store, ChunkKind::Interval, rank4,
                        {IntervalColumn::Begin, IntervalColumn::Duration, IntervalColumn::Depth}),
                 (QStringList{QStringLiteral("50000 40000 0"), QStringLiteral("200000 50000 0")}));
        QCOMPARE(store->track(rank4)->name, QStringLiteral("Rank 4"));
        QCOMPARE(store->track(rank4)->kind, TrackKind::Rank);
        QCOMPARE(rowsOf(*store, ChunkKind::Interval, TrackId{0x50000007u}).size(), 1);
    }

    void commThreads()
    {
        SmallRun run;
        run.symbols(smallSymbols(6, "SMPMODE 2 2\n"));
        for (int pe = 0; pe < 4; ++pe)
            run.log(pe, "6 1\n2 4 6 100 " + QByteArray::number(pe) + " 4 80 0 0 0 0 0 5\n3 0 6 110 0 4 0 6\n7 500\n");
        run.log(4,
                "6 1\n2 4 6 20 90 0 80 0 0 0 0 0 5\n1 4 6 30 0 4 80 0\n1 4 6 31 1 4 80 0\n1 4 6 32 2 4 80 0\n1 4 6 33 "
                "3 4 80 0\n3 0 6 40 90 0 0 6\n7 800\n");
        run.log(5, "6 1\n7 500\n");
        const auto store = run.import();
        QVERIFY(store);
        const TraceInfo& info = store->info();
        QCOMPARE(info.processors, 4);
        QCOMPARE(info.begin, 100000);  // the comm thread's block at 20 us does not count
        QCOMPARE(info.end, 500000);
        QCOMPARE(info.busy, 40000);
        QCOMPARE(store->processor(ProcessorId{4})->kind, TrackKind::CommThread);
        QCOMPARE(store->processor(ProcessorId{5})->process, 1u);
        QCOMPARE(store->processor(ProcessorId{2})->process, 1u);
        const Track& track = *store->track(TrackId{3});
        QCOMPARE(store->track(track.parent)->kind, TrackKind::Process);
        QCOMPARE(store->track(track.parent)->name, QStringLiteral("Process 1"));
        QCOMPARE(rowsOf(*store, ChunkKind::TaskSource, TrackId{3}, {0, 1, 2, 3}),
                 (QStringList{QStringLiteral("1 4 0 13000")}));
    }

    void systemEntries()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.log(0, "6 1\n" + taskA + end);
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(store->entry(EntryId{1})->kind, EntryKind::System);
        QCOMPARE(store->entry(EntryId{5})->kind, EntryKind::User);
    }

    void deltaTimes()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.write(QStringLiteral("p.0.log"),
                  "PROJECTIONS-RECORD 5 DELTA\n6 100\n2 4 6 20 900 0 80 0 0 0 0 0 5\n3 0 6 5 900 0 0 6\n14 10 0\n15 3 "
                  "0\n7 1000\n");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(rowsOf(*store, ChunkKind::Task, pe0, {0, 1}), (QStringList{QStringLiteral("120000 5000")}));
        QCOMPARE(rowsOf(*store, ChunkKind::Idle, pe0), (QStringList{QStringLiteral("135000 3000")}));
        QCOMPARE(store->info().end, 1000000);
    }

    void noTask()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.log(0, "6 70\n14 80 0\n15 90 0\n7 100\n");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(store->info().begin, 70000);
        QCOMPARE(store->info().duration(), 30000);
        QCOMPARE(store->info().idle, 10000);
    }
};

LONGPOLE_TEST(TestProjectionsImport)
#include "tst_projectionsimport.moc"
