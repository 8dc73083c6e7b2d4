// SPDX-License-Identifier: GPL-3.0-or-later
// Programs whose waits are known, under mpirun and the recorder: who waited for whom, in whatever way it waited, and
// what is no waiting.
#include "recorder/recordedrun.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole::test;

class TestRecordedWaits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void waitsForTheSender_data();
    void waitsForTheSender();
    void computationBetweenPollsIsUseful_data() { mpis(); }
    void computationBetweenPollsIsUseful();

private:
    static void mpis();
    // JSON of a command on a recording of polling.c.
    QJsonArray rows(const QString& trace, const char* query) const { return m_runs.sql(trace, query); }
    qint64 number(const QString& trace, const char* query) const
    {
        const QJsonArray found = rows(trace, query);
        return found.isEmpty() ? -1 : found[0].toObject()[QLatin1String("n")].toInteger(-1);
    }
    QJsonObject efficiency(const QString& trace) const
    {
        const Said said = m_runs({QStringLiteral("efficiency"), QStringLiteral("--json"), trace});
        const QJsonDocument document = QJsonDocument::fromJson(said.out.toUtf8());
        return document.isArray() ? document.array()[0].toObject() : document.object();
    }
    QString recorded(const QString& mpi, const QString& how);

    RecordedRuns m_runs;
};

void TestRecordedWaits::mpis()
{
    QTest::addColumn<QString>("mpi");
    QTest::newRow("Open MPI") << QStringLiteral("openmpi");
    QTest::newRow("MPICH") << QStringLiteral("mpich");
}

// The recording of polling.c; the program says nothing, with the recorder or without.
QString TestRecordedWaits::recorded(const QString& mpi, const QString& how)
{
    const Said said = m_runs.record("polling.lprec", 2, {RecordedRuns::program("polling", mpi), how}, {}, mpi);
    if (said.code != 0 || !said.out.isEmpty()) qWarning("%s%s", qPrintable(said.out), qPrintable(said.error));
    return m_runs.path("polling.lprec");
}

void TestRecordedWaits::waitsForTheSender_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("how");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const char* how : {"test", "any", "some", "all", "iprobe", "improbe", "sleep", "spin", "probe", "mprobe"})
            QTest::addRow("%s, %s", mpi, how) << QString::fromLatin1(mpi) << QString::fromLatin1(how);
}

// Rank 1 waits five times for rank 0, which computes 30 ms each time: the time between the two ranks' first call of
// the loop and the last message is rank 1's waiting, whatever the machine does meanwhile.
void TestRecordedWaits::waitsForTheSender()
{
    QFETCH(QString, mpi);
    QFETCH(QString, how);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString trace = recorded(mpi, how);
    QVERIFY(m_runs.issues(trace).empty());
    const qint64 waited = number(trace,
                                 "SELECT sum(severity_ns) AS n FROM mpi_call WHERE rank = 1 AND "
                                 "pattern = 'late_sender' AND culprit = 0");
    const qint64 loop = number(trace,
                               "SELECT (SELECT max(begin_ns) FROM mpi_call WHERE rank = 0 AND call = 'MPI_Send') "
                               "- (SELECT min(end_ns) FROM mpi_call WHERE rank = 1 AND call = 'MPI_Barrier') "
                               "AS n");
    QVERIFY2(loop > 100'000'000, qPrintable(QString::number(loop)));
    QVERIFY2(double(waited) > 0.7 * double(loop), qPrintable(QStringLiteral("%1 of %2").arg(waited).arg(loop)));
    QVERIFY(waited <= loop + 30'000'000);
    const QJsonArray useful = efficiency(trace)[QLatin1String("useful_ns")].toArray();
    QCOMPARE(useful.size(), 2);
    QVERIFY2(useful[1].toDouble() < 0.3 * useful[0].toDouble(), qPrintable(QString::number(useful[1].toDouble())));
    // One call for each message, however often it was polled for; what a disturbed loop was cut into counts besides.
    QCOMPARE(number(trace, "SELECT count(*) AS n FROM message"), 5);
    QVERIFY(number(trace,
                   "SELECT count(DISTINCT culprit_seq) AS n FROM mpi_call WHERE rank = 1 AND "
                   "pattern = 'late_sender'")
            >= 4);
}

void TestRecordedWaits::computationBetweenPollsIsUseful()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString trace = recorded(mpi, QStringLiteral("progress"));
    const QJsonArray useful = efficiency(trace)[QLatin1String("useful_ns")].toArray();
    QCOMPARE(useful.size(), 2);
    QVERIFY2(useful[1].toDouble() > 0.7 * useful[0].toDouble(), qPrintable(QString::number(useful[1].toDouble())));
    QVERIFY(number(trace,
                   "SELECT coalesce(sum(severity_ns), 0) AS n FROM mpi_call WHERE rank = 1 AND "
                   "pattern = 'late_sender'")
            < 20'000'000);
}

LONGPOLE_TEST(TestRecordedWaits)
#include "tst_recordedwaits.moc"
