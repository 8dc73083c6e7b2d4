// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of each kind -> the fields of a record.
#include "analysis/statistics/recordfields.h"

#include "core/base/parallel.h"
#include "core/base/translate.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>

namespace longpole {

namespace {

constexpr std::int64_t behind = 16;        // rows kept before those that are asked for
constexpr std::int64_t ahead = 112;        // and after them
constexpr std::size_t mostKept = 200'000;  // records, some 40 MB
constexpr std::size_t fewLanes = 8;        // not worth a thread

constexpr std::uint32_t bits(std::initializer_list<int> columns)
{
    std::uint32_t mask = 0;
    for (const int column : columns) mask |= 1u << column;
    return mask;
}

std::uint32_t columnsOf(ChunkKind kind, std::uint32_t objectColumns)
{
    if (kind == ChunkKind::Task)
        return bits({TaskColumn::Begin, TaskColumn::Duration, TaskColumn::Nested, TaskColumn::Entry, TaskColumn::Bytes})
               | objectColumns;
    if (kind == ChunkKind::TaskSource)
        return bits({TaskSourceColumn::Link, TaskSourceColumn::SourcePe, TaskSourceColumn::SourceIndex,
                     TaskSourceColumn::MessageIndex, TaskSourceColumn::CreatorPe});
    if (kind == ChunkKind::Message)
        return bits({MessageColumn::Sent, MessageColumn::Task, MessageColumn::Entry, MessageColumn::Bytes,
                     MessageColumn::Kind, MessageColumn::Destinations, MessageColumn::Duration, MessageColumn::Event});
    return ~0u;
}

// The records of one kind on one track.
class LaneReader {
public:
    LaneReader(const TraceStore& store, std::optional<ProcessorId> pe, ChunkKind kind, TrackId track,
               std::uint32_t objectColumns)
        : m_store(store), m_pe(pe), m_kind(kind), m_track(track), m_objectColumns(objectColumns)
    {
    }

    Result<Record> read(std::int64_t number)
    {
        const Result<Row> row = rowOf(m_kind, number);
        if (!row) return row.error();
        const ChunkSpec& spec = chunkSpec(m_kind);
        Record record{.ref = {(*row)[static_cast<std::size_t>(spec.timeColumn)], m_track, m_kind, number}, .pe = m_pe};
        if (spec.durationColumn >= 0) record.duration = (*row)[static_cast<std::size_t>(spec.durationColumn)];
        const Result<> filled = fill(record, *row);
        if (!filled) return filled.error();
        return record;
    }

private:
    struct Row {
        const Chunk* chunk = nullptr;
        std::uint32_t row = 0;
        std::int64_t operator[](std::size_t column) const { return chunk->at(column, row); }
    };

    Result<Row> rowOf(ChunkKind kind, std::int64_t row)
    {
        std::shared_ptr<const Chunk>& chunk = kind == m_kind ? m_chunk : m_aligned;
        if (!chunk || row < chunk->firstRow || row - chunk->firstRow >= chunk->rows) {
            const auto chunks = m_store.chunks(kind, m_track);
            const auto after = std::upper_bound(chunks.begin(), chunks.end(), row,
                                                [](std::int64_t at, const ChunkRef& ref) { return at < ref.firstRow; });
            if (after == chunks.begin() || row - (after - 1)->firstRow >= (after - 1)->rows)
                return Error{.what = tr("There is no such record in this trace."), .where = m_store.path(), .hint = {}};
            Result<std::shared_ptr<const Chunk>> read = m_store.read(*(after - 1), columnsOf(kind, m_objectColumns));
            if (!read) return read.error();
            chunk = *read;
        }
        return Row{chunk.get(), static_cast<std::uint32_t>(row - chunk->firstRow)};
    }

    Result<> fill(Record& record, const Row& row)
    {
        switch (record.ref.kind) {
        case ChunkKind::Task: return fillTask(record, row);
        case ChunkKind::Message: return fillMessage(record, row);
        case ChunkKind::Overhead: record.detail = row[OverheadColumn::Kind]; break;
        case ChunkKind::Interval:
            record.region = static_cast<RegionId>(row[IntervalColumn::Region]);
            record.value = row[IntervalColumn::Value];
            record.detail = row[IntervalColumn::Depth];
            break;
        case ChunkKind::Counter:
            record.region = static_cast<RegionId>(row[CounterColumn::Region]);
            record.sample = std::bit_cast<double>(row[CounterColumn::Value]);
            break;
        case ChunkKind::Mark:
            record.region = static_cast<RegionId>(row[MarkColumn::Region]);
            record.value = row[MarkColumn::Value];
            record.text = row[MarkColumn::Text];
            if (record.duration == 0) record.duration = -1;
            break;
        case ChunkKind::Hop:
            record.detail = row[HopColumn::Kind];
            record.from = static_cast<ProcessorId>(row[HopColumn::CreatorPe]);
            record.event = row[HopColumn::Event];
            break;
        case ChunkKind::MpiCall:
            record.region = static_cast<RegionId>(row[MpiCallColumn::Region]);
            record.bytes = row[MpiCallColumn::Bytes];
            break;
        default: break;
        }
        return Unit{};
    }

    Result<> fillTask(Record& record, const Row& row)
    {
        record.entry = static_cast<EntryId>(row[TaskColumn::Entry]);
        record.exclusive = saturatingSubtract(row[TaskColumn::Duration], row[TaskColumn::Nested]);
        record.bytes = row[TaskColumn::Bytes];
        for (std::size_t i = 0; i < record.objectIndex.size(); ++i)
            if (m_objectColumns >> (TaskColumn::Index0 + i) & 1) record.objectIndex[i] = row[TaskColumn::Index0 + i];
        if (record.pe) record.task = {*record.pe, static_cast<std::uint32_t>(record.ref.row)};
        if (m_store.chunks(ChunkKind::TaskSource, record.ref.track).empty()) return Unit{};
        const Result<Row> source = rowOf(ChunkKind::TaskSource, record.ref.row);
        if (!source) return source.error();
        const auto link = static_cast<Link>((*source)[TaskSourceColumn::Link]);
        if (link == Link::None) return Unit{};
        const auto pe = static_cast<ProcessorId>((*source)[TaskSourceColumn::SourcePe]);
        if (link != Link::NoTask && (*source)[TaskSourceColumn::SourceIndex] >= 0)
            record.source = {pe, static_cast<std::uint32_t>((*source)[TaskSourceColumn::SourceIndex])};
        if (link == Link::Block) return Unit{};
        record.from = static_cast<ProcessorId>((*source)[TaskSourceColumn::CreatorPe]);
        if ((*source)[TaskSourceColumn::MessageIndex] >= 0)
            record.message = {*record.from, static_cast<std::uint32_t>((*source)[TaskSourceColumn::MessageIndex])};
        return Unit{};
    }

    Result<> fillMessage(Record& record, const Row& row)
    {
        record.entry = static_cast<EntryId>(row[MessageColumn::Entry]);
        record.bytes = row[MessageColumn::Bytes];
        record.messageKind = static_cast<MessageKind>(row[MessageColumn::Kind]);
        record.destinations = row[MessageColumn::Destinations];
        record.event = row[MessageColumn::Event];
        if (row[MessageColumn::Duration] > 0) record.duration = row[MessageColumn::Duration];
        if (record.pe) {
            record.message = {*record.pe, static_cast<std::uint32_t>(record.ref.row)};
            if (row[MessageColumn::Task] >= 0)
                record.task = {*record.pe, static_cast<std::uint32_t>(row[MessageColumn::Task])};
        }
        if (m_store.chunks(ChunkKind::MessageExecutions, record.ref.track).empty()) return Unit{};
        const Result<Row> executions = rowOf(ChunkKind::MessageExecutions, record.ref.row);
        if (!executions) return executions.error();
        record.executions = (*executions)[MessageExecutionsColumn::Executions];
        return Unit{};
    }

    const TraceStore& m_store;
    std::optional<ProcessorId> m_pe;
    ChunkKind m_kind;
    TrackId m_track;
    std::uint32_t m_objectColumns;
    std::shared_ptr<const Chunk> m_chunk;
    std::shared_ptr<const Chunk> m_aligned;  // TaskSource or MessageExecutions
};

std::uint32_t objectColumnsOf(const TraceStore& store)
{
    int dimensions = 1;
    for (const Chare& chare : store.chares()) dimensions = std::max(dimensions, chare.dimensions);
    return ((1u << std::min(dimensions, 6)) - 1) << TaskColumn::Index0;
}

}  // namespace

RecordReader::RecordReader(std::shared_ptr<const TraceStore> store)
    : m_store(std::move(store)), m_keys(*m_store), m_objectColumns(objectColumnsOf(*m_store))
{
}

const Record* RecordReader::kept(const RecordRef& ref) const
{
    const auto lane = m_rows.find({ref.kind, ref.track});
    if (lane == m_rows.end()) return nullptr;
    const auto at = std::lower_bound(lane->second.begin(), lane->second.end(), ref.row,
                                     [](const Record& record, std::int64_t row) { return record.ref.row < row; });
    return at != lane->second.end() && at->ref.row == ref.row ? &*at : nullptr;
}

// All that is asked for of the lanes of which something is not kept.
std::vector<RecordReader::Wanted> RecordReader::missing(std::span<const RecordRef> refs) const
{
    std::map<Lane, Wanted> lanes;
    for (const RecordRef& ref : refs)
        if (!kept(ref)) lanes.try_emplace(Lane{ref.kind, ref.track}, Wanted{.lane = {ref.kind, ref.track}});
    for (const RecordRef& ref : refs)
        if (const auto lane = lanes.find({ref.kind, ref.track}); lane != lanes.end())
            lane->second.rows.push_back(ref.row);
    std::vector<Wanted> wanted;
    for (auto& [lane, want] : lanes) {
        std::sort(want.rows.begin(), want.rows.end());
        want.rows.erase(std::unique(want.rows.begin(), want.rows.end()), want.rows.end());
        wanted.push_back(std::move(want));
    }
    return wanted;
}

// With their neighbours, unless they are far between.
Result<> RecordReader::load(Wanted& wanted) const
{
    std::optional<ProcessorId> pe;
    if (const std::optional<std::int64_t> known = m_keys.pe(wanted.lane.second)) pe = static_cast<ProcessorId>(*known);
    LaneReader reader(*m_store, pe, wanted.lane.first, wanted.lane.second, m_objectColumns);
    const auto add = [&](std::int64_t row) -> Result<> {
        Result<Record> record = reader.read(row);
        if (!record) return record.error();
        wanted.read.push_back(std::move(*record));
        return Unit{};
    };
    const std::int64_t span = wanted.rows.back() - wanted.rows.front();
    if (span > ahead * static_cast<std::int64_t>(wanted.rows.size())) {
        for (const std::int64_t row : wanted.rows)
            if (const Result<> added = add(row); !added) return added;
        return Unit{};
    }
    const auto chunks = m_store->chunks(wanted.lane.first, wanted.lane.second);
    const std::int64_t all = chunks.empty() ? 0 : chunks.back().firstRow + chunks.back().rows;
    const std::int64_t end = std::max(wanted.rows.back() + 1, std::min(all, wanted.rows.back() + ahead));
    for (std::int64_t row = std::max<std::int64_t>(0, wanted.rows.front() - behind); row < end; ++row)
        if (const Result<> added = add(row); !added) return added;
    return Unit{};
}

Result<std::vector<Record>> RecordReader::read(std::span<const RecordRef> refs)
{
    const std::lock_guard guard(m_lock);
    if (m_kept > mostKept) {
        m_rows.clear();
        m_kept = 0;
    }
    std::vector<Wanted> wanted = missing(refs);
    std::vector<std::optional<Error>> errors(wanted.size());
    const auto loadOne = [&](std::size_t i) {
        if (const Result<> loaded = load(wanted[i]); !loaded) errors[i] = loaded.error();
    };
    parallelFor(wanted.size(), loadOne, wanted.size() < fewLanes ? 1 : 0);
    for (const std::optional<Error>& error : errors)
        if (error) return *error;
    for (Wanted& want : wanted) {
        Rows& rows = m_rows[want.lane];
        m_kept += want.read.size() - rows.size();
        rows = std::move(want.read);
    }
    std::vector<Record> records;
    records.reserve(refs.size());
    for (const RecordRef& ref : refs) records.push_back(*kept(ref));
    return records;
}

}  // namespace longpole
