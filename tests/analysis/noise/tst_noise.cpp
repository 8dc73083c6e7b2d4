// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters of durations and stretched tasks: durations of known stretch, and conservation on real traces.
#include "analysis/noise/noise.h"
#include "analysis/realtraces.h"
#include "support/testmain.h"
#include "support/units.h"
#include "support/writtentrace.h"

#include <QTemporaryDir>
#include <QTest>

#include <ctime>
#include <random>

using namespace longpole;

namespace {

std::vector<ValueCount> countsOf(const std::vector<TimeNs>& durations)
{
    ValueCounts counts;
    for (const TimeNs duration : durations) counts.add(duration);
    return counts.sorted();
}

std::vector<std::int64_t> sizesOf(const std::vector<DurationCluster>& clusters)
{
    std::vector<std::int64_t> sizes;
    for (const DurationCluster& cluster : clusters) sizes.push_back(cluster.count);
    return sizes;
}

using Sizes = std::vector<std::int64_t>;

// 100 tasks of 100 us on PE 0, 10 us apart, of which every tenth takes 300 us; PE 1 has none of the long ones.
Written stretchedRun()
{
    Written run{.tasks = {{}, {}}, .messages = {{}, {}}};
    TimeNs time = 0;
    for (int i = 0; i < 100; ++i) {
        const TimeNs duration = i % 10 == 9 ? 300 * us : 100 * us;
        run.tasks[0].push_back({.begin = time, .duration = duration});
        run.tasks[1].push_back({.begin = time, .duration = 100 * us});
        time += duration + 10 * us;
    }
    return run;
}

// So many entry methods of 60 tasks, the last of which took three times as long: rare enough to be an interruption. And
// one more, with about twice so many tasks as are `stretched`.
Result<std::shared_ptr<const TraceStore>> manyNoisyEntries(const QString& path, std::uint32_t entries, int stretched,
                                                           TimeNs withoutCore = -1)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    addSmallDefinitions(**writer);
    for (std::uint32_t entry = 2; entry <= entries; ++entry)
        (*writer)->add(Entry{.id = EntryId{entry}, .name = QStringLiteral("f"), .chare = QStringLiteral("Main")});
    TraceInfo info = smallInfo();
    info.withoutCore = withoutCore;
    (*writer)->setInfo(info);
    auto stream = (*writer)->stream(0);
    TimeNs time = 0;
    const auto run = [&](std::int64_t entry, bool isLong) {
        const TimeNs duration = isLong ? 300 * us : 100 * us;
        stream->append(ChunkKind::Task, TrackId{10}, taskRow(time, time + duration, entry));
        time += duration;
    };
    for (std::uint32_t entry = 0; entry < entries; ++entry)
        for (int i = 0; i < 60; ++i) run(entry, i == 59);
    for (int i = 0; i < 2 * stretched + stretched / 10; ++i) run(entries, i < stretched);
    stream->close();
    if (const Result<> finished = (*writer)->finish(Progress()); !finished) return finished.error();
    return TraceStore::open(path);
}

}  // namespace

class TestNoise : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void clusters()
    {
        QVERIFY(durationClusters({}).empty());
        const auto two = durationClusters(countsOf({100 * us, 101 * us, 99 * us, 100 * us, 300 * us, 310 * us}));
        QCOMPARE(two.size(), std::size_t(2));
        QCOMPARE(two[0], (DurationCluster{99 * us, 101 * us, 100 * us, 4, 400 * us}));
        QCOMPARE(two[1], (DurationCluster{300 * us, 310 * us, 300 * us, 2, 610 * us}));
        // Logs have microseconds: neighbours at their resolution are no clusters.
        QCOMPARE(durationClusters(countsOf({0, 1 * us, 2 * us, 3 * us, 4 * us, 5 * us, 6 * us})).size(),
                 std::size_t(1));
        QCOMPARE(sizesOf(durationClusters(countsOf({1 * us, 1 * us, 20 * us}))), (Sizes{2, 1}));
    }

    void broadDistributionsHaveOneCluster()
    {
        std::mt19937 random(5);
        std::vector<TimeNs> even;
        std::vector<TimeNs> normal;
        std::normal_distribution<double> jitter(100, 12);
        for (int i = 0; i < 20'000; ++i) {
            even.push_back((20 + TimeNs(random() % 200)) * us);
            normal.push_back(TimeNs(jitter(random)) * us);
        }
        QCOMPARE(durationClusters(countsOf(even)).size(), std::size_t(1));
        QCOMPARE(durationClusters(countsOf(normal)).size(), std::size_t(1));
        for (int i = 0; i < 200; ++i) normal.push_back(TimeNs(400 + random() % 40) * us);
        QCOMPARE(sizesOf(durationClusters(countsOf(normal))), (Sizes{20'000, 200}));
    }

    void countsAreKept()
    {
        std::mt19937 random(9);
        for (int round = 0; round < 50; ++round) {
            std::vector<TimeNs> durations;
            for (std::uint32_t i = 0; i < 1 + random() % 300; ++i)
                durations.push_back(TimeNs(random() % 1000) * TimeNs(std::pow(10, random() % 6)));
            const std::vector<ValueCount> counts = countsOf(durations);
            const ValueSummary summary = summarize(counts);
            std::int64_t count = 0;
            TimeNs sum = 0;
            TimeNs last = -1;
            for (const DurationCluster& cluster : durationClusters(counts)) {
                QVERIFY(cluster.first > last);
                QVERIFY(cluster.first <= cluster.median && cluster.median <= cluster.last);
                last = cluster.last;
                count += cluster.count;
                sum += cluster.sum;
            }
            QCOMPARE(count, summary.count);
            QCOMPARE(sum, summary.sum);
        }
    }

    void stretchedTasks()
    {
        QTemporaryDir folder;
        const auto trace = store(stretchedRun(), folder.filePath(QStringLiteral("t")));
        QVERIFY(trace);
        const auto found = noise(*trace, {.worst = 3}, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->entries.size(), std::size_t(1));
        const EntryNoise& entry = found->entries.front();
        QCOMPARE(entry.count, 200);
        QCOMPARE(entry.usual(), 100 * us);
        QCOMPARE(sizesOf(entry.clusters), (Sizes{190, 10}));
        QCOMPARE(entry.stretched, 10);
        QCOMPARE(entry.lost, 2000 * us);
        QCOMPARE(found->lost, 2000 * us);
        QCOMPARE(found->time, 200 * 100 * us + 2000 * us);
        QCOMPARE(found->worst.size(), std::size_t(3));
        QCOMPARE(found->worst[0], (StretchedTask{{ProcessorId{0}, 9}, EntryId{0}, 9 * 110 * us, 300 * us, 200 * us}));
        QCOMPARE(found->worst[2].task, (TaskId{ProcessorId{0}, 29}));
        QCOMPARE(found->periods.size(), std::size_t(1));
        QCOMPARE(found->periods[0].pe, ProcessorId{0});
        QCOMPARE(found->periods[0].period, 10 * 110 * us + 200 * us);
        QCOMPARE(found->periods[0].tasks, 10);
        QCOMPARE(found->periods[0].regular, 1.0);
    }

    // A cluster of many tasks is something that they usually do, too.
    void severalUsualDurations()
    {
        QTemporaryDir folder;
        const auto trace = store(stretchedRun(), folder.filePath(QStringLiteral("t")));
        QVERIFY(noise(*trace, {.usualShare = 0.04}, {}, Progress{})->entries.empty());
        const auto found = noise(*trace, {.usualShare = 0.99}, {}, Progress{});  // none is usual: most tasks decide
        QCOMPARE(found->entries.at(0).usual(), 100 * us);
    }

    void partsOfARun()
    {
        QTemporaryDir folder;
        const auto trace = store(stretchedRun(), folder.filePath(QStringLiteral("t")));
        QVERIFY(noise(*trace, {.pes = {ProcessorId{1}}}, {}, Progress{})->entries.empty());
        // The first 30 tasks of each PE, with three stretched ones: too few for a period.
        const auto begun = noise(*trace, {.range = {0, 3 * 1300 * us}}, {}, Progress{});
        QCOMPARE(begun->stretched, 3);
        QVERIFY(begun->periods.empty());
        QVERIFY(noise(*trace, {.leastTasks = 1000}, {}, Progress{})->entries.empty());
        QVERIFY(noise(*trace, {.ratio = 4}, {}, Progress{})->entries.empty());
        QVERIFY(noise(*trace, {.least = 201 * us}, {}, Progress{})->entries.empty());
    }

    void periods()
    {
        double regular = 0;
        QCOMPARE(regularPeriod({0, 10, 20, 30, 40, 50}, regular), 10);
        QCOMPARE(regularPeriod({0, 10, 20, 30, 40}, regular), 0);           // too few
        QCOMPARE(regularPeriod({0, 10, 30, 40, 50, 70, 80}, regular), 10);  // one is missed now and then
        QCOMPARE(regular, 1.0);
        QCOMPARE(regularPeriod({0, 3, 40, 47, 110, 111, 300}, regular), 0);
        QCOMPARE(regularPeriod({5, 5, 5, 5, 5, 5, 5}, regular), 0);
    }

    void realTraces_data() { RealTraces::addRows(); }
    void realTraces()
    {
        QFETCH(QString, name);
        const auto opened = m_traces.open(name);
        if (!opened) QSKIP("not imported");
        const auto found = noise(**opened, {.worst = 1'000'000}, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->time, (*opened)->info().busy);
        QCOMPARE(std::int64_t(found->worst.size()), found->stretched);  // the second pass finds what the first counted
        TimeNs lost = 0;
        for (const StretchedTask& task : found->worst) {
            const auto detail = (*opened)->task(task.task);
            QCOMPARE(detail->exclusive, task.duration);
            QCOMPARE(detail->entry, task.entry);
            lost += task.lost;
        }
        QCOMPARE(lost, found->lost);
    }

    // Which of the worst tasks were interrupted is found in one walk over them, however many entry methods were.
    void manyInterruptedEntries()
    {
        constexpr std::uint32_t entries = 2'500;
        constexpr int stretched = 60'000;
        QTemporaryDir folder;
        const auto store = manyNoisyEntries(folder.filePath(QStringLiteral("t")), entries, stretched);
        QVERIFY(store.ok());
        const auto secondsFor = [&store](std::size_t worst, Noise& result) {
            const std::clock_t begun = std::clock();
            auto found = noise(**store, {.usualShare = 0.5, .worst = worst}, {}, Progress{});
            if (found) result = std::move(*found);
            return double(std::clock() - begun) / CLOCKS_PER_SEC;
        };
        Noise all, few;
        const double one = secondsFor(1, few), each = secondsFor(1'000'000, all);
        QCOMPARE(all.worst.size(), std::size_t(stretched) + entries);
        QCOMPARE(all.interrupted, entries);
        QCOMPARE(all.interruptedFor, entries * 200 * us);
        for (const StretchedTask& task : all.worst) QCOMPARE(task.isInterrupted, index(task.entry) < entries);
        QCOMPARE(few.worst.size(), std::size_t(1));
        QCOMPARE(few.interrupted, entries);
        QVERIFY2(each < 3 * one + 0.1, qPrintable(QStringLiteral("%1 s, not %2 s").arg(each).arg(one)));
    }

    // Of three entry methods whose long tasks may each have lost 200 us.
    void noLongerThanRanksWaitedForCores()
    {
        QTemporaryDir folder;
        for (const auto& [withoutCore, interrupted] :
             {std::pair(TimeNs{-1}, 3), {TimeNs{0}, 0}, {450 * us, 2}, {600 * us, 3}}) {
            const auto store = manyNoisyEntries(folder.filePath(QStringLiteral("t")), 3, 0, withoutCore);
            QVERIFY(store.ok());
            const auto found = noise(**store, {.usualShare = 0.5}, {}, Progress{});
            QVERIFY(found.ok());
            QCOMPARE(found->stretched, 3);
            QCOMPARE(found->interrupted, interrupted);
            QCOMPARE(found->interruptedFor, interrupted * 200 * us);
        }
    }

    // Ids may be any number: what is known of entry methods does not take the room of all ids below.
    void idsFarApart()
    {
        constexpr std::uint32_t far = 4'000'000'000;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("far.longpole"));
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            addSmallDefinitions(**writer);
            (*writer)->add(Entry{.id = EntryId{far}, .name = QStringLiteral("far()"), .chare = {}});
            auto stream = (*writer)->stream(0);
            for (TimeNs begin = 1000; begin < 101'000'000; begin += 1'000'000) {
                const bool isLong = begin > 90'000'000;
                Row row = taskRow(begin, begin + (isLong ? 900'000 : 100'000), far);
                row[TaskColumn::Cpu] = isLong ? 100 : 100'000;
                stream->append(ChunkKind::Task, TrackId{10}, row);
            }
            stream->close();
            QVERIFY((*writer)->finish(Progress()).ok());
        }
        const auto store = TraceStore::open(path);
        QVERIFY(store.ok());
        const auto cpu = processorTime(**store, Progress{});
        QVERIFY(cpu.ok());
        QVERIFY(cpu->clock == CpuClock::Usable);
        QVERIFY(cpu->tasksNotRunning > 0);
        QVERIFY(cpu->sleeps.size() <= mostIds);
        QVERIFY(noise(**store, {}, *cpu, Progress{}).ok());
    }

private:
    RealTraces m_traces;
};

LONGPOLE_TEST(TestNoise)
#include "tst_noise.moc"
