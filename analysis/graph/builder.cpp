// SPDX-License-Identifier: GPL-3.0-or-later
// Orders tasks by time so that every edge points forward, checks the edges, and fills an ActivityGraph.
#include "analysis/graph/builder.h"

#include "analysis/base/bigarray.h"
#include "analysis/graph/edgecheck.h"
#include "analysis/graph/tieorder.h"
#include "core/base/parallel.h"
#include "core/base/timelimits.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t tasksPerPiece = 1u << 16;  // tasks that a thread takes at a time
constexpr std::size_t prefetched = 64;           // so many random reads are started ahead of their use
constexpr std::size_t fewTasks = 200'000;        // with fewer tasks a second thread does not pay

QString placeOf(std::uint32_t pe, std::uint32_t taskIndex)
{
    return QStringLiteral("task ") % QString::number(pe) % QLatin1Char(':') % QString::number(taskIndex);
}

QString placeOf(const TaskColumns& columns, std::uint32_t position)
{
    const auto next = std::upper_bound(columns.first.begin(), columns.first.end(), position);
    const auto pe = static_cast<std::size_t>(next - columns.first.begin() - 1);
    const auto place = static_cast<std::uint32_t>(position - columns.first[pe]);
    return placeOf(static_cast<std::uint32_t>(pe), columns.taskIndex.empty() ? place : columns.taskIndex[position]);
}

// The time of a task, cut to the run, to the time from `free` on, and to the begin of the next task of its PE.
TimeRange trimmed(const TaskColumns& columns, std::size_t position, std::size_t last, TimeNs free, TimeRange run)
{
    const TimeNs begin = std::clamp(columns.begin[position], free, std::max(free, run.end));
    TimeNs end = std::clamp(saturatingAdd(columns.begin[position], columns.duration[position]), begin,
                            std::max(begin, run.end));
    if (position + 1 < last) end = std::clamp(columns.begin[position + 1], begin, end);
    return {begin, end};
}

// Calls change(position, range) for the tasks of a PE that are not disjoint or reach out of the run.
template <typename Change>
void trimTasks(const TaskColumns& columns, std::size_t pe, TimeRange run, Change change)
{
    TimeNs free = run.begin;
    const std::size_t last = columns.first[pe + 1];
    for (std::size_t p = columns.first[pe]; p < last; ++p) {
        const TimeRange range = trimmed(columns, p, last, free, run);
        free = range.begin;
        if (range.begin != columns.begin[p] || range.end - range.begin != columns.duration[p]) change(p, range);
    }
}

// Makes the tasks of each PE disjoint and lie in the run, which everything after relies on.
Tally trimTasks(TaskColumns& columns, TimeRange run)
{
    std::vector<char> needsIt(columns.first.size() - 1, 0);
    parallelFor(
        needsIt.size(),
        [&](std::size_t pe) { trimTasks(columns, pe, run, [&](std::size_t, TimeRange) { needsIt[pe] = 1; }); },
        columns.begin.size() < fewTasks ? 1 : 0);
    Tally tally;
    for (std::size_t pe = 0; pe < needsIt.size(); ++pe) {
        if (needsIt[pe] == 0) continue;
        trimTasks(columns, pe, run, [&](std::size_t position, TimeRange range) {
            tally(static_cast<std::uint32_t>(position));
            columns.moveBegin(position, range.begin);
            columns.duration.set(position, range.end - range.begin);
        });
    }
    return tally;
}

// Replaces column[i] by column[order[i]]. `spare` gives the room and afterwards holds the old column's: fresh memory
// costs more than the copying.
template <typename T>
std::vector<T> gathered(std::vector<T>& column, const std::vector<std::uint32_t>& order, std::vector<T>& spare)
{
    std::vector<T> result = std::move(spare);
    resizeBig(result, order.size());
    parallelFor((order.size() + tasksPerPiece - 1) / tasksPerPiece,
                [&](std::size_t b) {
                    const std::size_t last = std::min(order.size(), (b + 1) * tasksPerPiece);
                    for (std::size_t i = b * tasksPerPiece; i < last; ++i) result[i] = column[order[i]];
                },
                order.size() < fewTasks ? 1 : 0);
    spare = std::move(column);
    return result;
}

// What `gathered` would make of a column of each task's place on its PE. `spare` gives the room.
std::vector<std::uint32_t> placesOnProcessors(const TaskColumns& columns, const std::vector<std::uint32_t>& order,
                                              const std::vector<std::uint32_t>& pe, std::vector<std::uint32_t>& spare)
{
    std::vector<std::uint32_t> result = std::move(spare);
    resizeBig(result, order.size());
    parallelFor((order.size() + tasksPerPiece - 1) / tasksPerPiece,
                [&](std::size_t b) {
                    const std::size_t last = std::min(order.size(), (b + 1) * tasksPerPiece);
                    for (std::size_t i = b * tasksPerPiece; i < last; ++i)
                        result[i] = order[i] - static_cast<std::uint32_t>(columns.first[pe[i]]);
                },
                order.size() < fewTasks ? 1 : 0);
    spare.clear();
    return result;
}

// Turns the column of sources from positions into graph tasks, and takes it. But if a task stands before a source that
// begins at the same instant, the order is not final yet: then the column stays as it is, and the result is empty.
// `spare` gives the room, and has some afterwards.
std::vector<std::uint32_t> gatheredSources(std::vector<std::uint32_t>& column, const TaskColumns& columns,
                                           const TimeOrder& tasks, std::vector<std::uint32_t>& spare)
{
    std::vector<std::uint32_t> result = std::move(spare);
    resizeBig(result, column.size());
    std::atomic<bool> inOrder{true};
    parallelFor((result.size() + tasksPerPiece - 1) / tasksPerPiece,
                [&](std::size_t b) {
                    const std::size_t last = std::min(result.size(), (b + 1) * tasksPerPiece);
                    for (std::size_t i = b * tasksPerPiece; i < last; ++i) {
                        const std::uint32_t source = column[tasks.order[i]];
                        result[i] = source;
                        if (source != noTask) __builtin_prefetch(&tasks.graphTaskAt[source]);
                        if (i % prefetched != prefetched - 1 && i + 1 != last) continue;
                        for (std::size_t j = i - i % prefetched; j <= i; ++j) {
                            const std::uint32_t from = result[j];
                            if (from == noTask) continue;
                            result[j] = tasks.graphTaskAt[from];
                            if (result[j] > j && columns.begin[from] == columns.begin[tasks.order[j]]) inOrder = false;
                        }
                    }
                },
                column.size() < fewTasks ? 1 : 0);
    spare = inOrder ? std::move(column) : std::exchange(result, {});
    return result;
}

void addIssue(ActivityGraph& graph, const char* kind, std::int64_t count, const QString& place)
{
    if (count > 0) graph.issues.push_back({QString::fromLatin1(kind), count, place});
}

void sortInner(std::vector<ActivityGraph::Inner>& inner, const std::vector<std::uint32_t>& graphTaskAt)
{
    for (ActivityGraph::Inner& piece : inner) piece.task = graphTaskAt[piece.task];
    std::sort(inner.begin(), inner.end(), [](const ActivityGraph::Inner& a, const ActivityGraph::Inner& b) {
        return std::tie(a.task, a.begin, a.taskIndex) < std::tie(b.task, b.begin, b.taskIndex);
    });
}

}  // namespace

void TaskColumns::resize(std::size_t size)
{
    resizeBig(begin, size);
    duration.resize(size);
    resizeBig(taskIndex, size);
    resizeBig(entry, size, index(noEntry));
    resizeBig(source, size, noTask);
    offset.resize(size);
    latency.resize(size);
    queued.resize(size);
    resizeBig(flags, size);
}

TimeNs TaskColumns::sent(std::size_t position) const
{
    return (flags[position] & hasSent) != 0 ? saturatingSubtract(begin[position], latency[position]) : minTime;
}

TimeNs TaskColumns::received(std::size_t position) const
{
    const bool isKnown = (flags[position] & ActivityGraph::HasReceived) != 0;
    return isKnown ? saturatingSubtract(begin[position], queued[position]) : minTime;
}

// A file says how long before the task's begin that was, which need not be a time.
void TaskColumns::setSent(std::size_t position, TimeNs time)
{
    if (time == minTime) return;
    latency.set(position, saturatingSubtract(begin[position], clampedTime(time)));
    flags[position] |= hasSent;
}

void TaskColumns::setReceived(std::size_t position, TimeNs time)
{
    if (time == minTime) return;
    queued.set(position, saturatingSubtract(begin[position], clampedTime(time)));
    flags[position] |= ActivityGraph::HasReceived;
}

void TaskColumns::moveBegin(std::size_t position, TimeNs to)
{
    const TimeNs wasSent = sent(position);
    const TimeNs wasReceived = received(position);
    begin[position] = to;
    setSent(position, wasSent);
    setReceived(position, wasReceived);
}

std::shared_ptr<ActivityGraph> buildGraph(TaskColumns columns, GraphFrame frame, const Progress& progress)
{
    auto graph = std::make_shared<ActivityGraph>();
    graph->run = frame.run;
    graph->processors = frame.processors;
    graph->hasRanks = frame.hasRanks;
    graph->exclusiveByEntry = std::move(frame.exclusiveByEntry);
    graph->issues = std::move(frame.issues);
    graph->active = std::move(frame.active);

    const Tally trimmed = trimTasks(columns, frame.run);
    const QString trimmedPlace = trimmed.count == 0 ? QString() : placeOf(columns, trimmed.first);
    TimeOrder tasks = timeOrder(columns);
    if (progress.isCancelled()) return nullptr;
    std::vector<std::uint32_t> spare;
    std::vector<TimeNs> spareTimes;
    std::vector<std::uint8_t> spareFlags;
    const std::array<std::function<void()>, 3> rooms{[&] { resizeBig(spareTimes, columns.begin.size()); },
                                                     [&] { resizeBig(spare, columns.begin.size()); },
                                                     [&] { resizeBig(spareFlags, columns.begin.size()); }};
    parallelFor(
        rooms.size(), [&rooms](std::size_t i) { rooms[i](); }, columns.begin.size() < fewTasks ? 1 : 0);
    TieResult ties;
    graph->source = gatheredSources(columns.source, columns, tasks, spare);
    const bool isTied = graph->source.empty() && !columns.source.empty();
    // Only ranks can merge with a task that begins at the same instant: in a message-driven run the message that starts
    // a task arrives after all that it merges with.
    if (isTied || (graph->hasRanks && !isInOrder(columns, tasks))) {
        if (!isTied) columns.source = std::exchange(spare, std::move(graph->source));
        ties = orderTies(columns, tasks, graph->hasRanks);
        graph->source = gatheredSources(columns.source, columns, tasks, spare);
    }
    if (progress.isCancelled()) return nullptr;
    graph->pe = std::move(tasks.pe);

    const auto gather = [&](std::vector<std::uint32_t>& column) { return gathered(column, tasks.order, spare); };
    graph->taskIndex = columns.taskIndex.empty() ? placesOnProcessors(columns, tasks.order, graph->pe, spare)
                                                 : gather(columns.taskIndex);
    graph->entry = gather(columns.entry);
    graph->duration = columns.duration.gathered(tasks.graphTaskAt, gather);
    graph->offset = columns.offset.gathered(tasks.graphTaskAt, gather);
    graph->queued = columns.queued.gathered(tasks.graphTaskAt, gather);
    std::vector<std::uint32_t>().swap(spare);
    if (progress.isCancelled()) return nullptr;
    graph->begin = gathered(columns.begin, tasks.order, spareTimes);
    std::vector<TimeNs>().swap(spareTimes);
    graph->flags = gathered(columns.flags, tasks.order, spareFlags);
    for (MergeEdge merge : columns.merges)
        if (merge.task != noTask && merge.source != noTask)
            graph->merges.push_back({tasks.graphTaskAt[merge.task], tasks.graphTaskAt[merge.source], merge.offset,
                                     merge.kind});

    EdgeTallies edges;
    checkMessages(*graph, columns.latency, tasks.order, edges);
    checkMerges(*graph, edges);
    sortInner(columns.inner, tasks.graphTaskAt);
    graph->inner = std::move(columns.inner);
    graph->indexInner();

    const std::uint32_t firstDropped = ties.dropped > 0 ? tasks.graphTaskAt[ties.firstDropped] : noTask;
    graph->byProcessor = TasksByProcessor(std::move(tasks.graphTaskAt), std::move(columns.first));

    const auto place = [&graph](const Tally& tally) {
        return tally.count == 0 ? QString() : placeOf(graph->pe[tally.first], graph->taskIndex[tally.first]);
    };
    addIssue(*graph, taskTrimmed, trimmed.count, trimmedPlace);
    addIssue(*graph, edgeClamped, edges.clamped.count, place(edges.clamped));
    addIssue(*graph, edgeDropped, edges.dropped.count, place(edges.dropped));
    addIssue(*graph, mergeDropped, edges.mergesDropped.count, place(edges.mergesDropped));
    if (ties.dropped > 0)
        addIssue(*graph, tieCycle, ties.dropped, placeOf(graph->pe[firstDropped], graph->taskIndex[firstDropped]));
    return graph;
}

}  // namespace longpole
