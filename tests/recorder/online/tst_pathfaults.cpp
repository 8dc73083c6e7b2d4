// SPDX-License-Identifier: GPL-3.0-or-later
// record --online=both of programs that end in other ways, have children, threads or windows, or pause: they print and
// return what they do without the recorder, both ways to find the path agree, and what is not compared is said.
#include "recorder/online/onlineruns.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole::test;

class TestPathFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void programsAsWithoutIt_data();
    void programsAsWithoutIt();
    void pausedAtOtherTimes_data();
    void pausedAtOtherTimes();
    void severalThreads_data() { addMpis(); }
    void severalThreads();
    void spawned();
    void differencesEndWithOne();
    void doubtsAreSaid_data() { addMpis(); }
    void doubtsAreSaid();
    void carriedHasNoTopShare();
    void longValuesMeetSooner_data() { addMpis(); }
    void longValuesMeetSooner();

private:
    OnlineRuns m_runs;

    static bool isFinal(const QJsonObject& sample) { return sample[QStringLiteral("final")].toBool(); }
};

void TestPathFaults::programsAsWithoutIt_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QStringList>("program");
    QTest::addColumn<bool>("ends");  // in MPI_Finalize
    QTest::addColumn<int>("code");   // of those
    for (const char* mpi : {"openmpi", "mpich"}) {
        const auto row = [mpi](const char* program, bool ends, int code = 0) {
            QTest::addRow("%s, %s", mpi, program)
                << QString::fromUtf8(mpi) << QString::fromUtf8(program).split(QLatin1Char(' ')) << ends << code;
        };
        row("ending abort", false);
        row("ends abort", false);
        row("ending exit", false);
        row("ending finalize 5", true, 5);
        row("ends fork", true);
        row("ends clone", true);
        row("ends errors", true);
        row("onesided", true);
        row("meetings 100", true);
        // Of every kind, with windows and files; for windows Open MPI would need the copying that tests switch off.
        if (qstrcmp(mpi, "mpich") == 0) row("calls FILE", true);
        row("calls4", true);
        row("regions", true);
        row("fibers", true);
    }
    QTest::newRow("mpich, sessions") << QStringLiteral("mpich") << QStringList{QStringLiteral("sessions")} << true << 0;
    // MPICH's needs a network that can.
    QTest::newRow("openmpi, connected") << QStringLiteral("openmpi") << QStringList{QStringLiteral("connected")} << true
                                        << 0;
}

void TestPathFaults::programsAsWithoutIt()
{
    QFETCH(QString, mpi);
    QFETCH(QStringList, program);
    QFETCH(bool, ends);
    QFETCH(int, code);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const bool isOfThreads = program[0] == QLatin1String("sessions");  // as a session is, and nothing is carried
    program[0] = RecordedRuns::program(program[0].toUtf8().constData(), mpi);
    program.replaceInStrings(QStringLiteral("FILE"), m_runs.path("file"));
    if (isOfThreads && !QFile::exists(program[0])) QSKIP("This system's MPI has no sessions.");
    const Said plain = m_runs.shell(QStringList{RecordedRuns::launcher(mpi), QStringLiteral("-np"), QStringLiteral("2")}
                                    + program);
    const auto record = [&] {
        return m_runs.record("ends.lprec", 2, program,
                             {QStringLiteral("--online=both"), QStringLiteral("--no-import"),
                              QStringLiteral("--sample"), QStringLiteral("1ns")},
                             mpi);
    };
    Said said = record();
    // A program that some ranks leave early ends by the launcher's hand, which says of whom. MPICH's calls one that
    // left without MPI_Finalize killed where it saw its connection end before the process did, as it may on a busy
    // machine.
    for (int i = 0; !ends && i < 5 && (said.code == 0) != (plain.code == 0); ++i) said = record();
    QCOMPARE(said.code == 0, plain.code == 0);
    if (ends) QCOMPARE(said.code, code);
    if (ends) QCOMPARE(plain.code, code);
    if (ends) QCOMPARE(said.out, plain.out);
    const auto all = m_runs.samples("ends.lprec");
    for (const QJsonObject& sample : all) {
        QCOMPARE(figure(sample, "version"), 1);  // a whole line
        QCOMPARE(figure(sample, "differences"), 0);
    }
    if (!ends) QVERIFY(std::none_of(all.begin(), all.end(), isFinal));
    if (!ends) return;
    QVERIFY(!all.empty() && isFinal(all.back()));
    // On a busy machine a value may come late.
    for (const char* doubt : {"ambiguous", "ahead", "lost_ns"}) QCOMPARE(figure(all.back(), doubt), 0);
    if (isOfThreads) QVERIFY(figure(all.back(), "length_ns") > 0);
    else QVERIFY(figure(all.back(), "compared") >= (figure(all.back(), "late") > 0 ? 0 : 1));
    QCOMPARE(figure(all.back(), "not_compared") > 0, figure(all.back(), "late") > 0);
    QVERIFY(said.error.contains(QStringLiteral("longpole: following it took ")));
}

void TestPathFaults::pausedAtOtherTimes_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("how");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const char* how : {"carry", "both"})
            QTest::addRow("%s, %s", mpi, how) << QString::fromUtf8(mpi) << QString::fromUtf8(how);
}

// Each rank pauses its recording at another step: what is carried goes on.
void TestPathFaults::pausedAtOtherTimes()
{
    QFETCH(QString, mpi);
    QFETCH(QString, how);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const int ranks = mpi == QLatin1String("mpich") ? 2 : 4;
    const Said said = m_runs.record("paused.lprec", ranks,
                                    {RecordedRuns::program("meetings", mpi), QStringLiteral("200"),
                                     QStringLiteral("pause")},
                                    {QStringLiteral("--online=") + how}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = m_runs.samples("paused.lprec").back();
    QVERIFY(isFinal(last));
    QCOMPARE(figure(last, "meetings"), 202);
    QVERIFY(figure(last, "length_ns") > 0);
    for (const char* doubt : {"ambiguous", "ahead", "lost_ns", "differences"}) QCOMPARE(figure(last, doubt), 0);
}

// Nothing is carried where several threads call MPI: it is replayed instead, and there is nothing to compare.
void TestPathFaults::severalThreads()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("threads.lprec", 2, {RecordedRuns::program("threads", mpi)},
                                    {QStringLiteral("--online=both"), QStringLiteral("--no-import")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    if (said.out != QLatin1String("provided 1\n")) QSKIP("This system's MPI is not for several threads.");
    QVERIFY2(said.error.contains(QStringLiteral("several threads call MPI: nothing is carried")),
             qPrintable(said.error));
    const QJsonObject last = m_runs.samples("threads.lprec").back();
    QVERIFY(isFinal(last) && figure(last, "length_ns") > 0);
    QVERIFY(!last.contains(QStringLiteral("compared")));
    QCOMPARE(figure(last, "lost_ns"), 0);
}

void TestPathFaults::spawned()
{
    const QString mpi = QStringLiteral("openmpi");  // MPICH's needs a launcher that can
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("spawn.lprec", 2, {RecordedRuns::program("spawn", mpi)},
                                    {QStringLiteral("--online=both")}, mpi);
    if (said.code != 0) QSKIP("This system's MPI starts no programs.");
    for (const char* name : {"spawn.lprec", "spawn-2.lprec"}) {
        const auto all = m_runs.samples(name);
        QVERIFY(!all.empty() && isFinal(all.back()));
        QCOMPARE(figure(all.back(), "differences"), 0);
    }
}

// The carriers of this build do not differ: here a launcher says that they did.
void TestPathFaults::differencesEndWithOne()
{
    const QString mpi = QStringLiteral("openmpi");
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QFile launcher(m_runs.path("mpirun.openmpi"));
    QVERIFY(launcher.open(QIODevice::WriteOnly));
    launcher.write(QStringLiteral("#!/bin/sh\n'%1' \"$@\" || exit\n"
                                  "sed -i 's/\"differences\":0/\"differences\":2/' '%2/online.jsonl'\n")
                       .arg(RecordedRuns::launcher(mpi), m_runs.path("differ.lprec"))
                       .toUtf8());
    launcher.close();
    QVERIFY(launcher.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    for (const char* how : {"both", "meet"}) {
        const Said said = m_runs({QStringLiteral("record"), QStringLiteral("--force"),
                                  QStringLiteral("--online=") + QString::fromUtf8(how), QStringLiteral("--no-import"),
                                  QStringLiteral("-o"), m_runs.path("differ.lprec"), QStringLiteral("--"),
                                  launcher.fileName(), QStringLiteral("-np"), QStringLiteral("2"),
                                  RecordedRuns::program("meetings", mpi), QStringLiteral("100")});
        const bool isBoth = qstrcmp(how, "both") == 0;
        QVERIFY2(said.code == (isBoth ? 1 : 0), qPrintable(said.error));
        QCOMPARE(said.error.contains(QStringLiteral("gave different paths")), isBoth);
    }
}

// A receive from anywhere that was freed before its message came: from then on nobody compares, which is said.
void TestPathFaults::doubtsAreSaid()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("doubts.lprec", 2,
                                    {RecordedRuns::program("scripted", mpi), QStringLiteral("freed-any")},
                                    {QStringLiteral("--online=both"), QStringLiteral("--no-trace")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = m_runs.samples("doubts.lprec").back();
    QCOMPARE(figure(last, "compared"), 0);
    QCOMPARE(figure(last, "not_compared"), 1);
    QVERIFY2(said.error.contains(QStringLiteral("compared 0 times, and 1 times not")), qPrintable(said.error));
    QVERIFY2(said.error.contains(QStringLiteral("ambiguous 2, ahead 0, lost 0.000000 s")), qPrintable(said.error));
    const Said online = m_runs({QStringLiteral("online"), m_runs.path("doubts.lprec")});
    QVERIFY2(online.out.contains(QStringLiteral("compared 0 times, and 1 times not")), qPrintable(online.out));
}

// It knows only the parts of what is followed, so that it has nothing to search in.
void TestPathFaults::carriedHasNoTopShare()
{
    const Said said = m_runs({QStringLiteral("record"), QStringLiteral("--online=carry"), QStringLiteral("--top-share"),
                              QStringLiteral("5"), QStringLiteral("--"), QStringLiteral("true")});
    QCOMPARE(said.code, 2);
    QVERIFY2(said.error.contains(QStringLiteral("--top-share is of --online=meet and both")), qPrintable(said.error));
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    RecordedRuns runs;
    runs.set("LONGPOLE_TOP_SHARE", QStringLiteral("5"));
    const Said told = runs.record("told.lprec", 2, {RecordedRuns::program("ring")},
                                  {QStringLiteral("--online=carry"), QStringLiteral("--no-trace")});
    QCOMPARE(told.code, 0);
    QVERIFY2(told.error.contains(QStringLiteral("longpole: top_share is left out")), qPrintable(told.error));
}

// With 64 procedures and nets a meeting has a value of 130 numbers: 4 MiB are 4,032 of them.
void TestPathFaults::longValuesMeetSooner()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QStringList names;
    for (int i = 0; i < 64; ++i) names << QStringLiteral("p%1").arg(i);
    qint64 longest[2] = {};
    for (const bool isLong : {false, true}) {
        QStringList options{QStringLiteral("--online"), QStringLiteral("--no-trace"), QStringLiteral("--sample"),
                            QStringLiteral("1ns")};
        if (isLong) options << QStringLiteral("--zeroing") << QStringLiteral("--procedures") << names.join(u',');
        const Said said = m_runs.record("long.lprec", 1,
                                        {RecordedRuns::program("scripted", mpi), QStringLiteral("meetings"),
                                         QStringLiteral("12000")},
                                        options, mpi);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        qint64 before = 0;
        for (const QJsonObject& sample : m_runs.samples("long.lprec")) {
            longest[isLong] = std::max(longest[isLong], figure(sample, "meetings") - before);
            before = figure(sample, "meetings");
        }
        QCOMPARE(before, 12001);
        QCOMPARE(figure(m_runs.samples("long.lprec").back(), "length_ns"), 12'000'000);
    }
    QVERIFY2(longest[0] > 5000, qPrintable(QString::number(longest[0])));
    QCOMPARE(longest[1], 4'194'304 / (130 * 8));
}

LONGPOLE_TEST(TestPathFaults)
#include "tst_pathfaults.moc"
