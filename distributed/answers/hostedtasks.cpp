// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedtasks.h"

#include "core/store/rows.h"

#include <algorithm>

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

}  // namespace

Result<HostedTasks> hostedTasks(const TraceStore& store, const Processor& processor, TimeRange range)
{
    HostedTasks tasks;
    auto rows = store.rows<TaskRow>(processor.track, TaskRow::Range | TaskRow::Entry);
    for (const TaskRow& row : rows) {
        tasks.begin.push_back(row.begin());
        tasks.duration.push_back(std::max<TimeNs>(0, row.duration()));
        tasks.entry.push_back(index(row.entry()));
    }
    if (const Result<> read = rows.result(); !read) return read.error();
    auto sources = store.rows<TaskSourceRow>(processor.track,
                                             TaskSourceRow::Link | TaskSourceRow::Source | TaskSourceRow::Offset);
    for (const TaskSourceRow& row : sources) {
        if (row.link() == Link::None || row.link() == Link::NoTask || row.sourceNumber() < 0) continue;
        tasks.needs.push_back({static_cast<std::uint32_t>(row.number()), index(row.sourcePe()),
                               static_cast<std::uint32_t>(row.sourceNumber()), true, row.offset()});
    }
    if (const Result<> read = sources.result(); !read) return read.error();
    const auto middle = static_cast<std::ptrdiff_t>(tasks.needs.size());
    auto merges = store.rows<MergeRow>(processor.track, MergeRow::All);
    for (const MergeRow& row : merges) {
        if (row.sourceNumber() < 0) continue;
        tasks.needs.push_back({static_cast<std::uint32_t>(row.task()), index(row.sourcePe()),
                               static_cast<std::uint32_t>(row.sourceNumber()), false, row.offset()});
    }
    if (const Result<> read = merges.result(); !read) return read.error();
    const auto first = tasks.needs.begin(), last = tasks.needs.end();
    if (!std::is_sorted(first + middle, last, isEarlier)) std::stable_sort(first + middle, last, isEarlier);
    std::inplace_merge(first, first + middle, last, isEarlier);  // messages come by task
    while (!tasks.needs.empty() && tasks.needs.back().task >= tasks.begin.size()) tasks.needs.pop_back();
    trim(tasks, store.info().range(), range);
    if (const Result<> read = readCuts(store, processor.track, tasks); !read) return read.error();
    return tasks;
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
