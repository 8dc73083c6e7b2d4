// SPDX-License-Identifier: GPL-3.0-or-later
// Fills a PE's activity table: its prefixes, the paths that come into its tasks, and the names of the prefixes that
// those come from.
#include "analysis/paths/activitytable.h"

#include "analysis/base/parallelresult.h"
#include "analysis/results/bytesof.h"
#include "core/base/release.h"
#include "core/base/result.h"
#include "core/store/rows.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

constexpr std::size_t mostTasksAtOnce = std::size_t{1} << 17;  // of each of several PEs

bool isLonger(const IncomingPath& a, const IncomingPath& b)
{
    return std::tie(b.length, a.prefix, a.edge) < std::tie(a.length, b.prefix, b.edge);
}

}  // namespace

class TableBuilder {
public:
    TableBuilder(const TraceStore& store, const ActivityGraph& graph, const WorkHeads& heads, const Progress& progress)
        : m_store(store), m_graph(graph), m_heads(heads), m_progress(progress)
    {
    }

    Result<ActivityTable> build(ProcessorId pe)
    {
        if (m_heads.head.size() != m_graph.size()) return cancelledError();
        Result<Prefixes> prefixes = readPrefixes(m_store, m_graph, pe, m_progress);
        if (!prefixes) return prefixes.error();
        m_table.m_pe = pe;
        m_table.m_edges = m_heads.edges.level;
        m_table.m_prefixes = std::move(*prefixes);
        if (Result<> read = readMessages(); !read) return read.error();
        if (Result<> read = readMerges(); !read) return read.error();
        addTasks();
        release(m_startedBy);
        release(m_merges);
        if (Result<> named = nameSources(); !named) return named.error();
        release(m_wanted);
        for (std::size_t rank = 0; rank < m_table.m_tasks.size(); ++rank) putMaximalFirst(rank);
        m_progress.report(1.0);
        return std::move(m_table);
    }

private:
    // The prefix that a dependency comes from, until it has a name: the one of `source` that ended with `message`, its
    // last one, or the one that holds the dependency's offset.
    struct Wanted {
        static constexpr std::uint32_t last = 0xffffffffu;
        static constexpr std::uint32_t holding = 0xfffffffeu;
        std::uint32_t source = noTask;
        std::uint32_t message = holding;
        std::uint32_t incoming = 0;  // whose name it is
    };
    static std::uint32_t wantedMessage(std::int64_t number)
    {
        return number >= 0 && number < Wanted::holding ? static_cast<std::uint32_t>(number) : Wanted::holding;
    }

    // A merge that the program recorded, with its message.
    struct RecordedMerge {
        std::uint32_t task, source;
        TimeNs offset;
        std::uint32_t message;
    };

    std::span<const std::uint32_t> tasks() const { return m_graph.byProcessor[index(m_table.m_pe)]; }

    // The message that started each task of the PE, by rank.
    Result<> readMessages()
    {
        m_startedBy.assign(tasks().size(), Wanted::holding);
        RowSeeker<TaskSourceRow> sources(m_store, m_store.processor(m_table.m_pe)->track,
                                         TaskSourceRow::Link | TaskSourceRow::HasMessage);
        for (std::size_t rank = 0; rank < tasks().size(); ++rank) {
            if (rank % 4096 == 0 && m_progress.isCancelled()) return cancelledError();
            const Result<const TaskSourceRow*> found = sources.find(m_graph.taskIndex[tasks()[rank]]);
            if (!found) return found.error();
            if (*found == nullptr) continue;
            const std::optional<std::int64_t> message = (*found)->messageNumber();
            if ((*found)->link() == Link::Block) m_startedBy[rank] = Wanted::last;
            else if (message) m_startedBy[rank] = wantedMessage(*message);
        }
        return Unit{};
    }

    // Those of the PE whose source is in the graph, as the graph has them.
    Result<> readMerges()
    {
        auto merges = m_store.rows<MergeRow>(m_store.processor(m_table.m_pe)->track, MergeRow::All,
                                             {.progress = &m_progress});
        for (const MergeRow& merge : merges) {
            const std::uint32_t task = m_graph.find({m_table.m_pe, static_cast<std::uint32_t>(merge.task())});
            const TaskId sender{merge.sourcePe(), static_cast<std::uint32_t>(merge.sourceNumber())};
            const std::uint32_t source = m_graph.find(sender);
            if (task == noTask || source == noTask) continue;
            m_merges.push_back({task, source, saturatingAdd(merge.offset(), shiftOf(source, sender)),
                                merge.messageNumber() ? wantedMessage(*merge.messageNumber()) : Wanted::last});
        }
        if (const Result<> read = merges.result(); !read) return read.error();
        std::sort(m_merges.begin(), m_merges.end(), [](const RecordedMerge& a, const RecordedMerge& b) {
            return std::tie(a.task, a.source, a.offset, a.message) < std::tie(b.task, b.source, b.offset, b.message);
        });
        return Unit{};
    }

    // From the begin of a graph task to that of an execution in it.
    TimeNs shiftOf(std::uint32_t task, TaskId execution) const
    {
        if (m_graph.taskIndex[task] == execution.index) return 0;
        const ActivityGraph::Inner* const piece = m_graph.innerExecution(task, execution.index);
        return piece != nullptr ? piece->begin - m_graph.begin[task] : 0;
    }

    void addTasks()
    {
        const std::size_t incoming = countIncoming();
        m_table.m_tasks.reserve(tasks().size());
        m_table.m_incoming.reserve(incoming);
        m_wanted.reserve(incoming);
        for (std::size_t rank = 0; rank < tasks().size(); ++rank) {
            const std::uint32_t task = tasks()[rank];
            m_table.m_tasks.push_back({m_graph.begin[task], m_table.m_incoming.size(), m_graph.taskIndex[task],
                                       m_graph.entry[task]});
            if (m_graph.source[task] != noTask)
                addIncoming(PathEdge::Message, m_graph.source[task], m_graph.offset[task], m_startedBy[rank]);
            for (const MergeEdge& merge : mergesInto(m_heads.edges.merges, task)) addMerge(merge);
            if (keepsOrder(m_table.m_edges) && rank > 0)
                addIncoming(PathEdge::Order, tasks()[rank - 1], m_graph.duration[tasks()[rank - 1]], Wanted::last);
        }
    }

    // How many dependencies lead into the PE's tasks: arrays that grew would take twice as much.
    std::size_t countIncoming() const
    {
        std::size_t count = 0;
        for (std::size_t rank = 0; rank < tasks().size(); ++rank) {
            const std::uint32_t task = tasks()[rank];
            count += m_graph.source[task] != noTask ? 1 : 0;
            count += mergesInto(m_heads.edges.merges, task).size();
            count += keepsOrder(m_table.m_edges) && rank > 0 ? 1 : 0;
        }
        return count;
    }

    void addMerge(const MergeEdge& merge)
    {
        if (merge.kind != MergeKind::Recorded) {
            const bool isWhole = merge.offset == m_graph.duration[merge.source];
            return addIncoming(PathEdge::InferredMerge, merge.source, merge.offset,
                               isWhole ? Wanted::last : Wanted::holding);
        }
        // The graph's offset may have been clamped.
        const auto recorded = std::lower_bound(m_merges.begin(), m_merges.end(), merge,
                                               [](const RecordedMerge& a, const MergeEdge& b) {
                                                   return std::tie(a.task, a.source, a.offset)
                                                          < std::tie(b.task, b.source, b.offset);
                                               });
        const bool isKnown = recorded != m_merges.end() && recorded->task == merge.task
                             && recorded->source == merge.source;
        addIncoming(PathEdge::RecordedMerge, merge.source, merge.offset, isKnown ? recorded->message : Wanted::holding);
    }

    void addIncoming(PathEdge edge, std::uint32_t source, TimeNs offset, std::uint32_t message)
    {
        m_wanted.push_back({source, message, static_cast<std::uint32_t>(m_table.m_incoming.size())});
        m_table.m_incoming.push_back({.length = m_heads.head[source] + offset,
                                      .prefix = noPrefix,
                                      .pe = m_graph.pe[source] & (mostIds - 1),
                                      .edge = static_cast<std::uint32_t>(edge) & 0xfu});
    }

    Result<> nameSources()
    {
        const auto peOf = [this](const Wanted& wanted) { return m_graph.pe[wanted.source]; };
        std::sort(m_wanted.begin(), m_wanted.end(), [&peOf](const Wanted& a, const Wanted& b) {
            return std::pair(peOf(a), a.incoming) < std::pair(peOf(b), b.incoming);
        });
        std::vector<std::size_t> groups;  // where those of each PE begin, and the end of all
        for (std::size_t i = 0; i < m_wanted.size(); ++i)
            if (i == 0 || peOf(m_wanted[i]) != peOf(m_wanted[i - 1])) groups.push_back(i);
        const std::size_t pes = groups.size();
        groups.push_back(m_wanted.size());
        const auto name = [&](std::size_t group) { return nameSources(groups[group], groups[group + 1]); };
        const bool isLarge = std::any_of(groups.begin(), groups.end() - 1, [&](std::size_t first) {
            return m_graph.byProcessor[peOf(m_wanted[first])].size() > mostTasksAtOnce;
        });
        if (!isLarge) return parallelResult(pes, m_progress, name);
        for (std::size_t group = 0; group < pes; ++group) {
            if (m_progress.isCancelled()) return cancelledError();
            if (Result<> named = name(group); !named) return named;
        }
        return Unit{};
    }

    // Those of one PE.
    Result<> nameSources(std::size_t first, std::size_t last)
    {
        const ProcessorId pe{m_graph.pe[m_wanted[first].source]};
        if (pe == m_table.m_pe) {
            nameSources(first, last, m_table.m_prefixes);
            return Unit{};
        }
        const Result<Prefixes> prefixes = readPrefixes(m_store, m_graph, pe, m_progress);
        if (!prefixes) return prefixes.error();
        nameSources(first, last, *prefixes);
        return Unit{};
    }

    void nameSources(std::size_t first, std::size_t last, const Prefixes& prefixes)
    {
        const std::vector<std::uint32_t> byMessage = prefixesByMessage(prefixes);
        for (std::size_t i = first; i < last; ++i) {
            const Wanted& wanted = m_wanted[i];
            const std::size_t rank = rankOf(m_graph, wanted.source);
            ActivityTable::Incoming& incoming = m_table.m_incoming[wanted.incoming];
            const TimeNs offset = incoming.length - m_heads.head[wanted.source];
            std::size_t row = wanted.message < byMessage.size() ? byMessage[wanted.message] : noPrefix;
            if (row < prefixes.first[rank] || row > prefixes.lastOf(rank))
                row = wanted.message == Wanted::last ? prefixes.lastOf(rank) : prefixes.holding(rank, offset);
            incoming.prefix = static_cast<std::uint32_t>(row);
        }
    }

    void putMaximalFirst(std::size_t rank)
    {
        const bool isLast = rank + 1 == m_table.m_tasks.size();
        const auto at = [this](std::size_t i) { return m_table.m_incoming.begin() + static_cast<std::ptrdiff_t>(i); };
        const auto first = at(m_table.m_tasks[rank].firstIncoming);
        const auto last = isLast ? m_table.m_incoming.end() : at(m_table.m_tasks[rank + 1].firstIncoming);
        if (last - first < 2) return;
        using Incoming = ActivityTable::Incoming;
        const auto isShorter = [](const Incoming& a, const Incoming& b) { return a.length < b.length; };
        std::iter_swap(first, std::max_element(first, last, isShorter));  // the first of equal ones
        std::sort(first + 1, last, [](const Incoming& a, const Incoming& b) { return isLonger(a.path(), b.path()); });
    }

    const TraceStore& m_store;
    const ActivityGraph& m_graph;
    const WorkHeads& m_heads;
    const Progress& m_progress;
    ActivityTable m_table;
    std::vector<std::uint32_t> m_startedBy;  // by rank: message of the sender's PE, or a Wanted constant
    std::vector<RecordedMerge> m_merges;     // sorted
    std::vector<Wanted> m_wanted;
};

ActivityRow ActivityTable::row(std::size_t index) const
{
    const auto after = std::upper_bound(m_prefixes.first.begin(), m_prefixes.first.end(), index);
    const auto rank = static_cast<std::size_t>(after - m_prefixes.first.begin()) - 1;
    const Task& task = m_tasks[rank];
    const std::size_t lastIncoming = rank + 1 < m_tasks.size() ? m_tasks[rank + 1].firstIncoming : m_incoming.size();
    ActivityRow row{.index = static_cast<std::int64_t>(index),
                    .task = {m_pe, task.taskIndex},
                    .entry = EntryId{task.entry},
                    .begin = task.begin,
                    .end = task.begin + m_prefixes.offset[index],
                    .length = m_prefixes.offset[index]};
    if (const std::uint32_t message = m_prefixes.message[index]; message != Prefixes::endOfTask)
        row.message = {m_pe, message};
    row.isFirst = index == m_prefixes.first[rank];
    if (task.firstIncoming == lastIncoming) return row;
    row.incoming = m_incoming[task.firstIncoming].path();
    row.mergedCount = lastIncoming - task.firstIncoming - 1;
    const std::size_t listed = row.isFirst ? row.mergedCount : std::min(fewMerged, row.mergedCount);
    for (std::size_t i = 1; i <= listed; ++i) row.merged.push_back(m_incoming[task.firstIncoming + i].path());
    row.length += row.incoming.length;
    return row;
}

std::optional<std::size_t> ActivityTable::endOf(TaskId task) const
{
    if (task.pe != m_pe) return {};
    const auto isBefore = [](const Task& known, std::uint32_t wanted) { return known.taskIndex < wanted; };
    const auto found = std::lower_bound(m_tasks.begin(), m_tasks.end(), task.index, isBefore);
    if (found == m_tasks.end() || found->taskIndex != task.index) return {};
    return m_prefixes.lastOf(static_cast<std::size_t>(found - m_tasks.begin()));
}

std::int64_t ActivityTable::bytes() const
{
    return bytesOf(m_prefixes.first) + bytesOf(m_prefixes.message) + m_prefixes.offset.bytes() + bytesOf(m_tasks)
           + bytesOf(m_incoming);
}

Result<ActivityTable> activityTable(const TraceStore& store, const ActivityGraph& graph, const WorkHeads& heads,
                                    ProcessorId pe, const Progress& progress)
{
    return TableBuilder(store, graph, heads, progress).build(pe);
}

}  // namespace longpole
