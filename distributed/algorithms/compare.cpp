// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one algorithm after another between two clocks.
#include "distributed/algorithms/compare.h"

#include "distributed/transport/records.h"

#include <QFile>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace longpole {

namespace {

constexpr struct {
    PathAlgorithm algorithm;
    const char* name;
} algorithmNames[] = {
    {PathAlgorithm::Dp, "dp"},
    {PathAlgorithm::Dijkstra, "dijkstra"},
    {PathAlgorithm::Delta, "delta"},
    {PathAlgorithm::ParallelDijkstra, "parallel-dijkstra"},
    {PathAlgorithm::ParallelDelta, "parallel-delta"},
    {PathAlgorithm::Sweep, "sweep"},
    {PathAlgorithm::ParallelSweep, "parallel-sweep"},
};

// The most memory that this process had since it was asked last; bytes, 0 if the system does not say.
std::int64_t peakMemory(bool startAgain)
{
    std::int64_t kibibytes = 0;
    if (QFile status(QStringLiteral("/proc/self/status")); status.open(QIODevice::ReadOnly))
        for (const QByteArray& line : status.readAll().split('\n'))
            if (line.startsWith("VmHWM:")) kibibytes = line.mid(6).trimmed().split(' ').front().toLongLong();
    if (startAgain)
        if (QFile clear(QStringLiteral("/proc/self/clear_refs")); clear.open(QIODevice::WriteOnly)) clear.write("5");
    return kibibytes * 1024;
}

std::vector<std::uint32_t> allSegments(const SearchFrame& frame)
{
    std::vector<std::uint32_t> segments(frame.segments());
    std::iota(segments.begin(), segments.end(), 0u);
    return segments;
}

struct Search {
    Transport& transport;
    const AlgorithmRun& run;
    TimeNs delta;
    AlgorithmRow& row;

    bool isDelta() const
    {
        return run.algorithm == PathAlgorithm::Delta || run.algorithm == PathAlgorithm::ParallelDelta;
    }

    // On graphs whose segments each lie on one process. False: stopped.
    bool sequentially(const LossGraph& graph, const SearchFrame& frame, Labels& labels) const
    {
        for (const std::vector<SearchStart>& starts : searchStarts(graph, frame)) {
            if (starts.empty()) continue;
            if (!isDelta()) dijkstra(transport, graph, frame, starts, labels, row.counts);
            else if (!deltaStepping(transport, graph, frame, starts, delta, labels, row.counts)) return false;
        }
        return true;
    }

    bool together(const LossGraph& graph, const SearchFrame& frame, Labels& labels) const
    {
        const auto starts = searchStarts(graph, frame);
        SharedSearch shared{transport, graph, frame, starts, labels, row.counts};
        if (run.algorithm == PathAlgorithm::Dp) {
            topologicalOrder(shared);
            return true;
        }
        const auto search = [&](const std::vector<std::uint32_t>& segments) {
            if (isDelta()) return parallelDeltaStepping(shared, segments, delta);
            parallelDijkstra(shared, segments);
            return true;
        };
        const std::vector<std::uint32_t> segments = allSegments(frame);
        if (run.splits != Splits::Parallel) return search(segments);
        return std::all_of(segments.begin(), segments.end(), [&](std::uint32_t segment) { return search({segment}); });
    }

    std::vector<WalkedStep> path(const LossGraph& all) const
    {
        const bool isSequential = run.algorithm == PathAlgorithm::Dijkstra || run.algorithm == PathAlgorithm::Delta;
        LossGraph moved;
        if (isSequential) {
            const int processes = run.splits == Splits::SequentialAtOnce ? transport.processes() : 1;
            moved = redistribute(transport, all, [processes](std::uint32_t segment) {
                return static_cast<int>(segment % static_cast<std::uint32_t>(processes));
            });
        }
        const LossGraph& graph = isSequential ? moved : all;
        row.largestPart = row.smallestPart = static_cast<std::int64_t>(graph.size());
        const SearchFrame frame = searchFrame(transport, graph, run.splits != Splits::None);
        Labels labels(graph.size());
        const std::int64_t isFinished = (isSequential ? sequentially(graph, frame, labels)
                                                      : together(graph, frame, labels))
                                            ? 1
                                            : 0;
        row.isFinished = reduceOne(transport, isFinished,
                                   [](std::int64_t& one, std::int64_t other) { one = std::min(one, other); })
                         != 0;
        if (!row.isFinished) return {};
        FoundPath found = walk(transport, graph, frame, labels);
        row.length = found.length;
        return std::move(found.steps);
    }
};

std::vector<WalkedStep> sweep(Transport& transport, const LossGraph& graph, const AlgorithmRun& run,
                              const AlgorithmOptions& options, AlgorithmRow& row)
{
    SweepResult result;
    if (run.algorithm == PathAlgorithm::Sweep) {
        row.largestPart = row.smallestPart = static_cast<std::int64_t>(
            intervalsOf(graph, options.shuffle.threshold).size());
        result = sequentialSweep(transport, graph, options.shuffle.threshold);
    } else {
        ShuffleCounts counts;
        const std::vector<CodeInterval> part = shuffleIntervals(transport, graph, options.shuffle, counts);
        row.largestPart = row.smallestPart = static_cast<std::int64_t>(part.size());
        row.shuffleSeconds = std::chrono::duration<double>(counts.time).count();
        row.shuffleBytes = counts.bytes;
        result = parallelSweep(transport, part, run.boundary.value_or(Boundary::Stitched));
    }
    row.length = result.length;
    std::vector<WalkedStep> path;
    for (const CodeInterval& one : result.longest)
        path.push_back({nodeId(one.rank, one.number), one.begin, one.length});
    return path;
}

// The rows of two processes as one.
void merge(AlgorithmRow& one, const AlgorithmRow& other)
{
    one.wall = std::max(one.wall, other.wall);
    one.busiest = std::max(one.busiest, other.busiest);
    one.counts.rounds = std::max(one.counts.rounds, other.counts.rounds);
    one.counts.relaxations += other.counts.relaxations;
    one.counts.rePushes += other.counts.rePushes;
    one.bytes += other.bytes;
    one.largestPart = std::max(one.largestPart, other.largestPart);
    one.smallestPart = std::min(one.smallestPart, other.smallestPart);
    one.peakMemory = std::max(one.peakMemory, other.peakMemory);
    one.length = std::max(one.length, other.length);  // of a sweep only process 0 knows it
    one.shuffleSeconds = std::max(one.shuffleSeconds, other.shuffleSeconds);
    one.shuffleBytes += other.shuffleBytes;
}

}  // namespace

const char* name(PathAlgorithm algorithm)
{
    for (const auto& one : algorithmNames)
        if (one.algorithm == algorithm) return one.name;
    return "";
}

std::vector<PathAlgorithm> allPathAlgorithms()
{
    std::vector<PathAlgorithm> all;
    for (const auto& one : algorithmNames) all.push_back(one.algorithm);
    return all;
}

const char* name(Splits splits)
{
    constexpr const char* names[] = {"none", "1", "2", "3", "4"};
    return names[static_cast<std::size_t>(splits)];
}

std::vector<Splits> allSplits()
{
    return {Splits::None, Splits::Sequential, Splits::Parallel, Splits::ParallelAtOnce, Splits::SequentialAtOnce};
}

bool fits(PathAlgorithm algorithm, Splits splits)
{
    switch (algorithm) {
    case PathAlgorithm::Dp: return splits == Splits::None || splits == Splits::ParallelAtOnce;
    case PathAlgorithm::Dijkstra:
    case PathAlgorithm::Delta: return splits != Splits::Parallel && splits != Splits::ParallelAtOnce;
    case PathAlgorithm::ParallelDijkstra:
    case PathAlgorithm::ParallelDelta: return splits != Splits::Sequential && splits != Splits::SequentialAtOnce;
    case PathAlgorithm::Sweep:
    case PathAlgorithm::ParallelSweep: return splits == Splits::None;
    }
    return false;
}

const char* name(Boundary boundary)
{
    constexpr const char* names[] = {"simple", "overlap", "master", "stitched"};
    return names[static_cast<std::size_t>(boundary)];
}

std::vector<Boundary> allBoundaries()
{
    return {Boundary::Simple, Boundary::Overlap, Boundary::Master, Boundary::Stitched};
}

AlgorithmAnswer runAlgorithm(Transport& transport, const LossGraph& graph, const AlgorithmRun& run,
                             const AlgorithmOptions& options)
{
    AlgorithmAnswer answer;
    AlgorithmRow& row = answer.row;
    const bool isSweep = run.algorithm == PathAlgorithm::Sweep || run.algorithm == PathAlgorithm::ParallelSweep;
    const TimeNs delta = options.delta > 0 || isSweep ? options.delta : meanLoss(transport, graph);
    // All begin together, with nothing under way.
    (void)reduceOne(transport, std::int64_t{0}, [](std::int64_t&, std::int64_t) {});
    peakMemory(true);
    const Traffic before = transport.traffic();
    const auto begin = std::chrono::steady_clock::now();
    if (isSweep) answer.path = sweep(transport, graph, run, options, row);
    else answer.path = Search{transport, run, delta, row}.path(graph);
    row.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const Traffic& after = transport.traffic();
    row.busiest = row.wall - std::chrono::duration<double>(after.waited - before.waited).count();
    row.bytes = after.bytes - before.bytes + after.collectiveBytes - before.collectiveBytes;
    row.peakMemory = peakMemory(false);
    const bool isFinished = row.isFinished;
    reduceValues(transport, std::span<AlgorithmRow>(&row, 1), merge);
    row.isFinished = isFinished;
    row.run = run;
    row.processes = transport.processes();
    return answer;
}

GraphCounts countGraph(Transport& transport, const LossGraph& graph)
{
    const auto nodes = static_cast<std::int64_t>(graph.size());
    GraphCounts counts{nodes, static_cast<std::int64_t>(graph.edges.size()), graph.segments, nodes, nodes};
    return reduceOne(transport, counts, [](GraphCounts& one, const GraphCounts& other) {
        one.nodes += other.nodes;
        one.edges += other.edges;
        one.largestPart = std::max(one.largestPart, other.largestPart);
        one.smallestPart = std::min(one.smallestPart, other.smallestPart);
    });
}

}  // namespace longpole
