// SPDX-License-Identifier: GPL-3.0-or-later
// Made programs of many ranks that meet often: several processes find the elapsed path and the causes of waits that one
// finds in the trace of the whole run, and begin each walk where the path leaves its segment.
#include "analysis/mpi/waitstates.h"
#include "analysis/paths/criticalpath.h"
#include "core/store/tracestore.h"
#include "distributed/answers/elapsedwalk.h"
#include "distributed/answers/hostedcauses.h"
#include "distributed/answers/hostedelapsed.h"
#include "distributed/answers/hostedwaits.h"
#include "distributed/recording/wholetrace.h"
#include "distributed/simulation/madeprogram.h"
#include "distributed/simulation/madesource.h"
#include "distributed/transport/threadwire.h"

#include "distributed/answers/hostedanswers.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <mutex>

using namespace longpole;
using namespace longpole::tests;

namespace {

struct MadeAnswers {
    QStringList elapsed, causes;
    std::uint32_t walks = 0;
    std::uint32_t segments = 0;  // through which the path leads
    QString error;
};

MadeAnswers madeAnswers(const SimulatedRun& run, int processes, const WaitOptions& options, const QString& file)
{
    MadeAnswers answers;
    std::mutex mutex;
    const Result<> ran = runOnThreads(processes, [&](Transport& transport) {
        MadeSource source(run);
        const Hosting hosting = Hosting::balanced(std::vector<std::uint64_t>(run.ranks, 0), transport.processes());
        const Result<HostedTrace> trace = hostSource(transport, source, hosting, {}, Progress{});
        if (!trace) return transport.fail(trace.error());
        auto waits = hostedWaitStates(transport, *trace, options, Progress{});
        if (!waits || !findHostedCauses(transport, *trace, options, *waits, Progress{})) return;
        const Progress progress;
        WorkPass pass(transport, *trace, trace->store->info().range(), progress);
        if (!pass.prepare()) return;
        const auto walk = walkElapsed(pass, *trace->store);
        const auto path = hostedElapsedPath(pass, *trace->store, Progress{});
        if (!walk || !path || !writeWholeTrace(transport, *trace, file, Progress{}) || !transport.isRoot()) return;
        const std::lock_guard lock(mutex);
        answers.elapsed = pathLines(path->path);
        answers.causes = causeLines(*waits);
        answers.walks = walk->walks;
        answers.segments = static_cast<std::uint32_t>(
            walk->attempts.size()
            - std::size_t(std::count(walk->attempts.begin(), walk->attempts.end(), ElapsedWalk::noAttempt)));
    });
    if (!ran) answers.error = toText(ran.error());
    return answers;
}

}  // namespace

class TestHostedMade : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void isOfTheWholeTrace_data()
    {
        QTest::addColumn<int>("pattern");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("processes");
        for (const MadePattern pattern : allMadePatterns())
            for (const auto& [ranks, steps, processes] :
                 {std::array{4, 60, 1}, {5, 40, 2}, {12, 40, 3}, {36, 20, 4}, {97, 5, 2}})
                QTest::addRow("%s, %d ranks, %d steps, %d processes", name(pattern), ranks, steps, processes)
                    << static_cast<int>(pattern) << ranks << steps << processes;
    }
    void isOfTheWholeTrace()
    {
        QFETCH(int, pattern);
        QFETCH(int, ranks);
        QFETCH(int, steps);
        QFETCH(int, processes);
        const QTemporaryDir folder;
        const SimulatedRun run{static_cast<MadePattern>(pattern), static_cast<std::uint32_t>(ranks),
                               static_cast<std::uint32_t>(steps), static_cast<std::uint64_t>(ranks * 7 + steps)};
        const QString file = folder.filePath(QStringLiteral("whole.longpole"));
        const WaitOptions options{.mostWorst = 1, .withCauses = false};
        const MadeAnswers found = madeAnswers(run, processes, options, file);
        QCOMPARE(found.error, QString());
        const auto store = TraceStore::open(file);
        QVERIFY(store.ok());
        const auto graph = loadActivityGraph(**store, Progress{});
        QVERIFY(graph.ok());
        const auto elapsed = elapsedPath(**graph);
        auto waits = waitStates(**store, options, Progress{});
        QVERIFY(elapsed.ok() && waits.ok() && findCauses(**store, options, *waits, Progress{}).ok());
        QCOMPARE(difference("elapsed path", found.elapsed, pathLines(*elapsed)), QString());
        QCOMPARE(difference("causes", found.causes, causeLines(*waits)), QString());
        QVERIFY(waits->unexplained >= 0);
        // All come to MPI_Init at once: there the path stays with its rank, not with the first.
        QVERIFY(found.walks <= found.segments + 1);
    }
};

LONGPOLE_TEST(TestHostedMade)
#include "tst_hostedmade.moc"
