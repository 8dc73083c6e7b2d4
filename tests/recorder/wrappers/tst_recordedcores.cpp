// SPDX-License-Identifier: GPL-3.0-or-later
// What the machine gave ranks, in the trace: two that never sleep and share one core have together one core's time,
// wait for it all other time, and hear that before all else.
#include "recorder/recordedrun.h"
#include "support/testmain.h"

#include <QTest>

#include <sched.h>

using namespace longpole;
using namespace longpole::test;

class TestRecordedCores : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoRanksOnOneCore_data();
    void twoRanksOnOneCore();

private:
    // Of one counter on the ranks' own threads: time and value.
    struct Sample {
        qint64 time = 0;
        double value = 0;
    };
    std::map<int, std::vector<Sample>> samples(const QString& trace, const char* counter) const
    {
        std::map<int, std::vector<Sample>> all;
        const QString query = QStringLiteral(
                                  "SELECT track.pe rank, time_ns, value FROM counter JOIN track ON track.id = "
                                  "counter.track WHERE counter.name = '%1' ORDER BY rank, time_ns")
                                  .arg(QString::fromUtf8(counter));
        const QJsonArray rows = m_runs.sql(trace, query.toUtf8());
        for (const auto& value : rows) {
            const QJsonObject row = value.toObject();
            all[row[QLatin1String("rank")].toInt()].push_back({row[QLatin1String("time_ns")].toInteger(),
                                                               row[QLatin1String("value")].toDouble()});
        }
        return all;
    }

    RecordedRuns m_runs;
};

void TestRecordedCores::twoRanksOnOneCore_data()
{
    QTest::addColumn<QString>("mpi");
    for (const char* mpi : {"openmpi", "mpich"}) QTest::newRow(mpi) << QString::fromUtf8(mpi);
}

void TestRecordedCores::twoRanksOnOneCore()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    if (!QFile::exists(QStringLiteral("/proc/thread-self/schedstat")))
        QSKIP("The kernel does not say how long threads wait for a core.");
    cpu_set_t all, one;
    QCOMPARE(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    int core = 0;
    while (!CPU_ISSET(core, &all)) ++core;
    CPU_SET(core, &one);
    QCOMPARE(sched_setaffinity(0, sizeof one, &one), 0);
    const Said said = m_runs.record("burn.lprec", 2, {RecordedRuns::program("burn", mpi)}, {QStringLiteral("--force")},
                                    mpi,
                                    mpi == QLatin1String("openmpi")
                                        ? QStringList{QStringLiteral("--bind-to"), QStringLiteral("none")}
                                        : QStringList());
    QCOMPARE(sched_setaffinity(0, sizeof all, &all), 0);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QString trace = m_runs.path("burn.lprec");

    const auto cpu = samples(trace, "CPU time (ns)"), without = samples(trace, "Waited for a core (ns)"),
               cores = samples(trace, "Core"), taken = samples(trace, "Lost its core");
    double together = 0;
    for (const int rank : {0, 1}) {
        QVERIFY(cpu.at(rank).size() > 20 && without.at(rank).size() == cpu.at(rank).size());
        // A thread that never sleeps runs or waits for a core.
        double sum = 0;
        for (std::size_t i = 1; i < cpu.at(rank).size(); ++i) sum += cpu.at(rank)[i].value + without.at(rank)[i].value;
        const auto time = double(cpu.at(rank).back().time - cpu.at(rank).front().time);
        QVERIFY2(sum > 0.9 * time && sum < 1.1 * time, qPrintable(QStringLiteral("%1 of %2").arg(sum).arg(time)));
        double computed = 0, switches = 0;
        for (const Sample& sample : cpu.at(rank)) computed += sample.value;
        QVERIFY2(computed > 0.5e9, qPrintable(QString::number(computed)));
        for (const Sample& sample : cores.at(rank)) QCOMPARE(sample.value, double(core));
        for (const Sample& sample : taken.at(rank)) switches += sample.value;
        QVERIFY(switches > 0);
        for (const Sample& sample : without.at(rank)) together += sample.value;
    }
    const auto answer = [&](const char* command) {
        const Said out = m_runs({QString::fromUtf8(command), trace, QStringLiteral("--json")});
        return QJsonDocument::fromJson(out.out.toUtf8()).object();
    };
    const QJsonObject info = answer("info");
    QCOMPARE(info[QStringLiteral("cores")].toInteger(), 1);
    QCOMPARE(double(info[QStringLiteral("without_core_ns")].toInteger()), together);
    const auto duration = double(info[QStringLiteral("end_ns")].toInteger()
                                 - info[QStringLiteral("begin_ns")].toInteger());
    QVERIFY2(together > 0.8 * duration, qPrintable(QStringLiteral("%1 of %2").arg(together).arg(duration)));
    // What the recorder does before the run and behind it is no part of it.
    double used = 0;
    for (const auto& [rank, all] : cpu)
        for (const Sample& sample : all) used += sample.value;
    QVERIFY2(together + used < 2 * duration + 2e8,
             qPrintable(QStringLiteral("%1 and %2 of %3").arg(together).arg(used).arg(duration)));

    const QJsonArray advice = answer("advise")[QStringLiteral("advice")].toArray();
    QVERIFY(!advice.isEmpty());
    const bool haveOthersMost = together > duration && used < 0.5 * duration;  // on a machine that is busy
    QCOMPARE(advice[0].toObject()[QStringLiteral("title")].toString(),
             haveOthersMost ? QStringLiteral("Run where nothing else takes the cores")
                            : QStringLiteral("Start no more ranks than cores"));
    QCOMPARE(advice.size(), 1);  // of what they waited for each other nothing is said
}

LONGPOLE_TEST(TestRecordedCores)
#include "tst_recordedcores.moc"
