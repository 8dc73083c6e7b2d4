// SPDX-License-Identifier: GPL-3.0-or-later
// Wait states with their worst instances, and who caused them: drawn programs with exact numbers, random ones against
// the definition.
#include "analysis/base/cells.h"
#include "analysis/mpi/commonsyncs.h"
#include "analysis/mpi/delaycosts.h"
#include "analysis/mpi/threadcosts.h"
#include "analysis/mpi/waitstates.h"
#include "support/randomwaits.h"
#include "support/testmain.h"
#include "support/waitprogram.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <ctime>
#include <functional>
#include <map>

#include <sys/resource.h>

using namespace longpole;

namespace {

using Costs = std::map<std::pair<std::int64_t, std::uint32_t>, std::pair<double, double>>;  // (code, rank): both costs

// The largest that this process ever was, kB; and its CPU time.
long peak()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}
double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

constexpr std::int64_t Work = WaitProgram::FirstCode;
constexpr std::int64_t Other = WaitProgram::FirstCode + 1;

// Delay costs straight from the definition: every wait looks at everything, amounts are real numbers.
class Definition {
public:
    explicit Definition(const WaitProgram& program) : m_program(program), m_rows(program.rows()) {}

    Costs costs()
    {
        for (std::uint32_t rank = 0; rank < m_rows.ranks.size(); ++rank)
            for (std::size_t call = 0; call < m_rows.ranks[rank].calls.size(); ++call)
                if (m_rows.ranks[rank].calls[call].severity > 0) look(rank, call);
        Costs costs;
        for (const auto& [place, wait] : m_waits) {
            if (wait.whole <= 0) continue;
            for (const auto& [code, time] : wait.code) {
                auto& [direct, propagated] = costs[{code, wait.culprit}];
                direct += double(wait.severity) * double(time) / double(wait.whole);
                propagated += handed(place) * double(time) / double(wait.whole);
            }
        }
        return costs;
    }

private:
    using Place = std::pair<std::uint32_t, std::size_t>;  // rank, call
    struct Wait {
        TimeNs severity = 0, whole = 0;
        std::uint32_t culprit = 0;
        std::map<std::int64_t, TimeNs> code;
        std::map<Place, TimeNs> waits;
    };

    std::map<std::int64_t, TimeNs> times(std::uint32_t rank, TimeNs from, TimeNs to) const
    {
        std::map<std::int64_t, TimeNs> times;
        const auto add = [&](std::int64_t code, TimeNs begin, TimeNs end) {
            const TimeNs time = overlap({begin, end}, {from, std::max(from, to)});
            if (time > 0) times[code] += time;
        };
        for (const CodeRow& code : m_rows.ranks[rank].code) add(code.entry, code.begin, code.end);
        for (const WrittenCall& call : m_rows.ranks[rank].calls) add(call.region, call.begin + call.severity, call.end);
        return times;
    }

    void look(std::uint32_t rank, std::size_t number)
    {
        const WrittenCall& call = m_rows.ranks[rank].calls[number];
        Wait& wait = m_waits[{rank, number}];
        wait.severity = call.severity;
        wait.culprit = std::uint32_t(call.culprit);
        const auto culpritCall = std::size_t(call.culpritSeq);
        const auto& mine = m_rows.ranks[rank].calls;
        const auto& theirs = m_rows.ranks[wait.culprit].calls;
        const auto isBehind = [&](const WaitProgram::Meeting& met) {
            return theirs[met.otherCall].begin + theirs[met.otherCall].severity
                   > mine[met.call].begin + mine[met.call].severity;
        };
        const WaitProgram::Meeting* last = nullptr;
        for (const WaitProgram::Meeting& met : m_program.meetings())
            if (met.rank == rank && met.other == wait.culprit && met.call < number && met.otherCall < culpritCall
                && !isBehind(met)
                && (last == nullptr || std::pair(met.call, met.otherCall) > std::pair(last->call, last->otherCall)))
                last = &met;
        const TimeNs myFrom = last ? mine[last->call].begin + mine[last->call].severity : minTime;
        const TimeNs theirFrom = last ? theirs[last->otherCall].begin + theirs[last->otherCall].severity : minTime;
        wait.code = times(wait.culprit, theirFrom, theirs[culpritCall].begin);
        for (const auto& [code, time] : times(rank, myFrom, call.begin)) wait.code[code] -= time;
        std::erase_if(wait.code, [](const auto& one) { return one.second <= 0; });
        for (std::size_t k = last ? last->otherCall + 1 : 0; k < culpritCall; ++k)
            if (theirs[k].severity > 0) wait.waits[{wait.culprit, k}] = theirs[k].severity;
        for (const auto& [code, time] : wait.code) wait.whole += time;
        for (const auto& [place, time] : wait.waits) wait.whole += time;
    }

    double handed(const Place& place)
    {
        if (const auto known = m_handed.find(place); known != m_handed.end()) return known->second;
        double sum = 0;
        for (const auto& [from, wait] : m_waits)
            if (const auto part = wait.waits.find(place); part != wait.waits.end())
                sum += (double(wait.severity) + handed(from)) * double(part->second) / double(wait.whole);
        return m_handed[place] = sum;
    }

    const WaitProgram& m_program;
    const MpiRows& m_rows;
    std::map<Place, Wait> m_waits;
    std::map<Place, double> m_handed;
};

}  // namespace

class TestWaitStates : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<const TraceStore> written(const WaitProgram& program)
    {
        return store(program.rows(), m_folder.filePath(QStringLiteral("%1.longpole").arg(m_files++)));
    }
    static const WaitState* state(const WaitStates& found, WaitStateKind kind)
    {
        for (const WaitState& state : found.states)
            if (state.kind == kind) return &state;
        return nullptr;
    }
    static DelayCost cause(const WaitStates& found, std::int64_t code, std::uint32_t rank)
    {
        for (const DelayCost& cost : found.causesByRank)
            if (index(cost.entry) == code && cost.rank == rank) return cost;
        return {};
    }
    static TimeNs sumOf(const std::vector<DelayCost>& causes)
    {
        TimeNs sum = 0;
        for (const DelayCost& cost : causes) sum += cost.sum();
        return sum;
    }

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
        const auto trace = written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, Progress{});
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
        const auto trace = written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, Progress{});
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
        const auto trace = written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, Progress{});
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
        const auto trace = written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, Progress{});
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
        const auto trace = written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->total, 9);
        QVERIFY((cause(*found, Work, 1) == DelayCost{EntryId(Work), 1, 9, 0}));
        QCOMPARE(found->unexplained, 0);
    }

    // Shares are rounded to whole nanoseconds that add up to the wait.
    void sharesAreWhole()
    {
        WaitProgram program(2, {"a", "b", "c"});
        for (int code = 0; code < 3; ++code) program.compute(0, 1, code);
        program.compute(1, 1, 0);
        program.meetAll(WaitProgram::Barrier, {0, 1}, {1, 1});
        program.compute(0, 1, 0);
        program.compute(0, 1, 1);
        program.compute(0, 1, 2);
        program.compute(1, 2, 3);  // not the same code: it waits 1 for three excesses of 1
        program.exchange(0, 1, 1, 1);
        const auto trace = written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, Progress{});
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
        const auto trace = written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, Progress{});
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
        const auto trace = written(program);
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
        const auto trace = written(program);
        QVERIFY(trace);
        const auto found = waitStates(*trace, Progress{});
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

    void randomProgramsFollowTheDefinition()
    {
        QRandomGenerator random(20);
        int compared = 0;
        for (int run = 0; run < 120; ++run) {
            const WaitProgram program = randomProgram(random, 2 + std::uint32_t(random.bounded(5)), 40);
            const auto trace = written(program);
            QVERIFY(trace);
            const auto found = waitStates(*trace, Progress{}, 1000);
            QVERIFY2(found.ok(), found.ok() ? "" : qPrintable(toText(found.error())));
            // States: every severity and completion once.
            TimeNs severities = 0, completion = 0;
            for (const RankRows& rank : program.rows().ranks)
                for (const WrittenCall& call : rank.calls) {
                    severities += call.severity;
                    completion += call.waitAfter;
                    QVERIFY(call.severity <= call.end - call.begin);
                }
            QCOMPARE(found->total, severities + completion);
            for (const WaitState& state : found->states) {
                TimeNs ofRanks = 0, ofInstances = 0;
                for (const TimeNs time : state.byRank) ofRanks += time;
                for (const WaitInstance& instance : state.worst) ofInstances += instance.wait.length();
                QCOMPARE(ofRanks, state.time);
                QCOMPARE(ofInstances, state.time);
                QCOMPARE(std::int64_t(state.worst.size()), state.count);
            }
            // Causes: as the definition, but for whole nanoseconds; and nothing gets lost.
            QCOMPARE(sumOf(found->causes) + found->unexplained, found->total);
            QCOMPARE(sumOf(found->causesByRank), sumOf(found->causes));
            QCOMPARE(found->unexplained, completion);
            Costs expected = Definition(program).costs();
            double all = 0;
            for (const auto& [place, both] : expected) all += both.first + both.second;
            QVERIFY(std::abs(all - double(sumOf(found->causes))) < 40);
            for (const DelayCost& cost : found->causesByRank) {
                const auto [direct, propagated] = expected[{index(cost.entry), cost.rank}];
                QVERIFY2(std::abs(direct - double(cost.direct)) < 40, qPrintable(QString::number(run)));
                QVERIFY2(std::abs(propagated - double(cost.propagated)) < 40, qPrintable(QString::number(run)));
                compared += cost.sum() > 40 ? 1 : 0;
            }
            for (const auto& [place, both] : expected)
                QVERIFY(both.first + both.second < 40 || cause(*found, place.first, place.second).sum() > 0);
        }
        QVERIFY(compared > 300);
    }

    // Parts of the answer: ranks, patterns and halves of the run add up to the whole, causes too.
    void partsAddUp()
    {
        QRandomGenerator random(21);
        for (int run = 0; run < 20; ++run) {
            const WaitProgram program = randomProgram(random, 4, 60);
            const auto trace = written(program);
            QVERIFY(trace);
            const auto whole = waitStates(*trace, Progress{});
            QVERIFY(whole.ok());
            const auto total = [&](const std::vector<WaitOptions>& parts) {
                TimeNs sum = 0;
                for (const WaitOptions& part : parts) {
                    const auto found = waitStates(*trace, part, Progress{});
                    if (!found) return TimeNs(-1);
                    if (sumOf(found->causes) + found->unexplained != found->total) return TimeNs(-2);
                    if (found->unexplained < 0) return TimeNs(-3);
                    sum += found->total;
                }
                return sum;
            };
            std::vector<WaitOptions> byRank(4), byKind(waitStateKinds), byTime(2);
            for (std::uint32_t rank = 0; rank < 4; ++rank) byRank[rank].rank = rank;
            for (std::size_t kind = 0; kind < waitStateKinds; ++kind) byKind[kind].kind = WaitStateKind(kind);
            const TimeNs middle = random.bounded(int(trace->info().end));
            byTime[0].range = {0, middle};
            byTime[1].range = {middle, trace->info().end};
            QCOMPARE(total(byRank), whole->total);
            QCOMPARE(total(byKind), whole->total);  // the programs have no wrong order
            QCOMPARE(total(byTime), whole->total);
        }
    }

    void worstAreTheLongest()
    {
        QRandomGenerator random(22);
        const WaitProgram program = randomProgram(random, 5, 400);
        const auto trace = written(program);
        QVERIFY(trace);
        const auto all = waitStates(*trace, Progress{}, 100000);
        const auto few = waitStates(*trace, Progress{}, 3);
        const auto none = waitStates(*trace, Progress{}, 0);
        QVERIFY(all.ok() && few.ok() && none.ok());
        for (std::size_t i = 0; i < all->states.size(); ++i) {
            QVERIFY(none->states[i].worst.empty());
            QCOMPARE(few->states[i].worst.size(), std::size_t(3));
            for (std::size_t k = 0; k < 3; ++k) {
                QCOMPARE(few->states[i].worst[k].rank, all->states[i].worst[k].rank);
                QCOMPARE(few->states[i].worst[k].wait, all->states[i].worst[k].wait);
            }
            for (std::size_t k = 1; k < all->states[i].worst.size(); ++k)
                QVERIFY(all->states[i].worst[k - 1].wait.length() >= all->states[i].worst[k].wait.length());
        }
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
        const auto trace = written(program);
        QVERIFY(trace);
        const auto activities = pathImbalances(*trace, Progress{});
        QVERIFY(activities.ok());
        QCOMPARE(activities->size(), std::size_t(2));
        for (const PathImbalance& activity : *activities) {
            const bool isWork = index(activity.entry) == Work;
            QCOMPARE(activity.onPath, isWork ? 10 : 5);
            QCOMPARE(activity.average, isWork ? 7.0 : 2.5);
            QCOMPARE(activity.imbalance, isWork ? 3.0 : 2.5);
            QCOMPARE(activity.impact, isWork ? 10 / 16.0 : 5 / 16.0);
        }
        QCOMPARE(std::int64_t(index(activities->front().entry)), Work);
    }

    // Two ranks that compete for a lock: each wait may come from all waits of the other rank before it.
    void ranksThatNeverMeet()
    {
        constexpr std::uint32_t waits = 10'000;
        constexpr TimeNs apart = 20;
        WaitRecords records;
        records.ranks.resize(2);
        for (std::uint32_t rank = 0; rank < 2; ++rank) {
            WaitRank& own = records.ranks[rank];
            own.calls.resize(waits);
            for (std::uint32_t i = 0; i < waits; ++i) {
                const TimeNs begin = apart * i + rank;
                own.calls.set(i, begin, 7);
                own.waits.push_back({i, static_cast<std::int32_t>(1 - rank), i, 0, WaitPattern::LateSender});
                own.activity.add(0, {begin + 7, begin + 10 + rank});
            }
            own.calls.close();
            own.activity.close();
        }
        const WaitChoice choice({}, {0, apart * waits + 100});
        const Progress over;
        over.cancel();
        const auto cancelled = delayCosts(records, choice, over);
        QVERIFY(!cancelled && wasCancelled(cancelled.error()));
        const long before = peak();
        const double start = cpuSeconds();
        QVERIFY(delayCosts(std::move(records), choice, Progress{}).ok());
        QVERIFY2(peak() - before < 200'000, qPrintable(QString::number(peak() - before)));
        QVERIFY2(cpuSeconds() - start < 10, qPrintable(QString::number(cpuSeconds() - start)));
    }

    // Rank 1 was late in all communicators but the first, and rank 0 waits for it: the meeting is found if it is not
    // many communicators ago.
    void manyCommunicators()
    {
        constexpr std::uint32_t waits = 1500;
        const auto syncs = [](std::uint32_t comms) {
            WaitRecords records;
            records.ranks.resize(2);
            for (std::uint32_t rank = 0; rank < 2; ++rank) {
                WaitRank& own = records.ranks[rank];
                own.calls.resize(comms + waits);
                for (std::uint32_t i = 0; i < comms + waits; ++i) {
                    own.calls.set(i, 10 * TimeNs{i} + (i > 0 && i < comms ? 5 * rank : 0), 0);
                    if (i < comms) own.collectives.push_back({0, static_cast<std::int32_t>(i), -1, i});
                    else if (rank == 0) own.waits.push_back({i, 1, i, 0, WaitPattern::LateSender});
                }
                own.calls.close();
            }
            const std::array collectives{CollectiveCalls(records.ranks[0]), CollectiveCalls(records.ranks[1])};
            return commonSyncs(records, collectives, 0, Progress{});
        };
        QCOMPARE(syncs(100), std::vector<CommonSync>(waits, CommonSync{0, 0}));
        const double start = cpuSeconds();
        QCOMPARE(syncs(20'000), std::vector<CommonSync>(waits));
        QVERIFY2(cpuSeconds() - start < 5, qPrintable(QString::number(cpuSeconds() - start)));
    }

    // A thread waits 50 times for another one's hundred regions, and once for one of them. Beyond the limit long waits
    // have no cause; the short one has.
    void causesOfThreadWaitsAreBounded()
    {
        constexpr TimeNs regions = 100, each = 10, waits = 50;
        constexpr TrackId own{10}, other{12};
        const QString path = m_folder.filePath(QStringLiteral("threads.longpole"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        addSmallDefinitions(**writer);
        (*writer)->add(Track{.id = other,
                             .parent = TrackId{1},
                             .kind = TrackKind::Thread,
                             .name = QStringLiteral("thread 1"),
                             .pe = ProcessorId{0}});
        auto stream = (*writer)->stream(0);
        for (TimeNs i = 0; i < regions; ++i)
            stream->append(ChunkKind::Interval, other, Row{each * i, each, 0, 0, 100 + i, -1});
        const auto wait = [&](TimeNs length) {
            stream->append(ChunkKind::ThreadWait, own,
                           Row{0, length, 1, length, std::int64_t(WaitPattern::OmpBarrier), -1, index(other)});
        };
        for (TimeNs i = 0; i < waits; ++i) wait(regions * each);
        wait(each);
        stream->close();
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = TraceStore::open(path);
        QVERIFY(store.ok());
        const WaitChoice choice({}, {0, regions * each});
        DelayCosts costs;
        QVERIFY(addThreadCosts(**store, choice, costs, Progress{}).ok());
        QCOMPARE(costs.byEntry.size(), std::size_t(regions));
        QCOMPARE(costs.byEntry.front(), (DelayCost{.entry = EntryId{100}, .direct = (waits + 1) * each}));
        QCOMPARE(costs.byEntry.back().direct, waits * each);
        constexpr Limit few{"", 1000, 10, "", ""};
        DelayCosts bounded;
        QVERIFY(addThreadCosts(**store, choice, bounded, Progress{}, few).ok());
        const std::int64_t divided = bounded.byEntry.back().direct / each;
        QVERIFY(divided > 0 && divided * regions <= few.of(waits + 1));
        QCOMPARE(bounded.byEntry.back().direct, divided * each);
        QCOMPARE(bounded.byEntry.front(), (DelayCost{.entry = EntryId{100}, .direct = (divided + 1) * each}));
    }

private:
    QTemporaryDir m_folder;
    int m_files = 0;
};

LONGPOLE_TEST(TestWaitStates)
#include "tst_waitstates.moc"
