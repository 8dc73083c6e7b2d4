// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a small run: those that belong to it and those that do not, missing, cut, unreadable and hostile ones.
#include "importers/smallrun.h"

#include "importers/common/importer.h"

#include "importers/projections/logparts.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <ctime>

using namespace longpole;

class TestProjectionsFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // The same for whole files.
    void fileIssues_data()
    {
        QTest::addColumn<QByteArray>("symbols");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("issues");
        QTest::addColumn<qlonglong>("processors");
        const QByteArray log = "PROJECTIONS-RECORD 4\n6 1\n1 4 6 50 900 0 80 0\n" + taskA + end;
        const auto row = [](const char* name, const QByteArray& symbols, const char* file, const QByteArray& bytes,
                            const char* issues, qlonglong processors) {
            QTest::newRow(name) << symbols << QString::fromLatin1(file) << bytes << QString::fromLatin1(issues)
                                << processors;
        };
        row("missing log", smallSymbols(3), "p.1.log", log, "missing_log*2@PE 0; unmatched_execution*1@task 1:0", 3);
        row("foreign log", smallSymbols(1), "p.7.log", log, "foreign_log*1@p.7.log", 1);
        row("no .sts", "-", "p.0.log", log, "missing_symbols*1@p.sts", 1);
        row("empty .sts", "", "p.0.log", log, "empty_symbols*1@p.sts", 1);
        row("cut .sts", smallSymbols(1).chopped(5), "p.0.log", log, "cut_symbols*1@p.sts", 1);
        row("bad line in .sts", smallSymbols(1, "CHARE x\n"), "p.0.log", log, "malformed_symbol*1@p.sts, line 19", 1);
        row("PROCESSORS 4000000000", smallSymbols(1).replace("PROCESSORS 1", "PROCESSORS 4000000000"), "p.0.log", log,
            "implausible_processors*1@p.sts", 1);
        row("PROCESSORS 0", smallSymbols(1).replace("PROCESSORS 1", "PROCESSORS 0"), "p.0.log", log,
            "implausible_processors*1@p.sts", 1);
        row("VERSION 99.0", smallSymbols(1).replace("VERSION 11.0", "VERSION 99.0"), "p.0.log", log,
            "newer_version*1@p.sts, line 2", 1);
        row("log of PE 4000000000", smallSymbols(1), "p.4000000000.log", log, "foreign_log*1@p.4000000000.log", 1);
        row("no header", smallSymbols(1), "p.0.log", log.mid(21), "missing_header*1@p.0.log", 1);
        row("cut .gz", smallSymbols(1), "p.0.log.gz", gzipped(log).chopped(1), "cut_log*1@p.0.log.gz, line 6", 1);
        row("wrong checksum", smallSymbols(1), "p.0.log.gz", gzipped(log).chopped(8) + QByteArray(8, 'x'),
            "wrong_checksum*1@p.0.log.gz, line 6", 1);
        row("trailing bytes", smallSymbols(1), "p.0.log.gz", gzipped(log) + "xx", "trailing_bytes*1@p.0.log.gz, line 6",
            1);
        row("damaged .gz", smallSymbols(1), "p.0.log.gz",
            gzipped(log) + QByteArray::fromHex("1f8b0800000000000003ffff"), "damaged_log*1@p.0.log.gz, line 6", 1);
    }

    void fileIssues()
    {
        QFETCH(QByteArray, symbols);
        QFETCH(QString, name);
        QFETCH(QByteArray, file);
        SmallRun run;
        if (symbols != "-") run.symbols(symbols);
        run.write(name, file);
        // A foreign log needs one that belongs to the run beside it.
        if (name != QStringLiteral("p.0.log") && name != QStringLiteral("p.0.log.gz")
            && name != QStringLiteral("p.1.log")) {
            run.log(0, "6 1\n" + end);
        }
        const auto store = run.import();
        QVERIFY(store);
        QTEST(issuesOf(*store), "issues");
        QFETCH(qlonglong, processors);
        QCOMPARE(store->info().processors, processors);
        QCOMPARE(static_cast<qlonglong>(store->processors().size()), processors);
    }

    void killedRunWithSymbols()
    {
        SmallRun run;
        run.symbols("");
        run.log(0, "6 1\n1 21 5 50 8 0 112 0\n2 21 5 100 8 0 112 0 42 7\n3 0 5 110 8 0 0 7\n2 21 5 12");
        auto store = run.import();
        QVERIFY(store);
        QCOMPARE(store->entry(EntryId{5})->name, QStringLiteral("entry 5"));
        QCOMPARE(rowsOf(*store, ChunkKind::Task, pe0, {TaskColumn::Index0, TaskColumn::Index1}),
                 (QStringList{QStringLiteral("42 0")}));
        SmallRun other;
        other.symbols(smallSymbols(4));
        store = run.import({.symbols = other.path(QStringLiteral("p.sts"))});
        QVERIFY(store);
        QCOMPARE(store->entry(EntryId{5})->name, QStringLiteral("step(int n)"));
        QCOMPARE(store->entry(EntryId{5})->chare, QStringLiteral("Line"));
        QCOMPARE(store->info().processors, 1);
        QVERIFY(issuesOf(*store).contains(QStringLiteral("empty_symbols*1@p.sts")));
        QVERIFY(!run.tryImport(run.folder(), {.symbols = QStringLiteral("/nonexistent")}));
        QVERIFY(!run.tryImport(run.folder(), {.symbols = run.path(QStringLiteral("p.sts"))}));
    }

    // Which files make a run.
    void files()
    {
        SmallRun run;
        const QByteArray log = "PROJECTIONS-RECORD 4\n6 1\n" + taskA + end;
        const auto recordsOf = [&](const QString& path) {
            const Result<ImportReport> report = run.tryImport(path);
            return report ? report->records : -1;
        };
        QVERIFY(!importerFor(run.folder()));
        QCOMPARE(recordsOf(run.folder()), -1);
        run.write(QStringLiteral("a.b.0.log"), log);  // a program called a.b
        run.write(QStringLiteral("a.b.sts"), smallSymbols(2));
        run.write(QStringLiteral("a.b2.0.log"), log);  // of another program
        run.write(QStringLiteral("a.b.x.log"), log);   // no number
        run.write(QStringLiteral("a.b.1.log.bak"), log);
        QVERIFY(QDir(run.folder()).mkdir(QStringLiteral("a.b.projdir.1")));
        run.write(QStringLiteral("a.b.projdir.1/a.b.1.log.gz"), gzipped(log));
        run.write(QStringLiteral("a.b.projdir.1/other.1.log"), log);
        QCOMPARE(recordsOf(run.folder()), 8);
        QCOMPARE(recordsOf(run.path(QStringLiteral("a.b.sts"))), 8);
        QCOMPARE(recordsOf(run.path(QStringLiteral("a.b.0.log"))), 8);
        QCOMPARE(recordsOf(run.path(QStringLiteral("a.b.projdir.1/a.b.1.log.gz"))), 8);
        QCOMPARE(recordsOf(run.path(QStringLiteral("a.b2.0.log"))), 4);
        QCOMPARE(recordsOf(run.path(QStringLiteral("a.b.x.log"))), -1);
        QCOMPARE(recordsOf(run.path(QStringLiteral("none.sts"))), -1);
        QVERIFY(importerFor(run.folder()) != nullptr);
        QVERIFY(importerFor(run.path(QStringLiteral("a.b.0.log"))) != nullptr);
        QVERIFY(!importerFor(run.path(QStringLiteral("a.b.1.log.bak"))));
        // A link to a device is no log: it would never end.
        QVERIFY(QFile::link(QStringLiteral("/dev/zero"), run.path(QStringLiteral("a.b.0.log.gz"))));
        QVERIFY(QFile::link(QStringLiteral("/dev/zero"), run.path(QStringLiteral("a.b2.sts"))));
        QCOMPARE(recordsOf(run.folder()), 8);
        QCOMPARE(recordsOf(run.path(QStringLiteral("a.b2.0.log"))), 4);
        // The same run twice in a folder: named, and not chosen.
        run.write(QStringLiteral("c.sts"), smallSymbols(1));
        QCOMPARE(recordsOf(run.folder()), 8);
        run.write(QStringLiteral("c.0.log"), log);
        const Result<ImportReport> report = run.tryImport(run.folder());
        QVERIFY(!report);
        QVERIFY(report.error().what.contains(QStringLiteral("a.b.sts, c.sts")));
        // Both forms of one log.
        run.write(QStringLiteral("c.0.log.gz"), gzipped(log));
        const Result<ImportReport> doubled = run.tryImport(run.path(QStringLiteral("c.sts")));
        QVERIFY(doubled);
        QCOMPARE(doubled->issues[0].kind, QStringLiteral("duplicate_log"));
        // Summary mode has no event logs.
        SmallRun summary;
        summary.write(QStringLiteral("q.sum.sts"), smallSymbols(1));
        summary.write(QStringLiteral("q.0.sum"), "ver:7.1");
        QVERIFY(!summary.tryImport(summary.folder()));
    }

    void fingerprint()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.log(0, "6 1\n" + taskA + end);
        const Importer& importer = *importerFor(run.folder());
        const Result<QString> one = importer.fingerprint(run.folder(), FingerprintOf::Content);
        QVERIFY(one);
        QCOMPARE(*importer.fingerprint(run.path(QStringLiteral("p.0.log")), FingerprintOf::Content), *one);
        QFile file(run.path(QStringLiteral("p.0.log")));
        const QDateTime time = QFileInfo(file).lastModified();
        QByteArray other = "PROJECTIONS-RECORD 7\n6 1\n" + taskA + end;
        other[40] = other[40] == '1' ? '2' : '1';
        run.write(QStringLiteral("p.0.log"), other);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(time, QFileDevice::FileModificationTime));
        file.close();
        QVERIFY(*importer.fingerprint(run.folder(), FingerprintOf::Content) != *one);
    }

    // A copy has the same content, and so has a file that somebody wrote anew with its old time; a cache tells them
    // apart.
    void fingerprintOfPlace()
    {
        SmallRun own, copy;
        const auto write = [](SmallRun& run) {
            run.symbols(smallSymbols(1));
            run.log(0, "6 1\n" + taskA + end);
            for (const char* name : {"p.sts", "p.0.log"}) {
                QFile file(run.path(QString::fromLatin1(name)));
                QVERIFY(file.open(QIODevice::ReadWrite));
                QVERIFY(file.setFileTime(QDateTime::fromSecsSinceEpoch(1'700'000'000),
                                         QFileDevice::FileModificationTime));
            }
        };
        const auto fingerprint = [](SmallRun& run, FingerprintOf of) {
            return *importerFor(run.folder())->fingerprint(run.folder(), of);
        };
        write(own);
        write(copy);
        QCOMPARE(fingerprint(own, FingerprintOf::Content), fingerprint(copy, FingerprintOf::Content));
        const QString place = fingerprint(own, FingerprintOf::Place);
        QCOMPARE(fingerprint(own, FingerprintOf::Place), place);
        QVERIFY(fingerprint(copy, FingerprintOf::Place) != place);
        QTest::qWait(20);  // file systems count time in ticks
        write(own);
        QCOMPARE(fingerprint(own, FingerprintOf::Content), fingerprint(copy, FingerprintOf::Content));
        QVERIFY(fingerprint(own, FingerprintOf::Place) != place);
    }

    void unreadable()
    {
        SmallRun run;
        run.symbols(smallSymbols(2));
        run.log(0, "6 1\n" + taskA + end);
        run.log(1, "6 1\n7 400\n");
        QFile::setPermissions(run.path(QStringLiteral("p.1.log")), {});
        if (QFile(run.path(QStringLiteral("p.1.log"))).open(QIODevice::ReadOnly))
            QSKIP("Permissions do not bind this user.");
        const auto store = run.import();
        QVERIFY(store);
        QVERIFY(issuesOf(*store).contains(QStringLiteral("unreadable_log*1@p.1.log")));
        QVERIFY(!store->processor(ProcessorId{1})->hasLog);
    }

    void longLine()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.log(0, "6 1\n28 5 900000" + QByteArray(900000, 'x') + "\n" + taskA + end);
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(store->text(0).size(), 900000);
        run.log(0, "6 1\n28 5 3000000" + QByteArray(3000000, 'x') + "\n" + taskA + end);
        const Result<ImportReport> report = run.tryImport(run.folder());
        QVERIFY(!report);
        QVERIFY(report.error().where.contains(QStringLiteral("p.0.log, line 3")));
    }

    void bomb()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.write(QStringLiteral("p.0.log.gz"),
                  gzipped("PROJECTIONS-RECORD 1\n" + QByteArray("14 1 0\n").repeated(15'000'000)));
        const Result<ImportReport> report = run.tryImport(run.folder());
        QVERIFY(!report);
        QVERIFY(report.error().where.contains(QStringLiteral("p.0.log.gz")));
    }

    // Logs each of which may expand as it does, but not all of them together.
    void manyBombs()
    {
        constexpr int logs = 12;
        SmallRun run;
        run.symbols(smallSymbols(logs));
        const QByteArray bomb = gzipped("PROJECTIONS-RECORD 1\n" + QByteArray("14 1 0\n").repeated(140'000));
        for (int pe = 0; pe < logs; ++pe) run.write(QStringLiteral("p.%1.log.gz").arg(pe), bomb);
        const Result<ImportReport> report = run.tryImport(run.folder());
        QVERIFY(!report);
        QCOMPARE(report.error().where, run.folder());
        SmallRun one;
        one.symbols(smallSymbols(1));
        one.write(QStringLiteral("p.0.log.gz"), bomb);
        QVERIFY(one.tryImport(one.folder()));
    }

    // Neither may all together when the first task is looked for, which none of them has.
    void manyEmptyLogs()
    {
        constexpr int many = 300;
        const QByteArray lines = gzipped("PROJECTIONS-RECORD 1\n" + QByteArray(1'000'000, '\n'));
        const auto secondsOf = [&lines](int logs, bool isRefused) {
            SmallRun run;
            run.symbols(smallSymbols(logs));
            for (int pe = 0; pe < logs; ++pe) run.write(QStringLiteral("p.%1.log.gz").arg(pe), lines);
            const std::clock_t begin = std::clock();
            const Result<ImportReport> report = run.tryImport(run.folder());
            const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
            if (isRefused) [&] { QVERIFY(!report && report.error().where == run.folder()); }();
            return seconds;
        };
        // One is read twice; of the others not a fifth is read, once.
        const double one = secondsOf(1, false), all = secondsOf(many, true);
        QVERIFY2(all < 0.2 * many * one, qPrintable(QStringLiteral("%1 %2").arg(one).arg(all)));
    }

    void cancelled()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.log(0, "6 1\n" + taskA + end);
        QTemporaryDir out;
        Progress progress;
        progress.cancel();
        const auto report = importProjections(run.folder(), out.filePath(QStringLiteral("x.longpole")), {}, progress);
        QVERIFY(!report);
        QVERIFY(wasCancelled(report.error()));
        QVERIFY(QDir(out.path()).isEmpty());
    }

    void targetNotWritable()
    {
        SmallRun run;
        run.symbols(smallSymbols(1));
        run.log(0, "6 1\n" + taskA + end);
        QVERIFY(!importProjections(run.folder(), QStringLiteral("/nonexistent/x.longpole"), {}, Progress()));
    }

    // A small log cut at every byte: as many records as whole lines, and never a crash.
    void cutAtEveryByte()
    {
        QFile file(QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4/nqueen.1.log.gz"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray whole = file.readAll();
        QFile sts(QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4/nqueen.sts"));
        QVERIFY(sts.open(QIODevice::ReadOnly));
        SmallRun run;
        run.symbols(sts.readAll());
        std::int64_t records = 0;
        for (qsizetype size = 0; size <= whole.size(); ++size) {
            run.write(QStringLiteral("p.1.log.gz"), whole.first(size));
            const auto store = run.import();
            QVERIFY(store);
            QVERIFY(store->info().records >= records);
            records = store->info().records;
        }
        QVERIFY(records > 20);
    }
};

LONGPOLE_TEST(TestProjectionsFiles)
#include "tst_projectionsfiles.moc"
