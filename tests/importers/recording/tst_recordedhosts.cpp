// SPDX-License-Identifier: GPL-3.0-or-later
// What a recording says of the machines that its ranks were on: their clocks, their cores, and where the run begins.
#include "importers/recording/recordedranks.h"
#include "importers/recording/source.h"
#include "recorder/format/format.h"
#include "support/mpi/recorded.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <iterator>

using namespace longpole;

using Clock = std::vector<lp_clock_point>;
Q_DECLARE_METATYPE(Clock)

class TestRecordedHosts : public QObject, private RecordedRanks {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void alignsClocks_data();
    void alignsClocks();
    void countsCores();
    void countsCoresThatRanksAreBoundTo();
    void findsTheFirstInit();
};

void TestRecordedHosts::init()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
    begin();
}

void TestRecordedHosts::alignsClocks_data()
{
    QTest::addColumn<Clock>("clock");
    QTest::addColumn<bool>("otherHost");
    QTest::addColumn<bool>("inIndexOnly");
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("end");
    const lp_clock_point none{};
    const lp_clock_point first{.local = 0, .offset = 1000, .error = 3, .method = LP_CLOCK_RTT, .reserved = 0};
    const lp_clock_point second{.local = 1000, .offset = 2000, .error = 3, .method = LP_CLOCK_RTT, .reserved = 0};
    QTest::newRow("one host") << Clock{none, none} << false << false << qint64{500} << qint64{1500};
    QTest::newRow("measured once") << Clock{first, none} << true << false << qint64{1500} << qint64{2500};
    QTest::newRow("drift") << Clock{first, second} << true << false << qint64{2000} << qint64{3500};
    QTest::newRow("in the index") << Clock{first, second} << true << true << qint64{2000} << qint64{3500};
    QTest::newRow("by date") << Clock{none, none} << true << false << qint64{500 + 7'000'000}
                             << qint64{1500 + 7'000'000};
}

void TestRecordedHosts::alignsClocks()
{
    QFETCH(Clock, clock);
    QFETCH(bool, otherHost);
    QFETCH(bool, inIndexOnly);
    QFETCH(qint64, begin);
    QFETCH(qint64, end);
    record(2, [](int) { putCall(madeCall(LP_Barrier, 500, 1500)); });
    patchHeader(rankPath(folder(), 0), [](lp_header& header) { header.start = header.start_wall = 0; });
    patchHeader(rankPath(folder(), 1), [&](lp_header& header) {
        header.start = 1'000'000;
        header.start_wall = 8'000'000;
        if (otherHost) header.boot_id[0] = 'x';
        if (!inIndexOnly) std::copy_n(clock.begin(), 2, header.clock);
    });
    if (inIndexOnly) {
        runRecorded(m_folder->filePath(QStringLiteral("other")), {}, [&] {
            lp_open(0, 2, 1);
            lp_set_run(77);
            lp_index_rank rows[2]{};
            std::copy_n(clock.begin(), 2, rows[1].clock);
            lp_write_index(rows, 2);
        });
        QVERIFY(QFile::remove(folder() + QStringLiteral("/index.lpindex")));
        QVERIFY(QFile::copy(m_folder->filePath(QStringLiteral("other/index.lpindex")),
                            folder() + QStringLiteral("/index.lpindex")));
    }
    Opened opened(folder());
    QCOMPARE(opened.events(0).first(), QStringLiteral("500 MPI_Barrier"));
    QCOMPARE(opened.events(1),
             (QStringList{QStringLiteral("%1 MPI_Barrier").arg(begin), QStringLiteral("%1 end").arg(end)}));
    const bool isByDate = otherHost && clock[0].method == LP_CLOCK_UNKNOWN;
    QCOMPARE(opened.issues(), isByDate ? QStringList{QStringLiteral("clock_by_date")} : QStringList());
}

// Two of three ranks share a host with one core.
void TestRecordedHosts::countsCores()
{
    record(3, [](int) { putCall(madeCall(LP_Barrier, 500, 1500)); });
    for (const int rank : {0, 1, 2})
        patchHeader(rankPath(folder(), rank), [rank](lp_header& header) {
            header.own_cores = 0;
            header.cores = rank == 2 ? 8 : 1;
            header.cpu = 100 + rank;
            header.flags |= LP_KNOWS_WAITS_FOR_CORES;
            header.without_core = 10 + static_cast<std::uint64_t>(rank);
            if (rank == 2) header.host[0] = 'x';
        });
    {
        const Opened opened(folder());
        QCOMPARE(opened.source->names().info.cores, std::int64_t(2));
        QCOMPARE(opened.source->names().info.cpu, TimeNs(303));
        QCOMPARE(opened.source->names().info.withoutCore, TimeNs(33));
        QCOMPARE(opened.source->names().info.withoutCoreMost, std::int64_t(2));
    }
    patchHeader(rankPath(folder(), 1), [](lp_header& header) {  // killed, on a kernel that does not count
        header.cpu = 0;
        header.flags = 0;
    });
    {
        const Opened opened(folder());
        QCOMPARE(opened.source->names().info.cores, std::int64_t(2));
        QCOMPARE(opened.source->names().info.cpu, TimeNs(0));
        QCOMPARE(opened.source->names().info.withoutCore, TimeNs(-1));
        QCOMPARE(opened.source->names().info.withoutCoreMost, std::int64_t(-1));
    }
    patchHeader(rankPath(folder(), 1), [](lp_header& header) { header.cores = 0; });  // an older recorder's
    const Opened opened(folder());
    QCOMPARE(opened.source->names().info.cores, std::int64_t(0));
}

// Three ranks on a host with eight cores, of which two are bound to the same.
void TestRecordedHosts::countsCoresThatRanksAreBoundTo()
{
    record(3, [](int) { putCall(madeCall(LP_Barrier, 500, 1500)); });
    const auto bind = [this](int rank, std::uint64_t cores, std::uint32_t count) {
        patchHeader(rankPath(folder(), rank), [cores, count](lp_header& header) {
            header.cores = 8;
            header.own_cores = count;
            std::fill(std::begin(header.own_core), std::end(header.own_core), 0);
            header.own_core[0] = cores;
        });
    };
    const auto cores = [this] { return Opened(folder()).source->names().info.cores; };
    bind(0, 0b10, 1);
    bind(1, 0b10, 1);
    bind(2, 0b11111111, 8);
    QCOMPARE(cores(), std::int64_t(2));
    bind(0, 0b110, 2);
    QCOMPARE(cores(), std::int64_t(3));
    bind(0, 0b10, 3);  // two of its cores are beyond those that are listed
    QCOMPARE(cores(), std::int64_t(3));
}

void TestRecordedHosts::findsTheFirstInit()
{
    record(3, [](int rank) { putCall(madeCall(LP_Init_thread, 100, 1000 - rank)); });
    QCOMPARE(Opened(folder()).source->names().info.begin, TimeNs{998});
    QDir(folder()).removeRecursively();
    record(3, [](int rank) { putCall(madeCall(LP_Barrier, 100 + rank, 1000)); });
    QCOMPARE(Opened(folder()).source->names().info.begin, TimeNs{100});
}

LONGPOLE_TEST(TestRecordedHosts)
#include "tst_recordedhosts.moc"
