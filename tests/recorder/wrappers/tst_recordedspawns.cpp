// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that MPI_Comm_spawn starts, in the recording of the one that started them: their ranks follow, their
// messages match, and of programs that are not recorded the recording says so.
#include "recorder/recordedrun.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <algorithm>
#include <limits>

using namespace longpole;
using namespace longpole::test;

class TestRecordedSpawns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aProgramAndTheOneThatItStarts_data() { eachMpi(); }
    void aProgramAndTheOneThatItStarts();
    void oneThatIsNotRecorded_data() { eachMpi(); }
    void oneThatIsNotRecorded();
    void nobodyWaitsForProgramsBeside();
    void ranksThatConnect_data() { eachMpi(); }
    void ranksThatConnect();
    void several_data() { eachMpi(); }
    void several();
    void whatIsSummedUpIsOfOneProgram();
    void severalHosts();

private:
    static void eachMpi()
    {
        QTest::addColumn<QString>("mpi");
        for (const char* mpi : {"openmpi", "mpich"}) QTest::newRow(mpi) << QString::fromLatin1(mpi);
    }
    QByteArray row(const QString& trace, const char* query) const
    {
        return QJsonDocument(m_runs.sql(trace, query)).toJson(QJsonDocument::Compact);
    }
    QStringList files(const char* name) const { return QDir(m_runs.path(name)).entryList(QDir::Files, QDir::Name); }

    RecordedRuns m_runs;
};

void TestRecordedSpawns::aProgramAndTheOneThatItStarts()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("spawn.lprec", 2, {RecordedRuns::program("spawn", mpi)}, {}, mpi);
    if (said.code != 0) QSKIP("This system's MPI starts no programs.");
    QVERIFY2(said.error.contains(QLatin1String("recorded 4 ranks")), qPrintable(said.error));
    QVERIFY(!QFile::exists(m_runs.path("spawn-2.lprec")));
    QCOMPARE(files("spawn.lprec").filter(QStringLiteral("spawn-")), QStringList());
    const QString trace = m_runs.path("spawn.lprec");
    QCOMPARE(m_runs.issues(trace), (std::map<QString, qint64>{}));
    // Rank 1 of the started program is rank 3 of the recording.
    QCOMPARE(row(trace, "SELECT rank, peer, tag FROM mpi_call WHERE call IN ('MPI_Send', 'MPI_Recv') ORDER BY rank"),
             QByteArray(R"([{"peer":3,"rank":0,"tag":5},{"peer":0,"rank":3,"tag":5}])"));
    QCOMPARE(row(trace,
                 "SELECT rank, call FROM mpi_call WHERE call IN ('MPI_Init', 'MPI_Finalize') ORDER BY rank, seq"),
             QByteArray(R"([{"call":"MPI_Init","rank":0},{"call":"MPI_Finalize","rank":0},)"
                        R"({"call":"MPI_Init","rank":1},{"call":"MPI_Finalize","rank":1},)"
                        R"({"call":"MPI_Init","rank":2},{"call":"MPI_Finalize","rank":2},)"
                        R"({"call":"MPI_Init","rank":3},{"call":"MPI_Finalize","rank":3}])"));
    // The start is a meeting of all four, the broadcast between both programs too.
    QCOMPARE(row(trace,
                 "SELECT count(DISTINCT instance) i, count(*) n FROM mpi_call WHERE call = 'MPI_Comm_spawn' "
                 "OR (call = 'MPI_Init' AND rank > 1)"),
             QByteArray(R"([{"i":1,"n":4}])"));
    QCOMPARE(row(trace, "SELECT count(DISTINCT instance) i, count(*) n FROM mpi_call WHERE call = 'MPI_Bcast'"),
             QByteArray(R"([{"i":1,"n":4}])"));
}

// Two hosts, with names and clocks of their own, of which the second's is 1,000 s further ahead: ranks of both, and
// those that they start there, are in one recording, in one time.
void TestRecordedSpawns::severalHosts()
{
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    if (QProcess::execute(QStringLiteral("unshare"), {QStringLiteral("--uts"), QStringLiteral("--time"),
                                                      QStringLiteral("--fork"), QStringLiteral("true")})
        != 0)
        QSKIP("This user may not give a process another host name and another clock.");
    const QStringList hosts = QStringLiteral(
                                  "-H host1:3,host2:3 --map-by node --mca plm_rsh_agent %1 "
                                  "--mca plm_rsh_no_tree_spawn 1 --mca btl tcp,self "
                                  "--mca btl_tcp_if_include lo --mca oob_tcp_if_include lo")
                                  .arg(QStringLiteral(LONGPOLE_OTHER_HOST))
                                  .split(u' ');
    const Said said = m_runs.record("hosts.lprec", 2, {RecordedRuns::program("spawn")}, {}, QStringLiteral("openmpi"),
                                    hosts);
    if (said.code != 0) QSKIP("This system's MPI starts no programs on other hosts.");
    QVERIFY2(said.error.contains(QLatin1String("recorded 4 ranks")), qPrintable(said.error));
    const QString trace = m_runs.path("hosts.lprec");
    QCOMPARE(row(trace, "SELECT name FROM track WHERE kind = 'node' ORDER BY name"),
             QByteArray(R"([{"name":"host1"},{"name":"host2"}])"));
    constexpr qint64 ahead = 900'000'000'000;  // ns; what is left of it when both did not start together
    const QJsonArray places = m_runs.sql(trace,
                                         "SELECT t.pe AS rank, n.name AS host FROM track AS t JOIN track AS n "
                                         "ON n.id = t.parent WHERE t.kind = 'rank'");
    QCOMPARE(places.size(), 4);
    std::map<QString, std::vector<qint64>> starts;
    for (const auto& place : places)
        starts[place[QLatin1String("host")].toString()].push_back(
            m_runs.header("hosts.lprec", place[QLatin1String("rank")].toInt()).start);
    QCOMPARE(starts.size(), 2u);
    QVERIFY(std::ranges::min(starts[QStringLiteral("host2")])
            > std::ranges::max(starts[QStringLiteral("host1")]) + ahead);
    // In the recording they are together: nobody meets in a call that another one left before.
    for (const char* call : {"MPI_Comm_spawn", "MPI_Bcast"}) {
        qint64 latestBegin = 0, earliestEnd = std::numeric_limits<qint64>::max();
        for (const Call& one : m_runs.calls(trace)) {
            const bool isStarted = one.name == QLatin1String("MPI_Init") && one.rank > 1;
            if (one.name != QLatin1String(call) && !(isStarted && qstrcmp(call, "MPI_Comm_spawn") == 0)) continue;
            latestBegin = std::max(latestBegin, one.begin);
            earliestEnd = std::min(earliestEnd, one.end);
        }
        QVERIFY2(latestBegin < earliestEnd + 1'000'000'000, call);
    }
}

void TestRecordedSpawns::oneThatIsNotRecorded()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("alone.lprec", 2, {RecordedRuns::program("spawn", mpi), QStringLiteral("without")},
                                    {}, mpi);
    if (said.code != 0) QSKIP("This system's MPI starts no programs.");
    QVERIFY2(said.error.contains(QLatin1String("recorded 2 ranks")), qPrintable(said.error));
    QCOMPARE(
        row(m_runs.path("alone.lprec"), "SELECT kind, count, place FROM issue"),
        QByteArray(R"([{"count":1,"kind":"unmatched_send","place":"to a program that is not in this recording"}])"));
}

// Other programs begin, and are recorded, while one is awaited that is not recorded: they are not taken for it.
void TestRecordedSpawns::nobodyWaitsForProgramsBeside()
{
    const QString mpi = QStringLiteral("openmpi");
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    constexpr qint64 longest = 30'000;  // ms; for an answer that is not taken back they would wait a minute
    QElapsedTimer timer;
    timer.start();
    const Said said = m_runs.record("beside.lprec", 2, {RecordedRuns::program("spawn"), QStringLiteral("beside")});
    if (said.code != 0) QSKIP("This system's MPI starts no programs.");
    QVERIFY2(timer.elapsed() < longest, qPrintable(QString::number(timer.elapsed())));
    QVERIFY2(said.error.contains(QLatin1String("recorded 2 ranks")), qPrintable(said.error));
    QVERIFY2(said.error.contains(QLatin1String("recorded 1 rank")), qPrintable(said.error));
    QCOMPARE(files("beside.lprec").filter(QStringLiteral("spawn-")), QStringList());
    QCOMPARE(m_runs.issues(m_runs.path("beside.lprec")).count(QStringLiteral("unmatched_send")), 1);
}

// By a port, within one program: a message over it is one between these ranks.
void TestRecordedSpawns::ranksThatConnect()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("connect.lprec", 2, {RecordedRuns::program("connect", mpi)}, {}, mpi);
    if (said.code != 0) QSKIP("This system's MPI has no ports.");
    const QString trace = m_runs.path("connect.lprec");
    QCOMPARE(m_runs.issues(trace), (std::map<QString, qint64>{}));
    QCOMPARE(row(trace,
                 "SELECT rank, peer FROM mpi_call WHERE call IN ('MPI_Send', 'MPI_Recv') AND tag = 5 "
                 "ORDER BY rank"),
             QByteArray(R"([{"peer":1,"rank":0},{"peer":0,"rank":1}])"));
    QCOMPARE(row(trace, "SELECT call FROM mpi_call WHERE call IN ('MPI_Comm_accept', 'MPI_Comm_connect') ORDER BY 1"),
             QByteArray(R"([{"call":"MPI_Comm_accept"},{"call":"MPI_Comm_connect"}])"));
}

// Two pairs of ranks, started by all, and one more by each: eight ranks, and a round of four hops with each pair.
void TestRecordedSpawns::several()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("many.lprec", 2, {RecordedRuns::program("spawnmany", mpi)}, {}, mpi);
    if (said.code != 0) QSKIP("This system's MPI starts no programs.");
    QVERIFY2(said.error.contains(QLatin1String("recorded 8 ranks")), qPrintable(said.error));
    const QString trace = m_runs.path("many.lprec");
    QCOMPARE(m_runs.issues(trace), (std::map<QString, qint64>{}));
    QCOMPARE(row(trace, "SELECT rank, peer FROM mpi_call WHERE call = 'MPI_Send' AND tag = 3 ORDER BY rank, seq"),
             QByteArray(R"([{"peer":1,"rank":0},{"peer":1,"rank":0},{"peer":2,"rank":1},{"peer":4,"rank":1},)"
                        R"({"peer":3,"rank":2},{"peer":0,"rank":3},{"peer":5,"rank":4},{"peer":0,"rank":5}])"));
    QCOMPARE(row(trace,
                 "SELECT count(*) n, count(DISTINCT min(rank, peer) || '-' || max(rank, peer)) p FROM "
                 "(SELECT rank, peer FROM mpi_call WHERE call IN ('MPI_Send', 'MPI_Recv') AND tag IN (1, 2))"),
             QByteArray(R"([{"n":8,"p":2}])"));
    // Each pair meets with those who started it in one barrier of four.
    QCOMPARE(row(trace,
                 "SELECT instance IS NOT NULL known, count(*) n FROM mpi_call WHERE call = 'MPI_Barrier' "
                 "GROUP BY instance"),
             QByteArray(R"([{"known":1,"n":4},{"known":1,"n":4}])"));
}

// A table of calls, a summary and the path on line are of one MPI_COMM_WORLD: then each program has a folder.
void TestRecordedSpawns::whatIsSummedUpIsOfOneProgram()
{
    const QString mpi = QStringLiteral("openmpi");
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("apart.lprec", 2, {RecordedRuns::program("spawn", mpi)},
                                    {QStringLiteral("--summary")}, mpi);
    if (said.code != 0) QSKIP("This system's MPI starts no programs.");
    QCOMPARE(said.error.count(QLatin1String("recorded 2 ranks")), 2);
    QCOMPARE(m_runs.issues(m_runs.path("apart.lprec")).count(QStringLiteral("unmatched_send")), 1);
    QCOMPARE(m_runs.issues(m_runs.path("apart-2.lprec")).count(QStringLiteral("unmatched_receive")), 1);
}

LONGPOLE_TEST(TestRecordedSpawns)
#include "tst_recordedspawns.moc"
