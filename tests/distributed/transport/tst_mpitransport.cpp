// SPDX-License-Identifier: GPL-3.0-or-later
// The transport under each MPI that is there: right, with a library that a user makes, with the wrong one, and when a
// process is killed.
#include "distributed/mpirun.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace longpole;
using namespace longpole::tests;

class TestMpiTransport : public QObject {
    Q_OBJECT

    static void eachMpi()
    {
        QTest::addColumn<QString>("mpi");
        for (const QString& mpi : MpiRuns::mpis()) QTest::addRow("%s", qPrintable(mpi)) << mpi;
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void selfTest_data()
    {
        QTest::addColumn<QString>("mpi");
        QTest::addColumn<int>("processes");
        for (const QString& mpi : MpiRuns::mpis())
            for (const int processes : {1, 2, 4})
                QTest::addRow("%s, %d", qPrintable(mpi), processes) << mpi << processes;
    }
    void selfTest()
    {
        QFETCH(QString, mpi);
        QFETCH(int, processes);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const MpiSaid said = MpiRuns::run(mpi, processes, {QStringLiteral("selftest")});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        QVERIFY2(said.out.startsWith(QStringLiteral("%1 processes").arg(processes)), qPrintable(said.out));
        QCOMPARE(said.out.count(QLatin1String("  right\n")), 7);
        QVERIFY(!said.out.contains(QLatin1String("WRONG")));
        QCOMPARE(said.out.contains(QLatin1String("a hop, l")), processes > 1);
        const QString name = mpi == QLatin1String("openmpi") ? QStringLiteral("Open MPI") : QStringLiteral("MPICH");
        QVERIFY2(said.out.contains(name), qPrintable(said.out));
    }

    // As on a cluster whose MPI is another one.
    void ownLibrary_data() { eachMpi(); }
    void ownLibrary()
    {
        QFETCH(QString, mpi);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const QString compiler = QStandardPaths::findExecutable(QStringLiteral("mpicc.") + mpi);
        if (compiler.isEmpty()) QSKIP("no compiler of that name");
        const QTemporaryDir folder;
        QProcess program;
        program.start(QStringLiteral(LONGPOLE_MPI_PROGRAM), {QStringLiteral("--transport-source")});
        QVERIFY(program.waitForFinished());
        QFile source(folder.filePath(QStringLiteral("transport.c")));
        QVERIFY(source.open(QIODevice::WriteOnly));
        source.write(program.readAllStandardOutput());
        source.close();
        const QString library = folder.filePath(QStringLiteral("transport.so"));
        QCOMPARE(QProcess::execute(compiler, {QStringLiteral("-w"), QStringLiteral("-shared"), QStringLiteral("-fPIC"),
                                              QStringLiteral("-o"), library, source.fileName()}),
                 0);
        const MpiSaid said = MpiRuns::run(mpi, 3, {QStringLiteral("selftest"), QStringLiteral("--transport"), library});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        QVERIFY(said.out.startsWith(QLatin1String("3 processes")));
    }

    // Every process believes to be alone: said once, with what to do.
    void wrongMpi_data() { eachMpi(); }
    void wrongMpi()
    {
        QFETCH(QString, mpi);
        const QString other = mpi == QLatin1String("openmpi") ? QStringLiteral("mpich") : QStringLiteral("openmpi");
        for (const QString& one : {mpi, other})
            if (const QString missing = MpiRuns::missing(one); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const MpiSaid said = MpiRuns::run(mpi, 2,
                                          {QStringLiteral("selftest"), QStringLiteral("--transport"),
                                           MpiRuns::library(other)});
        QVERIFY(said.code != 0);
        QVERIFY2(said.error.contains(QLatin1String("--transport-source")), qPrintable(said.out + said.error));
        QVERIFY(!said.out.contains(QLatin1String("right")));
    }

    void noLibrary()
    {
        const QString mpi = MpiRuns::mpis().front();
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const MpiSaid said = MpiRuns::run(mpi, 2,
                                          {QStringLiteral("selftest"), QStringLiteral("--transport"),
                                           QStringLiteral("/nowhere/transport.so")});
        QVERIFY(said.code != 0);
        QCOMPARE(said.error.count(QLatin1String("cannot be loaded")), 1);
    }

    // A mistake in the command line is said once, not by every process.
    void oneSpeaks()
    {
        const QString mpi = MpiRuns::mpis().front();
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const MpiSaid said = MpiRuns::run(mpi, 3, {QStringLiteral("selftest"), QStringLiteral("--nonsense")});
        QCOMPARE(said.error.count(QLatin1String("unknown option '--nonsense'")), 1);
    }

    void killedProcess_data() { eachMpi(); }
    void killedProcess()
    {
        QFETCH(QString, mpi);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        QProcess process;
        MpiRuns::start(process, mpi, 3,
                       {QStringLiteral("selftest"), QStringLiteral("--seconds"), QStringLiteral("200")});
        QVERIFY(process.waitForStarted());
        QElapsedTimer timer;
        timer.start();
        QList<qint64> children;
        while (children.size() < 3 && timer.elapsed() < 60'000) {
            QTest::qWait(200);
            children = MpiRuns::children(process.processId());
        }
        QCOMPARE(children.size(), 3);
        QTest::qWait(3000);  // in the middle of its work
        QCOMPARE(::kill(static_cast<pid_t>(children.back()), SIGKILL), 0);
        timer.restart();
        const MpiSaid said = MpiRuns::finish(process, 60'000);
        QVERIFY(said.code != -1);
        QVERIFY(said.code != 0);
        QVERIFY2(timer.elapsed() < 30'000, qPrintable(QString::number(timer.elapsed())));
        QTRY_VERIFY(MpiRuns::children(process.processId()).isEmpty());
    }
};

LONGPOLE_TEST(TestMpiTransport)
#include "tst_mpitransport.moc"
