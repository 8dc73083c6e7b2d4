// SPDX-License-Identifier: GPL-3.0-or-later
// What OTF2 archives say beside calls: counters, pauses, clocks, ranks and names of rows.
#include "importers/otf2/clock.h"
#include "importers/otf2/sourcerun.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <limits>

using namespace longpole;

class TestOtf2Rows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void givesCounters();
    void endsFlushesAndPauses();
    void correctsClocks();
    void convertsTicks_data();
    void convertsTicks();
    void namesRows();
    void knowsRanksWithoutMpi();
    void skipsWhatIsNotDefined();
};

void TestOtf2Rows::givesCounters()
{
    SourceRun run;
    run.archive.mpi(2);
    const OTF2_MetricMemberRef cycles = run.archive.metricMember(QStringLiteral("cycles"),
                                                                 OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64);
    const OTF2_MetricMemberRef heap = run.archive.metricMember(QStringLiteral("heap"), OTF2_METRIC_RELATIVE_POINT,
                                                               OTF2_TYPE_INT64, QStringLiteral("bytes"), 3);
    const OTF2_MetricMemberRef power = run.archive.metricMember(QStringLiteral("power"), OTF2_METRIC_ABSOLUTE_POINT,
                                                                OTF2_TYPE_DOUBLE);
    const OTF2_MetricRef both = run.archive.metricClass({cycles, heap});
    const OTF2_MetricRef one = run.archive.metricClass({power});
    const OTF2_MetricRef ofHost = run.archive.metricInstance(one, 0, OTF2_SCOPE_SYSTEM_TREE_NODE, 0);
    const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64};
    const OTF2_Type real = OTF2_TYPE_DOUBLE;
    OTF2_MetricValue values[2];
    values[0].unsigned_int = 1000;
    values[1].signed_int = 5;
    OTF2_MetricValue watts;
    watts.floating_point = 2.5;
    OTF2_EvtWriter* events = run.archive.events(0);
    OTF2_EvtWriter_Metric(events, nullptr, 1, both, 2, types, values);
    values[1].signed_int = -2;
    OTF2_EvtWriter_Metric(events, nullptr, 2, both, 2, types, values);
    OTF2_EvtWriter_Metric(events, nullptr, 3, one, 1, &real, &watts);
    OTF2_EvtWriter_Metric(events, nullptr, 4, ofHost, 1, &real, &watts);
    OTF2_EvtWriter_Metric(events, nullptr, 5, 99, 1, &real, &watts);
    QCOMPARE(run.read(), linesFrom("1 counter cycles = 1000|1 counter heap (bytes) = 5000|2 counter cycles = 1000|"
                                   "2 counter heap (bytes) = 3000|3 counter power = 2.5|4 counter power, host0 = 2.5"));
    QCOMPARE(run.logs.issues(), linesFrom("unknown_definition 1"));
}

void TestOtf2Rows::endsFlushesAndPauses()
{
    SourceRun run;
    run.archive.mpi(1);
    OTF2_EvtWriter* events = run.archive.events(0);
    run.archive.enter(0, 1, run.main);
    OTF2_EvtWriter_BufferFlush(events, nullptr, 2, 4);
    run.archive.leave(0, 5, run.main);
    OTF2_EvtWriter_BufferFlush(events, nullptr, 6, 90);  // ends behind the next record
    run.archive.enter(0, 7, run.main);
    OTF2_EvtWriter_MeasurementOnOff(events, nullptr, 8, OTF2_MEASUREMENT_OFF);
    OTF2_EvtWriter_MeasurementOnOff(events, nullptr, 9, OTF2_MEASUREMENT_ON);
    OTF2_EvtWriter_MeasurementOnOff(events, nullptr, 10, OTF2_MEASUREMENT_OFF);
    run.archive.leave(0, 11, run.main);
    QCOMPARE(run.read(), linesFrom("1 enter main|2 enter TRACE BUFFER FLUSH|4 leave TRACE BUFFER FLUSH|5 leave main|"
                                   "6 enter TRACE BUFFER FLUSH|7 leave TRACE BUFFER FLUSH|7 enter main|"
                                   "8 enter MEASUREMENT OFF|9 leave MEASUREMENT OFF|10 enter MEASUREMENT OFF|"
                                   "11 leave MEASUREMENT OFF|11 leave main"));
}

// Linear between two measurements of the offset, and beyond the last.
void TestOtf2Rows::correctsClocks()
{
    SourceRun run;
    run.archive.mpi(1);
    run.archive.clock(1'000'000'000, 1000);
    run.archive.clockOffset(0, 2000, 100);
    run.archive.clockOffset(0, 4000, 300);
    for (const OTF2_TimeStamp time : {2000, 3000, 4000, 5000}) run.archive.enter(0, time, run.main);
    QCOMPARE(run.read(), linesFrom("1100 enter main|2200 enter main|3300 enter main|4400 enter main"));
    QCOMPARE(run.source->names().info.begin, 1100);
}

void TestOtf2Rows::convertsTicks_data()
{
    QTest::addColumn<quint64>("resolution");
    QTest::addColumn<quint64>("zero");
    QTest::addColumn<quint64>("ticks");
    QTest::addColumn<qint64>("ns");
    constexpr quint64 most = std::numeric_limits<quint64>::max();
    constexpr qint64 latest = farthestRead;
    QTest::newRow("ns") << quint64(1'000'000'000) << quint64(5) << quint64(12) << qint64(7);
    QTest::newRow("before zero") << quint64(1'000'000'000) << quint64(12) << quint64(5) << qint64(-7);
    QTest::newRow("us") << quint64(1'000'000) << quint64(0) << quint64(3) << qint64(3000);
    QTest::newRow("rounds up") << quint64(2'000'000'000) << quint64(0) << quint64(3) << qint64(2);
    QTest::newRow("rounds down") << quint64(3'000'000'000) << quint64(0) << quint64(4) << qint64(1);
    QTest::newRow("a year of 2.4 GHz") << quint64(2'400'000'000) << quint64(0) << quint64(75'686'400'000'000'001)
                                       << qint64(31'536'000'000'000'000);
    QTest::newRow("ps") << quint64(1'000'000'000'000) << quint64(0) << quint64(1'234'567'890'123'456'789)
                        << qint64(1'234'567'890'123'457);
    QTest::newRow("finer than all") << most << quint64(0) << most << qint64(1'000'000'000);
    QTest::newRow("beyond all time") << quint64(1) << quint64(0) << most << latest;
    QTest::newRow("no resolution") << quint64(0) << quint64(0) << quint64(9) << qint64(9);
}

void TestOtf2Rows::convertsTicks()
{
    QFETCH(quint64, resolution);
    QFETCH(quint64, zero);
    QFETCH(quint64, ticks);
    QTEST(qint64(Otf2Clock(resolution, zero).toNs(ticks)), "ns");
}

// Rank rows first, then the threads and streams of each rank; devices belong to the process that made them.
void TestOtf2Rows::namesRows()
{
    SourceRun run;
    run.archive.mpi(2, 1);
    run.archive.location(10, 0, QStringLiteral("OMP thread 1"));
    const OTF2_LocationGroupRef device = run.archive.process(QStringLiteral("GPU"), 1,
                                                             OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1);
    run.archive.location(std::uint64_t(1) << 40, device, QStringLiteral("Stream 1"),
                         OTF2_LOCATION_TYPE_ACCELERATOR_STREAM);
    run.archive.enter(10, 1, run.main);
    run.read();
    QStringList rows;
    for (const MpiLocation& row : run.source->names().locations)
        rows += QStringLiteral("%1 %2 %3 %4").arg(row.name, row.host).arg(row.rank).arg(int(row.kind));
    const auto line = [](const char* text, TrackKind kind) { return QString::fromLatin1(text).arg(int(kind)); };
    QCOMPARE(rows, QStringList({line("MPI Rank 0 host0 0 %1", TrackKind::Rank),
                                line("MPI Rank 1 host1 1 %1", TrackKind::Rank),
                                line("OMP thread 1 host0 0 %1", TrackKind::Thread),
                                line("Stream 1 host1 1 %1", TrackKind::Stream)}));
    QCOMPARE(run.source->names().ranks, 2u);
    QCOMPARE(run.lines(2), linesFrom("1 enter main"));
    QCOMPARE(run.logs.issues(), QStringList());  // that others have no file is no loss: they had no events
}

void TestOtf2Rows::knowsRanksWithoutMpi()
{
    SourceRun run;
    const OTF2_SystemTreeNodeRef host = run.archive.host(QStringLiteral("here"));
    for (const OTF2_LocationRef process : {0u, 1u}) {
        const OTF2_LocationGroupRef group = run.archive.process(QStringLiteral("Process"), host);
        run.archive.location(100 * process + 1, group, QStringLiteral("Stream"), OTF2_LOCATION_TYPE_ACCELERATOR_STREAM);
        run.archive.location(100 * process + 2, group, QStringLiteral("Master"));
    }
    run.archive.enter(102, 5, run.main);
    run.read();
    QCOMPARE(run.source->names().ranks, 2u);
    QCOMPARE(run.lines(1), linesFrom("5 enter main"));
    QVERIFY(run.source->names().communicators.empty());
}

void TestOtf2Rows::skipsWhatIsNotDefined()
{
    SourceRun run;
    run.archive.mpi(1);
    run.archive.enter(0, 1, run.main);
    run.archive.enter(0, 2, 4711);
    run.archive.leave(0, 3, 4711);
    run.archive.leave(0, 4, run.main);
    QCOMPARE(run.read(), linesFrom("1 enter main|4 leave main"));
    QCOMPARE(run.logs.issues(), linesFrom("unknown_definition 1"));
}

LONGPOLE_TEST(TestOtf2Rows)
#include "tst_otf2rows.moc"
