// SPDX-License-Identifier: GPL-3.0-or-later
// The work path: longest chain of computation over task prefixes (Dooley, Arya, Kale; docs/algorithms.md 2.1), by one
// forward pass over the tasks in time order and a trace back.
#include "analysis/paths/criticalpath.h"

#include "analysis/base/bigarray.h"
#include "analysis/paths/backtrace.h"

#include <algorithm>

namespace longpole {

namespace {

// Tasks between two looks at whether to stop. The heads of so many fit a cache: they are made room for just before they
// are computed.
constexpr std::uint32_t headsPerLook = 1u << 16;

// The heads of tasks [first, last). `ends` holds per PE the path value at the end of its newest task, -1 before the
// first; used if `ordered`. (Plain pointers: writing heads could otherwise change the vectors themselves, for all the
// compiler knows.)
template <bool ordered, bool merging>
void taskHeadsOf(const ActivityGraph& graph, std::uint32_t first, std::uint32_t last, std::vector<TimeNs>& ends,
                 WorkHeads& heads)
{
    const std::uint32_t* const pe = graph.pe.data();
    const std::uint32_t* const source = graph.source.data();
    const std::uint32_t* const offset = graph.offset.data();
    const std::uint32_t* const duration = graph.duration.data();
    TimeNs* const end = ends.data();
    TimeNs* const head = heads.head.data();
    auto merge = mergesFrom(heads.edges.merges, first);
    const auto lastMerge = heads.edges.merges.end();
    for (std::uint32_t i = first; i < last; ++i) {
        TimeNs most = 0;
        if (source[i] != noTask)
            most = head[source[i]] + (offset[i] != CompactTimes::aside ? TimeNs{offset[i]} : graph.offset[i]);
        if constexpr (merging)
            for (; merge != lastMerge && merge->task == i; ++merge)
                most = std::max(most, head[merge->source] + merge->offset);
        if constexpr (ordered) {
            most = std::max(most, end[pe[i]]);
            end[pe[i]] = most + (duration[i] != CompactTimes::aside ? TimeNs{duration[i]} : graph.duration[i]);
        }
        head[i] = most;
    }
}

}  // namespace

const char* name(PathEdge edge)
{
    switch (edge) {
    case PathEdge::Start: return "start";
    case PathEdge::Order: return "order";
    case PathEdge::Message: return "message";
    case PathEdge::RecordedMerge: return "recorded_merge";
    case PathEdge::InferredMerge: break;
    }
    return "inferred_merge";
}

Dependencies dependencies(const ActivityGraph& graph, EdgeLevel level, const std::vector<MergeEdge>& inferred)
{
    if (graph.hasRanks && !keepsOrder(level)) level = EdgeLevel::Order;
    if (level == EdgeLevel::Messages) return {.level = level};
    std::vector<MergeEdge> merges = graph.merges;
    for (const MergeEdge& merge : inferred)
        if (mergesInto(graph.merges, merge.task).empty()) merges.push_back(merge);
    std::sort(merges.begin(), merges.end());
    return {.level = level, .merges = std::move(merges)};
}

Dependencies dependencies(const ActivityGraph& graph, EdgeLevel level,
                          const std::shared_ptr<const std::vector<MergeEdge>>& inferred)
{
    const bool isAll = level == EdgeLevel::Merges && !graph.hasRanks && graph.merges.empty()
                       && std::is_sorted(inferred->begin(), inferred->end());
    return isAll ? Dependencies{.level = level, .merges = SharedMerges(inferred)}
                 : dependencies(graph, level, *inferred);
}

WorkHeads workHeads(const ActivityGraph& graph, EdgeLevel edges, const Progress& progress, WorkHeads reuse)
{
    return workHeads(graph, dependencies(graph, edges), progress, std::move(reuse));
}

WorkHeads workHeads(const ActivityGraph& graph, Dependencies edges, const Progress& progress, WorkHeads reuse)
{
    WorkHeads heads = std::move(reuse);
    heads.edges = std::move(edges);
    heads.head.clear();
    reserveBig(heads.head, graph.size());
    const auto size = static_cast<std::uint32_t>(graph.size());
    std::vector<TimeNs> ends(graph.byProcessor.size(), -1);
    const bool ordered = keepsOrder(heads.edges.level);
    const bool merging = !heads.edges.merges.empty();
    const auto pass = ordered ? (merging ? taskHeadsOf<true, true> : taskHeadsOf<true, false>)
                              : (merging ? taskHeadsOf<false, true> : taskHeadsOf<false, false>);
    for (std::uint32_t first = 0; first < size;) {
        if (progress.isCancelled()) return WorkHeads{};
        const std::uint32_t last = size - first > headsPerLook ? first + headsPerLook : size;
        heads.head.resize(last);
        pass(graph, first, last, ends, heads);
        first = last;
        progress.report(static_cast<double>(first) / size);
    }
    return heads;
}

Predecessor predecessorOf(const ActivityGraph& graph, const WorkHeads& heads, std::uint32_t task)
{
    return predecessorOf(graph, heads, task, [&graph](std::uint32_t t) { return graph.previous(t); });
}

std::uint32_t farthestEnd(const ActivityGraph& graph, const WorkHeads& heads)
{
    std::uint32_t best = noTask;
    TimeNs most = -1;
    for (std::uint32_t i = 0; i < heads.head.size(); ++i) {
        const TimeNs value = heads.head[i] + graph.duration[i];
        if (value < most || (value == most && graph.id(best) < graph.id(i))) continue;
        most = value;
        best = i;
    }
    return best;
}

Result<CriticalPath> workPath(const ActivityGraph& graph, const WorkHeads& heads, std::optional<TaskId> to)
{
    if (heads.head.size() != graph.size()) return cancelledError();
    CriticalPath path{.mode = PathMode::Work, .edges = heads.edges.level, .duration = graph.run.length()};
    if (!to && graph.size() == 0) return path;
    const Result<PathEnd> end = to ? pathEnd(graph, *to) : wholeTask(graph, farthestEnd(graph, heads));
    if (!end) return end.error();
    path.to = to.value_or(graph.id(end->task));
    PreviousTasks previous(graph);
    traceBack(
        taskWindow(graph, graph.run), *end, graph.exclusiveByEntry,
        [&](std::uint32_t task) {
            return heads.head[task] == 0 ? Predecessor{} : predecessorOf(graph, heads, task, previous);
        },
        path);
    return path;
}

}  // namespace longpole
