// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/tasks/hostedtasks.h"

#include "core/store/rows.h"
#include "core/store/sumoftimes.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

TimeNs clipped(TimeNs time, TimeRange range) { return std::clamp(time, range.begin, range.end); }

// Makes the tasks disjoint and lie in the run, as the graph's builder does.
void trim(HostedTasks& tasks, TimeRange run, TimeRange range)
{
    TimeNs free = run.begin;
    tasks.weight.resize(tasks.begin.size());
    for (std::size_t i = 0; i < tasks.begin.size(); ++i) {
        const TimeNs begin = std::clamp(tasks.begin[i], free, std::max(free, run.end));
        TimeNs end = std::clamp(saturatingAdd(tasks.begin[i], tasks.duration[i]), begin, std::max(begin, run.end));
        if (i + 1 < tasks.begin.size()) end = std::clamp(tasks.begin[i + 1], begin, end);
        free = tasks.begin[i] = begin;
        tasks.duration[i] = end - begin;
        tasks.weight[i] = clipped(end, range) - clipped(begin, range);
    }
}

Result<> readCuts(const TraceStore& store, TrackId track, HostedTasks& tasks)
{
    auto calls = store.rows<MpiRow>(track, MpiRow::Begin | MpiRow::Task | MpiRow::Flags);
    for (const MpiRow& call : calls) {
        if ((call.flags() & MpiCallFlag::Synchronization) == 0) continue;
        const auto from = std::lower_bound(tasks.begin.begin(), tasks.begin.end(), call.begin());
        const bool isKnown = call.task() >= 0 && call.task() < static_cast<std::int64_t>(tasks.begin.size());
        tasks.cuts.push_back(static_cast<std::uint32_t>(isKnown ? call.task() + 1 : from - tasks.begin.begin()));
    }
    std::sort(tasks.cuts.begin(), tasks.cuts.end());
    return calls.result();
}

bool isEarlier(const HostedTasks::Need& a, const HostedTasks::Need& b) { return a.task < b.task; }

// From now on rows are not numbers of tasks: all before this one were.
void beginRows(HostedTasks& tasks)
{
    tasks.rows.resize(tasks.begin.size());
    std::iota(tasks.rows.begin(), tasks.rows.end(), 0u);
}

// A nested execution. One in several pieces goes to `inPieces`: these are listed apart.
void addInner(const TaskRow& row, HostedTasks& tasks, std::vector<ActivityGraph::Inner>& inner,
              std::vector<ActivityGraph::Inner>& inPieces)
{
    const std::int64_t outer = row.outer();
    const auto place = outer >= 0 ? tasks.placeOf(static_cast<std::uint32_t>(outer)) : std::nullopt;
    if (!place || outer >= std::int64_t{row.index()}) return;
    tasks.innerRows.push_back({row.index(), place->task, row.begin() - tasks.begin[place->task]});
    (row.hasPieces() ? inPieces : inner)
        .push_back({place->task, row.index(), index(row.entry()), row.begin(), row.end()});
}

Result<> readTasks(const TraceStore& store, TrackId track, HostedTasks& tasks, std::vector<ActivityGraph::Inner>& inner)
{
    std::vector<ActivityGraph::Inner> inPieces;  // by row
    bool isPlain = true;                         // no row so far is nested
    auto rows = store.rows<TaskRow>(track, TaskRow::Range | TaskRow::Entry | TaskRow::Outer | TaskRow::Pieces);
    for (const TaskRow& row : rows) {
        if (!row.isOutermost()) {
            if (std::exchange(isPlain, false)) beginRows(tasks);
            addInner(row, tasks, inner, inPieces);
            continue;
        }
        if (!isPlain) tasks.rows.push_back(row.index());
        tasks.begin.push_back(row.begin());
        tasks.duration.push_back(std::max<TimeNs>(0, row.duration()));
        tasks.entry.push_back(index(row.entry()));
    }
    if (const Result<> read = rows.result(); !read) return read;
    if (!inPieces.empty()) {
        auto pieces = store.rows<PieceRow>(track, PieceRow::All);
        for (const PieceRow& piece : pieces) {
            const auto isBefore = [](const ActivityGraph::Inner& one, std::int64_t row) {
                return std::int64_t{one.taskIndex} < row;
            };
            const auto of = std::lower_bound(inPieces.begin(), inPieces.end(), piece.task(), isBefore);
            if (of == inPieces.end() || std::int64_t{of->taskIndex} != piece.task()) continue;
            inner.push_back({of->task, of->taskIndex, of->entry, piece.begin(), piece.end()});
        }
        if (const Result<> read = pieces.result(); !read) return read;
    }
    std::sort(inner.begin(), inner.end(), [](const ActivityGraph::Inner& a, const ActivityGraph::Inner& b) {
        return std::tie(a.task, a.begin, a.taskIndex) < std::tie(b.task, b.begin, b.taskIndex);
    });
    return Unit{};
}

Result<> readNeeds(const TraceStore& store, TrackId track, HostedTasks& tasks)
{
    // Only what started an outermost execution is a need of a task, but any may have merged.
    const auto taskOf = [&tasks](std::int64_t row) {
        return row >= 0 && row <= 0xffffffffll ? tasks.placeOf(static_cast<std::uint32_t>(row)) : std::nullopt;
    };
    auto sources = store.rows<TaskSourceRow>(track,
                                             TaskSourceRow::Link | TaskSourceRow::Source | TaskSourceRow::Offset);
    for (const TaskSourceRow& row : sources) {
        if (row.link() == Link::None || row.link() == Link::NoTask || row.sourceNumber() < 0) continue;
        const auto place = taskOf(row.number());
        if (!place || std::int64_t{tasks.rowOf(place->task)} != row.number()) continue;
        tasks.needs.push_back({.task = place->task,
                               .rank = index(row.sourcePe()),
                               .source = static_cast<std::uint32_t>(row.sourceNumber()),
                               .isMessage = true,
                               .isRepaired = row.link() == Link::RepairedBcast,
                               .offset = row.offset()});
    }
    if (const Result<> read = sources.result(); !read) return read;
    const auto middle = static_cast<std::ptrdiff_t>(tasks.needs.size());
    auto merges = store.rows<MergeRow>(track, MergeRow::All);
    for (const MergeRow& row : merges) {
        const auto place = taskOf(row.task());
        if (!place || row.sourceNumber() < 0) continue;
        tasks.needs.push_back({.task = place->task,
                               .rank = index(row.sourcePe()),
                               .source = static_cast<std::uint32_t>(row.sourceNumber()),
                               .offset = row.offset()});
    }
    if (const Result<> read = merges.result(); !read) return read;
    const auto first = tasks.needs.begin(), last = tasks.needs.end();
    if (!std::is_sorted(first + middle, last, isEarlier)) std::stable_sort(first + middle, last, isEarlier);
    std::inplace_merge(first, first + middle, last, isEarlier);  // messages come by task
    return Unit{};
}

}  // namespace

Result<HostedTasks> hostedTasks(const TraceStore& store, const Processor& processor, TimeRange range)
{
    if (const Result<> fits = requireSumOfTimes(store); !fits) return fits.error();
    HostedTasks tasks;
    std::vector<ActivityGraph::Inner> inner;
    if (const Result<> read = readTasks(store, processor.track, tasks, inner); !read) return read.error();
    if (const Result<> read = readNeeds(store, processor.track, tasks); !read) return read.error();
    trim(tasks, store.info().range(), range);
    if (!inner.empty())
        tasks.nested = std::make_shared<const NestedTasks>(std::move(inner), tasks.begin, tasks.duration, tasks.entry,
                                                           tasks.rows);
    if (const Result<> read = readCuts(store, processor.track, tasks); !read) return read.error();
    return tasks;
}

std::optional<HostedTasks::Place> HostedTasks::placeOf(std::uint32_t row) const
{
    if (rows.empty()) return row < begin.size() ? std::optional(Place{row, 0}) : std::nullopt;
    const auto task = std::lower_bound(rows.begin(), rows.end(), row);
    if (task != rows.end() && *task == row) return Place{static_cast<std::uint32_t>(task - rows.begin()), 0};
    const auto isBefore = [](const InnerRow& one, std::uint32_t wanted) { return one.row < wanted; };
    const auto nestedRow = std::lower_bound(innerRows.begin(), innerRows.end(), row, isBefore);
    if (nestedRow == innerRows.end() || nestedRow->row != row) return std::nullopt;
    return Place{nestedRow->task, nestedRow->later};
}

std::optional<NeededWork> workOver(const HostedTasks& source, std::uint32_t number, TimeNs offset, TimeNs taskBegin,
                                   TimeRange range)
{
    if (number >= source.begin.size() || source.begin[number] > taskBegin) return std::nullopt;
    const TimeNs begin = source.begin[number];
    const TimeNs kept = std::clamp<TimeNs>(offset, 0, std::min(taskBegin - begin, source.duration[number]));
    return NeededWork{clipped(begin + kept, range) - clipped(begin, range), kept != offset};
}

}  // namespace longpole
