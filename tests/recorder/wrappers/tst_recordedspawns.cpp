// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that MPI_Comm_spawn starts, in the recording of the one that started them: their ranks follow, their
// messages match, and of programs that are not recorded the recording says so.
#include "recorder/recordedrun.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

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
