// SPDX-License-Identifier: GPL-3.0-or-later
// record --online: what the ranks of real programs find of the critical path while they run is, in integers, what the
// recording of the same run says afterwards.
#include "app/jsonschema.h"
#include "recorder/online/onlineruns.h"

#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

#include <map>

using namespace longpole::test;

class TestRecordedPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void equalToTheRecording_data();
    void equalToTheRecording();
    void bothCarriersAgree_data();
    void bothCarriersAgree();
    void carriedAlone_data() { addMpis(); }
    void carriedAlone();
    void latecomer_data() { addMpis(); }
    void latecomer();
    void procedures_data() { addMpis(); }
    void procedures();
    void samplesGrow_data() { addMpis(); }
    void samplesGrow();
    void withoutItNothingIsThere();
    void pausesDoNotStopIt_data() { addMpis(); }
    void pausesDoNotStopIt();
    void groupsOfRanksGoOn_data() { addMpis(); }
    void groupsOfRanksGoOn();

private:
    OnlineRuns m_runs;

    QJsonObject answer(const QStringList& words) const
    {
        const Said said = m_runs(words + QStringList{QStringLiteral("--json")});
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return QJsonDocument::fromJson(said.out.toUtf8()).object();
    }
};

void TestRecordedPaths::equalToTheRecording_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("program");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<QString>("argument");
    for (const char* mpi : {"openmpi", "mpich"}) {
        const auto row = [mpi](const char* program, int ranks, const char* argument = "") {
            QTest::addRow("%s, %s %s on %d", mpi, program, argument, ranks)
                << QString::fromUtf8(mpi) << QString::fromUtf8(program) << ranks << QString::fromUtf8(argument);
        };
        row("ring", 3);
        row("collective", 3);
        row("polling", 2);
        row("meetings", 1, "100");
        row("meetings", 2, "300");
        row("meetings", 4, "50");
        const bool isQuick = qstrcmp(mpi, "openmpi") == 0;  // MPICH's ranks poll: with more than cores they are slow
        row("meetings", isQuick ? 4 : 2, isQuick ? "300" : "1000");
        if (isQuick) row("meetings", 3, "1000");
    }
}

void TestRecordedPaths::equalToTheRecording()
{
    QFETCH(QString, mpi);
    QFETCH(QString, program);
    QFETCH(int, ranks);
    QFETCH(QString, argument);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QStringList command{RecordedRuns::program(program.toUtf8().constData(), mpi)};
    if (!argument.isEmpty()) command << argument;
    const Said said = m_runs.record("run.lprec", ranks, command,
                                    {QStringLiteral("--online"), QStringLiteral("--force")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.error.contains(QStringLiteral("longpole: the critical path is ")), qPrintable(said.error));
    const auto all = m_runs.samples("run.lprec");
    QVERIFY(!all.empty());
    const QJsonObject& last = all.back();
    QVERIFY(last[QStringLiteral("final")].toBool());
    const Said online = m_runs({QStringLiteral("online"), m_runs.path("run.lprec"), QStringLiteral("--json")});
    const std::string wrong = violation(online.out.toStdString(), "online");
    QVERIFY2(wrong.empty(), wrong.c_str());
    for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns"}) QCOMPARE(figure(last, doubt), 0);
    // Parts add up: by procedure, and by rank.
    const qint64 length = figure(last, "length_ns");
    QCOMPARE(sum(last[QStringLiteral("procedures")], "share_ns") + figure(last, "rest_ns"), length);
    QCOMPARE(sum(last[QStringLiteral("ranks")], "share_ns"), length);
    const QJsonObject path = answer({QStringLiteral("critical-path"), m_runs.path("run.lprec"),
                                     QStringLiteral("--edges"), QStringLiteral("data")});
    QCOMPARE(length, figure(path, "length_ns"));
    const qint64 covered = figure(last, "covered_ns");
    QVERIFY2(length > 0 && length <= covered,
             qPrintable(QStringLiteral("%1 of %2 ns; %3").arg(length).arg(covered).arg(online.out)));
    if (program != QLatin1String("ring")) return;  // no ties, regions or work of the recorder: the same parts, too
    std::map<QString, qint64> parts[2];
    for (const auto value : last[QStringLiteral("procedures")].toArray())
        parts[0][value.toObject()[QStringLiteral("name")].toString()] = figure(value.toObject(), "share_ns");
    for (const auto value : path[QStringLiteral("profile")].toArray())
        parts[1][value[QStringLiteral("entry")][QStringLiteral("name")].toString()] = figure(value.toObject(),
                                                                                             "time_ns");
    for (auto& some : parts) std::erase_if(some, [](const auto& part) { return part.second == 0; });
    QVERIFY(parts[0].size() >= 3);
    QCOMPARE(parts[0], parts[1]);
}

void TestRecordedPaths::bothCarriersAgree_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QStringList>("program");
    QTest::addColumn<int>("ranks");
    for (const char* mpi : {"openmpi", "mpich"}) {
        const auto row = [mpi](const QString& program, int ranks) {
            QTest::addRow("%s, %s on %d", mpi, qPrintable(program), ranks)
                << QString::fromUtf8(mpi) << program.split(QLatin1Char(' ')) << ranks;
        };
        for (const char* program : {"ring", "collective", "polling", "mixed", "stacks", "meetings 300"})
            row(QString::fromUtf8(program), 2);
        row(QStringLiteral("neighbours"), 4);
        const bool isMany = qstrcmp(mpi, "openmpi") == 0;  // MPICH's ranks poll: with more than cores they are slow
        for (int seed = 1; seed <= (isMany ? 12 : 4); ++seed)
            row(QStringLiteral("anyorder %1 150 forward").arg(seed), isMany ? 2 + seed % 3 : 2);
    }
}

// What messages carry along is what all ranks replay: length, and what it were without three procedures; and what the
// recording says afterwards.
void TestRecordedPaths::bothCarriersAgree()
{
    QFETCH(QString, mpi);
    QFETCH(QStringList, program);
    QFETCH(int, ranks);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString name = program.front();
    program[0] = RecordedRuns::program(name.toUtf8().constData(), mpi);
    const Said said = m_runs.record(
        "both.lprec", ranks, program,
        {QStringLiteral("--online=both"), QStringLiteral("--zeroing"), QStringLiteral("--procedures"),
         QStringLiteral("MPI_Irecv to MPI_Isend,MPI_Isend to MPI_Isend,MPI_Isend to MPI_Waitall")},
        mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = m_runs.samples("both.lprec").back();
    for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns"}) QCOMPARE(figure(last, doubt), 0);
    QCOMPARE(figure(last, "differences"), 0);
    QCOMPARE(figure(last, "not_compared"), 0);
    QVERIFY(figure(last, "compared") > 0 && figure(last, "compared_shares") <= figure(last, "compared"));
    QVERIFY(figure(last, "messages") > 0);
    if (name == QLatin1String("neighbours")) return;  // some of its calls move nothing
    const QJsonObject path = answer({QStringLiteral("critical-path"), m_runs.path("both.lprec"),
                                     QStringLiteral("--edges"), QStringLiteral("data")});
    QCOMPARE(figure(last, "length_ns"), figure(path, "length_ns"));
}

// Only what is followed has a part then.
void TestRecordedPaths::carriedAlone()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString followed = QStringLiteral("MPI_Irecv to MPI_Isend,MPI_Isend to MPI_Isend");
    for (const bool traced : {true, false}) {
        QStringList options{QStringLiteral("--online=carry"), QStringLiteral("--zeroing"),
                            QStringLiteral("--procedures"), followed};
        if (!traced) options << QStringLiteral("--no-trace");
        const Said said = m_runs.record("carried.lprec", 2,
                                        {RecordedRuns::program("meetings", mpi), QStringLiteral("300")}, options, mpi);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        const QJsonObject last = m_runs.samples("carried.lprec").back();
        const qint64 length = figure(last, "length_ns");
        QCOMPARE(sum(last[QStringLiteral("procedures")], "share_ns") + figure(last, "rest_ns"), length);
        QVERIFY(last[QStringLiteral("ranks")].toArray().isEmpty() && figure(last, "own_ns") > 0);
        for (const auto value : last[QStringLiteral("procedures")].toArray()) {
            const QJsonObject row = value.toObject();
            const bool isFollowed = followed.split(QLatin1Char(',')).contains(row[QStringLiteral("name")].toString());
            QCOMPARE(figure(row, "share_ns") > 0, isFollowed);
            QCOMPARE(row[QStringLiteral("net_ns")].isNull(), !isFollowed);
            if (isFollowed) QVERIFY(length - figure(row, "net_ns") <= figure(row, "share_ns"));
        }
        if (!traced) continue;
        const QJsonObject path = answer({QStringLiteral("critical-path"), m_runs.path("carried.lprec"),
                                         QStringLiteral("--edges"), QStringLiteral("data")});
        QCOMPARE(length, figure(path, "length_ns"));
    }
}

// Ranks wait for one that is late in the program's own call, where no time limit makes them give up.
void TestRecordedPaths::latecomer()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("latecomer.lprec", 2, {RecordedRuns::program("latecomer", mpi)},
                                    {QStringLiteral("--online=carry"), QStringLiteral("--no-trace")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = m_runs.samples("latecomer.lprec").back();
    QVERIFY(figure(last, "length_ns") > 500'000'000);
    QVERIFY(figure(last, "own_ns") < 400'000'000);
}

void TestRecordedPaths::procedures()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString followed = QStringLiteral("MPI_Irecv to MPI_Isend,MPI_Isend to MPI_Isend,no such code");
    const Said said = m_runs.record("lanes.lprec", 4, {RecordedRuns::program("meetings", mpi), QStringLiteral("200")},
                                    {QStringLiteral("--online"), QStringLiteral("--procedures"), followed,
                                     QStringLiteral("--zeroing"), QStringLiteral("--force")},
                                    mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = m_runs.samples("lanes.lprec").back();
    int found = 0;
    for (const auto value : last[QStringLiteral("procedures")].toArray()) {
        const QJsonObject row = value.toObject();
        const QString name = row[QStringLiteral("name")].toString();
        const bool isFollowed = followed.split(QLatin1Char(',')).contains(name);
        QCOMPARE(row[QStringLiteral("net_ns")].isNull(), !isFollowed);
        QVERIFY(figure(row, "share_ns") <= figure(row, "cpu_ns"));
        if (!isFollowed) continue;
        ++found;
        QVERIFY(figure(row, "net_ns") >= figure(last, "length_ns") - figure(row, "share_ns"));
        const Said without = m_runs({QStringLiteral("zeroing"), m_runs.path("lanes.lprec"), QStringLiteral("--edges"),
                                     QStringLiteral("data"), QStringLiteral("--entry"), name,
                                     QStringLiteral("--json")});
        const QJsonArray rows = QJsonDocument::fromJson(without.out.toUtf8()).array();
        QVERIFY2(rows.size() == 1, qPrintable(without.error));
        QCOMPARE(figure(row, "net_ns"), figure(rows.first().toObject(), "net_ns"));
    }
    QCOMPARE(found, 2);
}

// Each sample is of a longer run, and none is half a line.
void TestRecordedPaths::samplesGrow()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("samples.lprec", 2,
                                    {RecordedRuns::program("meetings", mpi), QStringLiteral("3000")},
                                    {QStringLiteral("--online"), QStringLiteral("--sample"), QStringLiteral("1ns"),
                                     QStringLiteral("--force"), QStringLiteral("--no-import")},
                                    mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const auto all = m_runs.samples("samples.lprec");
    QVERIFY(all.size() >= 2);
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(figure(all[i], "version"), 1);
        QCOMPARE(all[i].contains(QStringLiteral("final")), i + 1 == all.size());
        if (i == 0) continue;
        for (const char* key : {"length_ns", "time_ns", "covered_ns", "meetings"})
            QVERIFY2(figure(all[i], key) > figure(all[i - 1], key), key);
    }
}

void TestRecordedPaths::withoutItNothingIsThere()
{
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    const Said said = m_runs.record("plain.lprec", 2, {RecordedRuns::program("ring")});
    QCOMPARE(said.code, 0);
    QVERIFY(!said.error.contains(QStringLiteral("critical path")));
    QVERIFY(!QFile::exists(m_runs.path("plain.lprec/online.jsonl")));
}

// MPI_Pcontrol ends recording on some ranks, at other times than on others; meetings are still counted alike.
void TestRecordedPaths::pausesDoNotStopIt()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("paused.lprec", 4,
                                    {RecordedRuns::program("meetings", mpi), QStringLiteral("300"),
                                     QStringLiteral("pause")},
                                    {QStringLiteral("--online"), QStringLiteral("--force")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = m_runs.samples("paused.lprec").back();
    QVERIFY(last[QStringLiteral("final")].toBool());
    QCOMPARE(figure(last, "meetings"), 302);
    QVERIFY(figure(last, "length_ns") > 0);
}

// Calls between two groups of ranks are no meetings of all, and nobody waits for what the others do not send.
void TestRecordedPaths::groupsOfRanksGoOn()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QElapsedTimer timer;
    timer.start();
    const Said said = m_runs.record("groups.lprec", 4, {RecordedRuns::program("groups", mpi), QStringLiteral("100")},
                                    {QStringLiteral("--online=both"), QStringLiteral("--force")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QCOMPARE(said.out, QStringLiteral("done\n"));
    QVERIFY2(timer.elapsed() < 40'000, qPrintable(QString::number(timer.elapsed())));  // a carrier waits for 60 s
    const QJsonObject last = m_runs.samples("groups.lprec").back();
    QVERIFY(last[QStringLiteral("final")].toBool());
    QCOMPARE(figure(last, "differences"), 0);
    QVERIFY(figure(last, "length_ns") > 0);
    QCOMPARE(m_runs({QStringLiteral("info"), m_runs.path("groups.lprec")}).code, 0);
}

LONGPOLE_TEST(TestRecordedPaths)
#include "tst_recordedpaths.moc"
