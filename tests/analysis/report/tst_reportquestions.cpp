// SPDX-License-Identifier: GPL-3.0-or-later
// That a report computes nothing twice, and that what others ask about the same trace is there already.
#include "analysis/compare/comparequestions.h"
#include "analysis/expert/expertquestions.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/realtraces.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/report/analyses.h"
#include "analysis/scheduling/schedulingquestions.h"
#include "analysis/statistics/efficiencyquestions.h"
#include "analysis/waiting/idlequestions.h"
#include "support/mpi/waitprogram.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

class TestReportQuestions : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<const TraceStore> mpiTrace()
    {
        WaitProgram program(2, {"work", "other"});
        for (int i = 0; i < 3; ++i) {
            program.compute(0, 10'000 + 1'000 * i);
            program.compute(1, 4'000);
            program.meetAll(WaitProgram::Barrier, {0, 1}, {1'000, 2'000});
        }
        return store(program.rows(), m_folder.filePath(QStringLiteral("waits.longpole")));
    }

private Q_SLOTS:
    void aReportComputesNothingTwice()
    {
        Results results(mpiTrace());
        const auto report = results.ask(AnalysesQuestion{}, Progress{});
        QVERIFY(report.ok());
        QCOMPARE(results.computed<WaitsQuestion>(), 2);  // the states, and they with their causes
        QCOMPARE(results.computed<HealthQuestion>(), 1);
        QCOMPARE(results.computed<ProcessorIdleQuestion>(), 1);
        QCOMPARE(results.computed<IdleLabelsQuestion>(), 1);
        QCOMPARE(results.computed<EfficiencyQuestion>(), 1);
        QCOMPARE(results.computed<ReplayModelQuestion>(), 0);  // nothing of an MPI run is replayed
        // Tree, panels and commands ask the same questions.
        QVERIFY(results.ask(ExpertQuestion{}, Progress{}).ok());
        QVERIFY(results.ask(WaitsQuestion::of(results.store(), {.mostWorst = 5}), Progress{}).ok());
        QVERIFY(
            results.ask(WaitsQuestion::of(results.store(), {.mostWorst = 5, .withCauses = false}), Progress{}).ok());
        const TimeRange run = results.store().info().range();
        QVERIFY(results.ask(WaitsQuestion::of(results.store(), {.range = run}), Progress{}).ok());
        QVERIFY(results.ask(EfficiencyQuestion::of(results.store(), run), Progress{}).ok());
        QVERIFY(results.ask(HealthQuestion{}, Progress{}).ok());
        QVERIFY(results.ask(RunFiguresQuestion{}, Progress{}).ok());
        QCOMPARE(results.computed<ExpertQuestion>(), 1);
        QCOMPARE(results.computed<WaitsQuestion>(), 2);
        QCOMPARE(results.computed<EfficiencyQuestion>(), 1);
        QCOMPARE(results.computed<HealthQuestion>(), 1);
        QCOMPARE(results.computed<IdleLabelsQuestion>(), 1);
    }

    void theReportIsJudgedByItsThresholds()
    {
        const auto trace = m_traces.open(QStringLiteral("chain_and_bulk_p6"));
        QVERIFY(trace.ok());
        Results results(*trace);
        Thresholds mild;
        mild.when.utilization = mild.when.exit = 0.01;
        const auto usual = results.ask(AnalysesQuestion{}, Progress{});
        const auto other = results.ask(AnalysesQuestion{mild}, Progress{});
        QVERIFY(usual.ok() && other.ok());
        QCOMPARE((*other)->expert->tree.find(QStringLiteral("when"))->tests.front().threshold, 0.01);
        QVERIFY((*usual)->expert->tree.find(QStringLiteral("when"))->tests.front().threshold > 0.5);
    }

    // What an advice is said to gain is what a replay of it gives, and no other one's.
    void anAdviceReplaysWhatItAdvises()
    {
        const auto trace = m_traces.open(QStringLiteral("chain_and_bulk_p6"));
        QVERIFY(trace.ok());
        Results results(*trace);
        const auto expert = results.ask(ExpertQuestion{}, Progress{});
        QVERIFY(expert.ok());
        int replayed = 0;
        for (const Advice& advice : (*expert)->advice) {
            QCOMPARE(advice.replay != nullptr, advice.prediction.has_value());
            if (!advice.replay) continue;
            ++replayed;
            const int before = results.computed<PredictionQuestion>();
            const auto prediction = results.ask(PredictionQuestion{*advice.replay}, Progress{});
            QVERIFY(prediction.ok());
            QCOMPARE(results.computed<PredictionQuestion>(), before);  // it is the one that was asked
            QVERIFY(advice.prediction->gainHigh <= (*prediction)->gainHigh);
            QCOMPARE(advice.prediction->baseline, (*prediction)->baseline);
            if (advice.entry == noEntry || advice.kind != QLatin1String("prioritize")) continue;
            QCOMPARE(advice.replay->priorities.entries.size(), std::size_t(1));
            QVERIFY(advice.replay->priorities.entries.front().entry == advice.entry);
            const auto run = results.ask(ReplayedRunQuestion{*advice.replay}, Progress{});
            QVERIFY(run.ok());
            QVERIFY((*run)->duration >= (*prediction)->low && (*run)->duration <= (*prediction)->high);
        }
        QVERIFY(replayed > 0);
    }

private:
    QTemporaryDir m_folder;
    RealTraces m_traces;
};

LONGPOLE_TEST(TestReportQuestions)
#include "tst_reportquestions.moc"
