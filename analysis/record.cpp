// Columns of each kind -> the fields of a record.
#include "analysis/record.h"

#include "core/tracetables.h"
#include "core/translate.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace longpole {

namespace {

class RecordReader {
public:
    explicit RecordReader(const TraceStore& store) : m_store(store), m_keys(store) {}

    Result<Record> read(const RecordRef& ref)
    {
        const Result<Row> row = rowOf(ref.kind, ref.track, ref.row);
        if (!row) return row.error();
        Record record{.ref = ref, .pe = {}};
        if (const std::optional<std::int64_t> pe = m_keys.pe(ref.track)) record.pe = static_cast<ProcessorId>(*pe);
        if (const int duration = chunkSpec(ref.kind).durationColumn; duration >= 0)
            record.duration = (*row)[static_cast<std::size_t>(duration)];
        const Result<> filled = fill(record, *row);
        if (!filled) return filled.error();
        return record;
    }

private:
    struct Row {
        std::shared_ptr<const Chunk> chunk;
        std::uint32_t row = 0;
        std::int64_t operator[](std::size_t column) const { return chunk->at(column, row); }
    };

    Result<Row> rowOf(ChunkKind kind, TrackId track, std::int64_t row)
    {
        std::shared_ptr<const Chunk>& chunk = m_chunks[{kind, track}];
        if (!chunk || row < chunk->firstRow || row - chunk->firstRow >= chunk->rows) {
            const auto chunks = m_store.chunks(kind, track);
            const auto after = std::upper_bound(chunks.begin(), chunks.end(), row, [](std::int64_t at, const ChunkRef& ref) {
                return at < ref.firstRow;
            });
            if (after == chunks.begin() || row - (after - 1)->firstRow >= (after - 1)->rows)
                return Error{.what = tr("There is no such record in this trace."), .where = m_store.path(), .hint = {}};
            Result<std::shared_ptr<const Chunk>> read = m_store.read(*(after - 1));
            if (!read) return read.error();
            chunk = *read;
        }
        return Row{chunk, static_cast<std::uint32_t>(row - chunk->firstRow)};
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
        record.bytes = row[TaskColumn::Bytes];
        for (std::size_t i = 0; i < record.objectIndex.size(); ++i) record.objectIndex[i] = row[TaskColumn::Index0 + i];
        if (record.pe) record.task = {*record.pe, static_cast<std::uint32_t>(record.ref.row)};
        if (m_store.chunks(ChunkKind::TaskSource, record.ref.track).empty()) return Unit{};
        const Result<Row> source = rowOf(ChunkKind::TaskSource, record.ref.track, record.ref.row);
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
        if (record.pe) {
            record.message = {*record.pe, static_cast<std::uint32_t>(record.ref.row)};
            if (row[MessageColumn::Task] >= 0)
                record.task = {*record.pe, static_cast<std::uint32_t>(row[MessageColumn::Task])};
        }
        if (m_store.chunks(ChunkKind::MessageExecutions, record.ref.track).empty()) return Unit{};
        const Result<Row> executions = rowOf(ChunkKind::MessageExecutions, record.ref.track, record.ref.row);
        if (!executions) return executions.error();
        record.executions = (*executions)[MessageExecutionsColumn::Executions];
        return Unit{};
    }

    const TraceStore& m_store;
    TrackKeys m_keys;
    std::map<std::pair<ChunkKind, TrackId>, std::shared_ptr<const Chunk>> m_chunks;
};

}  // namespace

Result<std::vector<Record>> readRecords(const TraceStore& store, std::span<const RecordRef> refs)
{
    RecordReader reader(store);
    std::vector<Record> records;
    records.reserve(refs.size());
    for (const RecordRef& ref : refs) {
        Result<Record> record = reader.read(ref);
        if (!record) return record.error();
        records.push_back(std::move(*record));
    }
    return records;
}

}  // namespace longpole
