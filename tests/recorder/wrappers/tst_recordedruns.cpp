// SPDX-License-Identifier: GPL-3.0-or-later
// The paper's programs (Korkhov et al., section 5.3, figure 13) under mpirun and the recorder: what is imported, the
// summary and the table of calls against the formulas on raw times; the critical path's rules.
#include "recorder/recordedrun.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <sched.h>
#include <unistd.h>

#include <algorithm>

using namespace longpole::test;

namespace {

// A figure of the summary's totals: "num_edges=52".
QString total(const QString& error, const char* name)
{
    const QRegularExpression line(QStringLiteral("^%1=(.*)$").arg(QLatin1String(name)),
                                  QRegularExpression::MultilineOption);
    return line.match(error).captured(1);
}

qint64 nanoseconds(QString seconds) { return seconds.remove(QLatin1Char('.')).toLongLong(); }

std::vector<Call> named(const std::vector<Call>& calls, const char* name, int rank = -1)
{
    std::vector<Call> found;
    for (const Call& call : calls)
        if (call.name == QLatin1String(name) && (rank < 0 || call.rank == rank)) found.push_back(call);
    return found;
}

const Call& latest(const std::vector<Call>& members)
{
    return *std::max_element(members.begin(), members.end(),
                             [](const Call& a, const Call& b) { return a.begin < b.begin; });
}

qint64 earliestEnd(const std::vector<Call>& members)
{
    return std::min_element(members.begin(), members.end(), [](const Call& a, const Call& b) { return a.end < b.end; })
        ->end;
}

// Section 5.2's formulas on the times of one call of all ranks.
void checkCollective(const std::vector<Call>& members, std::size_t ranks)
{
    QCOMPARE(members.size(), ranks);
    const qint64 latestBegin = latest(members).begin;
    const qint64 firstEnd = earliestEnd(members);
    QVERIFY2(latestBegin <= firstEnd, "a barrier ended before the last rank came");
    for (const Call& call : members) {
        QCOMPARE(call.before, latestBegin - call.begin);
        QCOMPARE(call.after, call.end - firstEnd);
        QCOMPARE(call.execution, firstEnd - latestBegin);
    }
}

}  // namespace

class TestRecordedRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void mpis_data();
    void collectiveOfFour_data() { mpis_data(); }
    void collectiveOfFour();
    void ringOfNeighbours_data() { mpis_data(); }
    void ringOfNeighbours();
    void elapsedPathGoesThroughTheLast();
    void coresOfTheHost_data();
    void coresOfTheHost();
    void coresThatRanksAreBoundTo_data();
    void coresThatRanksAreBoundTo();
    void summaryIsTheTableOfCalls_data();
    void summaryIsTheTableOfCalls();
    void compressionsSayTheSame_data();
    void compressionsSayTheSame();

private:
    RecordedRuns m_runs;
};

void TestRecordedRuns::mpis_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::newRow("Open MPI") << QStringLiteral("openmpi");
    QTest::newRow("MPICH") << QStringLiteral("mpich");
}

void TestRecordedRuns::collectiveOfFour()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("collective.lprec", 4, {RecordedRuns::program("collective", mpi)},
                                    {QStringLiteral("--summary")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.error.contains(QLatin1String("recorded 4 ranks")), qPrintable(said.error));
    // The paper's own counts: three calls a rank (the last is MPI_Finalize), two nodes each, source and sink; edges of
    // two collective calls of four, one local call, two between calls, and those of source and sink.
    QCOMPARE(total(said.error, "num_calls"), QStringLiteral("12"));
    QCOMPARE(total(said.error, "num_nodes"), QStringLiteral("26"));
    QCOMPARE(total(said.error, "num_edges"), QStringLiteral("52"));
    const std::vector<Call> calls = m_runs.calls(m_runs.path("collective.lprec"));
    checkCollective(named(calls, "MPI_Barrier"), 4);
    checkCollective(named(calls, "MPI_Allreduce"), 4);
    QCOMPARE(calls.size(), std::size_t(16));
    qint64 waited = 0;
    qint64 execution = 0;
    for (const char* name : {"MPI_Barrier", "MPI_Allreduce"}) {
        for (const Call& call : named(calls, name)) {
            waited += call.before + call.after;
            execution += call.execution;
        }
    }
    QCOMPARE(nanoseconds(total(said.error, "total_wait_time")), waited);
    QCOMPARE(nanoseconds(total(said.error, "total_execution_time")), execution);
    QVERIFY(waited > 60'000'000);  // somebody is 60 ms late, twice, and three wait
    const double ratio = double(waited) / double(execution);
    QVERIFY(std::abs(total(said.error, "imbalance").toDouble() - ratio) <= 1e-9 * ratio + 1e-9);
}

void TestRecordedRuns::ringOfNeighbours()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("ring.lprec", 4, {RecordedRuns::program("ring", mpi)},
                                    {QStringLiteral("--summary")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    // Sixteen calls a rank; 15 edges between them, 2 of source and sink, one in each call, one for each message.
    QCOMPARE(total(said.error, "num_calls"), QStringLiteral("64"));
    QCOMPARE(total(said.error, "num_nodes"), QStringLiteral("130"));
    QCOMPARE(total(said.error, "num_edges"), QString::number(4 * (15 + 2 + 16 + 5)));
    const std::vector<Call> calls = m_runs.calls(m_runs.path("ring.lprec"));
    for (int rank = 0; rank < 4; ++rank) {
        const auto waits = named(calls, "MPI_Waitall", rank);
        const auto sends = named(calls, "MPI_Isend", (rank + 3) % 4);     // to us
        const auto receives = named(calls, "MPI_Irecv", (rank + 1) % 4);  // of what we send
        QCOMPARE(waits.size(), std::size_t(5));
        QCOMPARE(sends.size(), std::size_t(5));
        for (std::size_t i = 0; i < waits.size(); ++i) {
            const Call& wait = waits[i];
            const qint64 lateSender = std::max<qint64>(0, std::min(sends[i].begin, wait.end) - wait.begin);
            const bool isLateReceiver = receives[i].begin > wait.begin && receives[i].begin < wait.end;
            const qint64 lateReceiver = isLateReceiver ? receives[i].begin - wait.begin : 0;
            QCOMPARE(wait.before, lateSender > 0 ? lateSender : lateReceiver);
            QCOMPARE(wait.before + wait.execution + wait.after, wait.end - wait.begin);
        }
    }
    const QJsonArray sums = m_runs.sql(m_runs.path("ring.lprec"),
                                       "SELECT count(*) AS messages, sum(executions) AS matched FROM message");
    QCOMPARE(sums[0].toObject()[QLatin1String("messages")].toInteger(), 20);
    QCOMPARE(sums[0].toObject()[QLatin1String("matched")].toInteger(), 20);
}

// Schulz's rule: a path does not come from code that then waited; in a barrier it goes over to the last to arrive.
void TestRecordedRuns::elapsedPathGoesThroughTheLast()
{
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    QCOMPARE(m_runs.record("path.lprec", 4, {RecordedRuns::program("collective")}).code, 0);
    const QString trace = m_runs.path("path.lprec");
    const Said said = m_runs({QStringLiteral("critical-path"), trace, QStringLiteral("--mode"),
                              QStringLiteral("elapsed"), QStringLiteral("--json")});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject path = QJsonDocument::fromJson(said.out.toUtf8()).object();
    QCOMPARE(path[QLatin1String("length_ns")].toInteger(), path[QLatin1String("duration_ns")].toInteger());
    const std::vector<Call> calls = m_runs.calls(trace);
    for (const char* name : {"MPI_Barrier", "MPI_Allreduce"}) {
        const Call last = latest(named(calls, name));
        bool isOnPath = false;
        for (const QJsonValue& value : path[QLatin1String("steps")].toArray()) {
            const QJsonObject step = value.toObject();
            const bool isCompute = step[QLatin1String("part")].toString() == QLatin1String("compute");
            if (!isCompute || step[QLatin1String("end_ns")].toInteger() != last.begin) continue;
            QCOMPARE(step[QLatin1String("pe")].toInt(), last.rank);
            isOnPath = true;
        }
        QVERIFY2(isOnPath, name);
    }
}

void TestRecordedRuns::coresOfTheHost_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<bool>("isEnough");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const bool isEnough : {true, false})
            QTest::addRow("%s, %s", mpi, isEnough ? "one rank" : "more ranks than cores")
                << QString::fromUtf8(mpi) << isEnough;
}

// How many cores the ranks had is known, and said before any advice.
void TestRecordedRuns::coresOfTheHost()
{
    QFETCH(QString, mpi);
    QFETCH(bool, isEnough);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
    if (!isEnough && cores > 3) QSKIP("the host has more cores than a test should start ranks");
    const int ranks = isEnough ? 1 : int(cores) + 1;
    const Said said = m_runs.record("cores.lprec", ranks, {RecordedRuns::program("ring", mpi)},
                                    {QStringLiteral("--force")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const auto answer = [this](const char* command) {
        return QJsonDocument::fromJson(m_runs({QString::fromUtf8(command), m_runs.path("cores.lprec"),
                                               QStringLiteral("--json")})
                                           .out.toUtf8())
            .object();
    };
    const QJsonObject info = answer("info");
    QCOMPARE(info[QStringLiteral("cores")].toInteger(), qint64(std::min<long>(ranks, cores)));
    QVERIFY(info[QStringLiteral("cpu_ns")].toInteger() > 0);
    QJsonValue passed;
    const QJsonObject judged = answer("advise")[QStringLiteral("judged")].toObject();
    for (const auto value : judged[QStringLiteral("checks")].toArray())
        if (value.toObject()[QStringLiteral("id")].toString() == QLatin1String("processor_time"))
            passed = value.toObject()[QStringLiteral("passed")];
    // Others may have had the core of one rank for a while.
    const auto number = [&info](const char* key) { return double(info[QLatin1String(key)].toInteger()); };
    const double time = (number("end_ns") - number("begin_ns")) * ranks;
    QCOMPARE(passed, QJsonValue(isEnough && number("without_core_ns") <= 0.05 * time));
    const Said text = m_runs({QStringLiteral("advise"), m_runs.path("cores.lprec")});
    QCOMPARE(text.out.contains(QStringLiteral("fewer cores than ranks: %1 core").arg(cores)), !isEnough);
}

void TestRecordedRuns::coresThatRanksAreBoundTo_data()
{
    QTest::addColumn<QString>("mpi");
    for (const char* mpi : {"openmpi", "mpich"}) QTest::newRow(mpi) << QString::fromUtf8(mpi);
}

// Two ranks that share one core of several are as many as two on a host with one.
void TestRecordedRuns::coresThatRanksAreBoundTo()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    cpu_set_t all, one;
    QCOMPARE(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
        if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
    QCOMPARE(sched_setaffinity(0, sizeof one, &one), 0);  // what mpirun starts inherits it, unless Open MPI's binds it
    const Said said = m_runs.record("bound.lprec", 2, {RecordedRuns::program("ring", mpi)}, {QStringLiteral("--force")},
                                    mpi,
                                    mpi == QLatin1String("openmpi")
                                        ? QStringList{QStringLiteral("--bind-to"), QStringLiteral("none")}
                                        : QStringList());
    QCOMPARE(sched_setaffinity(0, sizeof all, &all), 0);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QString text = m_runs({QStringLiteral("info"), m_runs.path("bound.lprec")}).out;
    QVERIFY2(text.contains(QLatin1String("fewer cores than ranks: 1 core to run on for 2 ranks")), qPrintable(text));
}

void TestRecordedRuns::summaryIsTheTableOfCalls_data()
{
    QTest::addColumn<QString>("program");
    for (const char* name : {"collective", "ring", "mixed"}) QTest::newRow(name) << QString::fromUtf8(name);
}

// The table is opened like a trace; its parts are those of the recording, call by call, and follow from its times.
void TestRecordedRuns::summaryIsTheTableOfCalls()
{
    QFETCH(QString, program);
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    const QString table = m_runs.path("calls.csv");
    const Said said = m_runs.record("table.lprec", 4, {RecordedRuns::program(qPrintable(program))},
                                    {QStringLiteral("--calls"), table});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY(m_runs.issues(table).empty());
    const auto fromTable = m_runs.calls(table);
    const auto recorded = m_runs.calls(m_runs.path("table.lprec"));
    QCOMPARE(fromTable.size(), recorded.size());
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        const Call& a = fromTable[i];
        const Call& b = recorded[i];
        QCOMPARE(a.name, b.name);
        QCOMPARE(a.rank, b.rank);
        QCOMPARE(a.end - a.begin, b.end - b.begin);
        QCOMPARE(a.begin - fromTable.front().begin, b.begin - recorded.front().begin);
        QCOMPARE(a.before, b.before);
        QCOMPARE(a.execution, b.execution);
        QCOMPARE(a.after, b.after);
    }
}

void TestRecordedRuns::compressionsSayTheSame_data()
{
    QTest::addColumn<QString>("compression");
    for (const char* name : {"off", "min", "max"}) QTest::newRow(name) << QString::fromUtf8(name);
}

void TestRecordedRuns::compressionsSayTheSame()
{
    QFETCH(QString, compression);
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    const Said said = m_runs.record("compressed.lprec", 2, {RecordedRuns::program("ring")},
                                    {QStringLiteral("--compression"), compression});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QCOMPARE(m_runs.calls(m_runs.path("compressed.lprec")).size(), std::size_t(2 * 17));
    QVERIFY(m_runs.issues(m_runs.path("compressed.lprec")).empty());
}

LONGPOLE_TEST(TestRecordedRuns)
#include "tst_recordedruns.moc"
