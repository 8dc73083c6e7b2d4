// The work path: longest chain of computation over task prefixes (Dooley, Arya, Kale; ALGORITHMS 2.1), by one forward
// pass over the tasks in time order and a trace back.
#include "analysis/criticalpath.h"

#include "analysis/bigarray.h"
#include "analysis/pathend.h"
#include "analysis/pathprofile.h"

#include <algorithm>

namespace longpole {

namespace {

// Tasks between two looks at whether to stop. The heads of so many fit a cache: they are made room for just before they
// are computed.
constexpr std::uint32_t blockTasks = 1u << 16;

// Every message edge is its task's only dependency: one read of the sender's head per task. (Plain pointers: writing a
// byte could otherwise change the vectors themselves, for all the compiler knows.)
void headsAlongMessages(const ActivityGraph& graph, std::uint32_t first, std::uint32_t last, WorkHeads& heads)
{
    const std::uint32_t* const source = graph.source.data();
    const TimeNs* const offset = graph.offset.data();
    TimeNs* const head = heads.head.data();
    std::uint8_t* const predecessor = heads.predecessor.data();
    for (std::uint32_t i = first; i < last; ++i) {
        const bool has = source[i] != noTask;
        head[i] = has ? head[source[i]] + offset[i] : 0;
        predecessor[i] = has ? byMessage : noPredecessor;
    }
}

// `ends` holds per PE the path value at the end of its newest task, -1 before the first.
void headsAlongOrder(const ActivityGraph& graph, std::uint32_t first, std::uint32_t last, std::vector<TimeNs>& ends,
                     WorkHeads& heads)
{
    const std::uint32_t* const pe = graph.pe.data();
    const std::uint32_t* const source = graph.source.data();
    const TimeNs* const offset = graph.offset.data();
    const TimeNs* const duration = graph.duration.data();
    TimeNs* const end = ends.data();
    TimeNs* const head = heads.head.data();
    std::uint8_t* const predecessor = heads.predecessor.data();
    for (std::uint32_t i = first; i < last; ++i) {
        const TimeNs overOrder = end[pe[i]];
        const TimeNs overMessage = source[i] != noTask ? head[source[i]] + offset[i] : -1;
        const bool isMessage = overMessage >= overOrder && overMessage >= 0;
        head[i] = std::max<TimeNs>(0, std::max(overMessage, overOrder));
        predecessor[i] = isMessage ? byMessage : overOrder >= 0 ? byOrder : noPredecessor;
        end[pe[i]] = head[i] + duration[i];
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

// Steps from the path's end back to its start, then turned round. The path starts where it first carries time: tasks
// before that, of zero length, are no part of it.
void traceBack(const ActivityGraph& graph, const WorkHeads& heads, PathEnd end, CriticalPath& path)
{
    PathProfile profile(graph);
    std::uint32_t task = end.task;
    TimeNs weight = end.time - graph.begin[end.task];
    while (true) {
        const bool isFirst = heads.predecessor[task] == noPredecessor || heads.head[task] == 0;
        const bool message = !isFirst && heads.predecessor[task] == byMessage;
        PathStep step{.task = graph.id(task), .pe = ProcessorId{graph.pe[task]}, .entry = EntryId{graph.entry[task]},
                      .part = PathPart::Compute, .begin = graph.begin[task], .end = graph.begin[task] + weight,
                      .weight = weight, .byMessage = message, .doubtful = message && isDoubtful(graph, task)};
        if (step.doubtful) path.doubtfulWeight += weight;
        profile.add(task, step.end);
        path.length += weight;
        path.steps.push_back(step);
        if (isFirst) break;
        weight = message ? graph.offset[task] : graph.duration[graph.previous[task]];
        task = message ? graph.source[task] : graph.previous[task];
    }
    std::reverse(path.steps.begin(), path.steps.end());
    path.parts.compute = path.length;
    path.profile = profile.rows();
}

}  // namespace

WorkHeads workHeads(const ActivityGraph& graph, EdgeLevel edges, const Progress& progress, WorkHeads reuse)
{
    WorkHeads heads = std::move(reuse);
    heads.edges = edges;
    heads.head.clear();
    heads.predecessor.clear();
    reserveBig(heads.head, graph.size());
    reserveBig(heads.predecessor, graph.size());
    const auto size = static_cast<std::uint32_t>(graph.size());
    std::vector<TimeNs> ends(graph.byProcessor.size(), -1);
    for (std::uint32_t first = 0; first < size;) {
        if (progress.isCancelled()) return WorkHeads{.edges = edges, .head = {}, .predecessor = {}};
        const std::uint32_t last = size - first > blockTasks ? first + blockTasks : size;
        heads.head.resize(last);
        heads.predecessor.resize(last);
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
