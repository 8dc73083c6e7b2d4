// SPDX-License-Identifier: GPL-3.0-or-later
// record --online where not all is kept or followed: with little memory, without a trace, in part of the run, stopped
// by the user or killed.
#include "recorder/online/onlineruns.h"

#include "support/testmain.h"

#include <QTest>

#include <csignal>
#include <map>

using namespace longpole::test;

class TestFollowedParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void withoutMemoryTheRunGoesOn_data();
    void withoutMemoryTheRunGoesOn();
    void spillsToDisk_data() { addMpis(); }
    void spillsToDisk();
    void withoutTrace_data() { addMpis(); }
    void withoutTrace();
    void partOfTheRun_data() { addMpis(); }
    void partOfTheRun();
    void whatHasMost_data() { addMpis(); }
    void whatHasMost();
    void stoppedByTheUser_data() { addCarriers(); }
    void stoppedByTheUser();
    void killed_data() { addCarriers(); }
    void killed();

private:
    OnlineRuns m_runs;

    static void addCarriers()
    {
        QTest::addColumn<QString>("how");
        for (const char* how : {"meet", "carry", "both"}) QTest::newRow(how) << QString::fromUtf8(how);
    }
};

void TestFollowedParts::withoutMemoryTheRunGoesOn_data()
{
    QTest::addColumn<QString>("spill");
    QTest::newRow("nothing on disk") << QStringLiteral("0");
    QTest::newRow("too little on disk") << QStringLiteral("128K");
}

void TestFollowedParts::withoutMemoryTheRunGoesOn()
{
    QFETCH(QString, spill);
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    OnlineRuns runs;
    runs.set("LONGPOLE_ONLINE_MEMORY", QStringLiteral("64K"));  // 4,096 steps
    runs.set("LONGPOLE_ONLINE_SPILL", spill);
    const Said said = runs.record("small.lprec", 2,
                                  {RecordedRuns::program("meetings"), QStringLiteral("100"), QStringLiteral("many")},
                                  {QStringLiteral("--online")});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.error.contains(QStringLiteral("longpole: there is no memory for the path")), qPrintable(said.error));
    const QJsonObject last = runs.last("small.lprec");
    QVERIFY(last[QStringLiteral("final")].toBool());
    QVERIFY(figure(last, "lost_ns") > 0);
    QVERIFY(figure(last, "covered_ns") + figure(last, "lost_ns") == figure(last, "time_ns"));
}

// What has no room in memory lies on disk meanwhile: the same path, and nothing stays behind.
void TestFollowedParts::spillsToDisk()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    OnlineRuns runs;
    runs.set("LONGPOLE_ONLINE_MEMORY", QStringLiteral("64K"));
    const Said said = runs.record("spilled.lprec", 2,
                                  {RecordedRuns::program("meetings", mpi), QStringLiteral("100"),
                                   QStringLiteral("many")},
                                  {QStringLiteral("--online=both")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = runs.last("spilled.lprec");
    QVERIFY(last[QStringLiteral("final")].toBool());
    for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns", "differences"}) QCOMPARE(figure(last, doubt), 0);
    const Said path = runs({QStringLiteral("critical-path"), runs.path("spilled.lprec"), QStringLiteral("--edges"),
                            QStringLiteral("data"), QStringLiteral("--json")});
    QCOMPARE(figure(last, "length_ns"), figure(QJsonDocument::fromJson(path.out.toUtf8()).object(), "length_ns"));
    QCOMPARE(QDir(runs.path("spilled.lprec")).entryList({QStringLiteral("path-*")}), QStringList());
}

// The path alone: as many meetings, the same code, regions by their names; the ranks' files do not grow with the run.
void TestFollowedParts::withoutTrace()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const auto record = [&](const char* name, const char* program, const QStringList& arguments,
                            const QStringList& options) {
        return m_runs.record(name, 3, QStringList{RecordedRuns::program(program, mpi)} + arguments,
                             QStringList{QStringLiteral("--online")} + options, mpi);
    };
    const QStringList noTrace{QStringLiteral("--no-trace")};
    QSet<QString> names[2];
    for (const bool traced : {true, false}) {
        const Said said = record("both.lprec", "meetings", {QStringLiteral("300")}, traced ? QStringList{} : noTrace);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        const QJsonObject last = m_runs.samples("both.lprec").back();
        QVERIFY(last[QStringLiteral("final")].toBool());
        QCOMPARE(figure(last, "meetings"), 302);
        for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns"}) QCOMPARE(figure(last, doubt), 0);
        QCOMPARE(sum(last[QStringLiteral("ranks")], "share_ns"), figure(last, "length_ns"));
        QVERIFY(figure(last, "length_ns") > 0 && figure(last, "length_ns") <= figure(last, "covered_ns"));
        for (const auto row : last[QStringLiteral("procedures")].toArray())
            names[traced].insert(row.toObject()[QStringLiteral("name")].toString());
        QCOMPARE(said.error.contains(QStringLiteral("'longpole online ")), !traced);
        if (!traced)
            for (int rank = 0; rank < 3; ++rank) QCOMPARE(m_runs.header("both.lprec", rank).calls, 2u);
    }
    QCOMPARE(names[0], names[1]);

    QVERIFY(record("regions.lprec", "regions", {}, noTrace).code == 0);
    QSet<QString> regions;
    for (const auto row : m_runs.samples("regions.lprec").back()[QStringLiteral("procedures")].toArray())
        regions.insert(row.toObject()[QStringLiteral("name")].toString());
    QVERIFY2(regions.contains(QStringLiteral("inner")),
             qPrintable(QStringList(regions.values()).join(QLatin1Char(','))));
}

// From a time on, until a time, never: the rest of the run is in no figure.
void TestFollowedParts::partOfTheRun()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const auto lastOf = [&](const QStringList& options) {
        const Said said = m_runs.record("part.lprec", 2,
                                        {RecordedRuns::program("meetings", mpi), QStringLiteral("2000000000"),
                                         QStringLiteral("until"), QStringLiteral("500")},
                                        QStringList{QStringLiteral("--online"), QStringLiteral("--no-trace")} + options,
                                        mpi);
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return m_runs.samples("part.lprec").back();
    };
    const QJsonObject never = lastOf({QStringLiteral("--online-from"), QStringLiteral("1000s")});
    QCOMPARE(figure(never, "length_ns"), 0);
    QCOMPARE(never[QStringLiteral("procedures")].toArray().size(), 0);
    QCOMPARE(figure(never, "paused_ns"), figure(never, "time_ns"));
    QVERIFY(never[QStringLiteral("stopped")].toBool());
    // Moments that the run passes on any machine.
    for (const auto& [option, moment] : {std::pair("--online-from", "30ms"), {"--online-until", "1ms"}}) {
        const QJsonObject last = lastOf({QString::fromUtf8(option), QString::fromUtf8(moment)});
        QVERIFY(figure(last, "length_ns") > 0);
        QVERIFY(figure(last, "length_ns") <= figure(last, "covered_ns"));
        QVERIFY(figure(last, "paused_ns") > 0);
        QCOMPARE(figure(last, "covered_ns") + figure(last, "paused_ns"), figure(last, "time_ns"));
        QCOMPARE(sum(last[QStringLiteral("ranks")], "share_ns"), figure(last, "length_ns"));
        for (const auto row : last[QStringLiteral("procedures")].toArray())
            QVERIFY(figure(row.toObject(), "share_ns") <= figure(row.toObject(), "cpu_ns"));
        for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns"}) QCOMPARE(figure(last, doubt), 0);
    }
}

// What has more than a fifth of the path is followed from the first sample on: nothing is gained beyond its part.
void TestFollowedParts::whatHasMost()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("most.lprec", 2,
                                    {RecordedRuns::program("meetings", mpi), QStringLiteral("30000"),
                                     QStringLiteral("until"), QStringLiteral("6000")},
                                    {QStringLiteral("--online"), QStringLiteral("--no-trace"),
                                     QStringLiteral("--sample"), QStringLiteral("1ms"), QStringLiteral("--top-share"),
                                     QStringLiteral("5")},
                                    mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const auto all = m_runs.samples("most.lprec");
    const QJsonObject& last = all.back();
    const qint64 length = figure(last, "length_ns");
    // The CPU time that a procedure had when the first sample said what the path would be without it.
    std::map<QString, qint64> cpuBefore;
    for (const QJsonObject& sample : all)
        for (const auto value : sample[QStringLiteral("procedures")].toArray())
            if (const QJsonObject row = value.toObject(); !row[QStringLiteral("net_ns")].isNull())
                cpuBefore.emplace(row[QStringLiteral("name")].toString(), figure(row, "cpu_ns"));
    int followed = 0;
    qint64 most = 0;
    for (const auto value : last[QStringLiteral("procedures")].toArray()) {
        const QJsonObject row = value.toObject();
        if (row[QStringLiteral("net_ns")].isNull()) continue;
        ++followed;
        const qint64 gain = length - figure(row, "net_ns");
        const QString name = row[QStringLiteral("name")].toString();
        const QString told = QStringLiteral("%1: %2 of %3").arg(name).arg(gain).arg(figure(row, "share_ns"));
        QVERIFY2(gain <= figure(row, "share_ns"), qPrintable(told));
        // Only one that never ran since it is followed, as start-up, may gain nothing.
        if (cpuBefore.at(name) == figure(row, "cpu_ns")) QVERIFY2(gain >= 0, qPrintable(told));
        else QVERIFY2(gain > 0, qPrintable(told));
        most = std::max(most, gain);
        QVERIFY(figure(row, "net_since_ns") > 0 && figure(row, "net_since_ns") < figure(last, "time_ns"));
    }
    QVERIFY(followed >= 1 && followed <= 5);
    QVERIFY(most > 0);
}

// online.control, while the program runs: stop, start, other procedures, and what nobody understands.
void TestFollowedParts::stoppedByTheUser()
{
    QFETCH(QString, how);
    const QByteArray name = "control-" + how.toUtf8() + ".lprec";
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    const QString folder = m_runs.path(name.constData());
    const auto ask = [&folder](const QByteArray& text) {
        QFile file(folder + QStringLiteral("/online.control"));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    const auto wait = [&](const std::function<bool(const QJsonObject&)>& isThere) {
        for (int i = 0; i < 2400; ++i, QTest::qWait(50)) {
            const auto all = m_runs.samples(name.constData());
            if (!all.empty() && isThere(all.back())) return true;
        }
        return false;
    };
    QFile goes(m_runs.path("goes"));
    QVERIFY(goes.open(QIODevice::WriteOnly));
    QProcess process;
    m_runs.start(process, name.constData(), 2,
                 {RecordedRuns::program("meetings"), QStringLiteral("2000000000"), QStringLiteral("while"),
                  goes.fileName()},
                 {QStringLiteral("--online=") + how, QStringLiteral("--no-trace"), QStringLiteral("--sample"),
                  QStringLiteral("10ms")});
    const auto stopped = [](const QJsonObject& sample) { return sample[QStringLiteral("stopped")].toBool(); };
    QVERIFY(wait([](const QJsonObject& sample) { return figure(sample, "length_ns") > 0; }));
    QVERIFY(ask("stop\nrun faster\n"));
    QVERIFY(wait(stopped));
    const qint64 length = figure(m_runs.samples(name.constData()).back(), "length_ns");
    QTest::qWait(300);
    QCOMPARE(figure(m_runs.samples(name.constData()).back(), "length_ns"), length);
    QVERIFY(ask("start\nprocedures MPI_Irecv to MPI_Isend,MPI_Isend to MPI_Isend\n"));
    QVERIFY(wait([&](const QJsonObject& sample) { return !stopped(sample) && figure(sample, "length_ns") > length; }));
    QVERIFY(wait([](const QJsonObject& sample) {
        int nets = 0;
        for (const auto row : sample[QStringLiteral("procedures")].toArray())
            nets += figure(row.toObject(), "net_since_ns") > 0;
        return nets == 2 && figure(sample, "paused_ns") > 0;
    }));
    const Said online = m_runs({QStringLiteral("online"), folder});
    QVERIFY2(online.out.contains(QStringLiteral("it was stopped then"))
                 && online.out.contains(QStringLiteral("Some gains are of the run from")),
             qPrintable(online.out));
    QVERIFY(goes.remove());
    const Said said = longpole::test::Program::finish(process);
    QCOMPARE(said.code, 0);
    QVERIFY2(said.error.contains(QStringLiteral("online.control: not understood: run faster")), qPrintable(said.error));
    QVERIFY(m_runs.samples(name.constData()).back()[QStringLiteral("final")].toBool());
}

// Rank 0 is killed: who follows the run is told, and has all that came before.
void TestFollowedParts::killed()
{
    QFETCH(QString, how);
    const QByteArray name = "killed-" + how.toUtf8() + ".lprec";
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    QFile goes(m_runs.path("goes"));
    QVERIFY(goes.open(QIODevice::WriteOnly));
    QProcess process;
    m_runs.start(process, name.constData(), 2,
                 {RecordedRuns::program("meetings"), QStringLiteral("2000000000"), QStringLiteral("while"),
                  goes.fileName()},
                 {QStringLiteral("--online=") + how, QStringLiteral("--no-trace"), QStringLiteral("--sample"),
                  QStringLiteral("10ms")});
    for (int i = 0; i < 600 && m_runs.samples(name.constData()).empty(); ++i) QTest::qWait(50);
    QVERIFY(!m_runs.samples(name.constData()).empty());
    QVERIFY(::kill(pid_t(m_runs.header(name.constData(), 0).pid), SIGKILL) == 0);
    QVERIFY(goes.remove());
    const Said said = m_runs({QStringLiteral("online"), m_runs.path(name.constData()), QStringLiteral("--follow")});
    QCOMPARE(said.code, 0);
    QVERIFY2(said.error.contains(QStringLiteral("ended without MPI_Finalize")), qPrintable(said.error));
    QVERIFY(said.out.contains(QStringLiteral("The critical path, ")));
    QVERIFY(longpole::test::Program::finish(process).code != 0);
    for (const QJsonObject& sample : m_runs.samples(name.constData()))
        QVERIFY(!sample[QStringLiteral("final")].toBool());
}

LONGPOLE_TEST(TestFollowedParts)
#include "tst_followedparts.moc"
