// SPDX-License-Identifier: GPL-3.0-or-later
// Critical paths of a run: the work path (longest chain of computation, Dooley et al.) and the elapsed path (backward
// walk whose parts add up to the duration), at a stated edge level (docs/algorithms.md 1.1, 2.1, 2.2).
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {

enum class PathMode : std::uint8_t { Work, Elapsed, Sweep };
// Data: as Order, on a graph of GraphEdges::Data, and of two equally long paths the PE's own goes on (Hollingsworth's
// rule).
enum class EdgeLevel : std::uint8_t { Messages, Merges, Order, Data };
constexpr bool keepsOrder(EdgeLevel level) { return level == EdgeLevel::Data || level == EdgeLevel::Order; }
// Startup: what a rank does before its MPI_Init has ended and after its MPI_Finalize has begun.
enum class PathPart : std::uint8_t { Compute, Network, Queue, Overhead, Unexplained, Startup };
// How a path came into a task.
enum class PathEdge : std::uint8_t { Start, Order, Message, RecordedMerge, InferredMerge };
const char* name(PathEdge edge);  // "start", "order", "message", "recorded_merge", "inferred_merge"

// One step, oldest first. Work and sweep: all Compute, [begin, end) is the prefix of the task that is on the path; the
// work path starts where it first carries time. Elapsed: the parts between tasks are steps
// too (task = the one they lead to), contiguous.
struct PathStep {
    TaskId task{};
    ProcessorId pe{};
    EntryId entry = noEntry;
    TimeNs begin = 0;
    TimeNs end = 0;
    PathPart part = PathPart::Compute;
    PathEdge edge = PathEdge::Start;
    bool doubtful = false;  // that edge is repaired, clamped or inferred, or (elapsed) the part or the choice of the
                            // message or the PE's order rests on an estimated receive time
    TimeNs weight() const { return end - begin; }
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
    TimeNs compute = 0, network = 0, queue = 0, overhead = 0, unexplained = 0, startup = 0;
    TimeNs sum() const { return compute + network + queue + overhead + unexplained + startup; }
    friend bool operator==(const PathParts&, const PathParts&) = default;
};

struct CriticalPath {
    PathMode mode = PathMode::Work;
    EdgeLevel edges = EdgeLevel::Messages;
    TaskId to{};  // the task it ends at
    TimeNs length = 0;
    TimeNs duration = 0;  // of the run
    std::vector<PathStep> steps{};
    std::vector<PathProfileRow> profile{};
    PathParts parts{};
    TimeNs doubtfulWeight = 0;  // weight of the steps whose edge is doubtful
};

// Merges that do not change, which all who use the same ones share; there may be as many of them as tasks.
class SharedMerges {
public:
    SharedMerges() = default;
    SharedMerges(std::vector<MergeEdge> merges)  // NOLINT(google-explicit-constructor): it is its value
        : m_merges(std::make_shared<const std::vector<MergeEdge>>(std::move(merges))), m_isOwn(true)
    {
    }
    SharedMerges(std::initializer_list<MergeEdge> merges) : SharedMerges(std::vector<MergeEdge>(merges)) {}
    explicit SharedMerges(std::shared_ptr<const std::vector<MergeEdge>> merges) : m_merges(std::move(merges)) {}

    const std::vector<MergeEdge>& all() const
    {
        static const std::vector<MergeEdge> none;
        return m_merges ? *m_merges : none;
    }
    operator const std::vector<MergeEdge>&() const { return all(); }  // NOLINT(google-explicit-constructor): the same
    auto begin() const { return all().begin(); }
    auto end() const { return all().end(); }
    std::size_t size() const { return all().size(); }
    bool empty() const { return all().empty(); }
    const MergeEdge& operator[](std::size_t i) const { return all()[i]; }
    // Those of another answer count there.
    std::int64_t bytes() const { return m_isOwn ? static_cast<std::int64_t>(all().capacity() * sizeof(MergeEdge)) : 0; }
    friend bool operator==(const SharedMerges& a, const SharedMerges& b)
    {
        return a.m_merges == b.m_merges || a.all() == b.all();
    }

private:
    std::shared_ptr<const std::vector<MergeEdge>> m_merges;
    bool m_isOwn = false;
};

// What orders tasks besides their message edges. Messages: nothing. Merges: recorded and inferred merges. Order: each
// PE's order, recorded merges, and inferred ones if given; Data too. So CP(messages) <= CP(merges) <= CP(order) <=
// duration when both have the same merges. A task with recorded merges gets no inferred ones. A rank's order is its
// program's, so that Messages and Merges of an MPI run are Order.
struct Dependencies {
    EdgeLevel level = EdgeLevel::Order;
    SharedMerges merges{};  // sorted by (task, source, offset)
};
Dependencies dependencies(const ActivityGraph& graph, EdgeLevel level, const std::vector<MergeEdge>& inferred = {});
// The same, which keeps the inferred merges instead of a copy where no recorded ones join them.
Dependencies dependencies(const ActivityGraph& graph, EdgeLevel level,
                          const std::shared_ptr<const std::vector<MergeEdge>>& inferred);

// The longest work before the begin of each graph task; what the path came from is found again from it while tracing
// back, so that no predecessors are stored.
struct WorkHeads {
    Dependencies edges{};
    std::vector<TimeNs> head{};
};
// O(tasks + edges). `reuse` gives the memory of heads that are no longer needed: fresh memory costs as much as the pass
// itself. Cancelled: no heads, which workPath turns into the error.
WorkHeads workHeads(const ActivityGraph& graph, Dependencies edges, const Progress& progress, WorkHeads reuse = {});
WorkHeads workHeads(const ActivityGraph& graph, EdgeLevel edges, const Progress& progress, WorkHeads reuse = {});

// The dependency that decides when a task can begin: larger value, then message, then the merge with the lowest source,
// then processor order (docs/algorithms.md 2.1). `source` is noTask at a start. O(log n + merges of the task).
struct Predecessor {
    PathEdge edge = PathEdge::Start;
    std::uint32_t source = noTask;
    TimeNs offset = 0;  // of the source that lies on the path
    friend bool operator==(const Predecessor&, const Predecessor&) = default;
};
Predecessor predecessorOf(const ActivityGraph& graph, const WorkHeads& heads, std::uint32_t task);

// The graph task whose end is farthest along; ties: smallest (pe, index). noTask in an empty graph. O(tasks).
std::uint32_t farthestEnd(const ActivityGraph& graph, const WorkHeads& heads);

// The work path of the run, or the one that ends at the end of `to` (of a nested execution: its outermost one up to its
// end). Ties between ends: smallest (pe, index). O(path log n) after the heads. Errors: `to` does not exist; cancelled.
Result<CriticalPath> workPath(const ActivityGraph& graph, const WorkHeads& heads, std::optional<TaskId> to = {});

// The elapsed path to the end of the run, or of `to`. From a task the walk follows the message if the PE idled before
// it, or had ended the task before by the time the message was received; else it goes on in that one. O(path).
Result<CriticalPath> elapsedPath(const ActivityGraph& graph, std::optional<TaskId> to = {},
                                 const Progress& progress = Progress{});
// Of every group of tasks that overlap, the longest: an approximation (docs/algorithms.md 2.3). O(tasks).
Result<CriticalPath> sweepPath(const ActivityGraph& graph);

// The paths of a part of the run (Hollingsworth 1996, section 2.3; docs/algorithms.md 2.5). Tasks are cut at the
// range's ends and weigh what is left; dependencies that left their source at or before its begin count for nothing.
// The elapsed path starts at the last end inside and stops at the range's begin, wherever the walk is then: its parts
// add up to the range's length, or to the time from its begin to the end of `to`. O(tasks inside + PEs log n). Errors:
// `to` does not run inside; cancelled.
Result<CriticalPath> workPath(const ActivityGraph& graph, const Dependencies& edges, TimeRange range,
                              std::optional<TaskId> to = {}, const Progress& progress = Progress{});
Result<CriticalPath> elapsedPath(const ActivityGraph& graph, TimeRange range, std::optional<TaskId> to = {},
                                 const Progress& progress = Progress{});
Result<CriticalPath> sweepPath(const ActivityGraph& graph, TimeRange range);

}  // namespace longpole
