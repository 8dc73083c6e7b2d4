// The work path: longest chain of computation over task prefixes (Dooley, Arya, Kale; ALGORITHMS 2.1), by one forward
// pass over the tasks in time order and a trace back.
#include "analysis/criticalpath.h"

#include "analysis/bigarray.h"
#include "analysis/pathend.h"
#include "analysis/pathprofile.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::uint32_t blockTasks = 1u << 20;  // between two looks at whether to stop

// Every message edge is its task's only dependency: one read of the sender's head per task.
void headsAlongMessages(const ActivityGraph& graph, std::uint32_t first, std::uint32_t last, WorkHeads& heads)
{
    for (std::uint32_t i = first; i < last; ++i) {
        const std::uint32_t source = graph.source[i];
        const bool has = source != noTask;
        heads.head[i] = has ? heads.head[source] + graph.offset[i] : 0;
        heads.predecessor[i] = has ? byMessage : noPredecessor;
    }
}

// `ends` holds per PE the path value at the end of its newest task, -1 before the first.
void headsAlongOrder(const ActivityGraph& graph, std::uint32_t first, std::uint32_t last, std::vector<TimeNs>& ends,
                     WorkHeads& heads)
{
    for (std::uint32_t i = first; i < last; ++i) {
        TimeNs& peEnd = ends[graph.pe[i]];
        const std::uint32_t source = graph.source[i];
        const TimeNs overMessage = source != noTask ? heads.head[source] + graph.offset[i] : -1;
        const bool isMessage = overMessage >= peEnd && overMessage >= 0;
        const TimeNs head = std::max<TimeNs>(0, std::max(overMessage, peEnd));
        heads.head[i] = head;
        heads.predecessor[i] = isMessage ? byMessage : peEnd >= 0 ? byOrder : noPredecessor;
        peEnd = head + graph.duration[i];
    }
}

// The task whose end is farthest along; ties: smallest (pe, index).
std::uint32_t farthestEnd(const ActivityGraph& graph, const WorkHeads& heads)
{
    std::uint32_t best = 0;
    TimeNs most = -1;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        const TimeNs value = heads.head[i] + graph.duration[i];
        if (value < most || (value == most && graph.id(best) < graph.id(i))) continue;
        most = value;
        best = i;
    }
    return best;
}

bool isDoubtful(const ActivityGraph& graph, std::uint32_t task)
{
    return (graph.flags[task] & (ActivityGraph::Repaired | ActivityGraph::Clamped)) != 0;
}

// Steps from the path's end back to its start, then turned round.
void traceBack(const ActivityGraph& graph, const WorkHeads& heads, PathEnd end, CriticalPath& path)
{
    PathProfile profile(graph);
    std::uint32_t task = end.task;
    TimeNs weight = end.time - graph.begin[end.task];
    while (true) {
        const bool message = heads.predecessor[task] == byMessage;
        PathStep step{.task = graph.id(task), .pe = ProcessorId{graph.pe[task]}, .entry = EntryId{graph.entry[task]},
                      .part = PathPart::Compute, .begin = graph.begin[task], .end = graph.begin[task] + weight,
                      .weight = weight, .byMessage = message, .doubtful = message && isDoubtful(graph, task)};
        if (step.doubtful) path.doubtfulWeight += weight;
        profile.add(task, step.end);
        path.length += weight;
        path.steps.push_back(step);
        if (heads.predecessor[task] == noPredecessor) break;
        weight = message ? graph.offset[task] : graph.duration[graph.previous[task]];
        task = message ? graph.source[task] : graph.previous[task];
    }
    std::reverse(path.steps.begin(), path.steps.end());
    path.parts.compute = path.length;
    path.profile = profile.rows();
}

}  // namespace

WorkHeads workHeads(const ActivityGraph& graph, EdgeLevel edges, const Progress& progress)
{
    WorkHeads heads{.edges = edges, .head = bigArray<TimeNs>(graph.size()),
                    .predecessor = bigArray<std::uint8_t>(graph.size())};
    const auto size = static_cast<std::uint32_t>(graph.size());
    std::vector<TimeNs> ends(graph.byProcessor.size(), -1);
    for (std::uint32_t first = 0; first < size;) {
        if (progress.isCancelled()) return {.edges = edges, .head = {}, .predecessor = {}};
        const std::uint32_t last = size - first > blockTasks ? first + blockTasks : size;
        if (edges == EdgeLevel::Order) headsAlongOrder(graph, first, last, ends, heads);
        else headsAlongMessages(graph, first, last, heads);
        first = last;
        progress.report(static_cast<double>(first) / size);
    }
    return heads;
}

Result<CriticalPath> workPath(const ActivityGraph& graph, const WorkHeads& heads, std::optional<TaskId> to)
{
    if (heads.head.size() != graph.size()) return cancelledError();
    CriticalPath path{.mode = PathMode::Work, .edges = heads.edges, .duration = graph.run.length()};
    if (!to && graph.size() == 0) return path;
    Result<PathEnd> end = PathEnd{};
    if (to) end = pathEnd(graph, *to);
    else end = wholeTask(graph, farthestEnd(graph, heads));
    if (!end) return end.error();
    path.to = to.value_or(graph.id(end->task));
    traceBack(graph, heads, *end, path);
    return path;
}

Result<CriticalPath> workPath(const ActivityGraph& graph, EdgeLevel edges, TimeRange range, std::optional<TaskId> to)
{
    const std::shared_ptr<const ActivityGraph> part = clip(graph, range);
    return workPath(*part, workHeads(*part, edges, Progress{}), to);
}

}  // namespace longpole
