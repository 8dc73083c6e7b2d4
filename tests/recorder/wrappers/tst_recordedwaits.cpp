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
    void computationBetweenPollsIsUseful_data();
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
    QStringList longWaitsIn(const QString& trace) const;
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

void TestRecordedWaits::computationBetweenPollsIsUseful_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("how");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const char* how : {"progress", "bursts"})
            QTest::addRow("%s, %s", mpi, how) << QString::fromLatin1(mpi) << QString::fromLatin1(how);
}

void TestRecordedWaits::computationBetweenPollsIsUseful()
{
    QFETCH(QString, mpi);
    QFETCH(QString, how);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    m_runs.set("OMPI_MCA_mpi_yield_when_idle", QStringLiteral("0"));  // tests that give the core away take long
    // What else the machine does may take the core in a test: of three runs one is left alone.
    QString trace;
    QJsonArray useful;
    for (int run = 0; run < 3 && (run == 0 || useful[1].toDouble() <= 0.7 * useful[0].toDouble()); ++run) {
        trace = recorded(mpi, how);
        useful = efficiency(trace)[QLatin1String("useful_ns")].toArray();
        QCOMPARE(useful.size(), 2);
    }
    m_runs.set("OMPI_MCA_mpi_yield_when_idle", QStringLiteral("1"));
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

// Who waited long for whom in a recording of onesided.c, in which way, how often, and with which call the other ended
// it.
QStringList TestRecordedWaits::longWaitsIn(const QString& trace) const
{
    QStringList found;
    const QJsonArray waits = rows(trace,
                                  "SELECT w.rank, w.pattern, w.culprit, c.call AS ended_by, count(*) AS n FROM "
                                  "(SELECT rank, pattern, culprit, culprit_seq, sum(severity_ns) AS waited FROM "
                                  "mpi_call WHERE call LIKE 'MPI_Win%' GROUP BY 1, 2, 3, 4) w "
                                  "JOIN mpi_call c ON c.rank = w.culprit AND c.seq = w.culprit_seq "
                                  "WHERE w.waited > 20000000 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2");
    for (const auto& value : waits) {
        const QJsonObject row = value.toObject();
        found << QStringLiteral("rank %1 %2 rank %3 %4 %5")
                     .arg(row[QLatin1String("rank")].toInt())
                     .arg(row[QLatin1String("pattern")].toString())
                     .arg(row[QLatin1String("culprit")].toInt())
                     .arg(row[QLatin1String("ended_by")].toString())
                     .arg(row[QLatin1String("n")].toInt());
    }
    return found;
}

// onesided.c: a rank comes 40 ms late to each way of synchronizing.
void TestRecordedWaits::oneSidedWaits()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QStringList wanted{QStringLiteral("rank 0 late_post rank 1 MPI_Win_post 1"),
                             QStringLiteral("rank 0 wait_at_fence rank 1 MPI_Win_fence 1"),
                             QStringLiteral("rank 1 early_wait rank 0 MPI_Win_complete 3"),
                             QStringLiteral("rank 1 lock_competition rank 0 MPI_Win_unlock 1")};
    // Where the machine does something else meanwhile, others are late as well: of many runs one is left alone.
    const QString trace = m_runs.path("onesided.lprec");
    const auto unjudgedIn = [&](const QString& json) {
        return QJsonDocument::fromJson(json.toUtf8()).object()[QLatin1String("unjudged")].toObject();
    };
    QStringList found;
    QString json;
    constexpr qint64 shortWait = 20'000'000;
    const auto isLeftAlone = [&] {
        return found == wanted && unjudgedIn(json)[QLatin1String("one_sided_ns")].toInteger(-1) < shortWait;
    };
    for (int run = 0; run < 60 && !isLeftAlone(); ++run) {
        const Said said = m_runs.record("onesided.lprec", 2, {RecordedRuns::program("onesided", mpi)}, {}, mpi);
        QVERIFY2(said.code == 0 && said.out.isEmpty(), qPrintable(said.out + said.error));
        QVERIFY(m_runs.issues(trace).empty());
        found = longWaitsIn(trace);
        json = m_runs({QStringLiteral("waits"), QStringLiteral("--causes"), QStringLiteral("--json"), trace}).out;
    }
    QCOMPARE(found.join(u'\n'), wanted.join(u'\n'));
    QCOMPARE(number(trace, "SELECT count(*) AS n FROM mpi_call WHERE severity_ns > end_ns - begin_ns"), 0);

    // What was waited for is judged, and of the two pauses after the last access one is a part of an early wait each.
    const QJsonObject unjudged = unjudgedIn(json);
    QVERIFY2(unjudged[QLatin1String("one_sided_ns")].toInteger(-1) < shortWait, qPrintable(json.left(2000)));
    QCOMPARE(unjudged[QLatin1String("files_ns")].toInteger(-1), 0);
    const QJsonArray states = QJsonDocument::fromJson(
                                  m_runs({QStringLiteral("waits"), QStringLiteral("--json"), trace}).out.toUtf8())
                                  .array();
    qint64 lateCompletes = 0;
    for (const auto& value : states) {
        const QJsonObject state = value.toObject();
        if (state[QLatin1String("pattern")] != QLatin1String("late_complete")) continue;
        QCOMPARE(state[QLatin1String("part_of")].toString(), QStringLiteral("early_wait"));
        lateCompletes = state[QLatin1String("time_ns")].toInteger();
    }
    QVERIFY2(lateCompletes > 40'000'000, qPrintable(QString::number(lateCompletes)));
}

LONGPOLE_TEST(TestRecordedWaits)
#include "tst_recordedwaits.moc"
