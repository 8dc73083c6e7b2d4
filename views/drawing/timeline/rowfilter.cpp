// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at the tasks behind segments and bins.
#include "views/drawing/timeline/rowfilter.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::int64_t mostTasks = 20'000'000;  // of a group

constexpr std::uint32_t bit(std::uint8_t column) { return 1u << column; }

// The time that single tasks ran themselves; neighbours are in one chunk.
class OwnTimes {
public:
    OwnTimes(const TraceStore& store, TrackId track) : m_store(store), m_refs(store.chunks(ChunkKind::Task, track)) {}

    std::optional<TimeNs> of(std::uint32_t task)
    {
        if (!m_chunk || task < m_chunk->firstRow || task >= m_chunk->firstRow + m_chunk->rows) {
            const auto after = std::ranges::upper_bound(m_refs, std::int64_t{task}, {}, &ChunkRef::firstRow);
            if (after == m_refs.begin() || task >= (after - 1)->firstRow + (after - 1)->rows) return {};
            const auto read = m_store.read(*(after - 1), bit(TaskColumn::Duration) | bit(TaskColumn::Nested));
            if (!read) return {};
            m_chunk = *read;
        }
        const auto row = static_cast<std::uint32_t>(task - m_chunk->firstRow);
        return m_chunk->at(TaskColumn::Duration, row) - m_chunk->at(TaskColumn::Nested, row);
    }

private:
    const TraceStore& m_store;
    std::span<const ChunkRef> m_refs;
    std::shared_ptr<const Chunk> m_chunk;
};

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
        const auto read = store.read(ref, bit(TaskColumn::Begin) | bit(TaskColumn::Duration) | bit(TaskColumn::Nested));
        if (!read) continue;
        const Chunk& rows = **read;
        for (std::uint32_t r = 0; r < rows.rows; ++r) {
            const TimeNs duration = rows.at(TaskColumn::Duration, r);
            if (!filter.passes(duration - rows.at(TaskColumn::Nested, r))) continue;
            const TimeNs begin = rows.at(TaskColumn::Begin, r);
            const TimeNs end = saturatingAdd(begin, std::max<TimeNs>(duration - 1, 0));
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
        OwnTimes times(store, track);
        data.segmentPasses.reserve(data.segments.size());
        for (const RowSegment& segment : data.segments) {
            const std::optional<TimeNs> own = times.of(segment.task);
            data.segmentPasses.push_back(!own || filter->passes(*own) ? 1 : 0);
        }
        return data;
    }
    const std::span<const TrackId> tracks = members.empty() ? std::span(&track, 1) : members;
    if (!members.empty() && tasksOf(store, members) > mostTasks) return data;
    data.binPasses.assign(data.bins.bins.size(), 0);
    for (const TrackId one : tracks) markBins(data, store, one, *filter);
    return data;
}

}  // namespace longpole
