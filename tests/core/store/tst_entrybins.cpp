// SPDX-License-Identifier: GPL-3.0-or-later
// Entry bins add up to what was fed, are as few as promised, and stand in order.
#include "core/store/entrybins.h"

#include "support/testmain.h"

#include <QTest>

#include <map>
#include <random>
#include <tuple>
#include <vector>

using namespace longpole;

namespace {

using Expected = std::vector<std::int64_t>;  // bin, entry, time, tasks

std::vector<Expected> rowsOf(const EntryBins& bins)
{
    std::vector<Expected> rows;
    for (std::size_t row = 0; row < bins.rows(); ++row)
        rows.push_back({bins.binOf(row), index(bins.entry[row]), bins.time[row], bins.tasks[row]});
    return rows;
}

struct Piece {
    TimeNs begin;
    TimeNs end;
    std::uint32_t entry;
};

// What bins of the given width hold, added up one piece after the other.
std::vector<Expected> oracle(const std::vector<Piece>& pieces, TimeRange run, int level)
{
    std::map<std::pair<std::int64_t, std::uint32_t>, std::pair<TimeNs, std::int64_t>> cells;
    for (const Piece& piece : pieces) {
        const TimeRange part = intersection({piece.begin, piece.end}, run);
        for (TimeNs from = part.begin; from < part.end;) {
            const TimeNs to = std::min(part.end, ((from >> level) + 1) << level);
            cells[{from >> level, piece.entry}].first += to - from;
            from = to;
        }
        ++cells[{std::clamp(piece.begin, run.begin, run.end - 1) >> level, piece.entry}].second;
    }
    std::vector<Expected> rows;
    for (const auto& [key, sums] : cells) rows.push_back({key.first, key.second, sums.first, sums.second});
    return rows;
}

}  // namespace

class TestEntryBins : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // An id may be any number; what is kept for it takes no more room.
    void idsMayBeHuge()
    {
        const TimeRange run{100, 100'000};
        EntryBinBuilder builder(run, 3);
        std::vector<Piece> pieces;
        const std::uint32_t ids[] = {4'000'000'000, 7, 70'000, 4'000'000'001};
        for (TimeNs begin = 100; begin < 90'000; begin += 97) {
            const Piece piece{begin, begin + 60, ids[static_cast<std::size_t>(begin) % 4]};
            builder.task(piece.begin, EntryId{piece.entry});
            builder.busy(piece.begin, piece.end, EntryId{piece.entry});
            pieces.push_back(piece);
        }
        const EntryBins bins = builder.finish();
        QCOMPARE(rowsOf(bins), oracle(pieces, run, bins.level));
    }

    void nothingFedNoRows() { QCOMPARE(EntryBinBuilder({0, 1000}).finish().rows(), std::size_t{0}); }

    //  level 8, 256 ns a bin:   0       256      512      768
    //                           [111111][11 2222][........][222
    void binsOfASmallPicture()
    {
        EntryBinBuilder builder({0, 1024});
        builder.task(0, EntryId{1});
        builder.task(310, EntryId{2});
        builder.task(800, EntryId{2});
        builder.busy(0, 300, EntryId{1});
        builder.busy(310, 512, EntryId{2});
        builder.busy(800, 900, EntryId{2});
        const EntryBins bins = builder.finish();
        QCOMPARE(bins.level, 8);
        QVERIFY(rowsOf(bins) == (std::vector<Expected>{{0, 1, 256, 1}, {1, 1, 44, 0}, {1, 2, 202, 1}, {3, 2, 100, 1}}));
    }

    void everythingIsClipped()
    {
        EntryBinBuilder builder({1000, 2000});
        builder.busy(0, 500, EntryId{1});
        builder.busy(900, 1100, EntryId{1});
        builder.busy(1900, 5000, EntryId{1});
        builder.task(0, EntryId{1});     // counts of the whole log: in the first bin
        builder.task(9000, EntryId{1});  // and in the last
        QVERIFY(rowsOf(builder.finish()) == (std::vector<Expected>{{3, 1, 24, 1}, {4, 1, 76, 0}, {7, 1, 100, 1}}));
    }

    void sumsHold_data()
    {
        QTest::addColumn<qint64>("begin");
        QTest::addColumn<qint64>("end");
        QTest::addColumn<int>("events");
        QTest::addColumn<int>("entries");
        QTest::addColumn<qint64>("longest");
        QTest::newRow("few") << qint64(0) << qint64(maxTime) << 10 << 3 << qint64(1000);
        QTest::newRow("dense") << qint64(0) << qint64(maxTime) << 200000 << 5 << qint64(200);
        QTest::newRow("many entries") << qint64(0) << qint64(maxTime) << 400000 << 900 << qint64(20000);
        QTest::newRow("long intervals") << qint64(0) << qint64(maxTime) << 3000 << 4 << qint64(10'000'000'000);
        QTest::newRow("wall-clock times")
            << qint64(1'700'000'000'123'456'789) << qint64(maxTime) << 50000 << 6 << qint64(3000);
        QTest::newRow("before zero") << qint64(-5'000'000) << qint64(maxTime) << 50000 << 7 << qint64(300);
        QTest::newRow("known end") << qint64(777) << qint64(900'000) << 5000 << 3 << qint64(400);
    }
    // Tasks come before their pieces, in heaps, as an importer learns of them.
    void sumsHold()
    {
        QFETCH(qint64, begin);
        QFETCH(qint64, end);
        QFETCH(int, events);
        QFETCH(int, entries);
        QFETCH(qint64, longest);
        std::mt19937_64 random(11);
        const TimeRange run{begin, end};
        EntryBinBuilder builder(run);
        std::vector<Piece> pieces;
        TimeNs time = begin;
        for (int i = 0; i < events; ++i) {
            const TimeNs until = time + static_cast<TimeNs>(random() % static_cast<std::uint64_t>(longest));
            pieces.push_back({time, until, static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(entries))});
            time = until + i % 5;
        }
        for (std::size_t from = 0; from < pieces.size();) {
            const std::size_t to = std::min(pieces.size(), from + 1 + random() % 3000);
            for (std::size_t i = from; i < to; ++i) builder.task(pieces[i].begin, EntryId{pieces[i].entry});
            for (std::size_t i = from; i < to; ++i)
                builder.busy(pieces[i].begin, pieces[i].end, EntryId{pieces[i].entry});
            from = to;
        }
        const EntryBins bins = builder.finish();
        QVERIFY(rowsOf(bins) == oracle(pieces, run, bins.level));
        QVERIFY(bins.rows() <= std::max<std::size_t>(4096, pieces.size() / 8));
        QVERIFY(bins.bin.back() < mostEntryBins);
        QCOMPARE(bins.bin.front(), 0u);
        // One level finer would have been too much.
        const std::vector<Expected> finer = oracle(pieces, run, bins.level - 1);
        const bool isTooFine = finer.size() > std::max<std::size_t>(4096, pieces.size() / 8)
                               || finer.back()[0] - (begin >> (bins.level - 1)) >= mostEntryBins;
        QVERIFY(bins.level == 8 || isTooFine);
    }

    // Of intervals that only sums are known of, every ns and task counts, in the run or outside of it.
    void intervalsAreShared()
    {
        EntryBinBuilder builder({100, 1000});
        builder.share({0, 200}, EntryId{1}, 10, 4);
        builder.share({200, 456}, EntryId{1}, 256, 5);
        builder.share({5000, 6000}, EntryId{2}, 9, 1);
        QVERIFY(rowsOf(builder.finish())
                == (std::vector<Expected>{{0, 1, 10 + 56, 4 + 1}, {1, 1, 200, 4}, {3, 2, 9, 1}}));
    }

    void manyRowsStayBounded()
    {
        EntryBinBuilder builder({0, maxTime});
        constexpr std::uint32_t entries = 4000;
        TimeNs time = 0;
        for (int round = 0; round < 500; ++round) {
            for (std::uint32_t entry = 0; entry < entries; ++entry, time += 10) {
                builder.task(time, EntryId{entry});
                builder.busy(time, time + 10, EntryId{entry});
            }
        }
        const EntryBins bins = builder.finish();
        QVERIFY(bins.rows() <= std::size_t{500} * entries / 8);
        TimeNs sum = 0;
        for (const TimeNs t : bins.time) sum += t;
        QCOMPARE(sum, time);
    }
};

LONGPOLE_TEST(TestEntryBins)
#include "tst_entrybins.moc"
