// SPDX-License-Identifier: GPL-3.0-or-later
// The time of each code in any interval, against adding up all pieces.
#include "analysis/mpi/activitytimes.h"
#include "support/testmain.h"

#include <QTest>

#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace longpole;

namespace {

struct Piece {
    std::uint32_t code;
    std::uint32_t path;
    TimeRange range;
};

std::vector<CodeTime> addedUp(const std::vector<Piece>& pieces, TimeRange range)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, TimeNs> sums;
    for (const Piece& piece : pieces)
        if (const TimeNs time = overlap(piece.range, range); time > 0) sums[{piece.code, piece.path}] += time;
    std::vector<CodeTime> times;
    for (const auto& [key, time] : sums) times.push_back({key.first, key.second, time});
    return times;
}

}  // namespace

class TestActivityTimes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cutsWhatOverlaps()
    {
        ActivityTimes activity;
        activity.add(3, {10, 20});
        activity.add(4, {15, 30}, 7);
        activity.add(3, {30, 30});
        activity.add(3, {40, 50});
        activity.close();
        std::vector<CodeTime> times;
        activity.times({12, 45}, times);
        QCOMPARE(times, (std::vector<CodeTime>{{3, noCallPath, 13}, {4, 7, 10}}));
        activity.times({30, 40}, times);
        QVERIFY(times.empty());
        activity.times({minTime, maxTime}, times);
        QCOMPARE(times, (std::vector<CodeTime>{{3, noCallPath, 20}, {4, 7, 10}}));
        activity.times({50, 60}, times);
        QVERIFY(times.empty());
    }

    void nothing()
    {
        ActivityTimes activity;
        activity.close();
        std::vector<CodeTime> times{{1, 1, 1}};
        activity.times({minTime, maxTime}, times);
        QVERIFY(times.empty());
    }

    // Few codes or more than 2^16, gaps, and pieces that are longer than an offset of 32 bits reaches.
    void asAddedUp_data()
    {
        QTest::addColumn<int>("pieces");
        QTest::addColumn<int>("codes");
        QTest::addColumn<bool>("hasLong");
        for (const bool hasLong : {false, true}) {
            const char* const what = hasLong ? "long pieces" : "short pieces";
            QTest::addRow("few, %s", what) << 40 << 3 << hasLong;
            QTest::addRow("many, %s", what) << 6000 << 5 << hasLong;
            QTest::addRow("many codes, %s", what) << 6000 << 900 << hasLong;
        }
        QTest::addRow("70,000 codes") << 150'000 << 70'000 << false;
    }
    void asAddedUp()
    {
        QFETCH(int, pieces);
        QFETCH(int, codes);
        QFETCH(bool, hasLong);
        std::mt19937 random(static_cast<unsigned>(pieces + codes));
        const auto below = [&](std::int64_t limit) {
            return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random);
        };
        constexpr TimeNs beyond32Bits = TimeNs{5} << 32;
        std::vector<Piece> all;
        ActivityTimes activity;
        TimeNs now = -1000;
        for (int i = 0; i < pieces; ++i) {
            if (below(3) == 0) now += 1 + below(hasLong && below(50) == 0 ? beyond32Bits : 20);
            const TimeNs length = below(hasLong && below(50) == 0 ? beyond32Bits : 30);
            const auto code = static_cast<std::uint32_t>(below(codes));
            const auto path = static_cast<std::uint32_t>(below(2));
            all.push_back({code, path, {now, now + length}});
            activity.add(code, {now, now + length}, path);
            now += length;
        }
        activity.close();
        std::vector<CodeTime> times;
        const int ranges = pieces > 10'000 ? 60 : 400;
        for (int i = 0; i < ranges; ++i) {
            const auto& one = all[static_cast<std::size_t>(below(pieces))].range;
            const auto& other = all[static_cast<std::size_t>(below(pieces))].range;
            const TimeRange range{one.begin + below(3) - 1, other.end + below(3) - 1};
            activity.times(range, times);
            QCOMPARE(times, addedUp(all, range));
        }
        activity.times({minTime, maxTime}, times);
        QCOMPARE(times, addedUp(all, {minTime, maxTime}));
    }
};

LONGPOLE_TEST(TestActivityTimes)
#include "tst_activitytimes.moc"
