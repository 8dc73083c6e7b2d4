// SPDX-License-Identifier: GPL-3.0-or-later
// Delays under several readings, of which only the differences are stored, against plain columns.
#include "analysis/replay/readingdelays.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <random>

using namespace longpole;

class TestReadingDelays : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areWhatWasSet_data()
    {
        QTest::addColumn<int>("tasks");
        QTest::addColumn<double>("differing");
        for (const int tasks : {1, 63, 64, 65, 128, 1000})
            for (const double differing : {0.0, 0.1, 1.0})
                QTest::addRow("%d tasks, %.1f of them differ", tasks, differing) << tasks << differing;
    }
    void areWhatWasSet()
    {
        QFETCH(int, tasks);
        QFETCH(double, differing);
        const auto size = static_cast<std::size_t>(tasks);
        std::mt19937 random(static_cast<unsigned>(tasks));
        std::bernoulli_distribution differs(differing);
        // Some do not fit 32 bits.
        std::uniform_int_distribution<TimeNs> delay(0, 6'000'000'000);
        std::array<std::vector<TimeNs>, arrivalReadings> wanted;
        ReadingDelays delays;
        delays.resize(size);
        const auto likely = static_cast<std::size_t>(ArrivalReading::Likely);
        for (std::uint32_t task = 0; task < size; ++task) {
            wanted[likely].push_back(delay(random));
            delays.setLikely(task, wanted[likely].back());
        }
        for (const ArrivalReading reading : {ArrivalReading::Early, ArrivalReading::Late, ArrivalReading::Free}) {
            std::vector<TimeNs>& column = wanted[static_cast<std::size_t>(reading)];
            column = wanted[likely];
            std::vector<std::vector<ReadingDelays::Different>> lists(3);  // as three processors' tasks
            for (std::uint32_t task = 0; task < size; ++task) {
                if (!differs(random)) continue;
                column[task] = delay(random);
                lists[task % 3].emplace_back(task, column[task]);
            }
            delays.setDifferent(reading, lists);
        }
        const std::uint32_t zero = static_cast<std::uint32_t>(size / 2);
        delays.setZero(zero);
        for (std::size_t reading = 0; reading < arrivalReadings; ++reading) {
            wanted[reading][zero] = 0;
            const ReadingDelays::Reading stored = delays.of(static_cast<ArrivalReading>(reading));
            for (std::size_t task = 0; task < size; ++task) QCOMPARE(stored[task], wanted[reading][task]);
        }
    }

    void takeLittleWhereLittleDiffers()
    {
        constexpr std::size_t tasks = 100'000;
        ReadingDelays delays;
        delays.resize(tasks);
        std::vector<std::vector<ReadingDelays::Different>> lists(1);
        for (std::uint32_t task = 0; task < tasks; task += 10) lists[0].emplace_back(task, 5);
        for (const ArrivalReading reading : {ArrivalReading::Early, ArrivalReading::Late, ArrivalReading::Free})
            delays.setDifferent(reading, lists);
        QVERIFY(delays.bytes() < std::int64_t(tasks) * 7);  // four columns would take 16 a task
    }
};

LONGPOLE_TEST(TestReadingDelays)
#include "tst_readingdelays.moc"
