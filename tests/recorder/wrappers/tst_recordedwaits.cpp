// SPDX-License-Identifier: GPL-3.0-or-later
// Programs whose waits are known, under mpirun and the recorder: who waited for whom, in whatever way it waited, and
// what is no waiting.
#include "recorder/recordedrun.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <tuple>

using namespace longpole::test;

class TestRecordedWaits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void waitsForTheSender_data();
    void waitsForTheSender();
    void computationBetweenPollsIsUseful_data() { mpis(); }
    void computationBetweenPollsIsUseful();
    void neighboursWaitForEachOther_data() { mpis(); }
    void neighboursWaitForEachOther();
    void oneSidedWaits_data() { mpis(); }
    void oneSidedWaits();

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
    std::pair<qint64, qint64> waitedAndStood(const QString& trace, const QString& how);

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

// Rank 1 waits five times for rank 0, which computes 30 ms each time: from where it was ready until the message was
// sent, whatever the machine does meanwhile.
// What rank 1 waited for rank 0's five messages, and how long it stood in its loops until they were sent.
std::pair<qint64, qint64> TestRecordedWaits::waitedAndStood(const QString& trace, const QString& how)
{
    const qint64 waited = number(trace,
                                 "SELECT sum(severity_ns) AS n FROM mpi_call WHERE rank = 1 AND "
                                 "pattern = 'late_sender' AND culprit = 0");
    const QJsonArray sent = rows(trace,
                                 "SELECT begin_ns AS n FROM mpi_call WHERE rank = 0 AND call = 'MPI_Send' "
                                 "ORDER BY seq");
    const QJsonArray ready = how.contains(QLatin1String("probe"))
                                 ? rows(trace,
                                        "SELECT end_ns AS n FROM mpi_call WHERE rank = 1 AND call IN "
                                        "('MPI_Barrier', 'MPI_Recv', 'MPI_Mrecv') ORDER BY seq")
                                 : rows(trace,
                                        "SELECT end_ns AS n FROM mpi_call WHERE rank = 1 AND "
                                        "call = 'MPI_Irecv' ORDER BY seq");
    if (sent.size() != 5 || ready.size() < 5) return {};
    const auto timeOf = [](const QJsonArray& from, int i) {
        return from[i].toObject()[QLatin1String("n")].toInteger();
    };
    qint64 stood = 0;
    for (int i = 0; i < 5; ++i) stood += std::max<qint64>(0, timeOf(sent, i) - timeOf(ready, i));
    return {waited, stood};
}

void TestRecordedWaits::waitsForTheSender()
{
    QFETCH(QString, mpi);
    QFETCH(QString, how);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    // What else the machine does may cut loops: of three runs one is left alone.
    QString trace;
    qint64 waited = 0, stood = 0;
    for (int run = 0; run < 3 && double(waited) <= 0.75 * double(stood); ++run) {
        trace = recorded(mpi, how);
        QVERIFY(m_runs.issues(trace).empty());
        std::tie(waited, stood) = waitedAndStood(trace, how);
        QVERIFY(stood > 0);
        QVERIFY2(waited <= stood, qPrintable(QStringLiteral("%1 of %2").arg(waited).arg(stood)));
    }
    QVERIFY2(double(waited) > 0.75 * double(stood), qPrintable(QStringLiteral("%1 of %2").arg(waited).arg(stood)));
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

// neighbours.c: rank 3 comes 40 ms late to four neighbourhood calls, rank 1 to calls that move nothing.
void TestRecordedWaits::neighboursWaitForEachOther()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("neighbours.lprec", 4, {RecordedRuns::program("neighbours", mpi)}, {}, mpi);
    QVERIFY2(said.code == 0 && said.out.isEmpty(), qPrintable(said.out + said.error));
    const QString trace = m_runs.path("neighbours.lprec");
    QVERIFY(m_runs.issues(trace).empty());  // no edge against time
    // In the rings of Cart and Graph the neighbours of rank 3 are 2 and 0; in the directed ring only 0 receives from
    // it.
    const QJsonArray waits = rows(trace,
                                  "SELECT rank, count(*) AS n, min(severity_ns) AS least FROM mpi_call WHERE "
                                  "culprit = 3 AND pattern = 'wait_at_nxn' AND severity_ns > 10000000 "
                                  "GROUP BY rank ORDER BY rank");
    QCOMPARE(waits.size(), 2);
    QCOMPARE(waits[0].toObject()[QLatin1String("rank")].toInt(-1), 0);
    QCOMPARE(waits[0].toObject()[QLatin1String("n")].toInt(), 4);
    QCOMPARE(waits[1].toObject()[QLatin1String("rank")].toInt(-1), 2);
    QCOMPARE(waits[1].toObject()[QLatin1String("n")].toInt(), 2);
    QCOMPARE(number(trace,
                    "SELECT count(*) AS n FROM mpi_call WHERE culprit = 1 AND severity_ns > 10000000 AND call IN "
                    "('MPI_Allgather', 'MPI_Bcast', 'MPI_Reduce', 'MPI_Scan', 'MPI_Gatherv')"),
             0);
}

// onesided.c: rank 1 comes 40 ms late to a fence, and to an epoch whose waiting cannot be judged.
void TestRecordedWaits::oneSidedWaits()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("onesided.lprec", 2, {RecordedRuns::program("onesided", mpi)}, {}, mpi);
    QVERIFY2(said.code == 0 && said.out.isEmpty(), qPrintable(said.out + said.error));
    const QString trace = m_runs.path("onesided.lprec");
    QVERIFY(m_runs.issues(trace).empty());
    const char* const fence =
        "SELECT max(severity_ns) AS n FROM mpi_call WHERE rank = 0 AND call = 'MPI_Win_fence' AND "
        "pattern = 'wait_at_barrier' AND culprit = 1";
    QVERIFY2(number(trace, fence) > 20'000'000, qPrintable(QString::number(number(trace, fence))));
    const QString waits = m_runs({QStringLiteral("waits"), trace}).out;
    QVERIFY2(waits.contains(QRegularExpression(
                 QStringLiteral("Cannot be judged: [0-9.]+ ms in one-sided calls, [0-9.]+ % of the time"))),
             qPrintable(waits));
    QVERIFY(!waits.contains(QLatin1String("calls for files")));
    const QString causes =
        m_runs({QStringLiteral("waits"), QStringLiteral("--causes"), QStringLiteral("--json"), trace}).out;
    const QJsonObject unjudged =
        QJsonDocument::fromJson(causes.toUtf8()).object()[QLatin1String("unjudged")].toObject();
    QVERIFY(unjudged[QLatin1String("one_sided_ns")].toInteger() > 20'000'000);
    QCOMPARE(unjudged[QLatin1String("files_ns")].toInteger(-1), 0);
}

LONGPOLE_TEST(TestRecordedWaits)
#include "tst_recordedwaits.moc"
