// SPDX-License-Identifier: GPL-3.0-or-later
// The path that a Charm++ program finds while it runs: drawn programs on several PEs, whose logs are replayed with
// answers that come in any order, against a plain computation over all that happened.
#include "recorder/charm/activitylog.h"
#include "recorder/charm/drawnprogram.h"
#include "recorder/charm/pathreplay.h"

#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

using namespace longpole_module;
using namespace longpole_module::test;

class TestCharmPath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void drawnPrograms_data()
    {
        QTest::addColumn<int>("pes");
        QTest::addColumn<int>("tasks");
        QTest::addColumn<bool>("hasOtherNumbers");
        QTest::newRow("one PE") << 1 << 60 << false;
        QTest::newRow("three PEs") << 3 << 80 << false;
        QTest::newRow("numbers of another tracer") << 4 << 120 << true;
        QTest::newRow("many tasks") << 5 << 3000 << false;
    }
    void drawnPrograms()
    {
        QFETCH(int, pes);
        QFETCH(int, tasks);
        QFETCH(bool, hasOtherNumbers);
        const unsigned programs = tasks > 1000 ? 5 : 300;
        int merged = 0;
        for (unsigned seed = 1; seed <= programs; ++seed)
            for (const PathLevel level : {MessagesLevel, MergesLevel, OrderLevel}) {
                DrawnProgram program(seed, pes, tasks, hasOtherNumbers);
                Replayed replayed(program, level);
                const QByteArray where = "seed " + QByteArray::number(seed);
                QVERIFY2(replayed.isComplete(), where);
                const Time length = program.length(level);
                QVERIFY2(replayed.length == length,
                         QByteArray(where + ": " + QByteArray::number(qlonglong(replayed.length)) + " for "
                                    + QByteArray::number(qlonglong(length))));
                // Each step's part of the path is what the task before it had done by then, and they add up.
                Time sum = 0;
                Time left = length;
                for (const auto& [pe, step] : replayed.walk()) {
                    const DrawnTask& task = program.task(pe, step.task);
                    QCOMPARE(step.begin, task.begin);
                    QCOMPARE(step.entry, std::uint32_t{task.entry});
                    QVERIFY2(step.weight >= 0 && step.weight <= task.duration, where);
                    QVERIFY2(task.head + step.weight == left, where);
                    left = task.head;
                    sum += step.weight;
                    merged += step.link == MergeLink;
                }
                QCOMPARE(left, Time{0});
                QCOMPARE(sum, length);
                Time onPath = 0;
                for (int pe = 0; pe < pes; ++pe)
                    for (const PathReplay::Sums& sums : replayed.of(pe).sums()) onPath += sums.onPath;
                QCOMPARE(onPath, length);
            }
        QVERIFY(merged > 0);
    }

    // Times of executions inside of others are theirs.
    void innermostHasTheTime()
    {
        ActivityLog log(1u << 26);
        log.begin(0, 1, MessageKey{-1, 0});
        log.begin(10, 2, MessageKey{0, 1});
        log.begin(15, 3, MessageKey{0, 1});
        log.end(25);
        log.end(40);
        log.begin(50, 2, MessageKey{0, 1});
        log.end(55);
        log.end(100);
        std::map<int, Time> times;
        log.piecesOf(0, 100, [&](std::uint16_t entry, Time time) { times[entry] += time; });
        QCOMPARE(times, (std::map<int, Time>{{1, 65}, {2, 25}, {3, 10}}));
        times.clear();
        log.piecesOf(0, 20, [&](std::uint16_t entry, Time time) { times[entry] += time; });
        QCOMPARE(times, (std::map<int, Time>{{1, 10}, {2, 5}, {3, 5}}));
    }

    // Beyond its memory the log drops what is oldest; what is kept is found, and paths start where it does.
    void oldestIsDropped()
    {
        const std::size_t most = 1u << 20;
        ActivityLog log(most);
        std::uint32_t event = 0;
        const Time tasks = 200'000;
        for (Time i = 0; i < tasks; ++i) {
            log.begin(i * 10, 1, i == 0 ? MessageKey{-1, 0} : MessageKey{0, event});
            event = log.send(i * 10 + 4, 1, false);
            log.end(i * 10 + 6);
        }
        QVERIFY(log.isDropped());
        QVERIFY2(log.bytes() <= most + std::size_t{4096} * 32, QByteArray::number(qulonglong(log.bytes())));
        QVERIFY(log.endOfTasks() - log.firstTask() > 20'000);
        QCOMPARE(log.endOfTasks(), std::uint64_t(tasks));
        PathReplay replay(log, 0, 1, MessagesLevel, tasks * 10, 4);
        replay.run();
        QVERIFY(replay.isComplete());
        const Time kept = static_cast<Time>(log.endOfTasks() - log.firstTask());
        // The first one that is kept may have lost its message.
        QCOMPARE(replay.farthest(), (kept - 1) * 4 + 6);
        std::uint64_t row = 0;
        QVERIFY(!log.findSend(1, row));
        log.forget();
        QCOMPARE(log.firstTask(), log.endOfTasks());
        QVERIFY(!log.findSend(event, row));
        QVERIFY(!log.isDropped());
        log.begin(9'000'000, 1, MessageKey{0, event});
        event = log.send(9'000'001, 2, false);
        log.end(9'000'002);
        QVERIFY(log.findSend(event, row));
        QCOMPARE(log.sendAt(row).task, log.firstTask());
    }

    // Few tasks may send, execute and merge without end: what they keep is bounded, too.
    void fewTasksAreBounded()
    {
        const std::size_t most = 1u << 20;
        const auto isBounded = [](const ActivityLog& log) { return log.bytes() <= most + std::size_t{4096} * 32; };
        for (const bool hasOtherNumbers : {false, true})
            for (const Time step : {Time{1}, Time{1'000'000}}) {  // some offsets are longer than 32 bits hold
                ActivityLog log(most);
                Time now = 1;
                std::uint32_t event = 0;
                for (int task = 0; task < 4; ++task) {
                    log.begin(now, 1, task == 0 ? MessageKey{-1, 0} : MessageKey{0, event});
                    for (int i = 0; i < 100'000; ++i) {
                        now += step;
                        if (hasOtherNumbers) log.send(now, 2, false, ++event);
                        else event = log.send(now, 2, false);
                    }
                    log.end(now);
                }
                QVERIFY2(isBounded(log), QByteArray::number(qulonglong(log.bytes())));
                QVERIFY(log.isDropped());
                QCOMPARE(log.endOfTasks() - log.firstTask(), std::uint64_t{4});
                std::uint64_t send = 0;
                QVERIFY(log.findSend(event, send) && !log.findSend(event - 300'000, send));
                QVERIFY(log.findSend(event, send));
                QCOMPARE(log.sendAt(send).task, std::uint64_t{3});
                QCOMPARE(log.sendAt(send).offset, step * 100'000);
                PathReplay replay(log, 0, 1, OrderLevel, now, 4);
                replay.run();
                QVERIFY(replay.isComplete());
                QCOMPARE(replay.farthest(), step * 400'000);
            }
        ActivityLog inner(most);
        inner.begin(0, 1, MessageKey{-1, 0});
        for (Time i = 1; i <= 200'000; ++i) {
            inner.begin(2 * i, 2, MessageKey{0, 7});
            inner.end(2 * i + 1);
        }
        inner.end(500'000);
        QVERIFY2(isBounded(inner), QByteArray::number(qulonglong(inner.bytes())));
        Time sum = 0;
        inner.piecesOf(0, 500'000, [&](std::uint16_t, Time time) { sum += time; });
        QCOMPARE(sum, Time{500'000});

        ActivityLog merges(most);
        std::vector<ActivityLog::Merge> points(50'000, noArrival);
        for (Time task = 0; task < 3; ++task) {
            merges.begin(task * 10, 1, MessageKey{-1, 0});
            for (ActivityLog::Merge& point : points) point = merges.merge(point);
            merges.end(task * 10 + 5);
        }
        QVERIFY2(isBounded(merges), QByteArray::number(qulonglong(merges.bytes())));
        PathReplay replay(merges, 0, 1, MergesLevel, 100, 4);
        replay.run();
        QVERIFY(replay.isComplete());
    }

    // Each that arrives at a merge has the path of all before it, at no more cost than theirs.
    void manyArriveAtOneMerge()
    {
        const int tasks = 100'000;
        ActivityLog log(1u << 26), sender(1u << 26);
        sender.begin(0, 1, MessageKey{-1, 0});
        ActivityLog::Merge merge = noArrival;
        for (int i = 0; i < tasks; ++i) {
            const std::uint32_t event = sender.send(i == 7 ? 1'000'000 : i, 1, false);
            log.begin(2'000'000 + i * 10, 1, MessageKey{1, event});
            merge = log.merge(merge);
            log.end(2'000'000 + i * 10 + 1);
        }
        sender.end(3'000'000);
        QElapsedTimer clock;
        clock.start();
        PathReplay replay(log, 0, 2, MergesLevel, 10'000'000, 4), other(sender, 1, 2, MergesLevel, 10'000'000, 4);
        replay.run();
        other.ask(0, replay.questions().at(1));
        other.run();
        replay.hear(1, other.takeAnswers().at(0));
        replay.run();
        QVERIFY2(clock.elapsed() < 20'000, QByteArray::number(clock.elapsed()));  // a walk back for each takes minutes
        QVERIFY(replay.isComplete());
        QCOMPARE(replay.farthest(), Time{1'000'001});  // the message that came eighth
        std::uint64_t number = 0;
        const Hop hop = replay.walk(number);
        QCOMPARE(hop.pe, 1);
        std::uint64_t send = 0;
        QVERIFY(sender.findSend(hop.event, send));
        QCOMPARE(sender.sendAt(send).offset, Time{1'000'000});
        QCOMPARE(log.allMerges().size(), std::size_t(tasks - 1));
    }

    // A merge point that another PE of the process has used, or that came with an object, begins anew here.
    void mergesOfAnotherLog()
    {
        ActivityLog here(1u << 26, 1), there(1u << 26, 2);
        ActivityLog::Merge merge = noArrival;
        for (Time i = 0; i < 20'000; ++i)
            for (ActivityLog* log : {&here, &there}) {
                log->begin(i * 10, 1, MessageKey{0, static_cast<std::uint32_t>(i)});
                if (log == &there) merge = there.merge(merge);
                log->end(i * 10 + 5);
            }
        here.begin(300'000, 1, MessageKey{0, 20'000});
        merge = here.merge(merge);
        QCOMPARE(merge.log, std::uint64_t{1});
        QCOMPARE(merge.row, std::uint64_t{ActivityLog::noMerge});
        QCOMPARE(here.allMerges().size(), std::size_t{0});
        here.end(300'010);
        // Two threads of a node group may have written one half of it each.
        here.begin(300'020, 1, MessageKey{0, 20'001});
        merge.row = 1u << 30;
        merge = here.merge(merge);
        QCOMPARE(here.allMerges().size(), std::size_t{1});
        here.end(300'030);
        QCOMPARE(there.allMerges().size(), std::size_t{19'999});
    }

    // Tasks are kept with 48 bits of their begin, three days of nanoseconds; programs run longer.
    void longRuns()
    {
        const Time day = Time{86'400} * 1'000'000'000;
        ActivityLog log(1u << 26);
        std::uint32_t event = 0;
        for (int i = 0; i < 10; ++i) {
            log.begin(i * day, 1, i == 0 ? MessageKey{-1, 0} : MessageKey{0, event});
            event = log.send(i * day + 5, 1, false);
            log.end(i * day + 9);
        }
        for (int i = 0; i < 10; ++i) QCOMPARE(log.beginOf(static_cast<std::uint64_t>(i)), i * day);
        log.begin(10 * day, 1, MessageKey{0, event});
        log.forget();
        QCOMPARE(log.beginOf(log.firstTask()), 10 * day);
        PathReplay replay(log, 0, 1, MergesLevel, 10 * day + 7, 4);
        replay.run();
        QCOMPARE(replay.farthest(), Time{7});
        QCOMPARE(replay.firstBegin(), 10 * day);
    }

    // What was sent after the logs were cut, and all that it led to, is left out.
    void cutIsConsistent()
    {
        ActivityLog zero(1u << 26), one(1u << 26);
        zero.begin(0, 1, MessageKey{-1, 0});
        const std::uint32_t first = zero.send(10, 2, false);
        zero.end(20);
        PathReplay early(zero, 0, 2, MessagesLevel, 20, 4);  // cut here
        zero.begin(30, 1, MessageKey{-1, 0});
        const std::uint32_t second = zero.send(1030, 3, false);
        zero.end(1040);
        one.begin(15, 2, MessageKey{0, first});
        one.end(20);
        one.begin(1100, 3, MessageKey{0, second});
        const std::uint32_t third = one.send(1150, 1, false);
        one.end(1200);
        one.begin(1300, 1, MessageKey{1, third});
        one.end(1400);
        PathReplay late(one, 1, 2, MessagesLevel, 1400, 4);
        late.run();
        early.ask(1, late.questions().at(0));
        early.run();
        late.hear(0, early.takeAnswers().at(1));
        late.run();
        QVERIFY(late.isComplete());
        QCOMPARE(early.farthest(), Time{20});
        QCOMPARE(late.farthest(), Time{15});
    }

    // A task that runs counts until the cut, also when it has ended since.
    void runningTaskIsCut()
    {
        ActivityLog log(1u << 26);
        log.begin(100, 1, MessageKey{-1, 0});
        PathReplay replay(log, 0, 1, OrderLevel, 150, 4);
        log.end(400);
        replay.run();
        QCOMPARE(replay.farthest(), Time{50});
        std::uint64_t number = 0;
        replay.walk(number);
        QCOMPARE(replay.steps().at(0).weight, std::int64_t{50});
    }
};

LONGPOLE_TEST(TestCharmPath)
#include "tst_charmpath.moc"
