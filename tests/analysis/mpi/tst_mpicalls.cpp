// SPDX-License-Identifier: GPL-3.0-or-later
// MPI calls of a store: windows, single calls, sums over parts of a run, and the paper's ratios.
#include "analysis/mpi/calls.h"
#include "analysis/mpi/regioncalls.h"
#include "core/smalltrace.h"
#include "support/mpi/mpirows.h"
#include "support/testmain.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <ctime>

using namespace longpole;

namespace {

enum Regions : std::int64_t { Allreduce, Send, Init, Work };
constexpr int collective = MpiCallFlag::Collective;

// The example of docs/algorithms.md 7.1: starts 0, 4, 10, 6, ends 11, 12, 11, 13. Then each rank computes for 4 and
// sends for 2.
MpiRows example()
{
    MpiRows run;
    run.regions = {QStringLiteral("MPI_Allreduce"), QStringLiteral("MPI_Send"), QStringLiteral("MPI_Init"),
                   QStringLiteral("work")};
    run.calls = 3;
    const TimeNs starts[] = {0, 4, 10, 6};
    const TimeNs ends[] = {11, 12, 11, 13};
    for (std::size_t rank = 0; rank < 4; ++rank) {
        RankRows rows;
        rows.code.push_back({.begin = 0, .end = starts[rank], .entry = Work});
        rows.calls.push_back({.begin = starts[rank],
                              .end = ends[rank],
                              .region = Allreduce,
                              .waitBefore = 10 - starts[rank],
                              .waitAfter = ends[rank] - 11,
                              .pattern = WaitPattern::WaitAtNxN,
                              .severity = 10 - starts[rank],
                              .culprit = 2,
                              .culpritSeq = 0,
                              .instance = 0,
                              .bytes = 8,
                              .flags = collective,
                              .task = 0});
        rows.code.push_back({.begin = ends[rank], .end = ends[rank] + 4, .entry = Work});
        rows.calls.push_back({.begin = ends[rank] + 4,
                              .end = ends[rank] + 6,
                              .region = Send,
                              .waitBefore = 1,
                              .peer = std::int64_t(rank + 1) % 4,
                              .bytes = 100,
                              .task = 1});
        run.ranks.push_back(rows);
    }
    return run;
}

}  // namespace

class TestMpiCalls : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<const TraceStore> written(const MpiRows& run, TimeNs begin = 0)
    {
        return store(run, m_folder.filePath(QStringLiteral("%1.longpole").arg(m_files++)), begin);
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void windowsOfCalls()
    {
        const auto trace = written(example());
        QVERIFY(trace);
        const auto all = mpiCalls(*trace, 1, {minTime, maxTime});
        QVERIFY(all.ok());
        QCOMPARE(all->size(), std::size_t(2));
        const MpiCallRow& first = all->front();
        QCOMPARE(first.range, (TimeRange{4, 12}));
        QCOMPARE(first.rank, 1u);
        QCOMPARE(first.waitBefore, 6);
        QCOMPARE(first.execution, 1);
        QCOMPARE(first.waitAfter, 1);
        QVERIFY(first.pattern == WaitPattern::WaitAtNxN);
        QCOMPARE(first.culprit, 2);
        QCOMPARE(first.culpritSeq, 0);
        QCOMPARE(first.task, 0);
        QCOMPARE(all->back().peer, 2);
        QCOMPARE(mpiCalls(*trace, 1, {0, 4})->size(), std::size_t(0));
        QCOMPARE(mpiCalls(*trace, 1, {0, 5})->size(), std::size_t(1));
        QCOMPARE(mpiCalls(*trace, 1, {12, 17})->front().seq, 1);
        QCOMPARE(mpiCalls(*trace, 9, {minTime, maxTime})->size(), std::size_t(0));
    }

    // Calls of a rank's threads come in the order of their begins, each found by its number.
    void threads()
    {
        MpiRows run = example();
        RankRows& rank = run.ranks[3];
        rank.threadCalls = {{.begin = 1, .end = 2, .region = Send},
                            {.begin = 8, .end = 30, .region = Send},
                            {.begin = 12, .end = 12, .region = Send}};
        const auto trace = written(run);
        QVERIFY(trace);
        QCOMPARE(mpiTracks(*trace, 3), (std::vector<TrackId>{TrackId{16}, TrackId{17}}));
        QCOMPARE(mpiTracks(*trace, 2), std::vector<TrackId>{TrackId{14}});
        QVERIFY(mpiTracks(*trace, 4).empty());
        const auto calls = mpiCalls(*trace, 3, {minTime, maxTime});
        QVERIFY(calls.ok());
        QCOMPARE(calls->size(), std::size_t(5));
        for (std::size_t seq = 0; seq < calls->size(); ++seq) {
            QCOMPARE((*calls)[seq].seq, std::int64_t(seq));
            const auto found = mpiCall(*trace, 3, std::int64_t(seq));
            QVERIFY(found.ok() && found->has_value());
            QCOMPARE((*found)->range, (*calls)[seq].range);
            QVERIFY((*found)->track == (*calls)[seq].track);
        }
        QVERIFY(!mpiCall(*trace, 3, 5)->has_value());
        QVERIFY(!mpiCall(*trace, 3, -1)->has_value());
        QCOMPARE(mpiCalls(*trace, 3, {12, 13})->size(), std::size_t(3));  // one has no length
        // What other threads do in MPI takes nothing from the program time of the rank's own.
        const auto profile = mpiProfile(*trace, trace->info().range(), Progress{});
        QVERIFY(profile.ok());
        QCOMPARE(profile->program[3], 19 - 7 - 2);
    }

    // What has no calls takes no memory: names of calls that one rank makes each, and numbers that no rank has.
    void fewCallsOfManyNames()
    {
        constexpr std::uint32_t ranks = 2000;
        const QString path = m_folder.filePath(QStringLiteral("names.longpole"));
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            (*writer)->add(Track{.id = TrackId{0}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
            auto stream = (*writer)->stream(0);
            for (std::uint32_t i = 0; i < ranks; ++i) {
                const ProcessorId pe{3 * i};
                const TrackId track{i + 1};
                const QString name = QString::number(i);
                (*writer)->add(Region{RegionId{i}, RegionKind::MpiCall, 0, name});
                (*writer)->add(
                    Track{.id = track, .parent = TrackId{0}, .kind = TrackKind::Rank, .name = name, .pe = pe});
                (*writer)->add(Processor{.pe = pe, .track = track, .kind = TrackKind::Rank, .name = name});
                stream->append(ChunkKind::MpiCall, track, callRow({.begin = 0, .end = 1 + i, .region = i}, 0));
            }
            stream->close();
            TraceInfo info;
            info.format = recordingFormat;
            info.vocabulary = ProgramKind::Mpi;
            info.processors = ranks;
            info.end = ranks;
            (*writer)->setInfo(info);
            QVERIFY((*writer)->finish(Progress()).ok());
        }
        const auto opened = TraceStore::open(path);
        QVERIFY(opened.ok());
        const auto profile = mpiProfile(**opened, {minTime, maxTime}, Progress{});
        QVERIFY(profile.ok());
        QCOMPARE(profile->calls.size(), std::size_t(ranks));
        QCOMPARE(profile->cells.size(), std::size_t(ranks));
        QVERIFY(profile->calls[0] == RegionId{ranks - 1});  // most time first
        QCOMPARE(profile->cell(0, 3 * (ranks - 1)).time, TimeNs(ranks));
        QCOMPARE(profile->cell(0, 0).calls, 0);
        QCOMPARE(profile->ofCall(1).time, TimeNs(ranks - 1));
        QCOMPARE(profile->byRank[3].time, 2);
        QCOMPARE(profile->byRank[4].time, 0);
        QCOMPARE(profile->total.calls, std::int64_t(ranks));
    }

    void manyChunks()
    {
        constexpr std::int64_t calls = 3 * chunkRows + 5;
        MpiRows run = example();
        run.ranks.resize(1);
        run.ranks[0] = {};
        for (std::int64_t i = 0; i < calls; ++i)
            run.ranks[0].calls.push_back({.begin = 10 * i, .end = 10 * i + 3, .region = Send, .bytes = i});
        const auto trace = written(run);
        QVERIFY(trace);
        for (const std::int64_t seq :
             {std::int64_t{0}, std::int64_t(chunkRows) - 1, std::int64_t(chunkRows), calls - 1}) {
            const auto found = mpiCall(*trace, 0, seq);
            QVERIFY(found.ok() && found->has_value());
            QCOMPARE((*found)->bytes, seq);
        }
        QVERIFY(!mpiCall(*trace, 0, calls)->has_value());
        const auto some = mpiCalls(*trace, 0, {10 * chunkRows - 8, 10 * chunkRows + 11});
        QCOMPARE(some->size(), std::size_t(3));
        QCOMPARE(some->front().seq, std::int64_t(chunkRows) - 1);
        const Progress stopped;
        stopped.cancel();
        const auto none = mpiProfile(*trace, {0, maxTime}, stopped);
        QVERIFY(!none.ok());
        QVERIFY(wasCancelled(none.error()));
    }

    // The ratios that docs/algorithms.md 7.1 works out by hand: 10, 7, 0, 6.
    void imbalance()
    {
        const auto trace = written(example());
        QVERIFY(trace);
        const double expected[] = {10, 7, 0, 6};
        for (std::uint32_t rank = 0; rank < 4; ++rank) {
            const auto calls = mpiCalls(*trace, rank, {minTime, maxTime});
            QVERIFY(calls.ok());
            QCOMPARE(imbalanceOfCall(calls->front()).ofCall, std::optional<double>(expected[rank]));
            QVERIFY(!imbalanceOfCall(calls->back()).ofCall);  // not collective
        }
        const auto profile = mpiProfile(*trace, trace->info().range(), Progress{});
        QVERIFY(profile.ok());
        QCOMPARE(profile->calls.size(), std::size_t(2));
        QVERIFY(profile->calls[0] == RegionId{Allreduce});
        QCOMPARE(profile->total.calls, 8);
        QCOMPARE(profile->total.bytes, 4 * 108);
        QCOMPARE(profile->total.syncWait, 10 + 7 + 0 + 6);
        QCOMPARE(profile->total.syncExecution, 4);
        QCOMPARE(imbalanceOfCall(profile->cell(0, 1)).ofCall, std::optional<double>(7));
        const TimeNs program = 19 - 7 - 2;  // of rank 3
        QCOMPARE(profile->program[3], program);
        const MpiImbalance process = imbalanceOfProcess(*profile, 3);
        QCOMPARE(process.waitExecution, std::optional<double>(6));
        QCOMPARE(process.ofProcess, std::optional<double>(6.0 / (1 + program)));
        const MpiImbalance whole = imbalanceOfProgram(*profile);
        QCOMPARE(whole.waitExecution, std::optional<double>(23.0 / 4));
        TimeNs all = 0;
        for (const TimeNs rank : profile->program) all += rank;
        QCOMPARE(all, 4 * 19 - (11 + 8 + 1 + 7) - 4 * 2);
        QCOMPARE(whole.ofProcess, std::optional<double>(23.0 / double(4 + all)));
    }

    // The table of Korkhov et al., section 5.3: what it prints as imbalance is wait / execution.
    void tableOfThePaper()
    {
        QVERIFY(std::abs(*imbalanceOf(4030385160, 3741811472, 0).waitExecution - 1.077121386) < 5e-10);
        QVERIFY(!imbalanceOf(5, 0, 0).waitExecution);
        QVERIFY(!imbalanceOf(5, 0, 0).ofProcess);
        QCOMPARE(imbalanceOf(5, 0, 10).ofProcess, std::optional<double>(0.5));
    }

    void notSynchronizingIsLeftOut()
    {
        MpiRows run = example();
        run.ranks[1].calls[0].flags |= MpiCallFlag::NotSynchronizing;
        run.ranks[3].calls[0].flags |= MpiCallFlag::Incomplete;
        const auto trace = written(run);
        QVERIFY(trace);
        const auto profile = mpiProfile(*trace, trace->info().range(), Progress{});
        QVERIFY(profile.ok());
        QCOMPARE(profile->total.syncWait, 10);
        QCOMPARE(profile->total.syncExecution, 2);
        QCOMPARE(profile->total.notSynchronizing, 1);
        QCOMPARE(profile->total.wait(), 23 + 4);  // the sends' too
        QVERIFY(!imbalanceOfProcess(*profile, 1).waitExecution);
        QCOMPARE(imbalanceOfProcess(*profile, 1).ofProcess, std::optional<double>(0.0));
    }

    // Start-up's calls count at the run's begin, with the time that they have in it; any two parts are the whole.
    void partsAddUp()
    {
        QRandomGenerator random(7);
        MpiRows run = example();
        for (RankRows& rank : run.ranks) {
            rank = {};
            TimeNs now = -20;
            for (int i = 0; i < 40; ++i) {
                const TimeNs length = random.bounded(6);
                const TimeNs before = random.bounded(int(length) + 1);
                const TimeNs after = random.bounded(int(length - before) + 1);
                rank.calls.push_back({.begin = now,
                                      .end = now + length,
                                      .region = random.bounded(3),
                                      .waitBefore = before,
                                      .waitAfter = after,
                                      .bytes = random.bounded(100),
                                      .flags = random.bounded(2) != 0 ? collective : 0});
                now += length + random.bounded(5);
            }
        }
        const auto trace = written(run);
        QVERIFY(trace);
        const auto whole = mpiProfile(*trace, {minTime, maxTime}, Progress{});
        QVERIFY(whole.ok());
        QCOMPARE(whole->range, trace->info().range());
        QCOMPARE(whole->total.calls, 160);
        QCOMPARE(whole->total.time, whole->total.wait() + whole->total.execution);
        for (int i = 0; i < 50; ++i) {
            const TimeNs middle = random.bounded(int(trace->info().end));
            const auto first = mpiProfile(*trace, {0, middle}, Progress{});
            const auto second = mpiProfile(*trace, {middle, trace->info().end}, Progress{});
            QVERIFY(first.ok() && second.ok());
            MpiSums sum = first->total;
            sum += second->total;
            QVERIFY(sum == whole->total);
            for (std::size_t rank = 0; rank < 4; ++rank) {
                QCOMPARE(first->program[rank] + second->program[rank], whole->program[rank]);
                QCOMPARE(whole->program[rank] + whole->byRank[rank].time, trace->info().duration());
            }
        }
    }

    // Regions in each other, the first of which calls itself, with many short ones in the innermost.
    void deepRegions()
    {
        constexpr std::int64_t depth = 60'000, inner = 400'000;
        const QString path = m_folder.filePath(QStringLiteral("deep.longpole"));
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            addSmallDefinitions(**writer);
            for (std::uint32_t i = 0; i <= depth; ++i)
                if (i != 1)
                    (*writer)->add(Region{.id = RegionId{i},
                                          .kind = RegionKind::Function,
                                          .name = QStringLiteral("f")});
            auto stream = (*writer)->stream(0);
            for (std::int64_t i = 0; i < depth + inner; ++i) {
                const std::int64_t region = i < 2 ? 0 : std::min(i, depth);
                stream->append(ChunkKind::Interval, TrackId{10},
                               Row{1000 + std::min(i, depth), i < depth ? 2 * depth - 2 * i : 1, 0, std::min(i, depth),
                                   region, 0});
            }
            stream->close();
            QVERIFY((*writer)->finish(Progress()).ok());
        }
        const auto opened = TraceStore::open(path);
        QVERIFY(opened.ok());
        const std::clock_t start = std::clock();
        const auto regions = regionCalls(**opened, Progress{});
        QVERIFY(regions.ok());
        QCOMPARE(regions->at(RegionId{0}).calls, 2);
        QCOMPARE(regions->at(RegionId{0}).inclusive, 8000);  // clipped to the run
        QCOMPARE(regions->at(RegionId{depth}).calls, inner);
        QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 2);
    }

    void otherPrograms()
    {
        const QString path = m_folder.filePath(QStringLiteral("charm.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        const auto opened = TraceStore::open(path);
        QVERIFY(opened.ok());
        const auto calls = mpiCalls(**opened, 0, {minTime, maxTime});
        QVERIFY(!calls.ok());
        QVERIFY(!calls.error().hint.isEmpty());
        QVERIFY(!mpiProfile(**opened, {minTime, maxTime}, Progress{}).ok());
        QVERIFY(!mpiCall(**opened, 0, 0).ok());
    }

private:
    QTemporaryDir m_folder;
    int m_files = 0;
};

LONGPOLE_TEST(TestMpiCalls)
#include "tst_mpicalls.moc"
