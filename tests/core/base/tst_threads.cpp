// SPDX-License-Identifier: GPL-3.0-or-later
// The two places that own threads: every index once, a value out, a stop in.
#include "core/base/job.h"
#include "core/base/parallel.h"
#include "core/base/paralleltogether.h"

#include "support/testmain.h"

#include <QTest>

#include <atomic>
#include <memory>
#include <vector>

using namespace longpole;

class TestThreads : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void everyIndexOnce_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("threads");
        QTest::newRow("none") << 0 << 4;
        QTest::newRow("one") << 1 << 4;
        QTest::newRow("one thread") << 100 << 1;
        QTest::newRow("fewer than threads") << 3 << 8;
        QTest::newRow("many") << 10000 << 8;
        QTest::newRow("default") << 1000 << 0;
    }
    void everyIndexOnce()
    {
        QFETCH(int, count);
        QFETCH(int, threads);
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
        parallelFor(
            seen.size(), [&](std::size_t i) { ++seen[i]; }, static_cast<unsigned>(threads));
        for (const auto& times : seen) QCOMPARE(times.load(), 1);
        QVERIFY(defaultThreads() >= 1 && defaultThreads() <= 16);
    }

    void oneThreadGoesInOrder()
    {
        std::vector<std::size_t> order;
        parallelFor(
            5, [&](std::size_t i) { order.push_back(i); }, 1);
        QVERIFY(order == (std::vector<std::size_t>{0, 1, 2, 3, 4}));
    }

    void aJobGivesItsValue()
    {
        Job<std::unique_ptr<int>> job([](const Progress& progress) {
            progress.report(0.5);
            return std::make_unique<int>(42);
        });
        QTRY_VERIFY(job.isFinished());
        QCOMPARE(job.fraction(), 0.5);
        QVERIFY(!job.isCancelled());
        QCOMPARE(*job.take(), 42);
    }

    void takeWaits()
    {
        Job<int> job([](const Progress&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return 7;
        });
        QCOMPARE(job.take(), 7);
    }

    void theDestructorStopsTheWork()
    {
        std::atomic<bool> stopped{false};
        {
            const Job<int> job([&](const Progress& progress) {
                while (!progress.isCancelled()) std::this_thread::yield();
                stopped = true;
                return 0;
            });
        }
        QVERIFY(stopped);
    }

    // Bodies that wait for each other: all of them run at once, whatever the machine has.
    void together()
    {
        for (const std::size_t count : {0, 1, 5, 40}) {
            std::atomic<std::size_t> there{0};
            QVERIFY(runTogether(count, [&](std::size_t) {
                ++there;
                there.notify_all();
                for (std::size_t seen = there; seen < count; seen = there) there.wait(seen);
            }));
            QCOMPARE(there.load(), count);
        }
    }
};

LONGPOLE_TEST(TestThreads)
#include "tst_threads.moc"
