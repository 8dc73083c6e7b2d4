// SPDX-License-Identifier: GPL-3.0-or-later
// A program that moves known numbers of bytes: what each call sent and received, and that all commands say the same.
#include "../recordedrun.h"

#include "support/testmain.h"

#include <QTest>

using namespace longpole::test;

class TestRecordedBytes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void bytesOfCalls_data();
    void bytesOfCalls();

private:
    QJsonObject json(const QStringList& command) const
    {
        return QJsonDocument::fromJson(m_runs(command).out.toUtf8()).object();
    }
    RecordedRuns m_runs;
};

void TestRecordedBytes::bytesOfCalls_data()
{
    QTest::addColumn<QString>("mpi");
    for (const char* mpi : {"openmpi", "mpich"}) QTest::newRow(mpi) << QString::fromUtf8(mpi);
}

void TestRecordedBytes::bytesOfCalls()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString trace = m_runs.path("bytes.lprec");
    const Said said = m_runs.record("bytes.lprec", 4, {RecordedRuns::program("bytes", mpi), m_runs.path("file")}, {},
                                    mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QCOMPARE(m_runs.issues(trace), (std::map<QString, qint64>{}));

    // What all ranks sent and received, by docs/algorithms.md 7.6: of four ranks each gives to three others.
    std::map<QString, std::pair<qint64, qint64>> expected = {{QStringLiteral("MPI_Bcast"), {3000, 3000}},
                                                             {QStringLiteral("MPI_Reduce"), {3 * 40, 3 * 40}},
                                                             {QStringLiteral("MPI_Allreduce"), {480, 480}},
                                                             {QStringLiteral("MPI_Gather"), {21, 21}},
                                                             {QStringLiteral("MPI_Scatterv"), {6, 6}},
                                                             {QStringLiteral("MPI_Allgatherv"), {30, 30}},
                                                             {QStringLiteral("MPI_Alltoall"), {60, 60}},
                                                             {QStringLiteral("MPI_Alltoallv"), {27, 27}},
                                                             {QStringLiteral("MPI_Reduce_scatter"), {30, 30}},
                                                             {QStringLiteral("MPI_Scan"), {72, 72}},
                                                             {QStringLiteral("MPI_Iallreduce"), {192, 192}},
                                                             {QStringLiteral("MPI_Put"), {1200, 0}},
                                                             {QStringLiteral("MPI_Get"), {0, 160}},
                                                             {QStringLiteral("MPI_File_write_at"), {2000, 0}},
                                                             {QStringLiteral("MPI_Start"), {540 + 288, 540 + 288}}};
    qint64 collective = 3000 + 120 + 480 + 21 + 6 + 30 + 60 + 27 + 30 + 72 + 192 + 828;
    qint64 messages = 0;
    const bool isMpi4 = !m_runs.sql(trace, "SELECT 1 FROM mpi_call WHERE call = 'MPI_Isendrecv' LIMIT 1").isEmpty();
    if (isMpi4) {
        expected[QStringLiteral("MPI_Allreduce")] = {480 + 156, 480 + 156};
        collective += 156;
        expected[QStringLiteral("MPI_Send")] = {11, 0};
        expected[QStringLiteral("MPI_Recv")] = {0, 11};
        expected[QStringLiteral("MPI_Isendrecv")] = {68, 0};
        expected[QStringLiteral("MPI_Pready")] = {100, 0};
        expected[QStringLiteral("MPI_Wait")] = {0, 168};
        messages = 11 + 68 + 100;
    }
    std::map<QString, std::pair<qint64, qint64>> found;
    for (const QJsonValue& value : m_runs.sql(trace,
                                              "SELECT call, sum(sent_bytes) sent, sum(bytes - sent_bytes) got "
                                              "FROM mpi_call WHERE bytes > 0 GROUP BY call"))
        found[value[QLatin1String("call")].toString()] = {value[QLatin1String("sent")].toInteger(),
                                                          value[QLatin1String("got")].toInteger()};
    QCOMPARE(found, expected);

    // What was sent in one column is received in the other, and no command counts otherwise.
    const QJsonObject matrix = json({QStringLiteral("comm-matrix"), QStringLiteral("--json"), trace});
    qint64 spread = 0, sent = 0;
    for (const QJsonValue& cell : matrix[QLatin1String("collective")].toArray())
        spread += cell[QLatin1String("bytes")].toInteger();
    for (const QJsonValue& cell : matrix[QLatin1String("cells")].toArray())
        sent += cell[QLatin1String("bytes")].toInteger();
    QCOMPARE(spread, collective);
    QCOMPARE(sent, messages);
    qint64 ofSites = 0;
    const QString sites = m_runs({QStringLiteral("mpi-calls"), QStringLiteral("--json"), trace}).out;
    for (const QJsonValue& site : QJsonDocument::fromJson(sites.toUtf8()).array())
        ofSites += site[QLatin1String("bytes")].toInteger();
    QCOMPARE(ofSites, 2 * collective + 2 * messages + 1200 + 160 + 2000);

    // Rank 3 comes 20 ms late to each of three starts of the persistent MPI_Allreduce, which all others wait for.
    const QJsonArray waited = m_runs.sql(trace,
                                         "SELECT count(*) n FROM mpi_call WHERE call = 'MPI_Wait' AND culprit = 3 "
                                         "AND pattern = 'wait_at_nxn' AND severity_ns > 10000000");
    QVERIFY2(waited.first()[QLatin1String("n")].toInteger() >= 6,
             qPrintable(QString::number(waited.first()[QLatin1String("n")].toInteger())));
}

LONGPOLE_TEST(TestRecordedBytes)
#include "tst_recordedbytes.moc"
