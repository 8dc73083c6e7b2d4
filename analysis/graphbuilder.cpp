// Orders tasks by time so that every edge points forward, checks the edges, and fills an ActivityGraph.
#include "analysis/graphbuilder.h"

#include "analysis/bigarray.h"
#include "analysis/tieorder.h"
#include "core/parallel.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

// Soft errors of one kind, with the first task that showed it.
struct Tally {
    std::int64_t count = 0;
    std::uint32_t first = noTask;  // position or graph task
    void operator()(std::uint32_t task)
    {
        if (count++ == 0) first = task;
    }
};

QString placeOf(std::uint32_t pe, std::uint32_t taskIndex)
{
    return QStringLiteral("task ") % QString::number(pe) % QLatin1Char(':') % QString::number(taskIndex);
}

std::uint32_t processorOf(const TaskColumns& columns, std::uint32_t position)
{
    const auto next = std::upper_bound(columns.first.begin(), columns.first.end(), position);
    return static_cast<std::uint32_t>(next - columns.first.begin() - 1);
}

// Makes the tasks of each PE disjoint and lie in the run, which everything after relies on.
Tally trimTasks(TaskColumns& columns, TimeRange run)
{
    Tally trimmed;
    for (std::size_t pe = 0; pe + 1 < columns.first.size(); ++pe) {
        TimeNs free = run.begin;
        for (std::size_t p = columns.first[pe]; p < columns.first[pe + 1]; ++p) {
            const TimeNs begin = std::clamp(columns.begin[p], free, std::max(free, run.end));
            TimeNs end = std::clamp(saturatingAdd(columns.begin[p], columns.duration[p]), begin,
                                    std::max(begin, run.end));
            if (p + 1 < columns.first[pe + 1]) end = std::clamp(columns.begin[p + 1], begin, end);
            if (begin != columns.begin[p] || end - begin != columns.duration[p]) {
                trimmed(static_cast<std::uint32_t>(p));
                columns.moveBegin(p, begin);
                columns.duration.set(p, end - begin);
            }
            free = begin;
        }
    }
    return trimmed;
}

// Replaces column[i] by column[order[i]]. `spare` gives the room and afterwards holds the old column's: fresh memory
// costs more than the copying.
template <typename T>
std::vector<T> gathered(std::vector<T>& column, const std::vector<std::uint32_t>& order, std::vector<T>& spare)
{
    constexpr std::size_t block = 1 << 16;
    std::vector<T> result = std::move(spare);
    resizeBig(result, order.size());
    parallelFor((order.size() + block - 1) / block, [&](std::size_t b) {
        for (std::size_t i = b * block; i < std::min(order.size(), (b + 1) * block); ++i) result[i] = column[order[i]];
    }, order.size() < 4 * block ? 1 : 0);
    spare = std::move(column);
    return result;
}

std::vector<std::uint32_t> inverse(const std::vector<std::uint32_t>& order)
{
    std::vector<std::uint32_t> result = bigArray<std::uint32_t>(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = static_cast<std::uint32_t>(i);
    return result;
}

// Which PE each position lies on.
std::vector<std::uint32_t> processorColumn(const TaskColumns& columns)
{
    std::vector<std::uint32_t> pes = bigArray<std::uint32_t>(columns.first.back());
    for (std::size_t pe = 0; pe + 1 < columns.first.size(); ++pe)
        std::fill(pes.begin() + static_cast<std::ptrdiff_t>(columns.first[pe]),
                  pes.begin() + static_cast<std::ptrdiff_t>(columns.first[pe + 1]), static_cast<std::uint32_t>(pe));
    return pes;
}

void splitByProcessor(ActivityGraph& graph, const std::vector<std::size_t>& first,
                      const std::vector<std::uint32_t>& graphTaskAt)
{
    graph.byProcessor.resize(first.size() - 1);
    for (std::size_t pe = 0; pe + 1 < first.size(); ++pe)
        graph.byProcessor[pe].assign(graphTaskAt.begin() + static_cast<std::ptrdiff_t>(first[pe]),
                                     graphTaskAt.begin() + static_cast<std::ptrdiff_t>(first[pe + 1]));
}

struct EdgeTallies {
    Tally clamped, dropped, mergesDropped;
};

// The longest prefix of `source` that can have been needed by `task`.
TimeNs longestOffset(const ActivityGraph& graph, std::uint32_t source, std::uint32_t task)
{
    return std::min(graph.begin[task] - graph.begin[source], graph.duration[source]);
}

// Edges from tasks that begin later are dropped; offsets are brought into [0, what both ends allow].
void checkMessages(ActivityGraph& graph, EdgeTallies& tallies)
{
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        const std::uint32_t source = graph.source[i];
        if (source == noTask) {
            if (graph.offset[i] != 0) graph.offset.set(i, 0);
            continue;
        }
        if (source >= i) {  // begins later: ties were put in order before
            tallies.dropped(i);
            graph.source[i] = noTask;
            graph.offset.set(i, 0);
            continue;
        }
        const TimeNs limit = longestOffset(graph, source, i);
        const TimeNs offset = graph.offset[i];
        if (offset >= 0 && offset <= limit) continue;
        tallies.clamped(i);
        graph.offset.set(i, std::clamp<TimeNs>(offset, 0, limit));
        graph.flags[i] |= ActivityGraph::Clamped;
    }
}

void checkMerges(ActivityGraph& graph, EdgeTallies& tallies)
{
    std::vector<MergeEdge> kept;
    for (MergeEdge merge : graph.merges) {
        if (merge.source >= merge.task) {
            tallies.mergesDropped(merge.task);
            continue;
        }
        merge.offset = std::clamp<TimeNs>(merge.offset, 0, longestOffset(graph, merge.source, merge.task));
        kept.push_back(merge);
    }
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    graph.merges = std::move(kept);
}

// Keeps the send times that do not follow from the edges. `columns` still has begin, latency and flags.
void keepSendTimes(const TaskColumns& columns, const std::vector<std::uint32_t>& order, ActivityGraph& graph)
{
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        const std::uint8_t known = graph.flags[i];
        graph.flags[i] &= static_cast<std::uint8_t>(~(TaskColumns::hasSent | ActivityGraph::SentApart));
        if ((known & TaskColumns::hasSent) == 0) continue;
        const TimeNs sent = columns.sent(order[i]);
        const std::uint32_t source = graph.source[i];
        const TimeNs implied = source == noTask ? minTime : graph.begin[source] + graph.offset[i];
        if (sent == implied) continue;
        graph.flags[i] |= ActivityGraph::SentApart;
        graph.sentApart.push_back({i, sent});
    }
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

void TaskColumns::setSent(std::size_t position, TimeNs time)
{
    if (time == minTime) return;
    latency.set(position, saturatingSubtract(begin[position], time));
    flags[position] |= hasSent;
}

void TaskColumns::setReceived(std::size_t position, TimeNs time)
{
    if (time == minTime) return;
    queued.set(position, saturatingSubtract(begin[position], time));
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
    graph->exclusiveByEntry = std::move(frame.exclusiveByEntry);
    graph->issues = std::move(frame.issues);

    const Tally trimmed = trimTasks(columns, frame.run);
    const QString trimmedPlace = trimmed.count == 0 ? QString() : placeOf(processorOf(columns, trimmed.first),
                                                                          columns.taskIndex[trimmed.first]);
    std::vector<std::uint32_t> order = timeOrder(columns);
    if (progress.isCancelled()) return nullptr;
    std::vector<std::uint32_t> graphTaskAt = inverse(order);
    const TieResult ties = orderTies(columns, order, graphTaskAt);
    if (progress.isCancelled()) return nullptr;

    std::vector<std::uint32_t> spare;
    const auto gather = [&order, &spare](std::vector<std::uint32_t>& column) { return gathered(column, order, spare); };
    graph->source = gather(columns.source);
    for (std::uint32_t& source : graph->source)
        if (source != noTask) source = graphTaskAt[source];
    graph->taskIndex = gather(columns.taskIndex);
    graph->entry = gather(columns.entry);
    std::vector<std::uint32_t> pes = processorColumn(columns);
    graph->pe = gather(pes);
    if (progress.isCancelled()) return nullptr;
    graph->duration = columns.duration.gathered(graphTaskAt, gather);
    graph->offset = columns.offset.gathered(graphTaskAt, gather);
    graph->queued = columns.queued.gathered(graphTaskAt, gather);
    std::vector<std::uint32_t>().swap(spare);
    std::vector<TimeNs> spareTimes;
    graph->begin = gathered(columns.begin, order, spareTimes);
    columns.begin = std::move(spareTimes);
    std::vector<std::uint8_t> spareFlags;
    graph->flags = gathered(columns.flags, order, spareFlags);
    columns.flags = std::move(spareFlags);
    for (MergeEdge merge : columns.merges)
        if (merge.task != noTask && merge.source != noTask)
            graph->merges.push_back({graphTaskAt[merge.task], graphTaskAt[merge.source], merge.offset, merge.kind});

    EdgeTallies edges;
    checkMessages(*graph, edges);
    checkMerges(*graph, edges);
    keepSendTimes(columns, order, *graph);
    std::vector<std::uint32_t>().swap(order);
    splitByProcessor(*graph, columns.first, graphTaskAt);
    sortInner(columns.inner, graphTaskAt);
    graph->inner = std::move(columns.inner);

    const auto place = [&graph](const Tally& tally) {
        return tally.count == 0 ? QString() : placeOf(graph->pe[tally.first], graph->taskIndex[tally.first]);
    };
    addIssue(*graph, taskTrimmed, trimmed.count, trimmedPlace);
    addIssue(*graph, edgeClamped, edges.clamped.count, place(edges.clamped));
    addIssue(*graph, edgeDropped, edges.dropped.count, place(edges.dropped));
    addIssue(*graph, mergeDropped, edges.mergesDropped.count, place(edges.mergesDropped));
    if (ties.dropped > 0) {
        const std::uint32_t first = graphTaskAt[ties.firstDropped];
        addIssue(*graph, tieCycle, ties.dropped, placeOf(graph->pe[first], graph->taskIndex[first]));
    }
    return graph;
}

}  // namespace longpole
