// SPDX-License-Identifier: GPL-3.0-or-later
// Made programs hold what is planted in them, whatever their size and whoever hosts their ranks, and are the same runs
// to the engine of one machine.
#include "analysis/mpi/waitstates.h"
#include "analysis/paths/criticalpath.h"
#include "core/store/tracestore.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/hostedwaits.h"
#include "distributed/answers/hostedwork.h"
#include "distributed/recording/wholetrace.h"
#include "distributed/simulation/madeprogram.h"
#include "distributed/simulation/madesource.h"
#include "distributed/transport/threadwire.h"
#include "importers/mpirows/trace.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QTemporaryDir>
#include <QTest>

#include <mutex>

using namespace longpole;
using namespace longpole::tests;

namespace {

struct MadeFound {
    PlantedRank planted;
    TimeNs plantedPath = 0;
    std::int64_t records = 0;
    std::int64_t messages = 0;
    TimeNs lateSender = 0;
    TimeNs notYetAll = 0;
    TimeNs others = 0;  // waits of other kinds
    TimeNs path = 0;
    QString error;
};

void addWaits(MadeFound& found, const WaitStates& waits)
{
    for (const WaitState& state : waits.states) {
        if (state.kind == WaitStateKind::LateSender) found.lateSender += state.time;
        else if (state.kind == WaitStateKind::WaitAtNxN) found.notYetAll += state.time;
        else found.others += state.time;
    }
}

MadeFound analyzed(const SimulatedRun& run, int processes, const QString& file)
{
    MadeFound found;
    std::mutex mutex;
    const Result<> ran = runOnThreads(processes, [&](Transport& transport) {
        MadeSource source(run);
        const Hosting hosting = Hosting::balanced(std::vector<std::uint64_t>(run.ranks, 0), transport.processes());
        const Result<HostedTrace> trace = hostSource(transport, source, hosting, {}, Progress{});
        if (!trace) return transport.fail(trace.error());
        const auto waits = hostedWaitStates(transport, *trace, {.mostWorst = 1, .withCauses = false}, Progress{});
        const Progress progress;
        WorkPass pass(transport, *trace, trace->store->info().range(), progress);
        if (!waits || !pass.prepare()) return;
        const auto path = hostedWorkPath(pass, *trace->store, Progress{});
        if (!path || !writeWholeTrace(transport, *trace, file, Progress{})) return;
        const std::lock_guard lock(mutex);
        found.planted += source.planted();
        if (!transport.isRoot()) return;
        found.plantedPath = source.program().pathLength();
        found.records = trace->store->info().records;
        found.messages = trace->store->info().messagesMatched;
        found.path = path->path.length;
        addWaits(found, *waits);
    });
    if (!ran) found.error = toText(ran.error());
    return found;
}

}  // namespace

class TestMadeProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsWhatIsPlanted_data()
    {
        QTest::addColumn<int>("pattern");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("processes");
        for (const MadePattern pattern : allMadePatterns())
            for (const auto& [ranks, steps, processes] :
                 {std::array{4, 1, 1}, {4, 30, 2}, {5, 7, 3}, {12, 20, 4}, {36, 10, 3}, {97, 5, 2}, {400, 3, 4}})
                QTest::addRow("%s, %d ranks, %d steps, %d processes", name(pattern), ranks, steps, processes)
                    << static_cast<int>(pattern) << ranks << steps << processes;
    }
    void holdsWhatIsPlanted()
    {
        QFETCH(int, pattern);
        QFETCH(int, ranks);
        QFETCH(int, steps);
        QFETCH(int, processes);
        const QTemporaryDir folder;
        const SimulatedRun run{static_cast<MadePattern>(pattern), static_cast<std::uint32_t>(ranks),
                               static_cast<std::uint32_t>(steps), static_cast<std::uint64_t>(ranks * 31 + steps)};
        const QString together = folder.filePath(QStringLiteral("together.longpole"));
        const MadeFound found = analyzed(run, processes, together);
        QCOMPARE(found.error, QString());
        QVERIFY(found.plantedPath > 0);
        QVERIFY(found.planted.calls >= std::int64_t{ranks} * (2 + steps));
        QCOMPARE(found.records, found.planted.calls);
        QCOMPARE(found.messages, found.planted.messages);
        QCOMPARE(found.path, found.plantedPath);
        QCOMPARE(found.lateSender, found.planted.lateSender);
        QCOMPARE(found.notYetAll, found.planted.notYetAll);
        QVERIFY(found.planted.lateSender + found.planted.notYetAll > 0);

        // The engine of one machine.
        const QString alone = folder.filePath(QStringLiteral("alone.longpole"));
        MadeSource source(run);
        const Result<ImportReport> imported = importMpiRun(source, alone, {}, Progress{});
        QVERIFY2(imported.ok(), imported.ok() ? "" : qPrintable(toText(imported.error())));
        QCOMPARE(source.planted(), found.planted);
        QVERIFY(contentOf(alone) == contentOf(together));
        const auto store = TraceStore::open(alone);
        QVERIFY(store.ok());
        QVERIFY((*store)->issues().empty());
        const auto graph = loadActivityGraph(**store, Progress{});
        QVERIFY(graph.ok());
        const auto path = workPath(**graph, workHeads(**graph, EdgeLevel::Order, Progress{}));
        QVERIFY(path.ok());
        QCOMPARE(path->length, found.plantedPath);
        const Result<WaitStates> waits = waitStates(**store, {.mostWorst = 1, .withCauses = true}, Progress{});
        QVERIFY(waits.ok());
        MadeFound one;
        addWaits(one, *waits);
        QCOMPARE(one.lateSender, found.lateSender);
        QCOMPARE(one.notYetAll, found.notYetAll);
        QCOMPARE(one.others, found.others);
    }

    // No file says how many ranks there may be: names of 100,000 are as many as there are.
    void manyRanks()
    {
        const SimulatedRun run{MadePattern::Wavefront, 100'000, 1, 5};
        std::int64_t planted = 0, records = 0;
        std::mutex mutex;
        const Result<> ran = runOnThreads(2, [&](Transport& transport) {
            MadeSource source(run);
            const Hosting hosting = Hosting::balanced(std::vector<std::uint64_t>(run.ranks, 0), transport.processes());
            HostingOptions options;
            options.isForTrace = false;
            const auto trace = hostSource(transport, source, hosting, options, Progress{});
            if (!trace) return transport.fail(trace.error());
            const std::lock_guard lock(mutex);
            planted += source.planted().calls;
            if (transport.isRoot()) records = trace->store->info().records;
        });
        QVERIFY2(ran.ok(), ran.ok() ? "" : qPrintable(toText(ran.error())));
        QVERIFY(planted > std::int64_t{run.ranks});
        QCOMPARE(records, planted);
    }

    // Another seed is another imbalance, and the same one the same run.
    void seeds()
    {
        const auto lengthOf = [](std::uint64_t seed) {
            return MadeProgram::of({MadePattern::Halo2d, 30, 10, seed})->pathLength();
        };
        QCOMPARE(lengthOf(5), lengthOf(5));
        QVERIFY(lengthOf(5) != lengthOf(6));
    }
};

LONGPOLE_TEST(TestMadeProgram)
#include "tst_madeprogram.moc"
