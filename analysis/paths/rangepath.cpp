// SPDX-License-Identifier: GPL-3.0-or-later
// The work path of a part of the run without a copy of the graph, by one forward pass over the tasks of the range
// (Hollingsworth 1996, section 2.3; docs/algorithms.md 2.5).
#include "analysis/base/bigarray.h"
#include "analysis/paths/backtrace.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/parallel.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::uint32_t windowTasksPerLook = 1u << 18;  // between two looks at whether to stop
constexpr std::uint32_t manyTasks = 1u << 16;           // worth a second thread

// The longest work inside the window before each of its tasks; `head` holds those of tasks [first, last). Tasks that
// reach in from before have none.
struct WindowHeads {
    const TaskWindow& window;
    const Dependencies& edges;
    std::uint32_t last = 0;  // of the window, or after the path's end
    std::vector<TimeNs> head{};

    TimeNs of(std::uint32_t task) const { return task < window.first ? 0 : head[task - window.first]; }
    TimeNs atEnd(std::uint32_t task) const { return of(task) + window.end(task) - window.begin(task); }

    // The longest way over a dependency that left `source` `offset` after its begin; not above 0 if that is cut.
    TimeNs over(std::uint32_t source, TimeNs offset) const
    {
        if (source >= window.first) return head[source - window.first] + offset;
        return window.graph->begin[source] + offset - window.range.begin;
    }
};

// Less than the length of any path: the head of a task that begins at the window's very end and has a length, so that
// no path goes on from it.
constexpr TimeNs nothing = minTime / 4;

// The heads of tasks [from, to), as workHeads' pass; `ends` holds per PE the way to the end of its newest task.
template <bool ordered, bool merging>
void windowHeadsOf(WindowHeads& heads, std::uint32_t from, std::uint32_t to, std::vector<TimeNs>& ends)
{
    const ActivityGraph& graph = *heads.window.graph;
    const std::uint32_t first = heads.window.first;
    const TimeNs begin = heads.window.range.begin;
    const std::uint32_t* const pe = graph.pe.data();
    const std::uint32_t* const source = graph.source.data();
    const std::uint32_t* const offset = graph.offset.data();
    const std::uint32_t* const duration = graph.duration.data();
    TimeNs* const end = ends.data();
    TimeNs* const head = heads.head.data();
    auto merge = mergesFrom(heads.edges.merges, from);
    const auto lastMerge = heads.edges.merges.end();
    for (std::uint32_t i = from; i < to; ++i) {
        TimeNs most = 0;
        if (source[i] != noTask) {
            const TimeNs prefix = offset[i] != CompactTimes::aside ? TimeNs{offset[i]} : graph.offset[i];
            const TimeNs before = source[i] >= first ? head[source[i] - first] : graph.begin[source[i]] - begin;
            most = std::max<TimeNs>(0, before + prefix);
        }
        if constexpr (merging)
            for (; merge != lastMerge && merge->task == i; ++merge)
                most = std::max(most, heads.over(merge->source, merge->offset));
        if constexpr (ordered) {
            most = std::max(most, end[pe[i]]);
            end[pe[i]] = most + (duration[i] != CompactTimes::aside ? TimeNs{duration[i]} : graph.duration[i]);
        }
        head[i - first] = most;
    }
}

// False when cancelled.
bool computeHeads(WindowHeads& heads, const Progress& progress)
{
    const TaskWindow& window = heads.window;
    if (heads.last <= window.first) return true;
    reserveBig(heads.head, heads.last - window.first);
    std::vector<TimeNs> ends(window.graph->byProcessor.size(), -1);
    for (std::size_t pe = 0; pe < ends.size(); ++pe)
        if (window.reaching[pe] != noTask) ends[pe] = heads.atEnd(window.reaching[pe]);
    const bool ordered = keepsOrder(heads.edges.level);
    const bool merging = !heads.edges.merges.empty();
    const auto pass = ordered ? (merging ? windowHeadsOf<true, true> : windowHeadsOf<true, false>)
                              : (merging ? windowHeadsOf<false, true> : windowHeadsOf<false, false>);
    const std::uint32_t inside = std::min(window.atEnd, heads.last);
    for (std::uint32_t from = window.first; from < heads.last;) {
        if (progress.isCancelled()) return false;
        const std::uint32_t most = from < inside ? inside : from + 1;
        const std::uint32_t to = most - from > windowTasksPerLook ? from + windowTasksPerLook : most;
        heads.head.resize(to - window.first);
        pass(heads, from, to, ends);
        if (!window.contains(to - 1)) heads.head.back() = nothing;
        from = to;
    }
    return true;
}

// The task inside whose cut end is the farthest along; ties: smallest (pe, index). noTask if there is none.
std::uint32_t farthestEnd(const WindowHeads& heads)
{
    const TaskWindow& window = heads.window;
    const ActivityGraph& graph = *window.graph;
    std::uint32_t best = noTask;
    TimeNs most = 0;
    const auto take = [&](std::uint32_t task, TimeNs value) {
        if (value == most && best != noTask && graph.id(best) < graph.id(task)) return;
        most = value;
        best = task;
    };
    for (const std::uint32_t task : window.reaching)
        if (task != noTask && heads.atEnd(task) >= most) take(task, heads.atEnd(task));
    for (std::uint32_t task = window.first; task < window.last; ++task)
        if (const TimeNs value = heads.atEnd(task); value >= most) take(task, value);
    return best;
}

// Of two tasks as they are inside the window: those that reach in begin together with those that begin there.
bool isBefore(const TaskWindow& window, std::uint32_t a, std::uint32_t b)
{
    const bool together = window.begin(a) == window.range.begin && window.begin(b) == window.range.begin;
    return together ? window.graph->id(a) < window.graph->id(b) : a < b;
}

// As predecessorOf, inside the window.
Predecessor predecessorIn(const WindowHeads& heads, PreviousTasks& previous, std::uint32_t task)
{
    const TaskWindow& window = heads.window;
    const ActivityGraph& graph = *window.graph;
    const TimeNs head = heads.of(task);
    if (head == 0) return {};
    const auto inside = [&](std::uint32_t source, TimeNs offset) {
        return offset - (window.begin(source) - graph.begin[source]);
    };
    const std::uint32_t source = graph.source[task];
    if (source != noTask && heads.over(source, graph.offset[task]) == head)
        return {PathEdge::Message, source, inside(source, graph.offset[task])};
    Predecessor found;
    for (const MergeEdge& merge : mergesInto(heads.edges.merges, task))
        if (heads.over(merge.source, merge.offset) == head
            && (found.source == noTask || isBefore(window, merge.source, found.source)))
            found = {pathEdge(merge), merge.source, inside(merge.source, merge.offset)};
    if (found.source != noTask) return found;
    const std::uint32_t before = previous(task);
    return {PathEdge::Order, before, window.inside(before).length()};
}

}  // namespace

Result<CriticalPath> workPath(const ActivityGraph& graph, const Dependencies& edges, TimeRange range,
                              std::optional<TaskId> to, const Progress& progress)
{
    const TaskWindow window = taskWindow(graph, range);
    CriticalPath path{.mode = PathMode::Work, .edges = edges.level, .duration = window.range.length()};
    Result<PathEnd> end = PathEnd{};
    if (to) end = pathEnd(window, *to);
    if (!end) return end.error();
    WindowHeads heads{.window = window, .edges = edges, .last = window.last};
    if (to) heads.last = std::max(window.first, end->task + 1);
    const bool isWhole = window.range == graph.run;
    std::vector<TimeNs> busy;
    bool isDone = false;
    parallelFor(
        2,
        [&](std::size_t half) {
            if (half == 0) isDone = computeHeads(heads, progress);
            else busy = isWhole ? graph.exclusiveByEntry : exclusiveByEntry(window);
        },
        window.last - window.first < manyTasks ? 1 : 2);
    if (!isDone) return cancelledError();
    if (!to) {
        const std::uint32_t last = farthestEnd(heads);
        if (last == noTask) return path;
        end = PathEnd{last, window.end(last)};
    }
    path.to = to.value_or(graph.id(end->task));
    PreviousTasks previous(graph);
    traceBack(
        window, *end, busy, [&](std::uint32_t task) { return predecessorIn(heads, previous, task); }, path);
    return path;
}

}  // namespace longpole
