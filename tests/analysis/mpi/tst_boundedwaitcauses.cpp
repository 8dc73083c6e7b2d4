// SPDX-License-Identifier: GPL-3.0-or-later
// Causes of waits take bounded time and memory, however many waits, communicators and regions there are.
#include "analysis/mpi/commonsyncs.h"
#include "analysis/mpi/delaycosts.h"
#include "analysis/mpi/threadcosts.h"
#include "support/mpi/mpirows.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <ctime>

#include <sys/resource.h>

using namespace longpole;

namespace {

// The largest that this process ever was, kB; and its CPU time.
long peak()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}
double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

class TestBoundedWaitCauses : public QObject {
    Q_OBJECT

    const QTemporaryDir m_folder;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // Two ranks that compete for a lock: each wait may come from all waits of the other rank before it.
    void ranksThatNeverMeet()
    {
        constexpr std::uint32_t waits = 10'000;
        constexpr TimeNs apart = 20;
        WaitRecords records;
        records.ranks.resize(2);
        for (std::uint32_t rank = 0; rank < 2; ++rank) {
            WaitRank& own = records.ranks[rank];
            own.calls.resize(waits);
            for (std::uint32_t i = 0; i < waits; ++i) {
                const TimeNs begin = apart * i + rank;
                own.calls.set(i, begin, 7);
                own.waits.push_back({i, static_cast<std::int32_t>(1 - rank), i, 0, WaitPattern::LateSender});
                own.activity.add(0, {begin + 7, begin + 10 + rank});
            }
            own.calls.close();
            own.activity.close();
        }
        const WaitChoice choice({}, {0, apart * waits + 100});
        const Progress over;
        over.cancel();
        const auto cancelled = delayCosts(records, choice, over);
        QVERIFY(!cancelled && wasCancelled(cancelled.error()));
        const long before = peak();
        const double start = cpuSeconds();
        QVERIFY(delayCosts(std::move(records), choice, Progress{}).ok());
        QVERIFY2(peak() - before < 200'000, qPrintable(QString::number(peak() - before)));
        QVERIFY2(cpuSeconds() - start < 10, qPrintable(QString::number(cpuSeconds() - start)));
    }

    // Rank 1 was late in all communicators but the first, and rank 0 waits for it: the meeting is found if it is not
    // many communicators ago.
    void manyCommunicators()
    {
        constexpr std::uint32_t waits = 1500;
        const auto syncs = [](std::uint32_t comms) {
            WaitRecords records;
            records.ranks.resize(2);
            for (std::uint32_t rank = 0; rank < 2; ++rank) {
                WaitRank& own = records.ranks[rank];
                own.calls.resize(comms + waits);
                for (std::uint32_t i = 0; i < comms + waits; ++i) {
                    own.calls.set(i, 10 * TimeNs{i} + (i > 0 && i < comms ? 5 * rank : 0), 0);
                    if (i < comms) own.collectives.push_back({0, static_cast<std::int32_t>(i), -1, i});
                    else if (rank == 0) own.waits.push_back({i, 1, i, 0, WaitPattern::LateSender});
                }
                own.calls.close();
            }
            const std::array collectives{CollectiveCalls(records.ranks[0]), CollectiveCalls(records.ranks[1])};
            return commonSyncs(records, collectives, 0, Progress{});
        };
        QCOMPARE(syncs(100), std::vector<CommonSync>(waits, CommonSync{0, 0}));
        const double start = cpuSeconds();
        QCOMPARE(syncs(20'000), std::vector<CommonSync>(waits));
        QVERIFY2(cpuSeconds() - start < 5, qPrintable(QString::number(cpuSeconds() - start)));
    }

    // A thread waits 50 times for another one's hundred regions, and once for one of them. Beyond the limit long waits
    // have no cause; the short one has.
    void causesOfThreadWaitsAreBounded()
    {
        constexpr TimeNs regions = 100, each = 10, waits = 50;
        constexpr TrackId own{10}, other{12};
        const QString path = m_folder.filePath(QStringLiteral("threads.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        addSmallDefinitions(**writer);
        (*writer)->add(Track{.id = other,
                             .parent = TrackId{1},
                             .kind = TrackKind::Thread,
                             .name = QStringLiteral("thread 1"),
                             .pe = ProcessorId{0}});
        for (std::uint32_t i = 100; i < 100 + regions; ++i)
            (*writer)->add(Region{.id = RegionId{i}, .kind = RegionKind::Function, .name = QStringLiteral("f")});
        auto stream = (*writer)->stream(0);
        for (TimeNs i = 0; i < regions; ++i)
            stream->append(ChunkKind::Interval, other, Row{each * i, each, 0, 0, 100 + i, -1});
        const auto wait = [&](TimeNs length) {
            stream->append(ChunkKind::ThreadWait, own,
                           Row{0, length, 1, length, std::int64_t(WaitPattern::OmpBarrier), -1, index(other)});
        };
        for (TimeNs i = 0; i < waits; ++i) wait(regions * each);
        wait(each);
        stream->close();
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = TraceStore::open(path);
        QVERIFY(store.ok());
        const WaitChoice choice({}, {0, regions * each});
        DelayCosts costs;
        QVERIFY(addThreadCosts(**store, choice, costs, Progress{}).ok());
        QCOMPARE(costs.byEntry.size(), std::size_t(regions));
        QCOMPARE(costs.byEntry.front(), (DelayCost{.entry = EntryId{100}, .direct = (waits + 1) * each}));
        QCOMPARE(costs.byEntry.back().direct, waits * each);
        constexpr Limit few{"", 1000, 10, "", ""};
        DelayCosts bounded;
        QVERIFY(addThreadCosts(**store, choice, bounded, Progress{}, few).ok());
        const std::int64_t divided = bounded.byEntry.back().direct / each;
        QVERIFY(divided > 0 && divided * regions <= few.of(waits + 1));
        QCOMPARE(bounded.byEntry.back().direct, divided * each);
        QCOMPARE(bounded.byEntry.front(), (DelayCost{.entry = EntryId{100}, .direct = (divided + 1) * each}));
    }
};

LONGPOLE_TEST(TestBoundedWaitCauses)
#include "tst_boundedwaitcauses.moc"
