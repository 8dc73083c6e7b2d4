// SPDX-License-Identifier: GPL-3.0-or-later
// Look-ups in the activity graph, hand-made graphs, and clipping to a range of time.
#include "analysis/graph/activitygraph.h"

#include "analysis/graph/builder.h"
#include "analysis/graph/taskwindow.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

// Position of the task `id` among raw tasks sorted by id; noTask if there is none.
std::uint32_t positionOf(const std::vector<RawTask>& tasks, TaskId id)
{
    if (!id.isValid()) return noTask;
    const auto it = std::lower_bound(tasks.begin(), tasks.end(), id,
                                     [](const RawTask& task, TaskId wanted) { return task.id < wanted; });
    if (it == tasks.end() || it->id != id) return noTask;
    return static_cast<std::uint32_t>(it - tasks.begin());
}

// The part of a graph task that a clipped graph keeps.
struct Kept {
    std::vector<std::uint32_t> positionOf;  // per task of the old graph; noTask
    TimeRange range;
};

bool touches(const ActivityGraph& graph, std::uint32_t task, TimeRange range)
{
    if (graph.duration[task] == 0) return graph.begin[task] >= range.begin && graph.begin[task] <= range.end;
    return graph.begin[task] < range.end && graph.end(task) > range.begin;
}

// Whether clipping cuts a dependency off that left `source` at `left`: it stays only if its source is kept and it left
// inside the range.
bool isCut(const ActivityGraph& graph, const Kept& kept, std::uint32_t source, TimeNs left)
{
    return kept.positionOf[source] == noTask || (left <= kept.range.begin && kept.range.begin > graph.run.begin);
}

void copyClipped(const ActivityGraph& graph, std::uint32_t task, const Kept& kept, TaskColumns& columns)
{
    const std::uint32_t p = kept.positionOf[task];
    const TimeNs begin = std::max(graph.begin[task], kept.range.begin);
    columns.begin[p] = begin;
    columns.duration.set(p, std::min(graph.end(task), kept.range.end) - begin);
    columns.taskIndex[p] = graph.taskIndex[task];
    columns.entry[p] = graph.entry[task];
    columns.flags[p] = graph.flags[task] & ~(ActivityGraph::SentApart | ActivityGraph::HasReceived);
    columns.setSent(p, graph.sent(task));
    columns.setReceived(p, graph.received(task));
    const std::uint32_t source = graph.source[task];
    if (source == noTask) return;
    const TimeNs left = graph.begin[source] + graph.offset[task];  // when the message left its source
    if (isCut(graph, kept, source, left)) return;
    columns.source[p] = kept.positionOf[source];
    columns.offset.set(p, left - std::max(graph.begin[source], kept.range.begin));
}

void copyMerges(const ActivityGraph& graph, const Kept& kept, TaskColumns& columns)
{
    for (MergeEdge merge : graph.merges) {
        const TimeNs left = graph.begin[merge.source] + merge.offset;
        if (kept.positionOf[merge.task] == noTask || isCut(graph, kept, merge.source, left)) continue;
        merge.offset = left - std::max(graph.begin[merge.source], kept.range.begin);
        merge.task = kept.positionOf[merge.task];
        merge.source = kept.positionOf[merge.source];
        columns.merges.push_back(merge);
    }
}

}  // namespace

TimeNs ActivityGraph::sent(std::uint32_t task) const
{
    if ((flags[task] & SentApart) == 0) return source[task] == noTask ? minTime : begin[source[task]] + offset[task];
    return std::lower_bound(sentApart.begin(), sentApart.end(), task,
                            [](const SendTime& known, std::uint32_t wanted) { return known.task < wanted; })
        ->time;
}

TimeNs ActivityGraph::received(std::uint32_t task) const
{
    return (flags[task] & HasReceived) != 0 ? saturatingSubtract(begin[task], queued[task]) : minTime;
}

std::uint32_t ActivityGraph::previous(std::uint32_t task) const
{
    const std::span<const std::uint32_t> tasks = byProcessor[pe[task]];
    const auto here = std::lower_bound(tasks.begin(), tasks.end(), task);
    return here == tasks.begin() ? noTask : *(here - 1);
}

std::uint32_t ActivityGraph::find(TaskId id) const
{
    if (!id.isValid() || index(id.pe) >= byProcessor.size()) return noTask;
    const std::span<const std::uint32_t> tasks = byProcessor[index(id.pe)];
    const auto isBefore = [this](std::uint32_t wanted, std::uint32_t task) { return wanted < taskIndex[task]; };
    const auto after = std::upper_bound(tasks.begin(), tasks.end(), id.index, isBefore);
    if (after == tasks.begin()) return noTask;
    const std::uint32_t task = *(after - 1);
    if (taskIndex[task] == id.index) return task;
    return innerExecution(task, id.index) != nullptr ? task : noTask;
}

void ActivityGraph::indexInner()
{
    innerByIndex.resize(inner.size());
    std::iota(innerByIndex.begin(), innerByIndex.end(), 0u);
    const auto key = [this](std::uint32_t place) {
        return std::tuple(inner[place].task, inner[place].taskIndex, place);
    };
    std::sort(innerByIndex.begin(), innerByIndex.end(),
              [&key](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    const auto isSame = [this](std::uint32_t a, std::uint32_t b) {
        return inner[a].task == inner[b].task && inner[a].taskIndex == inner[b].taskIndex;
    };
    innerByIndex.erase(std::unique(innerByIndex.begin(), innerByIndex.end(), isSame), innerByIndex.end());
    innerByIndex.shrink_to_fit();
}

const ActivityGraph::Inner* ActivityGraph::innerExecution(std::uint32_t task, std::uint32_t index) const
{
    const auto found = std::lower_bound(innerByIndex.begin(), innerByIndex.end(), std::pair(task, index),
                                        [this](std::uint32_t place, const auto& wanted) {
                                            return std::pair(inner[place].task, inner[place].taskIndex) < wanted;
                                        });
    if (found == innerByIndex.end() || inner[*found].task != task || inner[*found].taskIndex != index) return nullptr;
    return &inner[*found];
}

std::span<const ActivityGraph::Inner> ActivityGraph::innerOf(std::uint32_t task) const
{
    const auto first = std::lower_bound(inner.begin(), inner.end(), task,
                                        [](const Inner& piece, std::uint32_t t) { return piece.task < t; });
    if (first == inner.end() || first->task != task) return {};
    return {first, std::upper_bound(first, inner.end(), task,
                                    [](std::uint32_t t, const Inner& piece) { return t < piece.task; })};
}

std::shared_ptr<const ActivityGraph> makeActivityGraph(std::vector<RawTask> tasks, TimeRange run,
                                                       std::uint32_t processors, const std::vector<RawMerge>& merges,
                                                       bool hasRanks)
{
    std::sort(tasks.begin(), tasks.end(), [](const RawTask& a, const RawTask& b) { return a.id < b.id; });
    TaskColumns columns;
    columns.resize(tasks.size());
    GraphFrame frame{.run = run, .processors = processors, .hasRanks = hasRanks, .exclusiveByEntry = {}, .issues = {}};
    for (std::uint32_t p = 0; p < tasks.size(); ++p) {
        const RawTask& task = tasks[p];
        while (columns.first.size() <= index(task.id.pe)) columns.first.push_back(p);
        columns.begin[p] = task.begin;
        columns.duration.set(p, task.duration);
        columns.taskIndex[p] = task.id.index;
        columns.entry[p] = index(task.entry);
        columns.source[p] = positionOf(tasks, task.source);
        columns.offset.set(p, task.offset);
        columns.flags[p] = task.flags;
        columns.setSent(p, task.sent);
        columns.setReceived(p, task.received);
    }
    for (const RawMerge& merge : merges)
        columns.merges.push_back({positionOf(tasks, merge.task), positionOf(tasks, merge.source), merge.offset,
                                  merge.kind});
    const std::size_t rows = std::max<std::size_t>(processors, columns.first.size());
    columns.first.resize(rows + 1, tasks.size());
    std::shared_ptr<ActivityGraph> graph = buildGraph(std::move(columns), std::move(frame), Progress{});
    graph->exclusiveByEntry = exclusiveByEntry(taskWindow(*graph, graph->run));
    return graph;
}

std::shared_ptr<const ActivityGraph> clip(const ActivityGraph& graph, TimeRange range)
{
    const TimeRange inside = intersection(graph.run, range);
    Kept kept{std::vector<std::uint32_t>(graph.size(), noTask), inside};
    TaskColumns columns;
    std::uint32_t count = 0;
    for (const std::span<const std::uint32_t> tasks : graph.byProcessor) {
        columns.first.push_back(count);
        for (const std::uint32_t task : tasks)
            if (touches(graph, task, inside)) kept.positionOf[task] = count++;
    }
    columns.first.push_back(count);
    columns.resize(count);
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        if (kept.positionOf[task] != noTask) copyClipped(graph, task, kept, columns);
    copyMerges(graph, kept, columns);

    GraphFrame frame{.run = inside,
                     .processors = graph.processors,
                     .hasRanks = graph.hasRanks,
                     .exclusiveByEntry = {},
                     .issues = graph.issues,
                     .active = graph.active};
    for (ActivityGraph::Inner piece : graph.inner) {
        if (kept.positionOf[piece.task] == noTask || piece.begin > inside.end || piece.end < inside.begin) continue;
        piece.task = kept.positionOf[piece.task];
        piece.begin = std::max(piece.begin, inside.begin);
        piece.end = std::min(piece.end, inside.end);
        columns.inner.push_back(piece);
    }
    const std::size_t issuesBefore = frame.issues.size();
    std::shared_ptr<ActivityGraph> result = buildGraph(std::move(columns), std::move(frame), Progress{});
    result->issues.resize(issuesBefore);  // the edges were checked when the whole graph was made
    result->exclusiveByEntry = exclusiveByEntry(taskWindow(*result, result->run));
    return result;
}

}  // namespace longpole
