// SPDX-License-Identifier: GPL-3.0-or-later
// Programs do not notice the recorder's wrappers: they end as they do, work beside other tools, and keep functions that
// only look like MPI's.
#include "recorder/wrappers/textruns.h"

#include "support/testmain.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace longpole::test;

class TestWrappedPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        if (mpis.isEmpty()) QSKIP("No MPI is installed.");
    }

    void survivesOtherEnds_data() { eachMpi(); }
    void survivesOtherEnds()
    {
        QFETCH(int, mpi);
        const auto ended = [&](const char* how) {
            return run(mpis[mpi], 2, library(mpis[mpi]),
                       {program(mpis[mpi], QStringLiteral("ends")), QString::fromLatin1(how)});
        };
        const Run aborted = ended("abort");
        QVERIFY(aborted.exitCode != 0);
        QVERIFY(aborted.ranks.at(0).contains("MPI_Abort comm 0 peer -1 tag 0 bytes 0"));
        QCOMPARE(aborted.ranks.at(0).last(), QByteArray("close early"));
        const Run exited = ended("exit");  // the first to exit may take the other with it
        QVERIFY(exited.ranks.at(0).last().startsWith("MPI_Barrier")
                || exited.ranks.at(1).last().startsWith("MPI_Barrier"));
        const Run forked = ended("fork");
        QCOMPARE(forked.exitCode, 0);
        QCOMPARE(forked.ranks.at(1).count("close"), 1);
        const Run refused = ended("errors");
        QCOMPARE(refused.exitCode, 0);
        QVERIFY(refused.output.contains("refused 3"));
        QVERIFY(refused.ranks.at(0).contains("MPI_Isend comm -1 peer -1 tag 0 bytes 0"));
    }

    void worksBesideAnotherTool_data() { eachMpi(); }
    void worksBesideAnotherTool()
    {
        QFETCH(int, mpi);
        const QString tool = program(mpis[mpi], QStringLiteral("tool"), QStringLiteral(".so"));
        const QStringList command = {program(mpis[mpi], QStringLiteral("regions"))};
        const QByteArray saw("tool saw 2 barriers, 18 controls, 0 types, 0 names, 202 procedures\n");
        QCOMPARE(run(mpis[mpi], 1, tool, command).output, saw);
        const Run before = run(mpis[mpi], 1, library(mpis[mpi]) + QLatin1Char(':') + tool, command);
        QCOMPARE(before.output, saw);
        QVERIFY(before.ranks.at(0).contains("MPI_Barrier comm 0 peer -1 tag 0 bytes 0"));
        QVERIFY(before.ranks.at(0).contains("thread level 0, another tool"));
        QCOMPARE(before.errors.count("after Longpole"), 1);
        const Run after = run(mpis[mpi], 1, tool + QLatin1Char(':') + library(mpis[mpi]), command);
        QCOMPARE(after.output, saw);
        QVERIFY(after.ranks.at(0).contains("thread level 0, another tool"));
        QCOMPARE(after.errors.count("before Longpole"), 1);
    }

    // What is not recorded as a call is handed on, too, in every language.
    void handsOnToAnotherTool_data() { eachLanguage({"", "-MOD", "-F08"}); }
    void handsOnToAnotherTool()
    {
        QFETCH(int, mpi);
        QFETCH(QString, binding);
        const QString tool = program(mpis[mpi], QStringLiteral("tool"), QStringLiteral(".so"));
        const QStringList command = {program(mpis[mpi], QStringLiteral("calls"), binding), QStringLiteral("file")};
        const auto seen = [](const Run& run) {
            Lines lines = run.output.split('\n');
            std::sort(lines.begin(), lines.end());
            return lines;
        };
        const Run plain = run(mpis[mpi], 4, tool, command);
        const Run recorded = run(mpis[mpi], 4, library(mpis[mpi]) + QLatin1Char(':') + tool, command);
        QCOMPARE(recorded.exitCode, 0);
        QVERIFY(plain.output.contains("tool saw ") && !plain.output.contains("tool saw 0 barriers"));
        QCOMPARE(seen(recorded), seen(plain));
        QCOMPARE(recorded.errors.count("after Longpole"), 1);
    }

    void leavesForeignFunctionsAlone_data() { eachMpi(); }
    void leavesForeignFunctionsAlone()
    {
        QFETCH(int, mpi);
        const Run recorded = run(mpis[mpi], 1, library(mpis[mpi]), {program(mpis[mpi], QStringLiteral("foreign"))});
        QCOMPARE(recorded.exitCode, 0);
        QCOMPARE(recorded.output, QByteArray("7 7 5 91 5 10\n7 7 5 91 5 10\n"));
        QCOMPARE(recorded.ranks.at(0).last(), QByteArray("close"));
    }

    // Preloaded into mpirun or a shell: no name of MPI is needed.
    void loadsIntoProgramsWithoutMpi_data() { eachMpi(); }
    void loadsIntoProgramsWithoutMpi()
    {
        QFETCH(int, mpi);
        const QString recorder = QStringLiteral(RECORDER "/liblongpole-%1.so").arg(QString::fromLatin1(mpis[mpi].name));
        for (const QString& preload : {library(mpis[mpi]), recorder}) {
            QVERIFY(QFile::exists(preload));
            QProcess process;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("LD_PRELOAD"), preload);
            environment.insert(QStringLiteral("LD_BIND_NOW"), QStringLiteral("1"));
            process.setProcessEnvironment(environment);
            process.start(QStringLiteral("/bin/echo"), {QStringLiteral("here")});
            QVERIFY(process.waitForFinished());
            QCOMPARE(process.readAllStandardError(), QByteArray());
            QCOMPARE(process.readAllStandardOutput(), QByteArray("here\n"));
        }
    }
};

LONGPOLE_TEST(TestWrappedPrograms)
#include "tst_wrappedprograms.moc"
