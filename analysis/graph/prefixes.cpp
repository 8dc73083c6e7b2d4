// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a PE's creations from the store and cuts its graph tasks at them.
#include "analysis/graph/prefixes.h"

#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/store/rows.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

constexpr std::uint32_t noRank = 0xffffffffu;

struct Creation {
    std::uint32_t rank;
    std::uint32_t message;
    TimeNs offset;
    friend auto operator<=>(const Creation& a, const Creation& b)
    {
        return std::tie(a.rank, a.offset, a.message) <=> std::tie(b.rank, b.offset, b.message);
    }
};

// Where the executions of a PE lie in its graph tasks: nothing is stored for a PE without nested ones.
struct Executions {
    std::vector<std::uint32_t> rank = {};  // per row of the store; empty: row and rank are the same
    std::vector<TimeNs> shift = {};        // begin - begin of the outermost

    std::uint32_t rankOf(std::size_t row, std::size_t ranks) const
    {
        if (rank.empty()) return row < ranks ? static_cast<std::uint32_t>(row) : noRank;
        return row < rank.size() ? rank[row] : noRank;
    }
    TimeNs shiftOf(std::size_t row) const { return shift.empty() ? 0 : shift[row]; }
};

Result<Executions> readExecutions(const TraceStore& store, TrackId track, const ActivityGraph& graph,
                                  std::span<const std::uint32_t> tasks)
{
    std::size_t rows = 0;
    for (const ChunkRef& ref : store.chunks(ChunkKind::Task, track)) rows += ref.rows;
    Executions executions;
    if (rows == tasks.size()) return executions;
    executions.rank.assign(rows, noRank);
    std::vector<TimeNs> begin(rows, 0);
    executions.shift.assign(rows, 0);
    for (std::uint32_t i = 0; i < tasks.size(); ++i)
        if (graph.taskIndex[tasks[i]] < rows) executions.rank[graph.taskIndex[tasks[i]]] = i;
    auto stored = store.rows<TaskRow>(track, TaskRow::Begin | TaskRow::Outer);
    for (const TaskRow& task : stored) {
        const auto row = static_cast<std::size_t>(task.number());
        if (row >= rows) break;
        begin[row] = task.begin();
        if (task.outer() < 0 || task.outer() >= task.number()) continue;
        const auto outer = static_cast<std::size_t>(task.outer());
        executions.rank[row] = executions.rank[outer];
        executions.shift[row] = saturatingSubtract(begin[row], begin[outer]);
    }
    if (const Result<> read = stored.result(); !read) return read.error();
    return executions;
}

Result<std::vector<Creation>> readCreations(const TraceStore& store, TrackId track, const ActivityGraph& graph,
                                            std::span<const std::uint32_t> tasks, const Progress& progress)
{
    const Result<Executions> executions = readExecutions(store, track, graph, tasks);
    if (!executions) return executions.error();
    const std::span<const ChunkRef> chunks = store.chunks(ChunkKind::Message, track);
    std::size_t rows = 0;
    for (const ChunkRef& ref : chunks) rows += ref.rows;
    if (rows >= noPrefix - tasks.size())
        return Error{.what = store.words().say(tr("The PE sent more messages than can be analysed at once."),
                                               tr("The rank sent more messages than can be analysed at once.")),
                     .where = store.path(),
                     .hint = QString()};
    std::vector<Creation> creations;
    creations.reserve(rows);
    auto messages = store.rows<MessageRow>(track, MessageRow::Task | MessageRow::Offset, {.progress = &progress});
    for (const MessageRow& message : messages) {
        if (!message.task()) continue;
        const auto task = static_cast<std::size_t>(*message.task());
        const std::uint32_t rank = executions->rankOf(task, tasks.size());
        if (rank == noRank) continue;
        const TimeNs offset = saturatingAdd(message.offset(), executions->shiftOf(task));
        creations.push_back({rank, message.index(), std::clamp<TimeNs>(offset, 0, graph.duration[tasks[rank]])});
    }
    if (const Result<> read = messages.result(); !read) return read.error();
    if (!std::is_sorted(creations.begin(), creations.end())) std::sort(creations.begin(), creations.end());
    return creations;
}

}  // namespace

std::size_t Prefixes::holding(std::size_t rank, TimeNs wanted) const
{
    std::size_t low = first[rank];
    std::size_t high = lastOf(rank);
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (offset[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

Result<Prefixes> readPrefixes(const TraceStore& store, const ActivityGraph& graph, ProcessorId pe,
                              const Progress& progress)
{
    const Processor* processor = store.processor(pe);
    if (processor == nullptr || index(pe) >= graph.byProcessor.size())
        return Error{.what = store.words().say(tr("There is no PE %1."), tr("There is no rank %1.")).arg(index(pe)),
                     .where = store.path(),
                     .hint = store.words()
                                 .say(tr("The trace has %1 PEs, counted from 0."),
                                      tr("The trace has %1 ranks, counted from 0."))
                                 .arg(store.info().processors)};
    const std::span<const std::uint32_t> tasks = graph.byProcessor[index(pe)];
    const Result<std::vector<Creation>> creations = readCreations(store, processor->track, graph, tasks, progress);
    if (!creations) return creations.error();

    Prefixes prefixes;
    const std::size_t rows = tasks.size() + creations->size();
    prefixes.first.reserve(tasks.size() + 1);
    prefixes.message.reserve(rows);
    prefixes.offset.resize(rows);
    auto creation = creations->begin();
    for (std::size_t rank = 0; rank < tasks.size(); ++rank) {
        prefixes.first.push_back(static_cast<std::uint32_t>(prefixes.message.size()));
        for (; creation != creations->end() && creation->rank == rank; ++creation) {
            prefixes.offset.set(prefixes.message.size(), creation->offset);
            prefixes.message.push_back(creation->message);
        }
        prefixes.offset.set(prefixes.message.size(), graph.duration[tasks[rank]]);
        prefixes.message.push_back(Prefixes::endOfTask);
    }
    prefixes.first.push_back(static_cast<std::uint32_t>(prefixes.message.size()));
    return prefixes;
}

std::vector<std::uint32_t> prefixesByMessage(const Prefixes& prefixes)
{
    std::uint32_t messages = 0;
    for (const std::uint32_t message : prefixes.message)
        if (message != Prefixes::endOfTask) messages = std::max(messages, message + 1);
    std::vector<std::uint32_t> rows(messages, noPrefix);
    for (std::size_t row = 0; row < prefixes.size(); ++row)
        if (prefixes.message[row] != Prefixes::endOfTask) rows[prefixes.message[row]] = static_cast<std::uint32_t>(row);
    return rows;
}

std::size_t rankOf(const ActivityGraph& graph, std::uint32_t task)
{
    const std::span<const std::uint32_t> tasks = graph.byProcessor[graph.pe[task]];
    return static_cast<std::size_t>(std::lower_bound(tasks.begin(), tasks.end(), task) - tasks.begin());
}

}  // namespace longpole
