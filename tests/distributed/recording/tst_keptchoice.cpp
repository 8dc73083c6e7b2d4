// SPDX-License-Identifier: GPL-3.0-or-later
// Which events have room: the first wish that an event touches is the one that a search through all of them finds.
#include "distributed/recording/keptchoice.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace longpole;

class TestKeptChoice : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheFirstWishThatTouches()
    {
        std::mt19937 random(5);
        for (int round = 0; round < 300; ++round) {
            const auto time = [&random] { return TimeNs(random() % 40) - 5; };
            std::vector<KeptWish> wishes(random() % 12);
            std::vector<std::uint32_t> numbers;
            for (std::uint32_t i = 0; i < wishes.size(); ++i) {
                const TimeNs begin = time();
                wishes[i] = {std::uint32_t(random() % 2), begin, begin + TimeNs(random() % 9)};
                if (random() % 30 == 0) wishes[i] = {wishes[i].rank, minTime, maxTime};
                if (wishes[i].rank == 0) numbers.push_back(i);
            }
            const FirstWish first(wishes, numbers);
            for (int i = 0; i < 60; ++i) {
                const TimeNs begin = time();
                const TimeNs end = begin + TimeNs(random() % 7);
                const auto touches = [&](std::uint32_t number) {
                    return wishes[number].begin <= end && wishes[number].end >= begin;
                };
                const auto expected = std::ranges::find_if(numbers, touches);
                QCOMPARE(first.of(begin, end), expected == numbers.end() ? FirstWish::none : *expected);
            }
        }
    }

    void grantsTheFirstOnly()
    {
        const std::vector<std::int64_t> costs{30, 0, 50, 10, 0};
        QCOMPARE(wishesWithRoom(costs, 90), std::size_t{5});
        QCOMPARE(wishesWithRoom(costs, 89), std::size_t{3});
        QCOMPARE(wishesWithRoom(costs, 79), std::size_t{2});  // the small one behind it is not granted either
        QCOMPARE(wishesWithRoom(costs, 0), std::size_t{0});
        QCOMPARE(wishesWithRoom({}, 0), std::size_t{0});
    }

    void rangesAreApart()
    {
        const std::vector<KeptWish> wishes{{1, 50, 60}, {0, 10, 20}, {1, 40, 50}, {0, 5, 7}, {1, 55, 58}, {0, 21, 22}};
        const std::vector<KeptRange> expected{{ProcessorId{0}, 5, 7},
                                              {ProcessorId{0}, 10, 20},
                                              {ProcessorId{0}, 21, 22},
                                              {ProcessorId{1}, 40, 60}};
        QVERIFY(keptRanges(wishes) == expected);
        QVERIFY(keptRanges({}).empty());
    }
};

LONGPOLE_TEST(TestKeptChoice)
#include "tst_keptchoice.moc"
