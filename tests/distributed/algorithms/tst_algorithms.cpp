// SPDX-License-Identifier: GPL-3.0-or-later
// All algorithms on drawn programs and real archives, by one to four processes: one length, one path, those of the
// graph of one machine.
#include "analysis/paths/criticalpath.h"
#include "distributed/algorithms/compare.h"
#include "distributed/archives.h"
#include "distributed/transport/threadwire.h"
#include "importers/common/importer.h"

#include "distributed/algorithms/randomprogram.h"
#include "support/mpi/unrulywire.h"
#include "support/testmain.h"

#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>
#include <optional>

#include <sys/resource.h>

using namespace longpole;
using namespace longpole::tests;

namespace {

constexpr int drawnPrograms = 220;

std::vector<AlgorithmRun> everyRun()
{
    std::vector<AlgorithmRun> runs;
    for (const PathAlgorithm algorithm : allPathAlgorithms()) {
        if (algorithm == PathAlgorithm::ParallelSweep) {
            for (const Boundary boundary : allBoundaries()) runs.push_back({algorithm, Splits::None, boundary});
            continue;
        }
        for (const Splits splits : allSplits())
            if (fits(algorithm, splits)) runs.push_back({algorithm, splits, {}});
    }
    return runs;
}

QString described(const AlgorithmRun& run, int processes)
{
    return QStringLiteral("%1, %2, %3 processes")
        .arg(QLatin1String(name(run.algorithm)), QLatin1String(run.boundary ? name(*run.boundary) : name(run.splits)),
             QString::number(processes));
}

QString stepsOf(const std::vector<WalkedStep>& path)
{
    QStringList steps;
    for (const WalkedStep& step : path)
        steps << QStringLiteral("%1:%2 %3+%4")
                     .arg(rankOf(step.node))
                     .arg(numberOf(step.node))
                     .arg(step.begin)
                     .arg(step.work);
    return steps.join(QStringLiteral(", "));
}

// What the first run of each kind found: a search's, a sweep's.
struct Expected {
    TimeNs work = 0;
    TimeNs sweep = 0;
    std::optional<std::vector<WalkedStep>> path;
    std::optional<std::vector<WalkedStep>> groups;
};

// Something for each answer that is wrong.
QStringList wrongAnswers(const TraceStore& store, int processes, std::uint32_t unrulySeed,
                         const AlgorithmOptions& options, Expected& expected)
{
    QStringList wrong;
    const auto body = [&](Transport& transport) {
        const LossGraph graph = readLossGraph(transport, store);
        for (const AlgorithmRun& run : everyRun()) {
            const AlgorithmAnswer answer = runAlgorithm(transport, graph, run, options);
            if (!transport.isRoot() || transport.failed()) continue;
            const bool isSweep = run.algorithm == PathAlgorithm::Sweep || run.algorithm == PathAlgorithm::ParallelSweep;
            if (run.boundary == Boundary::Simple && processes > 1) continue;
            const TimeNs length = isSweep ? expected.sweep : expected.work;
            auto& path = isSweep ? expected.groups : expected.path;
            if (!path) path = answer.path;
            if (!answer.row.isFinished) wrong << described(run, processes) + QStringLiteral(": stopped");
            else if (answer.row.length != length)
                wrong << QStringLiteral("%1: %2 instead of %3")
                             .arg(described(run, processes))
                             .arg(answer.row.length)
                             .arg(length);
            else if (answer.path != *path)
                wrong << QStringLiteral("%1: %2 instead of %3")
                             .arg(described(run, processes), stepsOf(answer.path), stepsOf(*path));
            TimeNs sum = 0;
            for (const WalkedStep& step : answer.path) sum += step.work;
            if (sum != answer.row.length)
                wrong << QStringLiteral("%1: steps of %2").arg(described(run, processes)).arg(sum);
        }
    };
    const Result<> ran = unrulySeed == 0 ? runOnThreads(processes, body) : runUnruly(processes, unrulySeed, body, 100);
    if (!ran) wrong << toText(ran.error());
    return wrong;
}

// Of one machine's graph.
Expected expectedOf(const TraceStore& store)
{
    Expected expected;
    const auto graph = loadActivityGraph(store, Progress());
    if (!graph || (*graph)->size() == 0) return expected;
    const auto path = workPath(**graph, workHeads(**graph, EdgeLevel::Order, Progress()));
    if (path) expected.work = path->length;
    if (const auto sweep = sweepPath(**graph)) expected.sweep = sweep->length;
    return expected;
}

}  // namespace

class TestAlgorithms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // As many segments of one task as one segment has tasks: each round and each search looked at all of them.
    void manySegments()
    {
        constexpr std::uint32_t many = 40'000;
        LossGraph graph;
        graph.run = {0, TimeNs{20} * many};
        graph.ranks = 1;
        graph.segments = many;
        graph.border = {0, 1};
        graph.firstEdge = {0};
        for (std::uint32_t node = 0; node < 2 * many; ++node) {
            graph.id.push_back(nodeId(0, node));
            graph.begin.push_back(TimeNs{10} * node);
            graph.work.push_back(5);
            graph.segment.push_back(std::min(node, many - 1));
            graph.call.push_back(noCallName);
            const bool crosses = node < many;
            if (node > 0) graph.edges.push_back({nodeId(0, node - 1), node - 1, crosses, 5});
            graph.firstEdge.push_back(graph.edges.size());
            graph.leaving.push_back(node + 1 < 2 * many ? 1 : 0);
            graph.leavingInside.push_back(node + 1 >= many && node + 1 < 2 * many ? 1 : 0);
        }
        const auto spent = [] {
            rusage usage{};
            ::getrusage(RUSAGE_THREAD, &usage);
            return usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000;
        };
        const Result<> ran = runOnThreads(1, [&](Transport& transport) {
            for (const PathAlgorithm algorithm : {PathAlgorithm::ParallelDijkstra, PathAlgorithm::ParallelDelta})
                for (const Splits splits : {Splits::Parallel, Splits::ParallelAtOnce}) {
                    const auto before = spent();
                    const AlgorithmAnswer answer = runAlgorithm(transport, graph, {algorithm, splits, {}}, {});
                    QVERIFY(answer.row.isFinished);
                    QCOMPARE(answer.path.size(), 2 * std::size_t{many});
                    QVERIFY2(spent() - before < 2'000, qPrintable(QString::number(spent() - before)));
                }
        });
        QVERIFY(ran.ok());
    }

    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void drawnRuns_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= drawnPrograms; ++seed) QTest::addRow("%d", seed) << seed;
    }
    void drawnRuns()
    {
        QFETCH(int, seed);
        const auto random = static_cast<std::uint32_t>(seed);
        const QTemporaryDir folder;
        RandomProgram program(random);
        const auto store = importedProgram(program.program(), folder.path(), 1);
        QVERIFY(store);
        Expected expected = expectedOf(*store);
        AlgorithmOptions options{.delta = seed % 3 == 0 ? 1 + seed % 7 : 0, .shuffle = {}};
        options.shuffle.borders = seed % 2 == 0 ? Borders::Time : Borders::Count;
        options.shuffle.order = seed % 4 < 2 ? SendingOrder::Same : SendingOrder::Shifted;
        options.shuffle.sendsEmpty = seed % 5 == 0;
        options.shuffle.compression = static_cast<Compression>(seed % 3);
        for (int processes = 1; processes <= 4; ++processes)
            QCOMPARE(wrongAnswers(*store, processes, 0, options, expected).join(QLatin1Char('\n')), QString());
        if (seed % 10 == 0)
            QCOMPARE(wrongAnswers(*store, 3, random, options, expected).join(QLatin1Char('\n')), QString());
    }

    // Archives of real programs.
    void archives_data() { longpole::test::addArchives(); }
    void archives()
    {
        QFETCH(QString, path);
        if (importerFor(path) == nullptr) QSKIP("built without the OTF2 library");
        const QTemporaryDir folder;
        const auto store = longpole::test::importedArchive(path, folder);
        QVERIFY(store);
        Expected expected = expectedOf(*store);
        for (int processes = 1; processes <= 4; ++processes)
            QCOMPARE(wrongAnswers(*store, processes, 0, {}, expected).join(QLatin1Char('\n')), QString());
    }
};

LONGPOLE_TEST(TestAlgorithms)
#include "tst_algorithms.moc"
