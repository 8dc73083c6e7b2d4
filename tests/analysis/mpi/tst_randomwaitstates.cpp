// SPDX-License-Identifier: GPL-3.0-or-later
// Wait states of random programs and who caused them, against the definition; their parts add up to the whole.
#include "analysis/mpi/delaycosts.h"
#include "analysis/mpi/foundwaits.h"
#include "analysis/mpi/waitstates.h"
#include "support/mpi/randomwaits.h"
#include "support/mpi/waitprogram.h"
#include "support/testmain.h"

#include <QRandomGenerator>
#include <QTest>

#include <map>

using namespace longpole;

namespace {

using Costs = std::map<std::pair<std::int64_t, std::uint32_t>, std::pair<double, double>>;  // (code, rank): both costs

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

class TestRandomWaitStates : public QObject {
    Q_OBJECT

    WrittenWaits m_written;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void randomProgramsFollowTheDefinition()
    {
        QRandomGenerator random(20);
        int compared = 0;
        for (int run = 0; run < 120; ++run) {
            const WaitProgram program = randomProgram(random, 2 + std::uint32_t(random.bounded(5)), 40);
            const auto trace = m_written(program);
            QVERIFY(trace);
            const auto found = waitStates(*trace, {.mostWorst = 1000}, Progress{});
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
            const auto trace = m_written(program);
            QVERIFY(trace);
            const auto whole = waitStates(*trace, {}, Progress{});
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
        const auto trace = m_written(program);
        QVERIFY(trace);
        const auto all = waitStates(*trace, {.mostWorst = 100000}, Progress{});
        const auto few = waitStates(*trace, {.mostWorst = 3}, Progress{});
        const auto none = waitStates(*trace, {.mostWorst = 0}, Progress{});
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
};

LONGPOLE_TEST(TestRandomWaitStates)
#include "tst_randomwaitstates.moc"
