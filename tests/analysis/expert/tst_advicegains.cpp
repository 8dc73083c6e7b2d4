// SPDX-License-Identifier: GPL-3.0-or-later
// What the expert's advice saves: as much as a replay says, in an order that follows from it, and nothing where the
// replay sees no gain.
#include "analysis/expert/expertquestions.h"
#include "analysis/expert/expertwords.h"
#include "analysis/expert/judgedtraces.h"
#include "analysis/expert/replayedadvice.h"
#include "analysis/replay/replayquestions.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole;

class TestAdviceGains : public QObject {
    Q_OBJECT

    JudgedTraces m_judged;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void gainsAreThoseOfTheReplay_data() { JudgedTraces::addTraces(); }
    // No number is shown that the replay denies: the same question gets the same answer, and a limit stands only where
    // there is no answer.
    void gainsAreThoseOfTheReplay()
    {
        QFETCH(QString, trace);
        const auto expert = m_judged.expertOf(trace);
        QVERIFY(expert);
        const std::shared_ptr<Results> results = m_judged.resultsOf(trace);
        const auto predicted = [&results](const ReplayQuestion& question) {
            const auto answer = results->ask(PredictionQuestion{question}, Progress{});
            return answer.ok() ? **answer : Prediction{};
        };
        static const QRegularExpression limit(QStringLiteral("[Cc]ould save|can save|at most"));
        for (const Advice& advice : expert->advice) {
            QVERIFY2(!advice.verdict.contains(limit), qPrintable(advice.verdict));
            const bool isAnswered = advice.replay && predicted(*advice.replay).isUsable();
            if (results->store().info().tasks <= mostReplayedTasks || advice.isOfScheduling())
                QCOMPARE(isReplayed(advice), isAnswered);
            if (isAnswered) {
                const Prediction answer = predicted(*advice.replay);
                QVERIFY2(advice.prediction->gainLow >= std::min(answer.gainLow, advice.prediction->gainHigh)
                             && advice.prediction->gainHigh <= answer.gainHigh,
                         qPrintable(advice.id));
                QVERIFY2(!textOf(advice).contains(limit), qPrintable(textOf(advice)));
                QVERIFY(!limitOf(advice));
            } else if (advice.replay) {
                QVERIFY2(!advice.notReplayed.isEmpty(), qPrintable(advice.id));
            }
            const bool isBalance = advice.kind == QLatin1String("load_balance")
                                   || advice.kind == QLatin1String("bottleneck");
            const bool isNetwork = advice.kind == QLatin1String("latency") || advice.kind == QLatin1String("locality");
            if (results->store().info().hasRanks()) QVERIFY(!advice.replay);
            if (isBalance && !results->store().info().hasRanks()) QVERIFY(advice.replay->perfectBalance);
            if (isNetwork && !results->store().info().hasRanks()) QCOMPARE(advice.replay->network, NetworkModel::Ideal);
            // A limit is of what is advised: no more than is lost.
            if (const auto most = limitOf(advice); most && !advice.isOfScheduling())
                QVERIFY2(*most <= advice.severity, qPrintable(advice.id));
            if (advice.kind != QLatin1String("split") || !limitOf(advice)) continue;
            const Prediction without = predicted({.factors = {{.entries = {advice.entry}, .factor = {0, 1}}}});
            if (without.isUsable())
                QVERIFY(double(*limitOf(advice)) <= without.gainHigh * double(without.recorded) + 1);
        }
    }

    // "Balance the load more often, at most -87 %" stood first where the replay says that it costs. (The checks before
    // all advice withdraw it from this run by now: it had fewer cores than PEs.)
    void whatSavesNothingIsFolded()
    {
        const std::shared_ptr<Results> results = m_judged.resultsOf(QStringLiteral("chain_and_bulk_p6"));
        QVERIFY(results);
        const QString kind = QStringLiteral("load_balance");
        std::vector<Advice> advice{{.id = kind,
                                    .kind = kind,
                                    .node = kind,
                                    .title = QStringLiteral("Balance the load"),
                                    .severity = 100'000'000}};
        advice.front().bound = results->store().info().duration() * 87 / 100;
        QVERIFY(replayAdvice(advice, *results, Progress{}));
        const Advice& balance = advice.front();
        QVERIFY(isReplayed(balance) && !isWorthIt(balance) && balance.prediction->gainHigh < leastWorth);
        QVERIFY(!limitOf(balance));
        QCOMPARE(countWorthIt(advice), 0u);
        QVERIFY2(notWorthItText(balance).startsWith(QStringLiteral("Balance the load. ")),
                 qPrintable(notWorthItText(balance)));
        // Nor does the tree tell to follow it.
        Expert expert{.advice = advice};
        TreeNode node{.id = kind, .verdict = Verdict::Fired, .why = QStringLiteral("PE 1 has more work.")};
        node.advice = balance.title;
        TreeNode other{.id = QStringLiteral("latency"), .verdict = Verdict::Fired, .advice = QStringLiteral("Send")};
        expert.tree.nodes = {node, other};
        markWhatSavesNothing(expert);
        const TreeNode& marked = expert.tree.nodes.front();
        QVERIFY(!marked.isWorthIt && marked.advice.isEmpty());
        QVERIFY2(marked.why.endsWith(QStringLiteral("A replay shows no gain worth changing it.")),
                 qPrintable(marked.why));
        QVERIFY(expert.tree.nodes.back().isWorthIt && !expert.tree.nodes.back().advice.isEmpty());
    }

    // "From a loss of 2.0 % to 5.1 %" was a predicted saving; a limit of a thousandth of the run was advice of its own.
    void whatMayCostTimeIsNoSaving()
    {
        const std::shared_ptr<Results> results = m_judged.resultsOf(QStringLiteral("features_smalllog_p4"));
        QVERIFY(results);
        const auto expert = results->ask(ExpertQuestion{}, Progress{});
        QVERIFY(expert.ok());
        const std::vector<Advice>& advice = (*expert)->advice;
        const auto balance = std::find_if(advice.begin(), advice.end(),
                                          [](const Advice& one) { return one.kind == QLatin1String("load_balance"); });
        QVERIFY(balance != advice.end() && isReplayed(*balance));
        QVERIFY(balance->prediction->gainLow < 0 && balance->prediction->gainHigh > leastWorth);
        QVERIFY(!isWorthIt(*balance));
        QVERIFY2(balance->effect.contains(QStringLiteral("A replay can't tell whether it helps: from 2.0 % longer to")),
                 qPrintable(balance->effect));
        QVERIFY(notWorthItText(*balance).contains(QStringLiteral("can't tell whether it helps")));

        const TraceStore& store = results->store();
        Advice small{.title = QStringLiteral("Split it"), .severity = 1};
        small.bound = store.info().duration() / 101;
        sayNumbers(small, store);
        QVERIFY(!isWorthIt(small));
        QVERIFY(notWorthItText(small).startsWith(QStringLiteral("Split it. It could save at most ")));
        small.bound = store.info().duration() / 99;
        sayNumbers(small, store);
        QVERIFY(isWorthIt(small));
    }

    // What the runtime starts by itself comes of what the program did; what no usual latency explains stays in doubt.
    void whatTheRuntimeStartsFollowsTheProgram()
    {
        const auto predicted = [this](const char* trace, const ReplayQuestion& question) {
            const auto answer = m_judged.resultsOf(QLatin1String(trace))->ask(PredictionQuestion{question}, Progress{});
            return answer.ok() ? **answer : Prediction{};
        };
        const ReplayQuestion ideal{.network = NetworkModel::Ideal};
        const Prediction atEnd = predicted("cpath_p4", ideal);  // its last reductions have no sender
        QVERIFY2(atEnd.pinned.isEmpty() && atEnd.gainLow > 0.3, qPrintable(atEnd.pinned));
        QVERIFY(!atEnd.isUsable() && atEnd.freeBaselineError < -0.2);
        QVERIFY2(whyUnusable(atEnd).startsWith(QStringLiteral("Waits that no usual latency")),
                 qPrintable(whyUnusable(atEnd)));
        const Prediction quiet = predicted("features_smalllog_p4", ideal);
        QVERIFY2(quiet.isUsable() && quiet.gainLow > 0, qPrintable(quiet.pinned));
        // The run as it was takes half the time where arrivals are not fitted to the record.
        const Prediction balance = predicted("fib_subdirs_nogz_p4", {.perfectBalance = true});
        QVERIFY(balance.freeBaselineError < -0.5 && !balance.isUsable());
        QVERIFY(predicted("fib_subdirs_nogz_p4", {}).isUsable());
    }

    // First what a replay says it saves, then the rest by loss times confidence, then what is not worth it.
    void adviceIsRankedAsTheTextSays()
    {
        for (const QString& trace : allTraces()) {
            const auto expert = m_judged.expertOf(trace);
            QVERIFY(expert);
            const std::vector<Advice>& all = expert->advice;
            constexpr double aboutAsMuch =
                0.95;  // the tree's leading cause may go before those that weigh about as much
            for (std::size_t i = 1; i < all.size(); ++i) {
                const Advice &a = all[i - 1], &b = all[i];
                QVERIFY2(isWorthIt(a) || !isWorthIt(b), qPrintable(trace));
                QVERIFY2(isReplayed(a) || !isReplayed(b) || !isWorthIt(b), qPrintable(trace));
                if (isReplayed(a) || isReplayed(b)) continue;
                QVERIFY2(double(a.severity) * a.confidence >= aboutAsMuch * double(b.severity) * b.confidence,
                         qPrintable(trace % u' ' % b.id));
            }
        }
    }
};

LONGPOLE_TEST(TestAdviceGains)
#include "tst_advicegains.moc"
