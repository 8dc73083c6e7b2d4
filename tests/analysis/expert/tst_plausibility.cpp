// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run can be judged: programs that sleep, are interrupted or start up slowly, and CPU clocks of any kind.
#include "analysis/asked.h"
#include "analysis/expert/expertquestions.h"
#include "analysis/facts/factquestions.h"
#include "analysis/noise/noisequestions.h"
#include "analysis/realtraces.h"
#include "analysis/report/experttables.h"

#include "core/trace/format.h"
#include "importers/common/importer.h"
#include "support/machines/plantedmachine.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace longpole;

namespace {

constexpr int tasksPerPe = 300;

// Every PE runs its tasks one after the other; `body` is what each does beside sending the next.
std::shared_ptr<const TraceStore> chainsOf(const QTemporaryDir& folder, const MachineShape& shape,
                                           const std::function<void(PlantedExecution&)>& body)
{
    PlantedMachine machine(shape);
    const int step = machine.entry("Worker", "step", [&](PlantedExecution& run) {
        body(run);
        if (run.data() + 1 < tasksPerPe) run.send(run.pe(), 0, run.object(), run.data() + 1);
    });
    for (std::uint32_t pe = 0; pe < shape.pes; ++pe) machine.start(pe, step, pe);
    const QString source = machine.run(folder.path());
    const Importer* const importer = importerFor(source);
    const QString target = folder.filePath(QStringLiteral("planted.longpole"));
    if (importer == nullptr || !importer->import(source, target, ImportOptions{}, Progress{})) return {};
    const auto store = TraceStore::open(target);
    return store ? *store : nullptr;
}

const Check& checkIn(const std::vector<Check>& checks, CheckId id)
{
    return *std::find_if(checks.begin(), checks.end(), [id](const Check& check) { return check.id == id; });
}

// 30 of 300 tasks lose their core for 20 ms, which are not the same on any two PEs.
void interruptedStep(PlantedExecution& run)
{
    run.work(300);
    if ((run.data() + run.pe()) % 10 == 3) run.pause(20'000);
}

const MachineShape withCpuTimes{.pes = 4, .hasCpuTimes = true};

}  // namespace

class TestPlausibility : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // Thresholds may be a stranger's: so many stages of so many PEs would take gigabytes.
    void stagesAreBounded()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, withCpuTimes, [](PlantedExecution& run) { run.work(300); });
        QVERIFY(store);
        const std::vector<ProcessorId> many(5000, ProcessorId{0});
        const auto use = stageUse(*store, many, 10'000, Progress{});
        QVERIFY(!use.ok());
        QVERIFY2(use.error().hint.contains(formatCount(838)), qPrintable(toText(use.error())));
    }

    void healthyRunPasses()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, withCpuTimes, [](PlantedExecution& run) { run.work(300); });
        QVERIFY(store);
        const auto time = asked(store, ProcessorTimeQuestion{});
        QVERIFY(time);
        QCOMPARE((*time)->clock, CpuClock::Usable);
        QCOMPARE((*time)->cpu, (*time)->busy);
        QCOMPARE((*time)->busy, store->info().busy);
        QCOMPARE((*time)->notRunning, 0);
        const auto health = asked(store, HealthQuestion{});
        QVERIFY(health);
        QCOMPARE(checkIn((*health)->checks, CheckId::ProcessorTime).level, CheckLevel::Passed);
        QVERIFY(!(*health)->verdict.contains(QStringLiteral("cores")));
    }

    void interruptedTasksAreFewerCores()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, withCpuTimes, interruptedStep);
        QVERIFY(store);
        const auto time = asked(store, ProcessorTimeQuestion{});
        QVERIFY(time);
        QCOMPARE((*time)->tasksNotRunning, 4 * 30);
        // All but what the clock may be wrong by, and as much as a task is sure to have run.
        const TimeNs paused = 4LL * 30 * 20'000'000LL;
        QVERIFY((*time)->notRunning <= paused);
        QVERIFY((*time)->notRunning > paused * 99 / 100);
        QCOMPARE((*time)->sleeping, 0);
        for (const PeProcessorTime& pe : (*time)->pes) {
            QCOMPARE(pe.cpu, tasksPerPe * 300'000LL);
            QVERIFY(pe.notRunning > paused / 4 * 99 / 100);
        }
        const auto expert = asked(store, ExpertQuestion{});
        QVERIFY(expert);
        const Check& check = checkIn((*expert)->health.checks, CheckId::ProcessorTime);
        QCOMPARE(check.level, CheckLevel::Failed);
        QVERIFY(check.says.startsWith(QStringLiteral("This run had fewer cores than PEs")));
        QVERIFY(check.says.contains(QStringLiteral("sleep or block on purpose")));
        QVERIFY((*expert)->health.verdict.startsWith(check.says));
    }

    // No verdict stands that rests on how long tasks took, and no advice is given for one.
    void verdictsAreWithdrawn()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, {.pes = 4, .hasCpuTimes = true}, [](PlantedExecution& run) {
            run.work(run.pe() == 0 ? 300 : 20);
            if (run.data() % 10 == 3) run.pause(2'000);
        });
        QVERIFY(store);
        const auto expert = asked(store, ExpertQuestion{});
        QVERIFY(expert);
        QCOMPARE(checkIn((*expert)->health.checks, CheckId::ProcessorTime).level, CheckLevel::Failed);
        int withdrawn = 0;
        for (const TreeNode& node : (*expert)->tree.nodes) {
            if (effectOf(CheckId::ProcessorTime, node.id) != CheckEffect::Withdraws) continue;
            QVERIFY2(node.verdict == Verdict::NotJudged || node.verdict == Verdict::NotFollowed, qPrintable(node.id));
            if (node.verdict != Verdict::NotJudged) continue;
            if (node.why.contains(QStringLiteral("Cannot be judged, because this run had fewer cores than PEs.")))
                ++withdrawn;
        }
        QVERIFY(withdrawn > 0);
        for (const Advice& advice : (*expert)->advice) {
            QVERIFY2(effectOf(CheckId::ProcessorTime, advice.node) != CheckEffect::Withdraws, qPrintable(advice.id));
            QVERIFY(advice.confidence <= 0.5);
        }
    }

    // Where ranks share cores, the time of every call is longer, too.
    void sharedCoresWeakenWhatCallsTook()
    {
        for (const char* verdict : {"mpi_time", "late_messages", "synchronization"})
            QCOMPARE(effectOf(CheckId::ProcessorTime, QString::fromUtf8(verdict)), CheckEffect::Weakens);
    }

    // What sleeps on purpose looks alike: both readings are said, and nothing is withdrawn.
    void sleepersAreSaidToSleep()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, withCpuTimes, [](PlantedExecution& run) {
            run.work(10);
            run.pause(300);
        });
        QVERIFY(store);
        const auto health = asked(store, HealthQuestion{});
        QVERIFY(health);
        const Check& check = checkIn((*health)->checks, CheckId::ProcessorTime);
        QCOMPARE(check.level, CheckLevel::Doubtful);
        QVERIFY(check.says.startsWith(QStringLiteral("Tasks sleep or block")));
        QVERIFY(check.says.contains(QStringLiteral("fewer cores than PEs")));
        QCOMPARE(effectOf(check, QStringLiteral("latency")), CheckEffect::Weakens);
        QVERIFY(withdrawing((*health)->checks, QStringLiteral("latency")) == nullptr);
        const auto noise = asked(store, NoiseQuestion{});
        QVERIFY(noise);
        QCOMPARE((*noise)->interrupted, 0);
    }

    // A clock that jumps by 4 ms shows most short tasks without any CPU time, and some with more than they took.
    void coarseClockRaisesNoAlarm()
    {
        QTemporaryDir folder;
        MachineShape shape = withCpuTimes;
        shape.cpuTick = 4'000;
        const auto store = chainsOf(folder, shape,
                                    [](PlantedExecution& run) { run.work(run.data() % 50 == 7 ? 9'000 : 200); });
        QVERIFY(store);
        const auto time = asked(store, ProcessorTimeQuestion{});
        QVERIFY(time);
        QVERIFY((*time)->error >= 3'800'000);
        QCOMPARE((*time)->notRunning, 0);
        QVERIFY(!checkIn((*asked(store, HealthQuestion{}))->checks, CheckId::ProcessorTime).isInDoubt());
    }

    void silentClockTellsNothing()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, {.pes = 4}, interruptedStep);
        QVERIFY(store);
        const auto time = asked(store, ProcessorTimeQuestion{});
        QVERIFY(time);
        QCOMPARE((*time)->clock, CpuClock::Coarse);
        QCOMPARE((*time)->notRunning, 0);
        const auto health = asked(store, HealthQuestion{});
        QVERIFY(health);
        const JsonValue judged = judgedJson(*store, (*health)->checks);
        QCOMPARE(judged.at("checks").size(), checkSpecs().size());
        QVERIFY(judged.at("checks").at(0).at("id") == "processor_time");
        QVERIFY(judged.at("checks").at(0).at("passed").is_null());
    }

    // Noise, the check and the tree take the same tasks for interrupted.
    void interruptionsAreOneThing()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, withCpuTimes, interruptedStep);
        QVERIFY(store);
        Results results(store);
        const auto noise = results.ask(allNoise(), Progress{});
        QVERIFY(noise);
        TimeNs lost = 0;
        std::int64_t tasks = 0;
        for (const StretchedTask& task : (*noise)->worst) {
            QCOMPARE(task.isInterrupted, task.duration > 20'000'000);
            if (!task.isInterrupted) continue;
            lost += task.lost;
            ++tasks;
        }
        QCOMPARE(tasks, 4 * 30);
        QCOMPARE((*noise)->interrupted, tasks);
        QCOMPARE((*noise)->interruptedFor, lost);
        const auto health = results.ask(HealthQuestion{}, Progress{});
        QVERIFY(health);
        QCOMPARE(checkIn((*health)->checks, CheckId::Interrupted).value, (*noise)->interruptedShare());
    }

    // The CPU time of a task that did more says so: it is stretched, and was not interrupted.
    void tasksThatDidMoreWereNotInterrupted()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, withCpuTimes, [](PlantedExecution& run) {
            run.work((run.data() + 7LL * run.pe()) % 100 == 3 ? 5'000 : 300);
        });
        QVERIFY(store);
        const auto noise = asked(store, allNoise());
        QVERIFY(noise);
        QCOMPARE((*noise)->stretched, 4 * 3);
        QCOMPARE((*noise)->interrupted, 0);
    }

    void interruptedPartsAreLeftOut()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, withCpuTimes, [](PlantedExecution& run) {
            run.work(run.pe() == 0 ? 300 : 100);
            if (run.pe() == 0 && run.data() == 20) run.pause(30'000);
        });
        QVERIFY(store);
        Results results(store);
        Thresholds thresholds;
        thresholds.without.interrupted = 1;
        const auto with = results.ask(TreeQuestion{}, Progress{});
        const auto without = results.ask(TreeQuestion{thresholds}, Progress{});
        QVERIFY(with && without);
        const auto noise = results.ask(allNoise(), Progress{});
        QCOMPARE((*noise)->interrupted, 1);
        const StretchedTask& task = (*noise)->worst.front();
        const TreeNode* when = (*without)->find(QStringLiteral("when"));
        QVERIFY(when->why.contains(QStringLiteral("Parts with interrupted tasks are left out")));
        QVERIFY(!when->evidence.empty());
        for (const TreeNode& node : (*without)->nodes)
            for (const Evidence& evidence : node.evidence)
                QVERIFY2(evidence.tasks.empty() || !evidence.range.overlaps({task.begin, task.begin + task.duration}),
                         qPrintable(node.id));
        QVERIFY(when->severity < (*with)->find(QStringLiteral("when"))->severity);
    }

    // Overhead of start-up is no cost of tasks.
    void startUpIsNoGrainSize()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, {.pes = 4, .startUp = 60'000},
                                    [](PlantedExecution& run) { run.work(200); });
        QVERIFY(store);
        const auto expert = asked(store, ExpertQuestion{});
        QVERIFY(expert);
        const Check& check = checkIn((*expert)->health.checks, CheckId::StartUp);
        QCOMPARE(check.level, CheckLevel::Doubtful);
        QVERIFY(check.value > 0.45 && check.value < 0.55);
        const TreeNode* grain = (*expert)->tree.find(QStringLiteral("grainsize"));
        QVERIFY(grain->verdict != Verdict::Fired);
        QVERIFY2(grain->why.contains(QStringLiteral("of that in start-up")), qPrintable(grain->why));
        for (const Advice& advice : (*expert)->advice) QVERIFY(advice.node != QLatin1String("grainsize"));
        Thresholds thresholds;
        thresholds.without.startup = 1;
        const auto tree = asked(store, TreeQuestion{thresholds});
        QVERIFY(tree);
        // What is left is busy.
        QVERIFY((*tree)->find(QStringLiteral("when"))->verdict != Verdict::Fired);
    }

    // The list of checks names the verdicts that there are.
    void verdictsAreNodes()
    {
        QTemporaryDir folder;
        const auto store = chainsOf(folder, withCpuTimes, [](PlantedExecution& run) { run.work(300); });
        QVERIFY(store);
        const auto tree = asked(store, TreeQuestion{});
        QVERIFY(tree);
        for (const TreeNode& node : (*tree)->nodes) {
            const bool isListed = std::any_of(checkedVerdicts().begin(), checkedVerdicts().end(), [&](auto verdict) {
                return node.id == QLatin1String(verdict.data(), qsizetype(verdict.size()));
            });
            QCOMPARE(isListed, !node.letter.isEmpty());
        }
    }

    // Traces of which is known how they were made: on two cores that others used as well, or of timed sleeps.
    void realTraces_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("level");
        const auto row = [](const char* name, CheckLevel level) {
            QTest::newRow(name) << QString::fromUtf8(name) << static_cast<int>(level);
        };
        for (const char* name : {"wave2d_p6", "wave2d_net_p6", "jacobi2d_sdag_p4", "stencil3d_lb_p4", "cpath_p4",
                                 "features_p4", "features_notes_p4"})
            row(name, CheckLevel::Failed);
        for (const char* name : {"gauss_seidel_p8", "chain_and_bulk_p6", "blocker_p6", "pipeline_p6",
                                 "shared_variables_p6", "features_smalllog_p4"})
            row(name, CheckLevel::Doubtful);
        for (const char* name : {"nqueen_p4", "fib_binary_p2"}) row(name, CheckLevel::CantTell);
    }
    void realTraces()
    {
        QFETCH(QString, name);
        QFETCH(int, level);
        if (!RealTraces::has(name)) QSKIP("not there");
        const auto store = m_traces.open(name);
        QVERIFY(store);
        const auto health = asked(*store, HealthQuestion{});
        QVERIFY(health);
        const Check& check = checkIn((*health)->checks, CheckId::ProcessorTime);
        QVERIFY2(check.level == static_cast<CheckLevel>(level), qPrintable(check.says));
        QCOMPARE(check.says.contains(QStringLiteral("fewer cores than PEs")), check.isInDoubt());
        // The tasks that are said not to run say so in the table `task`, too.
        const ProcessorTime& time = (*health)->processorTime;
        for (const TaskNotRunning& task : time.longest) {
            const auto found = (*store)->task(task.task);
            QVERIFY(found && found->cpu);
            QCOMPARE(task.cpu, *found->cpu);
            QCOMPARE(task.busy, found->exclusive);
            QCOMPARE(task.notRunning, task.busy - task.cpu - time.error);
            QVERIFY(2 * task.notRunning > task.busy);
        }
    }

private:
    RealTraces m_traces;
};

LONGPOLE_TEST(TestPlausibility)
#include "tst_plausibility.moc"
