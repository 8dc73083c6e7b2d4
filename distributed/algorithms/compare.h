// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the algorithms of Korkhov et al. (2023) on one run, each with its splits and boundary rules, and measures them:
// all that are exact must find the same length and the same path (docs/algorithms.md 2.9).
#pragma once

#include "core/base/result.h"
#include "distributed/algorithms/search.h"
#include "distributed/algorithms/sweep.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

enum class PathAlgorithm : std::uint8_t { Dp, Dijkstra, Delta, ParallelDijkstra, ParallelDelta, Sweep, ParallelSweep };
const char* name(PathAlgorithm algorithm);
std::vector<PathAlgorithm> allPathAlgorithms();

// How a run that global synchronizations cut is searched (section 4.4 of the paper).
enum class Splits : std::uint8_t {
    None,
    Sequential,        // 1: a sequential algorithm, one split after another, on process 0
    Parallel,          // 2: a parallel one, one split after another
    ParallelAtOnce,    // 3: a parallel one, all splits at once, which share the exchanges
    SequentialAtOnce,  // 4: a sequential one; the splits are dealt out to the processes
};
const char* name(Splits splits);  // "none", "1" ... "4"
std::vector<Splits> allSplits();
// Whether the algorithm can be run so.
bool fits(PathAlgorithm algorithm, Splits splits);

const char* name(Boundary boundary);
std::vector<Boundary> allBoundaries();

struct AlgorithmRun {
    PathAlgorithm algorithm = PathAlgorithm::Dp;
    Splits splits = Splits::None;        // of a search
    std::optional<Boundary> boundary{};  // of the parallel sweep
};

struct AlgorithmOptions {
    TimeNs delta = 0;  // of Delta-stepping; 0: the mean loss of the edges
    ShuffleOptions shuffle{};
};

// A row of the comparison, over all processes.
struct AlgorithmRow {
    AlgorithmRun run{};
    int processes = 1;
    bool isFinished = true;  // false: stopped, as its delta is too large
    TimeNs length = 0;
    double wall = 0;     // seconds, with bringing the nodes to where the algorithm wants them
    double busiest = 0;  // seconds, of the process that waited least
    SearchCounts counts{};
    std::uint64_t bytes = 0;       // sent to other processes
    std::int64_t largestPart = 0;  // nodes, of the sweep intervals, of a process
    std::int64_t smallestPart = 0;
    std::int64_t peakMemory = 0;     // bytes, of the largest process
    double shuffleSeconds = 0;       // of the parallel sweep: the slowest process' shuffle
    std::uint64_t shuffleBytes = 0;  // sent to other processes in it
};

struct AlgorithmAnswer {
    AlgorithmRow row;
    std::vector<WalkedStep> path;  // at process 0: of a search its steps, of a sweep the longest of each group
};

// All processes call it; the answer is complete at process 0.
AlgorithmAnswer runAlgorithm(Transport& transport, const LossGraph& graph, const AlgorithmRun& run,
                             const AlgorithmOptions& options);

// What can be said of the graph itself.
struct GraphCounts {
    std::int64_t nodes = 0;
    std::int64_t edges = 0;
    std::int64_t segments = 1;
    std::int64_t largestPart = 0;
    std::int64_t smallestPart = 0;
};
GraphCounts countGraph(Transport& transport, const LossGraph& graph);

}  // namespace longpole
