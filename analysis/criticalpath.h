// Critical paths of a run: the work path (longest chain of computation, Dooley et al.) and the elapsed path (backward
// walk whose parts add up to the duration), at a stated edge level (ALGORITHMS 1.1, 2.1, 2.2).
#pragma once

#include "analysis/activitygraph.h"
#include "core/ids.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/timerange.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

enum class PathMode : std::uint8_t { Work, Elapsed, Sweep };
enum class EdgeLevel : std::uint8_t { Messages, Merges, Order };
enum class PathPart : std::uint8_t { Compute, Network, Queue, Overhead, Unexplained };

// One step, oldest first. Work and sweep: all Compute, [begin, end) is the prefix of the task that is on the path and
// weight == end - begin; the work path starts where it first carries time. Elapsed: the parts between tasks are steps too (task = the one they lead to), contiguous.
struct PathStep {
    TaskId task{};
    ProcessorId pe{};
    EntryId entry = noEntry;
    PathPart part = PathPart::Compute;
    TimeNs begin = 0;
    TimeNs end = 0;
    TimeNs weight = 0;
    bool byMessage = false;  // entered over a message edge (else: start, or processor order)
    bool doubtful = false;   // that edge is repaired or clamped, or (elapsed) the part or the choice of the message
                             // or the PE's order rests on an estimated receive time
    friend bool operator==(const PathStep&, const PathStep&) = default;
};

// Per entry method, by time on the path. Time goes to the innermost execution; the sum is `length` (work, sweep) or
// parts.compute (elapsed). busyShare: exclusive time of the entry over all busy time of the run.
struct PathProfileRow {
    EntryId entry = noEntry;
    std::int64_t count = 0;
    TimeNs time = 0;
    double share = 0;
    double busyShare = 0;
    friend bool operator==(const PathProfileRow&, const PathProfileRow&) = default;
};

struct PathParts {
    TimeNs compute = 0, network = 0, queue = 0, overhead = 0, unexplained = 0;
    TimeNs sum() const { return compute + network + queue + overhead + unexplained; }
    friend bool operator==(const PathParts&, const PathParts&) = default;
};

struct CriticalPath {
    PathMode mode = PathMode::Work;
    EdgeLevel edges = EdgeLevel::Messages;
    TaskId to{};            // the task it ends at
    TimeNs length = 0;
    TimeNs duration = 0;    // of the run
    std::vector<PathStep> steps{};
    std::vector<PathProfileRow> profile{};
    PathParts parts{};
    TimeNs doubtfulWeight = 0;  // weight of the steps whose edge is doubtful
};

// The work path of the run, or the one that ends at the end of `to` (of a nested execution: its outermost one up to its
// end). Ties between predecessors: larger value, then message, then processor order; between ends: smallest
// (pe, index). Level Merges has the edges of Messages and recorded merges; no format records any yet.
// O(tasks + edges) once per level (heads are kept in
// `graph`'s cache by the caller, see WorkHeads), O(path) per task after that. Errors: `to` does not exist; cancelled.
struct WorkHeads {
    EdgeLevel edges{};
    std::vector<TimeNs> head;             // longest work before the begin of each graph task
    std::vector<std::uint8_t> predecessor;  // 0 none, 1 processor order, 2 message
};
constexpr std::uint8_t noPredecessor = 0, byOrder = 1, byMessage = 2;  // WorkHeads::predecessor
// `reuse` gives the memory of heads that are no longer needed: fresh memory costs as much as the pass itself.
// Cancelled: no heads, which workPath turns into the error.
WorkHeads workHeads(const ActivityGraph& graph, EdgeLevel edges, const Progress& progress, WorkHeads reuse = {});
Result<CriticalPath> workPath(const ActivityGraph& graph, const WorkHeads& heads, std::optional<TaskId> to = {});
// The elapsed path to the end of the run, or of `to`. From a task the walk follows the message if the PE idled before
// it, or had ended the task before by the time the message was received; else it goes on in that one. O(path).
Result<CriticalPath> elapsedPath(const ActivityGraph& graph, std::optional<TaskId> to = {});
Result<CriticalPath> sweepPath(const ActivityGraph& graph);

// The paths of a part of the run (ALGORITHMS 2.5; see clip): weights are what lies inside, the elapsed path's parts add
// up to the range's length.
Result<CriticalPath> workPath(const ActivityGraph& graph, EdgeLevel edges, TimeRange range,
                              std::optional<TaskId> to = {});
Result<CriticalPath> elapsedPath(const ActivityGraph& graph, TimeRange range, std::optional<TaskId> to = {});
Result<CriticalPath> sweepPath(const ActivityGraph& graph, TimeRange range);

}  // namespace longpole
