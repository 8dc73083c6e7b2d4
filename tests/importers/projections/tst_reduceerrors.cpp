// SPDX-License-Identifier: GPL-3.0-or-later
// Reducing that fails: nothing else is touched, and nothing half done stays.
#include "importers/projections/cut.h"
#include "importers/projections/reduce.h"
#include "importers/smallrun.h"

#include "core/hostilestore.h"
#include "importers/projections/reduced.h"
#include "support/synthetic.h"
#include "support/testmain.h"

#include <QDir>
#include <QRegularExpression>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

using namespace longpole;

class TestReduceErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

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
        QCOMPARE(wrong(ofPes({2}), target), QStringLiteral("The original has no logs of these PEs."));
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

    // A .longpole that says more counters than a record holds, beside logs whose lines have as many numbers.
    void moreCountersThanARecordHolds()
    {
        const SmallRun other;
        other.symbols(smallSymbols(1, "TOTAL_PAPI_EVENTS 1\nPAPI_EVENT 0 PAPI_TOT_INS\n"));
        const SmallRun run;
        run.symbols({});
        const QByteArray numbers = QByteArray(" 7").repeated(400);
        run.log(0, "6 0\n2 21 5 10 8 0 112 0 6 900" + numbers + "\n3 0 5 20 8 0 0 903" + numbers + "\n7 30\n");
        ImportOptions options;
        options.symbols = other.path(QStringLiteral("p.sts"));
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("t.longpole"));
        QVERIFY(importProjections(run.folder(), file, options, Progress()));
        QVERIFY(editStore(file, "UPDATE region SET number = 399 WHERE kind = 'counter'").ok());
        const auto store = TraceStore::open(file);
        QVERIFY(store);
        QVERIFY(std::ranges::any_of((*store)->regions(), [](const Region& region) { return region.number == 399; }));
        const auto source = projectionsSource(**store, run.folder());
        QVERIFY(source);
        QCOMPARE(source->symbols.papiCounters, 0u);
        ProjectionsReduction wanted = ofPes({0});
        wanted.folder = folder.filePath(QStringLiteral("reduced"));
        QVERIFY(reduceProjections(**store, *source, wanted, Progress()));
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
        QVERIFY(QDir().mkpath(whole.place(QStringLiteral("reduced/.longpole-part-1"))));
        for (const char* name : {".longpole-part", "nqueen.0.log.gz"}) {
            QFile left(whole.place(QStringLiteral("reduced/.longpole-part-1/") + QLatin1String(name)));
            QVERIFY(left.open(QIODevice::WriteOnly));
        }
        QFile notes(whole.place(QStringLiteral("reduced/notes.txt")));
        QVERIFY(notes.open(QIODevice::WriteOnly));
        QVERIFY(whole.reduce(ofPes({0})));
        const QDir reduced(whole.place(QStringLiteral("reduced")));
        QCOMPARE(reduced.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 (QStringList{QStringLiteral("notes.txt"), QStringLiteral("nqueen.0.log.gz"),
                              QStringLiteral("nqueen.projrc"), QStringLiteral("nqueen.sts")}));
    }
};

LONGPOLE_TEST(TestReduceErrors)
#include "tst_reduceerrors.moc"
