// SPDX-License-Identifier: GPL-3.0-or-later
// Wait states with their worst instances, and who caused them: drawn programs with exact numbers.
#include "analysis/base/cells.h"
#include "analysis/mpi/delaycosts.h"
#include "analysis/mpi/foundwaits.h"
#include "analysis/mpi/waitstates.h"
#include "support/mpi/waitprogram.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;

namespace {

constexpr std::int64_t Work = WaitProgram::FirstCode;
constexpr std::int64_t Other = WaitProgram::FirstCode + 1;

}  // namespace

class TestWaitStates : public QObject {
    Q_OBJECT

    WrittenWaits m_written;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // rank 0  [work 10    ][barrier 1]      rank 1 waits 6 for rank 0's work, of which 4 it did as well
    // rank 1  [w 4]........[barrier 3  ]    and leaves 2 after rank 0
    void oneImbalance()
    {
        WaitProgram program(2, {"work", "other"});
        program.compute(0, 10);
        program.compute(1, 4);
        program.meetAll(WaitProgram::Barrier, {0, 1}, {1, 3});
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->states.size(), std::size_t(2));
        const WaitState& barrier = found->states[0];
        QVERIFY(barrier.kind == WaitStateKind::WaitAtBarrier);
        QCOMPARE(barrier.count, 1);
        QCOMPARE(barrier.time, 6);
        QCOMPARE(barrier.byRank, (std::vector<TimeNs>{0, 6}));
        const WaitInstance& worst = barrier.worst.front();
        QCOMPARE(worst.rank, 1u);
        QCOMPARE(worst.seq, 0);
        QCOMPARE(worst.wait, (TimeRange{4, 10}));
        QCOMPARE(worst.culprit, 0);
        QCOMPARE(worst.culpritSeq, 0);
        QVERIFY(worst.meanwhile.task == (TaskId{ProcessorId{0}, 0}));
        QCOMPARE(std::int64_t(index(worst.meanwhile.entry)), Work);
        const WaitState& completion = found->states[1];
        QVERIFY(completion.kind == WaitStateKind::BarrierCompletion);
        QCOMPARE(completion.time, 2);
        QCOMPARE(completion.worst.front().wait, (TimeRange{11, 13}));
        QCOMPARE(completion.worst.front().culprit, -1);
        QCOMPARE(found->total, 8);
        QCOMPARE(found->totalTime, 26);
        QCOMPARE(found->causes.size(), std::size_t(1));
        QVERIFY((found->causes.front() == DelayCost{EntryId(Work), 0xffffffffu, 6, 0}));
        QVERIFY((found->causesByRank.front() == DelayCost{EntryId(Work), 0, 6, 0}));
        QCOMPARE(found->unexplained, 2);
        QCOMPARE(nameOfCode(*trace, EntryId(Work)), QStringLiteral("work"));
        QCOMPARE(nameOfCode(*trace, EntryId{WaitProgram::Barrier}), QStringLiteral("MPI_Barrier"));
    }

    // rank 0  [work 10    ][S]
    // rank 1  [2].........[R][1][S]     waits 8 for rank 0's work
    // rank 2  [1]................[R]    waits 11: 2 for work and 1 for MPI_Recv of rank 1, 8 for what rank 1 waited
    void chainOfThree()
    {
        WaitProgram program(3, {"work", "other"});
        program.compute(0, 10);
        program.send(0, 1, 1);
        program.compute(1, 2);
        program.receive(1, 0, 1);
        program.compute(1, 1);
        program.send(1, 2, 1);
        program.compute(2, 1);
        program.receive(2, 1, 1);
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->states.size(), std::size_t(1));
        QCOMPARE(found->total, 8 + 11);
        QCOMPARE(found->states[0].worst.size(), std::size_t(2));
        QCOMPARE(found->states[0].worst[0].rank, 2u);
        QCOMPARE(found->states[0].worst[1].rank, 1u);
        const CulpritWork& middle = found->states[0].worst[0].meanwhile;  // of rank 1, which mostly waited itself
        QCOMPARE(std::int64_t(index(middle.entry)), Work);
        QCOMPARE(middle.ran, 2);
        QCOMPARE(middle.waited, 8);
        QCOMPARE(middle.within, 11);
        QCOMPARE(culpritText(*trace, middle),
                 QStringLiteral("which itself waited 8 ns meanwhile and ran work for 2 ns"));
        const CulpritWork& first = found->states[0].worst[1].meanwhile;
        QCOMPARE(first.ran, 8);
        QCOMPARE(first.waited, 0);
        QCOMPARE(culpritText(*trace, first), QStringLiteral("in work"));
        QVERIFY((cause(*found, Work, 0) == DelayCost{EntryId(Work), 0, 8, 8}));
        QVERIFY((cause(*found, Work, 1) == DelayCost{EntryId(Work), 1, 2, 0}));
        QVERIFY((cause(*found, WaitProgram::Recv, 1) == DelayCost{EntryId{WaitProgram::Recv}, 1, 1, 0}));
        QCOMPARE(found->causesByRank.size(), std::size_t(3));
        QVERIFY((found->causes[0] == DelayCost{EntryId(Work), 0xffffffffu, 10, 8}));
        QCOMPARE(found->unexplained, 0);
    }

    // As figure 1 of Boehme et al. 2010: two ranks met; then one does `other` for 6 more and something both do; the
    // other waits. What lay before they met counts for nothing.
    void sinceTheyMet()
    {
        WaitProgram program(2, {"work", "other"});
        program.compute(0, 100);
        program.compute(1, 90);
        program.meetAll(WaitProgram::Allreduce, {0, 1}, {2, 2});
        program.compute(0, 5);
        program.compute(0, 6, 1);
        program.compute(1, 7);
        program.exchange(0, 1, 1, 1);
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(state(*found, WaitStateKind::WaitAtNxN)->time, 10);
        QCOMPARE(state(*found, WaitStateKind::LateSender)->time, 4);
        QVERIFY((cause(*found, Work, 0) == DelayCost{EntryId(Work), 0, 10, 0}));
        QVERIFY((cause(*found, Other, 0) == DelayCost{EntryId(Other), 0, 4, 0}));
        QCOMPARE(found->unexplained, 0);
    }

    // The culprit did a little of `work` right before it came, and `other` for most of the wait.
    void whatTheCulpritDid()
    {
        WaitProgram program(2, {"work", "other"});
        program.compute(0, 9);
        program.compute(0, 20, 1);
        program.compute(0, 2);
        program.compute(1, 5);
        program.exchange(0, 1, 1, 1);
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, {}, Progress{});
        QVERIFY(found.ok());
        const WaitInstance& worst = found->states.front().worst.front();
        QCOMPARE(worst.wait, (TimeRange{5, 31}));
        QCOMPARE(std::int64_t(index(worst.meanwhile.entry)), Other);
        QVERIFY(worst.meanwhile.task == (TaskId{ProcessorId{0}, 1}));
    }

    // rank 0  [w1][S]...................[barrier]     rank 1 received the message late: what made it late lies before
    // rank 1  [work 10       ]R[w1]     [barrier]     that, and rank 0's wait goes back to it
    void lateReceptionIsNoMeeting()
    {
        WaitProgram program(2, {"work"});
        program.compute(0, 1);
        program.send(0, 1, 1);
        program.compute(1, 10);
        program.receive(1, 0, 0);
        program.compute(1, 1);
        program.meetAll(WaitProgram::Barrier, {0, 1}, {1, 1});
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->total, 9);
        QVERIFY((cause(*found, Work, 1) == DelayCost{EntryId(Work), 1, 9, 0}));
        QCOMPARE(found->unexplained, 0);
    }

    // Shares are rounded to whole nanoseconds that add up to the wait.
    void sharesAreWhole()
    {
        WaitProgram program(2, {"a", "b", "c", "d"});
        for (int code = 0; code < 3; ++code) program.compute(0, 1, code);
        program.compute(1, 1, 0);
        program.meetAll(WaitProgram::Barrier, {0, 1}, {1, 1});
        program.compute(0, 1, 0);
        program.compute(0, 1, 1);
        program.compute(0, 1, 2);
        program.compute(1, 2, 3);  // not the same code: it waits 1 for three excesses of 1
        program.exchange(0, 1, 1, 1);
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->total, 3);
        QCOMPARE(sumOf(found->causes), 3);
        QCOMPARE(found->unexplained, 0);
    }

    // A culprit that did less of everything, or is not in the trace, explains nothing.
    void withoutCause()
    {
        WaitProgram program(2, {"work"});
        program.compute(0, 5);
        program.compute(1, 5);
        program.exchange(0, 1, 1, 1);
        WrittenCall& call = program.lastCall(1);
        call.pattern = WaitPattern::LateSender;
        call.severity = call.waitBefore = 1;
        call.culprit = 7;
        call.culpritSeq = 0;
        program.compute(0, 5);
        program.compute(1, 5);
        program.exchange(0, 1, 1, 1);
        WrittenCall& second = program.lastCall(1);
        second.pattern = WaitPattern::LateSender;
        second.severity = second.waitBefore = 1;
        second.culprit = 0;
        second.culpritSeq = 1;
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->total, 2);
        QCOMPARE(sumOf(found->causes), 1);  // rank 0's MPI_Ssend took 1, where rank 1 waited
        QCOMPARE(found->unexplained, 1);
        QVERIFY(!state(*found, WaitStateKind::LateSender)->worst.front().meanwhile.task.isValid());
    }

    // Of two waits the one in or beside a part that is left out does not count, in sums, worst waits and causes.
    void partsCanBeLeftOut()
    {
        WaitProgram program(2, {"work", "other"});
        program.compute(0, 10);
        program.compute(1, 4);
        program.meetAll(WaitProgram::Barrier, {0, 1}, {1, 1});
        program.compute(0, 2, 1);
        program.compute(1, 22, 1);
        program.meetAll(WaitProgram::Barrier, {0, 1}, {1, 1});
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto all = waitStates(*trace, {}, Progress{});
        QVERIFY(all.ok());
        QCOMPARE(all->total, TimeNs{26});
        const auto barriers = [&](std::vector<TimeRange> without) {
            const auto found = waitStates(*trace, {.without = std::move(without)}, Progress{});
            TimeNs causes = found->unexplained;
            for (const DelayCost& cost : found->causes) causes += cost.sum();
            return found->states.empty() || causes != found->total ? TimeNs{-1} : found->total;
        };
        QCOMPARE(barriers({{3, 4}}), TimeNs{26});  // ends where the first wait begins
        QCOMPARE(barriers({{0, 2}, {5, 6}}), TimeNs{20});
        QCOMPARE(barriers({{30, 40}}), TimeNs{6});
    }

    void wrongOrderIsPartOfLateSender()
    {
        WaitProgram program(2, {"work"});
        program.compute(0, 9);
        program.exchange(0, 1, 1, 1);
        program.lastCall(1).flags |= MpiCallFlag::WrongOrderSameSource;
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->states.size(), std::size_t(2));
        QCOMPARE(state(*found, WaitStateKind::WrongOrderSameSource)->time, 9);
        QCOMPARE(found->total, 9);
        QVERIFY(isPartOfAnother(WaitStateKind::WrongOrderSameSource));
        WaitOptions only;
        only.kind = WaitStateKind::WrongOrderSameSource;
        const auto part = waitStates(*trace, only, Progress{});
        QVERIFY(part.ok());
        QCOMPARE(part->total, 9);
        QCOMPARE(sumOf(part->causes), 9);
        only.kind = WaitStateKind::LateReceiver;
        QCOMPARE(waitStates(*trace, only, Progress{})->total, 0);
    }

    void words()
    {
        for (std::size_t i = 0; i < waitStateKinds; ++i) {
            const auto kind = WaitStateKind(i);
            QVERIFY(waitStateNamed(QLatin1String(name(kind))) == kind);
            QVERIFY(!title(kind).isEmpty());
            QVERIFY(explanation(kind).endsWith(QLatin1Char('.')));
        }
        QVERIFY(!waitStateNamed(QStringLiteral("none")));
        QVERIFY(!stateOf(WaitPattern::None));
    }

    // Path 0..16: `work` 10 on rank 0, then MPI and `other` 5 on rank 1.
    void imbalanceOnThePath()
    {
        WaitProgram program(2, {"work", "other"});
        program.compute(0, 10);
        program.compute(1, 4);
        program.exchange(0, 1, 1, 1);
        program.compute(1, 5, 1);
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto graph = loadActivityGraph(*trace, Progress{});
        QVERIFY(graph.ok());
        const auto elapsed = elapsedPath(**graph);
        QVERIFY(elapsed.ok());
        const auto activities = pathImbalances(**graph, *elapsed, 2);
        QCOMPARE(activities.size(), std::size_t(2));
        for (const PathImbalance& activity : activities) {
            const bool isWork = index(activity.entry) == Work;
            QCOMPARE(activity.onPath, isWork ? 10 : 5);
            QCOMPARE(activity.average, isWork ? 7.0 : 2.5);
            QCOMPARE(activity.imbalance, isWork ? 3.0 : 2.5);
            QCOMPARE(activity.impact, isWork ? 10 / 16.0 : 5 / 16.0);
        }
        QCOMPARE(std::int64_t(index(activities.front().entry)), Work);
    }
};

LONGPOLE_TEST(TestWaitStates)
#include "tst_waitstates.moc"
