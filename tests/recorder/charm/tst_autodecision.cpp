// SPDX-License-Identifier: GPL-3.0-or-later
// Which priorities a program that runs keeps: a program of a queue that answers to them, with noise and drift.
#include "recorder/charm/autodecision.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

using namespace longpole_module;

namespace {

// Time of an iteration when these entry methods go first. Each PE has a queue that holds, in order of arrival, one task
// of each entry method; the critical one's follower on another PE begins when it has run. So what comes before the
// critical one lengthens the iteration.
class FakeQueue {
public:
    struct Task {
        int entry;
        double time;
    };
    FakeQueue(std::vector<Task> arrived, int critical, double follower)
        : m_arrived(std::move(arrived)), m_critical(critical), m_follower(follower)
    {
    }
    double iteration(const std::vector<int>& preferred) const
    {
        std::vector<Task> order = m_arrived;
        std::stable_partition(order.begin(), order.end(), [&](const Task& task) {
            return std::find(preferred.begin(), preferred.end(), task.entry) != preferred.end();
        });
        double now = 0, end = 0;
        for (const Task& task : order) {
            now += task.time;
            if (task.entry == m_critical) end = now + m_follower;
        }
        return std::max(now, end);
    }

private:
    std::vector<Task> m_arrived;
    int m_critical;
    double m_follower;
};

struct Ended {
    std::vector<Decision> decisions;
    std::vector<int> priorities;
    int intervals = 0;
    bool isSettled = false;
};

// Runs so many intervals of some iterations each.
class Runner {
public:
    Runner(FakeQueue queue, std::vector<Scheme> schemes, double noise, unsigned seed = 1)
        : m_queue(std::move(queue)), m_schemes(std::move(schemes)), m_noise(noise), m_random(seed)
    {
    }
    double slower = 1;
    std::vector<Scheme> later{};  // of the paths after the first one; empty: the same
    void change(const FakeQueue& queue) { m_queue = queue; }

    void run(Ended& ended, int intervals, int iterations = 12)
    {
        for (int i = 0; i < intervals; ++i) {
            std::vector<double> samples;
            samples.reserve(static_cast<std::size_t>(iterations));
            std::normal_distribution<double> noise(1, m_noise);
            for (int k = 0; k < iterations; ++k)
                samples.push_back(m_queue.iteration(m_decisions.priorities()) * slower * noise(m_random));
            const bool records = m_decisions.recordsPath();
            m_decisions.ended(samples, records ? m_schemes : std::vector<Scheme>());
            if (records && !later.empty()) m_schemes = later;
            for (const Decision& decision : m_decisions.takeDecisions()) ended.decisions.push_back(decision);
            ++ended.intervals;
        }
        ended.priorities = m_decisions.priorities();
        ended.isSettled = m_decisions.isSettled();
    }

private:
    FakeQueue m_queue;
    std::vector<Scheme> m_schemes;
    double m_noise;
    std::mt19937 m_random;
    AutoDecisions m_decisions;
};

const Scheme good{"single", {1}}, bad{"single", {2}}, useless{"single", {3}};

// Entry method 1 is critical and came last; to prefer 2 is worse than nothing only where 1 came before it.
FakeQueue late() { return FakeQueue({{2, 4}, {3, 0}, {1, 1}}, 1, 5); }
FakeQueue early() { return FakeQueue({{1, 1}, {2, 4}, {3, 0}}, 1, 5); }

std::vector<Decision::Kind> kindsOf(const Ended& ended)
{
    std::vector<Decision::Kind> kinds;
    for (const Decision& decision : ended.decisions) kinds.push_back(decision.kind);
    return kinds;
}

}  // namespace

class TestAutoDecision : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatHelpsIsKept()
    {
        Runner runner(late(), {good}, 0.02);
        Ended ended;
        runner.run(ended, 4);
        QVERIFY((kindsOf(ended) == std::vector<Decision::Kind>{Decision::Kept, Decision::NothingToTry}));
        QCOMPARE(ended.priorities, std::vector<int>{1});
        QVERIFY(ended.isSettled);
        // 10 units without, 6 with.
        QVERIFY(std::abs(ended.decisions[0].comparison.gain - 0.4) < 0.03);
    }

    void whatHarmsIsTakenBack()
    {
        Runner runner(early(), {bad}, 0.02);
        Ended ended;
        runner.run(ended, 6);
        QVERIFY((kindsOf(ended) == std::vector<Decision::Kind>{Decision::TakenBack, Decision::NothingToTry}));
        QVERIFY(ended.priorities.empty());
        // Only the one interval was slower.
        QVERIFY(ended.isSettled);
    }

    void nextOneIsTried()
    {
        Runner runner(late(), {useless, bad, good}, 0.02);
        Ended ended;
        runner.run(ended, 20);
        QVERIFY((kindsOf(ended)
                 == std::vector<Decision::Kind>{Decision::NotDecided, Decision::NotDecided, Decision::Kept,
                                                Decision::NothingToTry}));
        QCOMPARE(ended.decisions[2].trial, std::size_t{3});
        QCOMPARE(ended.priorities, std::vector<int>{1});
    }

    // Of programs with nothing to gain, whatever their noise, hardly any keeps anything.
    void noiseIsNoGain()
    {
        int kept = 0;
        const int programs = 400;
        for (int seed = 1; seed <= programs; ++seed) {
            Runner runner(early(), {good, useless}, 0.1, static_cast<unsigned>(seed));
            Ended ended;
            runner.run(ended, 16);
            kept += !ended.priorities.empty();
        }
        QVERIFY2(kept < programs / 20, QByteArray::number(kept));
    }

    void tooFewIterationsDecideNothing()
    {
        Runner runner(late(), {good}, 0.0);
        Ended ended;
        runner.run(ended, 10, 1);  // a path, three pairs, and two more paths that propose nothing new
        QVERIFY((kindsOf(ended) == std::vector<Decision::Kind>{Decision::NotDecided, Decision::NothingToTry}));
        QVERIFY(ended.priorities.empty());
    }

    void withoutSchemesNothingHappens()
    {
        Runner runner(late(), {}, 0.02);
        Ended ended;
        runner.run(ended, 5);
        QVERIFY(kindsOf(ended) == std::vector<Decision::Kind>{Decision::NothingToTry});
    }

    // One interval's path may lack what is critical: where nothing helped the next ones are looked at, too.
    void pathIsRecordedAgain()
    {
        Runner runner(late(), {useless}, 0.02);
        runner.later = {useless, good};
        Ended ended;
        runner.run(ended, 12);
        QVERIFY((kindsOf(ended)
                 == std::vector<Decision::Kind>{Decision::NotDecided, Decision::Kept, Decision::NothingToTry}));
        QCOMPARE(ended.decisions[1].trial, std::size_t{2});
        QCOMPARE(ended.priorities, std::vector<int>{1});
    }

    // At most eight, however many a path proposes.
    void trialsEnd()
    {
        std::vector<Scheme> schemes;
        for (int i = 10; i < 30; ++i) schemes.push_back(Scheme{"single", {i}});
        Runner runner(late(), schemes, 0.02);
        Ended ended;
        runner.run(ended, 200);
        QCOMPARE(ended.decisions.size(), std::size_t{9});
        QVERIFY(ended.decisions.back().kind == Decision::NothingToTry);
    }

    // When the program's pace changes the path is looked at again; the more often, the longer it waits.
    void driftBeginsAgain()
    {
        Runner runner(late(), {good}, 0.01);
        Ended ended;
        runner.run(ended, 8);
        runner.slower = 1.05;
        runner.run(ended, 4);
        QCOMPARE(ended.decisions.size(), std::size_t{2});
        runner.slower = 1.3;
        runner.run(ended, 6);
        QVERIFY((kindsOf(ended)
                 == std::vector<Decision::Kind>{Decision::Kept, Decision::NothingToTry, Decision::Drifted,
                                                Decision::TakenBack, Decision::NothingToTry}));
        QCOMPARE(ended.priorities, std::vector<int>{1});
        Ended restless;
        for (int i = 0; i < 2000; ++i) {
            runner.slower = i / 10 % 2 == 0 ? 1 : 1.5;
            runner.run(restless, 1);
        }
        const auto drifted = std::count_if(restless.decisions.begin(), restless.decisions.end(),
                                           [](const Decision& d) { return d.kind == Decision::Drifted; });
        QVERIFY2(drifted > 0 && drifted <= 16, QByteArray::number(qlonglong(drifted)));
    }

    // A scheme that helps more takes the place of one that helps: all are tried.
    void betterOneFollows()
    {
        const FakeQueue two({{2, 4}, {3, 2}, {1, 1}}, 1, 6);
        Runner runner(two, {Scheme{"path", {3, 1}}, good, useless}, 0.01);
        Ended ended;
        runner.run(ended, 20);
        QVERIFY((kindsOf(ended)
                 == std::vector<Decision::Kind>{Decision::Kept, Decision::Kept, Decision::TakenBack,
                                                Decision::NothingToTry}));
        QCOMPARE(ended.decisions[1].base.entries, (std::vector<int>{3, 1}));
        QCOMPARE(ended.priorities, std::vector<int>{1});
    }

    // After a drift what was kept stays while the path is recorded, and to do without is tried first.
    void doingWithoutIsTried()
    {
        Runner runner(late(), {good}, 0.01);
        Ended ended;
        runner.run(ended, 6);
        QCOMPARE(ended.priorities, std::vector<int>{1});
        runner.change(FakeQueue({{2, 3}, {1, 9}, {3, 0}}, 2, 9));  // now the other one is critical, and 1 in its way
        runner.run(ended, 12);
        QVERIFY(ended.decisions[2].kind == Decision::Drifted);
        QCOMPARE(ended.decisions[3].scheme.name, std::string("none"));
        QVERIFY(ended.decisions[3].kind == Decision::Kept);
        QVERIFY(ended.priorities.empty());
    }

    void spreads_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("place");  // of the lower end
        QTest::newRow("1") << 1 << 0;
        QTest::newRow("4") << 4 << 0;
        QTest::newRow("5") << 5 << 0;    // 1/32 below: 0.031
        QTest::newRow("8") << 8 << 1;    // 9/256: 0.035
        QTest::newRow("11") << 11 << 2;  // 67/2048: 0.033
        QTest::newRow("20") << 20 << 5;  // 0.021
    }
    void spreads()
    {
        QFETCH(int, count);
        QFETCH(int, place);
        std::vector<double> samples(static_cast<std::size_t>(count));
        std::iota(samples.begin(), samples.end(), 0.0);
        std::shuffle(samples.begin(), samples.end(), std::mt19937(7));
        const Spread spread = spreadOf(samples);
        QCOMPARE(spread.median, (count - 1) / 2.0);
        QCOMPARE(spread.low, double(place));
        QCOMPARE(spread.high, double(count - 1 - place));
    }
    void spreadOfMany()
    {
        std::vector<double> samples(100'000);
        std::iota(samples.begin(), samples.end(), 0.0);
        const Spread spread = spreadOf(samples);
        QVERIFY(spread.low > 49'000 && spread.low < 50'000 && spread.high > 50'000 && spread.high < 51'000);
        QCOMPARE(spreadOf({}).count, std::size_t{0});
    }

    void comparisons()
    {
        const std::vector<double> ten(8, 10), nine(8, 9), almost(8, 9.95);
        QVERIFY(compared(ten, nine).verdict == Verdict::Better);
        QVERIFY(compared(nine, ten).verdict == Verdict::Worse);
        QVERIFY(compared(ten, ten).verdict == Verdict::Undecided);
        QVERIFY(compared(ten, almost).verdict == Verdict::Undecided);  // less than one per cent
        QVERIFY(compared(ten, std::vector<double>(4, 9)).verdict == Verdict::TooFew);
    }

    void schemes()
    {
        std::vector<EntryOnPath> entries{{4, 0.5, 0.9, 10, 0.3}, {7, 0.3, 0.2, 50, 1.5}, {9, 0.2, 0.6, 0, 0.1}};
        const std::vector<Scheme> made = schemesOf(entries, 8);
        QCOMPARE(made.size(), std::size_t{4});
        QCOMPARE(made[0].entries, (std::vector<int>{4, 9}));
        QCOMPARE(made[1].entries, (std::vector<int>{4, 7, 9}));
        QCOMPARE(made[2].entries, std::vector<int>{7});
        QCOMPARE(made[3].entries, std::vector<int>{4});
        QCOMPARE(schemesOf(entries, 2).size(), std::size_t{2});
        QVERIFY(schemesOf({}, 8).empty());
        QCOMPARE(schemesOf({{4, 1, 1, 3, 0}}, 8).size(), std::size_t{1});  // all the same one
        // What is light goes with those that are mostly on the path, before it is tried without.
        entries.push_back({11, 0.01, 0.25, 30, 0.01});
        const std::vector<Scheme> light = schemesOf(entries, 8);
        QCOMPARE(light[0].entries, (std::vector<int>{4, 9, 11}));
        QCOMPARE(light[0].name, std::string("path"));
        QCOMPARE(light[1].entries, (std::vector<int>{4, 9}));
        QCOMPARE(light[1].name, std::string("pure"));
    }

    void regularTimes()
    {
        std::vector<double> even, bursts;
        for (int i = 0; i < 20; ++i) {
            even.push_back(i * 1.0 + (i % 2) * 0.05);
            const int burst = i / 3;
            bursts.push_back(burst + i % 3 * 0.01);
        }
        QVERIFY(isRegular(even));
        QVERIFY(!isRegular(bursts));
        QVERIFY(!isRegular({1, 2, 3}));
        QVERIFY(!isRegular(std::vector<double>(20, 1.0)));
    }
};

LONGPOLE_TEST(TestAutoDecision)
#include "tst_autodecision.moc"
