// SPDX-License-Identifier: GPL-3.0-or-later
// The pyramid's bins add up to what was fed, at every level, wherever the times lie.
#include "core/store/tiles.h"

#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <map>
#include <random>

using namespace longpole;

namespace {

TileBin sumOf(const TileLevel& level)
{
    TileBin sum;
    for (const TileBin& bin : level.bins) {
        sum.busy += bin.busy;
        sum.idle += bin.idle;
        sum.tasks += bin.tasks;
        sum.messages += bin.messages;
        sum.bytes += bin.bytes;
        sum.pack += bin.pack;
    }
    return sum;
}

TileBin totals(TimeNs busy, TimeNs idle, std::int64_t tasks, std::int64_t messages)
{
    return {.busy = busy, .idle = idle, .tasks = tasks, .messages = messages, .bytes = 8 * messages};
}

// Every level adds up to `sum`, is 4 x coarser than the one before, and is its exact sum; the last has at most 4 bins.
void checkPyramid(const TilePyramid& pyramid, const TileBin& sum)
{
    QVERIFY(!pyramid.levels.empty());
    for (std::size_t i = 0; i < pyramid.levels.size(); ++i) {
        const TileLevel& level = pyramid.levels[i];
        QCOMPARE(level.level % 2, 0);
        QVERIFY(level.level >= 8);
        QVERIFY(sumOf(level) == sum);
        if (i == 0) continue;
        const TileLevel expected = coarser(pyramid.levels[i - 1]);
        QCOMPARE(level.level, expected.level);
        QCOMPARE(level.firstBin, expected.firstBin);
        QVERIFY(level.bins == expected.bins);
    }
    QVERIFY(pyramid.levels.back().bins.size() <= 4);
}

}  // namespace

class TestTiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // A file may say that its bins have as much as a number holds.
    void sumsOfBinsStop()
    {
        const TileBin full{.busy = maxTime,
                           .idle = maxTime,
                           .tasks = maxTime,
                           .messages = maxTime,
                           .entry = EntryId{1},
                           .entryTime = maxTime,
                           .bytes = maxTime,
                           .pack = maxTime};
        const TileLevel wide = coarser({.level = 0, .firstBin = 0, .bins = {full, full, full}});
        QCOMPARE(wide.bins.size(), std::size_t(1));
        const TileBin& sum = wide.bins.front();
        for (const std::int64_t value :
             {sum.busy, sum.idle, sum.tasks, sum.messages, sum.entryTime, sum.bytes, sum.pack})
            QCOMPARE(value, maxTime);
        TilePyramid all{.levels = {{.level = 0, .firstBin = 0, .bins = {full}}}};
        addInto(all, {.levels = {{.level = 0, .firstBin = 0, .bins = {full}}}}, 100);
        QCOMPARE(all.levels.front().bins.front().tasks, maxTime);
    }

    // A file may name as many entry methods as it has bytes, all in one bin.
    void manyEntriesInABin()
    {
        constexpr std::uint32_t entries = 200'000;
        TileBuilder builder({0, TimeNs{1} << 30}, 30);
        QElapsedTimer timer;
        timer.start();
        for (const TimeNs round : {0, 1})
            for (std::uint32_t i = 0; i < entries; ++i) {
                const TimeNs begin = (round * entries + i) * 4;
                builder.busy(begin, begin + (i == 77 ? 2 : 1), EntryId{i});
            }
        const TilePyramid pyramid = builder.finish();
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(pyramid.levels.front().bins.size(), 1u);
        QCOMPARE(pyramid.levels.front().bins.front().entry, EntryId{77});
        QCOMPARE(pyramid.levels.front().bins.front().entryTime, 4);
        QCOMPARE(pyramid.levels.front().bins.front().busy, 2 * entries + 2);
    }

    // A file may have many tracks with a few far apart intervals each.
    void fewCallsMakeFewBins()
    {
        constexpr TimeNs hour = 3'600'000'000'000;
        QElapsedTimer timer;
        timer.start();
        for (int track = 0; track < 5000; ++track) {
            TileBuilder builder({0, maxTime});
            builder.task(0);
            builder.busy(0, hour / 2, EntryId{1});
            builder.idle(hour / 2, hour - 1000);
            builder.message(hour - 1000, 8);
            builder.busy(hour - 1000, hour, EntryId{2});
            const TilePyramid pyramid = builder.finish();
            if (track > 0) continue;
            checkPyramid(pyramid, totals(hour / 2 + 1000, hour / 2 - 1000, 1, 1));
            QVERIFY(pyramid.levels.front().bins.size() > 128);
            QCOMPARE(pyramid.levels.front().bins.front().entry, EntryId{1});
            QCOMPARE(pyramid.levels.front().bins.back().entry, EntryId{2});
        }
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    }

    // What waits until there is more is what there is: one call more changes nothing else.
    void callsThatWaitedCount()
    {
        for (const int calls : {1, 254, 255, 256, 257, 300}) {
            TileBuilder builder({0, maxTime});
            for (TimeNs i = 0; i < calls; ++i) builder.busy(i * 1000, i * 1000 + 600, EntryId{7});
            builder.shrink();
            builder.idle(1'000'000, 1'000'500);
            const TilePyramid pyramid = builder.finish();
            checkPyramid(pyramid, totals(calls * TimeNs{600}, 500, 0, 0));
            QCOMPARE(pyramid.levels.front().level, 12);  // at most 512 bins up to a millisecond
            QCOMPARE(pyramid.levels.front().bins.front().entry, EntryId{7});
        }
    }

    void nothingFedNoLevels() { QVERIFY(TileBuilder({0, 1000}).finish().levels.empty()); }

    //  level 8, 256 ns a bin:   0       256      512      768
    //                           [AAAAAA][AA BBBB][........][BBB
    void binsOfASmallPicture()
    {
        TileBuilder builder({0, 1024});
        builder.task(0);
        builder.busy(0, 300, EntryId{1});
        builder.message(100, 8);
        builder.task(310);
        builder.busy(310, 512, EntryId{2});
        builder.idle(512, 800);
        builder.task(800);
        builder.busy(800, 900, EntryId{2});
        builder.pack(240, 300);
        builder.pack(250, 260);
        const TilePyramid pyramid = builder.finish();
        QCOMPARE(pyramid.levels.size(), std::size_t{1});
        const TileLevel& level = pyramid.levels[0];
        QCOMPARE(level.level, 8);
        QCOMPARE(level.firstBin, 0);
        const std::vector<TileBin> expected = {{256, 0, 1, 1, EntryId{1}, 256, 8, 22},
                                               {44 + 202, 0, 1, 0, EntryId{2}, 202, 0, 48},
                                               {0, 256, 0, 0, noEntry, 0},
                                               {100, 32, 1, 0, EntryId{2}, 100}};
        QVERIFY(level.bins == expected);
    }

    void fourBinsBecomeOne()
    {
        const TileLevel level{8,
                              3,
                              {{10, 1, 1, 2, EntryId{5}, 10},
                               {20, 2, 1, 0, EntryId{6}, 9},
                               {7, 0, 0, 0, EntryId{7}, 7},
                               {8, 0, 0, 0, EntryId{6}, 8},
                               {0, 256, 0, 0, noEntry, 0},
                               {1, 0, 1, 0, EntryId{1}, 1}}};
        const TileLevel wide = coarser(level);
        QCOMPARE(wide.level, 10);
        QCOMPARE(wide.firstBin, 0);
        QVERIFY(wide.bins
                == (std::vector<TileBin>{{10, 1, 1, 2, EntryId{5}, 10},
                                         {35, 258, 1, 0, EntryId{6}, 17},
                                         {1, 0, 1, 0, EntryId{1}, 1}}));
    }

    // What is fed after shrinking counts as before, in bins that are at most wider.
    void shrinking()
    {
        TileBuilder builder({0, maxTime}), shrunk({0, maxTime});
        for (TileBuilder* b : {&builder, &shrunk}) {
            for (TimeNs time = 0; time < 1'000'000; time += 1000) {
                b->task(time);
                b->busy(time, time + 700, EntryId{1});
            }
        }
        shrunk.shrink();
        for (TileBuilder* b : {&builder, &shrunk}) {
            for (TimeNs time = 0; time < 1'000'000; time += 1000) b->idle(time + 700, time + 1000);
            b->message(999'999, 8);
        }
        const TilePyramid expected = builder.finish(), pyramid = shrunk.finish();
        checkPyramid(pyramid, totals(700'000, 300'000, 1000, 1));
        QVERIFY(pyramid.levels.front().level >= expected.levels.front().level);
        QVERIFY(
            pyramid.levels.front().bins
            == expected
                   .levels[static_cast<std::size_t>((pyramid.levels.front().level - expected.levels.front().level) / 2)]
                   .bins);
        TileBuilder empty({0, maxTime});
        empty.shrink();
        QVERIFY(empty.finish().levels.empty());
    }

    void tiesGoToTheSmallerEntry()
    {
        TileBuilder builder({0, 256});
        builder.busy(0, 50, EntryId{9});
        builder.busy(50, 100, EntryId{3});
        builder.busy(100, 150, EntryId{4});
        const TilePyramid pyramid = builder.finish();
        QCOMPARE(pyramid.levels[0].bins[0].entry, EntryId{3});
        QCOMPARE(pyramid.levels[0].bins[0].entryTime, 50);
    }

    void everythingIsClipped()
    {
        TileBuilder builder({1000, 2000});
        builder.busy(0, 500, EntryId{1});
        builder.busy(900, 1100, EntryId{1});
        builder.idle(1100, 1200);
        builder.busy(1900, 5000, EntryId{1});
        builder.idle(5000, 6000);
        builder.pack(500, 1010);
        builder.pack(1990, 3000);
        builder.task(0);           // counts of the whole log: in the first bin
        builder.message(9000, 8);  // and in the last
        TileBin sum = totals(200, 100, 1, 1);
        sum.pack = 20;
        checkPyramid(builder.finish(), sum);
    }

    void sumsHold_data()
    {
        QTest::addColumn<qint64>("begin");
        QTest::addColumn<qint64>("end");
        QTest::addColumn<int>("events");
        QTest::addColumn<qint64>("longest");
        QTest::newRow("few") << qint64(0) << qint64(maxTime) << 10 << qint64(1000);
        QTest::newRow("dense") << qint64(0) << qint64(maxTime) << 200000 << qint64(20);
        QTest::newRow("long intervals") << qint64(0) << qint64(maxTime) << 3000 << qint64(10'000'000'000);
        QTest::newRow("wall-clock times")
            << qint64(1'700'000'000'123'456'789) << qint64(maxTime) << 50000 << qint64(3000);
        QTest::newRow("before zero") << qint64(-5'000'000) << qint64(maxTime) << 50000 << qint64(300);
        QTest::newRow("known end") << qint64(777) << qint64(900'000) << 5000 << qint64(400);
        QTest::newRow("near the end of time") << qint64(maxTime - 1'000'000) << qint64(maxTime) << 2000 << qint64(400);
    }
    void sumsHold()
    {
        QFETCH(qint64, begin);
        QFETCH(qint64, end);
        QFETCH(int, events);
        QFETCH(qint64, longest);
        std::mt19937_64 random(11);
        const TimeRange run{begin, end};
        TileBuilder builder(run);
        TileBin sum;
        TimeNs time = begin;
        const auto length = [&] { return static_cast<TimeNs>(random() % static_cast<std::uint64_t>(longest)); };
        for (int i = 0; i < events; ++i) {
            const TimeNs busyEnd = saturatingAdd(time, length());
            const TimeNs idleEnd = saturatingAdd(busyEnd, i % 3 == 0 ? length() : 0);
            builder.task(time);
            builder.message(time, i);
            builder.pack(busyEnd, idleEnd);
            builder.busy(time, busyEnd, EntryId{static_cast<std::uint32_t>(random() % 5)});
            builder.idle(busyEnd, idleEnd);
            ++sum.tasks;
            ++sum.messages;
            sum.bytes += i;
            sum.pack += overlap({busyEnd, idleEnd}, run);
            sum.busy += overlap({time, busyEnd}, run);
            sum.idle += overlap({busyEnd, idleEnd}, run);
            time = saturatingAdd(idleEnd, i % 5);
        }
        const TilePyramid pyramid = builder.finish();
        checkPyramid(pyramid, sum);
        QVERIFY(pyramid.levels[0].bins.size() <= std::max<std::size_t>(512, static_cast<std::size_t>(events) * 3 / 32));
    }

    // A quiet hour before a busy second must not cost the busy second its detail.
    void aDenseEndKeepsNarrowBins()
    {
        TileBuilder builder({0, maxTime});
        for (int i = 0; i < 100; ++i) builder.idle(i * 36'000'000'000, (i + 1) * 36'000'000'000);
        const TimeNs late = 3'600'000'000'000;
        for (TimeNs i = 0; i < 3'000'000; ++i) builder.busy(late + i * 300, late + i * 300 + 200, EntryId{1});
        const TilePyramid pyramid = builder.finish();
        checkPyramid(pyramid, totals(600'000'000, late, 0, 0));
        QVERIFY2(pyramid.levels[0].level <= 26, qPrintable(QString::number(pyramid.levels[0].level)));
    }

    void dominantEntryIsExactAtTheBaseWithoutWidening()
    {
        std::mt19937_64 random(2);
        TileBuilder builder({0, maxTime});
        std::map<std::int64_t, std::map<EntryId, TimeNs>> expected;
        TimeNs time = 0;
        for (int i = 0; i < 400; ++i) {
            const EntryId entry{static_cast<std::uint32_t>(random() % 4)};
            const auto end = time + static_cast<TimeNs>(random() % 200);
            builder.busy(time, end, entry);
            for (TimeNs t = time; t < end; ++t) ++expected[t >> 8][entry];
            time = end;
        }
        const TilePyramid pyramid = builder.finish();
        QCOMPARE(pyramid.levels[0].level, 8);
        for (const auto& [bin, times] : expected) {
            TileBin best;
            for (const auto& [entry, ns] : times)
                if (ns > best.entryTime) {
                    best.entry = entry;
                    best.entryTime = ns;
                }
            QCOMPARE(pyramid.levels[0].bins[static_cast<std::size_t>(bin)].entry, best.entry);
            QCOMPARE(pyramid.levels[0].bins[static_cast<std::size_t>(bin)].entryTime, best.entryTime);
        }
    }

    // Intervals of which only sums are known: 256 ns a bin, the run begins at 100.
    void intervalsAreShared()
    {
        TileBuilder builder({100, 10'000});
        const TileBin early = builder.share({0, 200}, {.busy = 101, .idle = 99, .tasks = 7});
        QVERIFY(early == (TileBin{.busy = 51, .idle = 49, .tasks = 7}));  // half of the times, all of the tasks
        const TileBin later = builder.share({200, 400}, {.busy = 100, .idle = 100, .tasks = 3, .bytes = 10});
        QVERIFY(later == (TileBin{.busy = 100, .idle = 100, .tasks = 3, .bytes = 10}));
        builder.shareEntries({200, 400}, std::vector<std::pair<EntryId, TimeNs>>{{EntryId{4}, 60}, {EntryId{9}, 30}});
        const TilePyramid pyramid = builder.finish();
        const std::vector<TileBin>& bins = pyramid.levels[0].bins;
        QCOMPARE(bins.size(), std::size_t{2});
        QVERIFY(bins[0] == (TileBin{79, 77, 7, 0, EntryId{4}, 16, 2, 0}));
        QVERIFY(bins[1] == (TileBin{72, 72, 3, 0, EntryId{4}, 44, 8, 0}));
    }

    void sharesHold()
    {
        std::mt19937_64 random(5);
        const TimeRange run{12'345, 40'000'000};
        TileBuilder builder(run, 12);
        TileBin sum;
        for (TimeNs time = 0; time < 50'000'000;) {
            const TimeNs length = 1 + static_cast<TimeNs>(random() % 30'000);
            const TimeNs busy = static_cast<TimeNs>(random() % static_cast<std::uint64_t>(length + 1));
            const TileBin counted = builder.share({time, time + length},
                                                  {.busy = busy, .idle = length - busy, .tasks = 5, .bytes = length});
            sum.busy += counted.busy;
            sum.idle += counted.idle;
            sum.tasks += 5;
            sum.bytes += length;
            time += length;
        }
        QCOMPARE(sum.busy + sum.idle, run.length());
        const TilePyramid pyramid = builder.finish();
        checkPyramid(pyramid, sum);
        QVERIFY(pyramid.levels[0].level >= 12);
        for (const TileBin& bin : pyramid.levels[0].bins)
            QVERIFY(bin.busy >= 0 && bin.idle >= 0 && bin.busy + bin.idle <= (TimeNs{1} << pyramid.levels[0].level));
    }

    void pyramidsAddUp()
    {
        TilePyramid sum;
        TileBin expected;
        std::mt19937_64 random(4);
        for (int track = 0; track < 20; ++track) {
            TileBuilder builder({0, maxTime});
            TimeNs time = track * 100'000;
            for (int i = 0; i < 200 * (track + 1); ++i) {
                const auto end = time + 1 + static_cast<TimeNs>(random() % 20000);
                builder.busy(time, end, EntryId{1});
                builder.task(time);
                expected.busy += end - time;
                ++expected.tasks;
                time = end;
            }
            addInto(sum, builder.finish(), 64);
        }
        checkPyramid(sum, expected);
        QVERIFY(sum.levels[0].bins.size() <= 64);
        QVERIFY(sum.levels[0].bins.size() > 8);
    }

    // Processors that ran at other times: what lies between takes no memory.
    void sumsOfWhatLiesFarApart()
    {
        constexpr std::int64_t far = std::int64_t{1} << 44;
        TilePyramid sum;
        for (const std::int64_t first : {std::int64_t{3}, far, far / 2})
            addInto(sum, {.levels = {{.level = 8, .firstBin = first, .bins = {TileBin{.busy = first, .tasks = 1}}}}},
                    64);
        QVERIFY(sum.levels.front().bins.size() <= 64);
        QCOMPARE(sum.levels.front().firstBin, 0);
        QCOMPARE(sum.levels.front().bins.front().busy, 3);
        QCOMPARE(sum.levels.front().bins.back().busy, far);
        for (const TileLevel& level : sum.levels) {
            std::int64_t tasks = 0;
            for (const TileBin& bin : level.bins) tasks += bin.tasks;
            QCOMPARE(tasks, 3);
        }
    }

    // More PE time than 64 bits count stays the largest there is.
    void impossibleSumsSaturate()
    {
        TilePyramid sum;
        constexpr TimeNs end = maxTime / 2;
        for (int track = 0; track < 9; ++track) {
            TileBuilder builder({0, end});
            builder.busy(0, end, EntryId{1});
            builder.message(0, end);
            builder.pack(0, end);
            addInto(sum, builder.finish(), 64);
        }
        TimeNs most = 0;
        for (const TileLevel& level : sum.levels)
            for (const TileBin& bin : level.bins) most = std::max({most, bin.busy, bin.entryTime});
        QCOMPARE(most, maxTime);
        QCOMPARE(sum.levels.back().bins[0].bytes, maxTime);
    }
};

LONGPOLE_TEST(TestTiles)
#include "tst_tiles.moc"
