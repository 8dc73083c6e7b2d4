// SPDX-License-Identifier: GPL-3.0-or-later
// A recording read by several processes: names, numbers, totals and every stored row are those of the import, and the
// waits are those of its trace, also where files are missing, cut or another run's.
#include "analysis/mpi/waitstates.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/statistics/efficiency.h"
#include "core/store/tracestore.h"
#include "distributed/answers/hostedcauses.h"
#include "distributed/answers/hostedelapsed.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/hostedwaits.h"
#include "distributed/answers/hostedwork.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/recording/wholetrace.h"
#include "distributed/transport/threadwire.h"
#include "importers/common/importer.h"
#include "importers/recording/recordedranks.h"
#include "importers/recording/source.h"
#include "recorder/format/format.h"

#include "distributed/answers/hostedanswers.h"
#include "distributed/lyingwire.h"
#include "distributed/recording/storedlines.h"
#include "support/mpi/haloexchange.h"
#include "support/mpi/recorded.h"
#include "support/mpi/unrulywire.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <iterator>
#include <mutex>
#include <random>

#include <sys/resource.h>

using namespace longpole;
using namespace longpole::tests;

extern "C" std::int64_t lp_now() { return HaloExchange::now; }

namespace {

QStringList waitsOf(const WaitStates& waits)
{
    QStringList lines{QStringLiteral("%1 of %2, %3 threads, %4 unexplained, %5 %6")
                          .arg(waits.total)
                          .arg(waits.totalTime)
                          .arg(waits.threads)
                          .arg(waits.unexplained)
                          .arg(waits.unjudged.oneSided)
                          .arg(waits.unjudged.files)};
    for (const WaitState& state : waits.states) {
        QString line = QStringLiteral("%1: %2 calls, %3, %4;")
                           .arg(QLatin1String(name(state.kind)))
                           .arg(state.count)
                           .arg(state.time)
                           .arg(state.onRanks);
        for (const TimeNs time : state.byRank) line += QStringLiteral(" %1").arg(time);
        lines << line;
        for (const WaitInstance& worst : state.worst)
            lines << QStringLiteral(
                         "  rank %1 call %2 from %3 to %4 in %5 for %6 call %7: %8:%9 in %10 for %11, waited %12")
                         .arg(worst.rank)
                         .arg(worst.seq)
                         .arg(worst.wait.begin)
                         .arg(worst.wait.end)
                         .arg(index(worst.call))
                         .arg(worst.culprit)
                         .arg(worst.culpritSeq)
                         .arg(index(worst.meanwhile.task.pe))
                         .arg(worst.meanwhile.task.index)
                         .arg(index(worst.meanwhile.entry))
                         .arg(worst.meanwhile.ran)
                         .arg(worst.meanwhile.waited);
    }
    return lines;
}

QStringList efficienciesOf(const Efficiency& found)
{
    QString line;
    for (const std::int64_t value : {found.range.begin, found.range.end, found.ideal, found.usefulMax, found.counted,
                                     found.leftOut, found.leftOutBusy})
        line += QStringLiteral("%1 ").arg(value);
    for (const double value : {found.usefulAverage, found.parallel, found.loadBalance, found.communication,
                               found.serialization, found.transfer})
        line += QStringLiteral("%1 ").arg(value, 0, 'g', 17);
    for (const TimeNs time : found.useful) line += QStringLiteral("%1 ").arg(time);
    return {line};
}

// Of the work path inside the range; all processes call it.
Result<TimeNs> workLength(Transport& transport, const HostedTrace& trace, TimeRange range)
{
    const WhatIf asItIs{.entries = {}, .factor = {1, 1}};
    const Progress progress;
    WorkPass pass(transport, trace, range, progress);
    if (const Result<> prepared = pass.prepare(); !prepared) return prepared.error();
    if (const Result<> ran = pass.run(LaneFactors(std::span(&asItIs, 1)), 1, false); !ran) return ran.error();
    return pass.length(0);
}

}  // namespace

class TestHostedTrace : public QObject, private RecordedRanks {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        begin();
    }

    void halo();
    void rootedCallsAndLateRanks();
    void lacksFiles();
    void cutAndForeignFiles();
    void refuses();
    void believesNoNumber();

private:
    void record(int ranks, const std::function<void(int rank)>& body)
    {
        const auto withInit = [&body](int rank) {
            putCall(madeCall(LP_Init, -2000, -1000 - rank));
            body(rank);
        };
        RecordedRanks::record(ranks, withInit, {{"BUFFER", "64K"}});
    }
    // Every process' part against the import of the same folder.
    void compare(int processes, bool isUnruly = false)
    {
        const QString target = m_folder->filePath(QStringLiteral("whole.longpole"));
        const Importer* const importer = importerFor(folder());
        QVERIFY(importer);
        const Result<ImportReport> report = importer->import(folder(), target, {}, Progress{});
        QVERIFY2(report.ok(), report.ok() ? "" : qPrintable(toText(report.error())));
        const auto whole = TraceStore::open(target);
        QVERIFY(whole.ok());
        const WaitOptions options{.mostWorst = 5, .withCauses = false};
        const Result<WaitStates> waits = waitStates(**whole, options, Progress{});
        QVERIFY(waits.ok());
        const auto graph = loadActivityGraph(**whole, Progress{});
        QVERIFY(graph.ok());
        const TimeRange run = (*whole)->info().range();
        const WorkHeads heads = workHeads(**graph, EdgeLevel::Order, Progress{});
        const auto path = workPath(**graph, heads);
        QVERIFY(path.ok());
        const TimeNs length = path->length;
        const auto elapsed = elapsedPath(**graph);
        auto caused = waits;
        QVERIFY(elapsed.ok() && findCauses(**whole, options, *caused, Progress{}).ok());
        const Result<Efficiency> efficiencies = efficiency(**whole, **graph, run, Startup::LeftOut, Progress{});
        QVERIFY(efficiencies.ok());
        const TimeRange middle{run.begin + run.length() / 3, run.begin + run.length() / 2};
        const auto part = workPath(**graph, dependencies(**graph, EdgeLevel::Order), middle);
        const QString together = m_folder->filePath(QStringLiteral("together.longpole"));
        std::mutex mutex;
        QStringList wrong;
        const auto body = [&](Transport& transport) {
            const Result<HostedTrace> trace = hostRecording(transport, folder(), {.scratch = m_folder->path()},
                                                            Progress{});
            if (!trace) return transport.fail(trace.error());
            // One for answers only has them all, too.
            const Result<HostedTrace> bare = hostRecording(transport, folder(),
                                                           {.scratch = m_folder->path(), .isForTrace = false},
                                                           Progress{});
            if (!bare) return transport.fail(bare.error());
            const Result<WaitStates> found = hostedWaitStates(transport, *bare, options, Progress{});
            Result<WaitStates> withCauses = found;
            if (!found || !findHostedCauses(transport, *bare, options, *withCauses, Progress{})) return;
            const std::uint64_t sentBefore = transport.traffic().messages;
            const Result<TimeNs> work = workLength(transport, *bare, run);
            if (transport.isRoot()) m_sentForPath = transport.traffic().messages - sentBefore;
            const Progress progress;
            WorkPass pass(transport, *bare, run, progress);
            if (!pass.prepare()) return;
            const auto walked = hostedWorkPath(pass, *bare->store, Progress{});
            const auto back = hostedElapsedPath(pass, *bare->store, Progress{});
            if (!walked || !back) return;
            const Result<TimeNs> inMiddle = workLength(transport, *trace, middle);
            const Result<Efficiency> efficient = hostedEfficiency(pass, *bare, Progress{});
            const WhatIf asItIs{.entries = {}, .factor = {1, 1}};
            const LaneFactors factors(std::span(&asItIs, 1));
            WorkPass narrowed(transport, *trace, run, progress);
            if (!narrowed.prepare()) return;
            narrowed.narrow(middle);
            if (!narrowed.run(factors, 1, false)) return;
            if (!work || !inMiddle || !efficient) return;
            const Result<> written = writeWholeTrace(transport, *trace, together, Progress{});
            if (!written) return;
            const int process = transport.process();
            const auto isMine = [&](std::uint32_t rank) { return trace->hosting.hosts(process, rank); };
            const std::lock_guard lock(mutex);
            const auto same = [&](const char* what, const QStringList& is, const QStringList& should) {
                for (qsizetype i = 0; i < std::max(is.size(), should.size()); ++i)
                    if (is.value(i) != should.value(i)) {
                        wrong << QStringLiteral("process %1, %2: '%3' instead of '%4'")
                                     .arg(process)
                                     .arg(QLatin1String(what), is.value(i), should.value(i));
                        return;
                    }
            };
            same("definitions", definitionsOf(*trace->store), definitionsOf(**whole));
            same("definitions for answers", definitionsOf(*bare->store), definitionsOf(**whole));
            same("rows", chunksOf(*trace->store, isMine), chunksOf(**whole, isMine));
            same("others' rows", chunksOf(*trace->store, [&](std::uint32_t rank) { return !isMine(rank); }), {});
            if (transport.isRoot()) same("waits", waitsOf(*found), waitsOf(*waits));
            if (transport.isRoot()) same("path", pathLines(walked->path), pathLines(*path));
            if (transport.isRoot()) same("elapsed path", pathLines(back->path), pathLines(*elapsed));
            if (transport.isRoot()) same("causes", causeLines(*withCauses), causeLines(*caused));
            same("work path", {QString::number(*work)}, {QString::number(length)});
            same("work path of a part", {QString::number(*inMiddle)}, {QString::number(part->length)});
            same("narrowed to a part", {QString::number(narrowed.length(0))}, {QString::number(part->length)});
            same("efficiencies", efficienciesOf(*efficient), efficienciesOf(*efficiencies));
        };
        const Result<> ran = isUnruly ? runUnruly(processes, 7, body, 500) : runOnThreads(processes, body);
        QVERIFY2(ran.ok(), ran.ok() ? "" : qPrintable(toText(ran.error())));
        QCOMPARE(wrong.join(QLatin1Char(10)), QString());
        QVERIFY(contentOf(together) == contentOf(target));
        QCOMPARE(QDir(m_folder->path()).entryList({QStringLiteral("longpole-*")}).size(), 0);
    }
    std::uint64_t m_sentForPath = 0;  // messages of process 0
};

void TestHostedTrace::halo()
{
    constexpr int steps = 300;
    constexpr int ranks = 6;
    record(ranks, [](int rank) {
        HaloExchange program(rank, ranks);
        for (int i = 0; i < steps; ++i) program.step();
        putCall(madeCall(LP_Finalize, steps * stepLength, steps * stepLength + 1000));
    });
    for (const int processes : {1, 2, 3, 4, 7}) {
        compare(processes, processes == 3);
        if (QTest::currentTestFailed()) return;
        // Steps between two meetings of all ranks count, not all steps.
        QVERIFY2(m_sentForPath < steps / 2, qPrintable(QString::number(m_sentForPath)));
    }
}

// Calls with a root, prefixes, barriers, and messages of a rank that comes late.
void TestHostedTrace::rootedCallsAndLateRanks()
{
    constexpr int ranks = 5;
    record(ranks, [](int rank) {
        std::int64_t now = 1000;
        for (int round = 0; round < 40; ++round) {
            const std::int64_t late = (rank + round) % ranks * 170 + 11 * rank;
            const auto put = [&](lp_call_id id, std::int64_t at, std::int64_t length, int peer, std::int64_t bytes) {
                lp_call call = madeCall(id, now + at, now + at + length);
                call.comm = 0;
                call.peer = peer;
                call.bytes = bytes;
                call.tag = 3;
                return call;
            };
            if (rank == 0) putCall(put(LP_Send, late, 900, 1 + round % (ranks - 1), 64));
            if (rank == 1 + round % (ranks - 1)) {
                const lp_completion done{LP_RECV_DONE, LP_NO_REQUEST, 0, 0, 3, 64, false};
                putCall(put(LP_Recv, late / 2, 1000, 0, 64), {done});
            }
            putCall(put(round % 2 == 0 ? LP_Bcast : LP_Reduce, 2000 + late, 900 - late / 2, round % ranks, 800));
            putCall(put(LP_Scan, 4000 + late, 1000 - late / 3, LP_NO_RANK, 8));
            putCall(put(round % 3 == 0 ? LP_Barrier : LP_Allreduce, 6000 + late, 2000 - late, LP_NO_RANK, 8));
            now += 10'000;
        }
        putCall(madeCall(LP_Finalize, now, now + 1000 + rank));
    });
    for (const int processes : {1, 2, 3, 5}) {
        compare(processes);
        if (QTest::currentTestFailed()) return;
    }
}

void TestHostedTrace::lacksFiles()
{
    record(4, [](int rank) {
        HaloExchange program(rank, 4);
        for (int i = 0; i < 20; ++i) program.step();
    });
    QVERIFY(QFile::remove(rankPath(folder(), 2)));
    compare(3);
    QVERIFY(QFile::remove(folder() + QStringLiteral("/index.lpindex")));
    QVERIFY(QFile::remove(rankPath(folder(), 0)));
    compare(2);
    compare(4);
}

void TestHostedTrace::cutAndForeignFiles()
{
    record(4, [](int rank) {
        HaloExchange program(rank, 4);
        for (int i = 0; i < 200; ++i) program.step();
    });
    patchHeader(rankPath(folder(), 1), [](lp_header& header) { header.run = 78; });
    QFile cut(rankPath(folder(), 3));
    QVERIFY(cut.resize(cut.size() * 2 / 3));
    compare(1);
    compare(3);
    QVERIFY(cut.resize(20));
    compare(2);
    // Two files that say they are the same rank.
    patchHeader(rankPath(folder(), 2), [](lp_header& header) { header.rank = 0; });
    compare(3);
}

// An error is everybody's, with the importer's words.
void TestHostedTrace::refuses()
{
    const QString nowhere = m_folder->path();
    std::mutex mutex;
    QStringList errors;
    const Result<> ran = runOnThreads(3, [&](Transport& transport) {
        const Result<HostedTrace> trace = hostRecording(transport, nowhere, {}, Progress{});
        const std::lock_guard lock(mutex);
        errors << (trace ? QStringLiteral("none") : trace.error().what);
    });
    QVERIFY(!ran.ok());
    QCOMPARE(errors, QStringList(3, QStringLiteral("There is no recording here.")));
}

// One of the first messages has numbers that its process did not put there: an answer or an error, nothing else.
void TestHostedTrace::believesNoNumber()
{
    constexpr std::uint64_t numbers[] = {0,
                                         1,
                                         0x7f,
                                         0xff,
                                         0xffff,
                                         0x7fffffff,
                                         0x80000000,
                                         0xfffffffe,
                                         0xffffffff,
                                         1'000'000,
                                         ~std::uint64_t{0} / 2,
                                         ~std::uint64_t{0}};
    record(3, [](int rank) {
        HaloExchange program(rank, 3);
        for (int i = 0; i < 10; ++i) program.step();
        putCall(madeCall(LP_Finalize, 10 * stepLength, 10 * stepLength + 1000));
    });
    int refused = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        std::mt19937 random(seed);
        const std::size_t liar = seed % 2;
        const unsigned chosen = random() % 24;
        unsigned message = 0;
        std::vector<std::unique_ptr<Wire>> wires = threadWires(2);
        wires[liar] = std::make_unique<LyingWire>(std::move(wires[liar]), [&](std::uint16_t, Payload& bytes) {
            if (message++ != chosen || bytes.size() <= heading) return;
            const std::size_t at = random() % (bytes.size() - heading);
            const std::uint64_t number = numbers[random() % std::size(numbers)];
            switch (random() % 3) {
            case 0: return put(bytes, at, static_cast<std::uint8_t>(number));
            case 1: return put(bytes, at, static_cast<std::uint32_t>(number));
            default: return put(bytes, at, number);
            }
        });
        const Result<> ran = runOnThreads(std::move(wires), [&](Transport& transport) {
            const Result<HostedTrace> trace = hostRecording(transport, folder(), {.scratch = m_folder->path()},
                                                            Progress{});
            if (!trace) transport.fail(trace.error());
        });
        refused += !ran.ok();
    }
    QVERIFY2(refused > 20, qPrintable(QString::number(refused)));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // No number is taken for that of a row, of which there are four billion then.
    rusage used{};
    QCOMPARE(::getrusage(RUSAGE_SELF, &used), 0);
    QVERIFY2(used.ru_maxrss < 1'000'000, qPrintable(QString::number(used.ru_maxrss)));  // kilobytes
#endif
}

LONGPOLE_TEST(TestHostedTrace)
#include "tst_hostedtrace.moc"
