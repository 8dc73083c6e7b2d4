// SPDX-License-Identifier: GPL-3.0-or-later
// Drawn programs with uneven work, late senders, busy ranks and interrupted code: several processes, each with the
// events of its own ranks only, give the checks, the decision tree and the advice that the trace of the whole run is
// given.
#include "analysis/expert/expertquestions.h"
#include "analysis/expert/storedinputs.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/results/storedresults.h"
#include "analysis/scheduling/advicewhere.h"
#include "distributed/advice/hostedadvice.h"
#include "distributed/algorithms/randomprogram.h"
#include "distributed/answers/hostedcauses.h"
#include "distributed/answers/hostedelapsed.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/hostedwaits.h"
#include "distributed/recording/wholetrace.h"
#include "distributed/transport/threadwire.h"

#include "distributed/answers/hostedanswers.h"
#include "support/mpi/mpiprogram.h"
#include "support/mpi/unrulywire.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <random>

using namespace longpole;
using namespace longpole::tests;

namespace {

constexpr std::uint32_t workedPrograms = 120;
constexpr std::uint32_t randomPrograms = 60;

// Steps of work in regions and of calls with places in the source, in microseconds. What is wrong with it is drawn: one
// rank with more work, or now this one, now that; one that is busy while the others wait; late senders; code that
// rarely takes much longer than usual; many calls.
class DrawnWork {
public:
    explicit DrawnWork(std::uint32_t seed) : m_random(seed), m_ranks(1 + below(6)), m_program(m_ranks)
    {
        for (std::uint32_t place = 0; place < 4; ++place)
            m_program.addCallPath({.id = place + 1,
                                   .parent = noCallPath,
                                   .isPlace = true,
                                   .function = QStringLiteral("f%1").arg(place),
                                   .file = QStringLiteral("/work.c"),
                                   .line = static_cast<int>(place) + 1,
                                   .module = {}});
        m_program.info().cores = below(3) == 0 ? 1 + below(2 * m_ranks) : 0;
        m_slow = below(m_ranks);
        m_fault = below(6);
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) m_program.rank(rank).compute(below(50'000));
        if (below(4) != 0) meet("MPI_Init", 0);
        const std::uint32_t steps = 20 + below(80);
        for (std::uint32_t at = 0; at < steps; ++at) step(at);
        meet("MPI_Finalize", 1);
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank)
            m_program.info().end = std::max(m_program.info().end, m_program.rank(rank).now());
    }
    ScriptedMpi& program() { return m_program; }
    std::uint32_t ranks() const { return m_ranks; }

private:
    std::uint32_t below(std::uint32_t most) { return static_cast<std::uint32_t>(m_random() % most); }

    void step(std::uint32_t at)
    {
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) work(rank, at);
        if (m_fault == 5)
            for (std::uint32_t rank = 0; rank < m_ranks; ++rank)
                for (int i = 0; i < 3; ++i) call(rank, "MPI_Iprobe", 2, 9'000);
        if (m_ranks > 1 && (m_fault == 3 || below(3) == 0)) pass();
        if (m_fault != 3 || below(4) == 0) meet(below(3) == 0 ? "MPI_Allreduce" : "MPI_Barrier", 3);
    }
    void work(std::uint32_t rank, std::uint32_t at)
    {
        TimeNs time = 20'000 + below(1'000);
        if (m_fault == 0 && rank == m_slow) time += 9'000 + below(9'000);
        if (m_fault == 1 && rank == at % m_ranks) time += 25'000;
        if (m_fault == 2 && rank != m_slow) time = 500 + below(500);
        const bool isInterrupted = m_fault == 4 && below(70) == 0;
        if (isInterrupted) time *= 4;
        if (m_fault == 4 && rank == m_slow) time += 5'000;
        MpiThread& thread = m_program.rank(rank);
        const char* const region = at % 2 == 0 ? "solve" : "update";
        thread.enter(region).compute(time).leave(region);
        if (below(2) == 0) thread.compute(below(2'000));
    }
    // Each rank sends to the next, which waits for it.
    void pass()
    {
        std::vector<TimeNs> sent;
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) {
            MpiThread& thread = m_program.rank(rank);
            sent.push_back(thread.now());
            thread.send((rank + 1) % m_ranks, 1, 8, 300 + below(300));
        }
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) {
            MpiThread& thread = m_program.rank(rank);
            const TimeNs end = std::max(thread.now(), sent[(rank + m_ranks - 1) % m_ranks]) + 200 + below(400);
            thread.recv((rank + m_ranks - 1) % m_ranks, 1, 8, end - thread.now());
        }
    }
    void call(std::uint32_t rank, const char* name, std::uint32_t place, TimeNs duration)
    {
        MpiThread& thread = m_program.rank(rank);
        thread.begin(name).event([path = place + 1](MpiEvents& events) { events.callPath(path); }).end(duration);
    }
    void meet(const char* name, std::uint32_t place)
    {
        TimeNs met = 0;
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) met = std::max(met, m_program.rank(rank).now());
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) {
            MpiThread& thread = m_program.rank(rank);
            const TimeNs duration = met + below(700) - thread.now();
            thread.begin(name).event([path = place + 1](MpiEvents& events) {
                events.callPath(path);
                events.collective(blocking, 0, noRank, {8, 8}, CollectiveKind::None);
            });
            thread.end(duration);
        }
    }

    std::mt19937 m_random;
    std::uint32_t m_ranks;
    ScriptedMpi m_program;
    std::uint32_t m_slow = 0, m_fault = 0;
};

QString evidenceLine(const Evidence& evidence)
{
    QString line = QStringLiteral("    on %1, %2 to %3, %4, %5: %6")
                       .arg(index(evidence.pe))
                       .arg(evidence.range.begin)
                       .arg(evidence.range.end)
                       .arg(evidence.time)
                       .arg(evidence.text, evidence.sql);
    for (const TaskId task : evidence.tasks) line += QStringLiteral(" [%1]").arg(taskText(task));
    return line;
}

QStringList expertLines(const TraceStore& store, const Expert& expert)
{
    QStringList lines;
    for (const Check& check : expert.health.checks)
        lines << QStringLiteral("check %1: %2 %3 %4 %5 %6")
                     .arg(int(check.id))
                     .arg(int(check.level))
                     .arg(check.value, 0, 'g', 17)
                     .arg(check.confidence)
                     .arg(check.says, check.doubt);
    for (const TreeNode& node : expert.tree.nodes) {
        lines << QStringLiteral("node %1: %2 %3 %4 | %5 | %6 | %7")
                     .arg(node.id, QLatin1String(name(node.verdict)))
                     .arg(node.severity)
                     .arg(node.share, 0, 'g', 17)
                     .arg(node.why, node.change, node.advice);
        for (const NodeTest& test : node.tests)
            lines << QStringLiteral("  %1: %2 of %3, %4")
                         .arg(test.metric)
                         .arg(test.value, 0, 'g', 17)
                         .arg(test.threshold, 0, 'g', 17)
                         .arg(test.fired);
        for (const Evidence& evidence : node.evidence) lines << evidenceLine(evidence);
    }
    for (const QString& node : expert.tree.path) lines << node;
    lines << expert.scheduling.notEvaluated;
    for (const Advice& advice : expert.advice) {
        lines << QStringLiteral("advice %1 %2: %3 | %4 | %5 | %6 | %7 | %8")
                     .arg(advice.id, advice.node, advice.title, advice.verdict, advice.meaning, advice.action,
                          advice.effect, advice.scope.text)
              << QStringLiteral("  %1 %2 %3 %4, %5 to %6, at '%7'")
                     .arg(index(advice.entry))
                     .arg(advice.severity)
                     .arg(advice.bound.value_or(-1))
                     .arg(advice.confidence, 0, 'g', 17)
                     .arg(advice.range.begin)
                     .arg(advice.range.end)
                     .arg(whereOf(store, advice))
              << advice.doubts << advice.sql;
        for (const Evidence& evidence : advice.evidence) lines << evidenceLine(evidence);
    }
    return lines;
}

std::shared_ptr<const Expert> expertOf(const std::shared_ptr<const TraceStore>& store)
{
    Results results(store);
    const auto expert = results.ask(ExpertQuestion{}, Progress{});
    return expert ? *expert : nullptr;
}

Hosting blocksOfRanks(std::uint32_t ranks, int processes, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<std::uint32_t> borders{0};
    for (int i = 1; i < processes; ++i) borders.push_back(static_cast<std::uint32_t>(random() % (ranks + 1)));
    borders.push_back(ranks);
    std::sort(borders.begin(), borders.end());
    return Hosting(std::move(borders));
}

StoredPath storedPathOf(const HostedPath& found)
{
    StoredPath path{.to = found.path.to, .length = found.path.length};
    for (std::size_t i = 0; i < found.path.steps.size(); ++i) {
        const PathStep& step = found.path.steps[i];
        path.steps.push_back({.task = step.task,
                              .entry = step.entry,
                              .begin = step.begin,
                              .end = step.end,
                              .edge = static_cast<std::uint8_t>(step.edge),
                              .isDoubtful = step.doubtful,
                              .function = i < found.functions.size() ? found.functions[i] : noCallPath,
                              .part = static_cast<std::uint8_t>(step.part)});
    }
    for (const PathProfileRow& row : found.path.profile) path.profile.push_back({row.entry, row.count, row.time});
    return path;
}

// What is kept of all that when no event is.
StoredAnswers storedOf(const TraceStore& store, const WaitStates& waits, const HostedPath& work,
                       const HostedPath& elapsed, const HostedAdvice& advice)
{
    StoredAnswers answers;
    storeWaits(answers, waits);
    storePath(answers, storedPathOf(work));
    storeElapsedPath(answers, storedPathOf(elapsed));
    std::vector<std::uint32_t> places;
    for (const Advice& one : advice.expert->advice) places.push_back(one.place.value_or(noCallPath));
    storeInputs(answers, store, advice.inputs, 100, places);
    return answers;
}

QStringList keptLines(const QString& file)
{
    const auto store = TraceStore::open(file);
    if (!store) return {toText(store.error())};
    Results results(*store);
    const auto expert = results.ask(ExpertQuestion{}, Progress{});
    return expert ? expertLines(**store, **expert) : QStringList{toText(expert.error())};
}

// `kept`: the trace without events that they write.
QStringList hostedLines(const QString& kept, const std::function<std::unique_ptr<MpiSource>()>& source, int processes,
                        std::uint32_t seed)
{
    QStringList lines;
    std::mutex mutex;
    const auto body = [&](Transport& transport) {
        const Progress progress;
        const std::unique_ptr<MpiSource> own = source();
        const Hosting hosting = blocksOfRanks(own->names().ranks, processes, seed);
        const auto trace = hostSource(transport, *own, hosting, {}, progress);
        if (!trace) return;
        const WaitOptions wanted{.mostWorst = WaitsQuestion::usualWorst, .withCauses = false};
        auto waits = hostedWaitStates(transport, *trace, wanted, progress);
        if (!waits || !findHostedCauses(transport, *trace, wanted, *waits, progress)) return;
        WorkPass pass(transport, *trace, trace->store->info().range(), progress);
        if (!pass.prepare()) return;
        const auto work = hostedWorkPath(pass, *trace->store, progress);
        const auto elapsed = work ? hostedElapsedPath(pass, *trace->store, progress) : work;
        if (!elapsed) return;
        const auto advice = hostedAdvice(pass, trace->store, *waits, work->path, elapsed->path, Thresholds{}, progress);
        if (!advice) return;
        KeptTrace parts;
        if (transport.isRoot()) parts.answers = storedOf(*trace->store, *waits, *work, *elapsed, *advice);
        if (!writeKeptTrace(transport, *trace, parts, kept, progress) || !transport.isRoot()) return;
        const std::lock_guard lock(mutex);
        lines = expertLines(*trace->store, *advice->expert);
    };
    const Result<> ran = seed % 10 == 0 ? runUnruly(processes, seed, body, 100) : runOnThreads(processes, body);
    return ran ? lines : QStringList{toText(ran.error())};
}

// A program and its source in one.
template <typename Program>
class OwnedProgram final : public MpiSource {
public:
    explicit OwnedProgram(std::uint32_t seed) : m_program(seed) {}
    const MpiRunNames& names() const override { return m_program.program().names(); }
    Result<> read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress) override
    {
        return m_program.program().read(location, events, log, progress);
    }
    const ImportLog& log() const override { return m_program.program().log(); }

private:
    mutable Program m_program;
};

}  // namespace

class TestHostedAdvice : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void drawnWork()
    {
        std::map<QString, int> given;
        for (std::uint32_t seed = 1; seed <= workedPrograms && !QTest::currentTestFailed(); ++seed)
            compare<DrawnWork>(seed, given);
        // All that is drawn is found in some of them.
        for (const char* node : {"load_balance", "late_messages", "synchronization", "bottleneck", "mpi_time"})
            QVERIFY2(given[QLatin1String(node)] >= 3, node);
        QVERIFY(given[QStringLiteral("a place")] > 10 && given[QStringLiteral("without noise")] >= 2);
    }
    void drawnRuns()
    {
        std::map<QString, int> given;
        for (std::uint32_t seed = 1; seed <= randomPrograms && !QTest::currentTestFailed(); ++seed)
            compare<RandomProgram>(seed, given);
    }

private:
    template <typename Program>
    static void compare(std::uint32_t seed, std::map<QString, int>& given)
    {
        const QTemporaryDir folder;
        Program program(seed);
        const auto store = importedProgram(program.program(), folder.path(), 1);
        QVERIFY(store);
        const auto expert = expertOf(store);
        QVERIFY(expert);
        const QStringList wanted = expertLines(*store, *expert);
        for (const Advice& advice : expert->advice) {
            ++given[advice.node];
            if (!whereOf(*store, advice).isEmpty()) ++given[QStringLiteral("a place")];
            if (advice.meaning.contains(QStringLiteral("unusually long"))) ++given[QStringLiteral("without noise")];
        }
        for (int processes = 1; processes <= 4; ++processes) {
            const QString kept = folder.filePath(QStringLiteral("kept.longpole"));
            const QStringList found = hostedLines(
                kept, [&] { return std::make_unique<OwnedProgram<Program>>(seed); }, processes, seed);
            QString what = difference("advice", found, wanted);
            if (what.isEmpty()) what = difference("advice from what is kept", keptLines(kept), wanted);
            QVERIFY2(what.isEmpty(),
                     qPrintable(QStringLiteral("seed %1, %2 processes, %3").arg(seed).arg(processes).arg(what)));
        }
    }
};

LONGPOLE_TEST(TestHostedAdvice)
#include "tst_hostedadvice.moc"
