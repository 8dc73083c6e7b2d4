// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/rowfilter.h"

#include "core/store/rows.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::int64_t mostTasks = 20'000'000;  // of a group that gets marks

std::int64_t tasksOf(const TraceStore& store, std::span<const TrackId> tracks)
{
    std::int64_t tasks = 0;
    for (const TrackId track : tracks)
        for (const ChunkRef& ref : store.chunks(ChunkKind::Task, track)) tasks += ref.rows;
    return tasks;
}

void markBins(RowData& data, const TraceStore& store, TrackId track, const TaskFilter& filter)
{
    const int level = data.bins.level;
    const auto last = static_cast<std::int64_t>(data.bins.bins.size()) - 1;
    for (const ChunkRef& ref : store.chunks(ChunkKind::Task, track)) {
        if (ref.maxEnd < data.range.begin || ref.firstBegin >= data.range.end) continue;
        const auto tasks = store.block<TaskRow>(ref, TaskRow::Begin | TaskRow::Exclusive);
        if (!tasks) continue;
        for (const TaskRow& task : *tasks) {
            if (!filter.passes(task.exclusive())) continue;
            const TimeNs begin = task.begin();
            const TimeNs end = saturatingAdd(begin, std::max<TimeNs>(task.duration() - 1, 0));
            const std::int64_t from = std::max<std::int64_t>((begin >> level) - data.bins.firstBin, 0);
            const std::int64_t to = std::min((end >> level) - data.bins.firstBin, last);
            for (std::int64_t bin = from; bin <= to; ++bin) data.binPasses[static_cast<std::size_t>(bin)] = 1;
        }
    }
}

}  // namespace

RowData withFilter(RowData data, const TraceStore& store, TrackId track, std::span<const TrackId> members,
                   const std::optional<TaskFilter>& filter)
{
    if (!filter) return data;
    data.grain = filter->grain;
    if (data.exact) {
        RowSeeker<TaskRow> tasks(store, track, TaskRow::Exclusive, Coverage::Kept);  // neighbours are in one chunk
        data.segmentPasses.reserve(data.segments.size());
        for (const RowSegment& segment : data.segments) {
            const Result<const TaskRow*> task = tasks.find(segment.task);
            const bool isKnown = task && *task != nullptr;
            data.segmentPasses.push_back(!isKnown || filter->passes((*task)->exclusive()) ? 1 : 0);
        }
        return data;
    }
    if (store.info().isPart()) return data;  // bins whose tasks are not there
    const std::span<const TrackId> tracks = members.empty() ? std::span(&track, 1) : members;
    if (!members.empty() && tasksOf(store, members) > mostTasks) return data;
    data.binPasses.assign(data.bins.bins.size(), 0);
    for (const TrackId one : tracks) markBins(data, store, one, *filter);
    return data;
}

}  // namespace longpole
