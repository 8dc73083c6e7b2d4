// SPDX-License-Identifier: GPL-3.0-or-later
// longpole try of MPI programs: their time between MPI_Init and MPI_Finalize, by a recorder that records nothing else.
#include "../recordedrun.h"

#include "support/testmain.h"

#include <QTest>

using namespace longpole::test;

class TestTriedRuns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void timesOfRanks_data();
    void timesOfRanks();
    void nothingElseIsRecorded_data() { timesOfRanks_data(); }
    void nothingElseIsRecorded();

private:
    RecordedRuns m_runs;
};

void TestTriedRuns::timesOfRanks_data()
{
    QTest::addColumn<QString>("mpi");
    for (const char* mpi : {"openmpi", "mpich"}) QTest::newRow(mpi) << QString::fromUtf8(mpi);
}

// The ring sleeps for 30 ms in each of five steps on one of its ranks or another; mpirun takes longer than that.
void TestTriedRuns::timesOfRanks()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString ring = RecordedRuns::program("ring", mpi);
    QCOMPARE(m_runs.record("ring.lprec", 2, {ring}, {}, mpi).code, 0);
    const QString log = m_runs.path("log-") + mpi;
    const QString each = QStringLiteral("echo \"$PACE\" >> %1; exec %2").arg(log, ring);
    const Said said = m_runs({QStringLiteral("try"), m_runs.path("ring.lprec"), QStringLiteral("--with"),
                              QStringLiteral("PACE=fast"), QStringLiteral("--runs"), QStringLiteral("2"),
                              QStringLiteral("--json"), QStringLiteral("--"), RecordedRuns::launcher(mpi),
                              QStringLiteral("-np"), QStringLiteral("2"), QStringLiteral("sh"), QStringLiteral("-c"),
                              each});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject answer = QJsonDocument::fromJson(said.out.toUtf8()).object();
    const QJsonObject measured = answer[QStringLiteral("measured")].toObject();
    QCOMPARE(measured[QStringLiteral("by")].toString(), QStringLiteral("mpi"));
    QVERIFY(answer[QStringLiteral("predicted_gain")].isNull() && answer[QStringLiteral("inside")].isNull());
    QCOMPARE(measured[QStringLiteral("runs")].toArray().size(), 4);
    for (const QJsonValue& run : measured[QStringLiteral("runs")].toArray()) {
        const qint64 duration = run.toObject()[QStringLiteral("duration_ns")].toInteger();
        QVERIFY2(duration > 150'000'000 && duration < 2'000'000'000, qPrintable(QString::number(duration)));
    }
    QFile lines(log);
    QVERIFY(lines.open(QIODevice::ReadOnly));
    QCOMPARE(lines.readAll().count("fast\n"), 4);  // two ranks in each of two runs
}

// Not even what the program asks for by MPI_Pcontrol.
void TestTriedRuns::nothingElseIsRecorded()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    RecordedRuns timed;
    timed.set("LONGPOLE_TRACE", QStringLiteral("0"));
    for (const char* program : {"ring", "regions", "threads"}) {
        const Said said = timed.record("run.lprec", 2, {RecordedRuns::program(program, mpi)}, {}, mpi,
                                       mpi == QLatin1String("openmpi")
                                           ? QStringList{QStringLiteral("-x"), QStringLiteral("LONGPOLE_TRACE")}
                                           : QStringList());
        QVERIFY2(said.code == 0, qPrintable(QString::fromUtf8(program) + said.error));
        std::map<QString, int> calls;
        for (const Call& call : timed.calls(timed.path("run.lprec"))) ++calls[call.name];
        QCOMPARE(calls.size(), 2u);
        QCOMPARE(calls[QStringLiteral("MPI_Finalize")], 2);
    }
}

LONGPOLE_TEST(TestTriedRuns)
#include "tst_triedruns.moc"
