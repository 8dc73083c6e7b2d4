// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of each kind -> the fields of a record.
#include "analysis/statistics/recordfields.h"

#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "core/store/rows.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace longpole {

namespace {

constexpr std::int64_t behind = 16;        // rows kept before those that are asked for
constexpr std::int64_t ahead = 112;        // and after them
constexpr std::size_t mostKept = 200'000;  // records, some 40 MB
constexpr std::size_t fewLanes = 8;        // not worth a thread

std::uint32_t fieldsOf(ChunkKind kind, int dimensions)
{
    if (kind == ChunkKind::Task)
        return TaskRow::Range | TaskRow::Exclusive | TaskRow::Entry | TaskRow::Bytes
               | TaskRow::objectFields(dimensions);
    if (kind == ChunkKind::Message) return MessageRow::All & ~(MessageRow::Offset | MessageRow::MessageType);
    return ~0u;
}

// The records of one kind on one track.
class LaneReader {
public:
    LaneReader(const TraceStore& store, std::optional<ProcessorId> pe, ChunkKind kind, TrackId track, int dimensions)
        : m_store(store), m_pe(pe), m_kind(kind), m_track(track), m_dimensions(dimensions),
          m_sources(store, track, TaskSourceRow::Link | TaskSourceRow::Source | TaskSourceRow::Message),
          m_executions(store, track, ExecutionsRow::Executions)
    {
    }

    Result<Record> read(std::int64_t number)
    {
        if (!m_rows.holds(number)) {
            const ChunkRef* const ref = chunkOf(m_store.chunks(m_kind, m_track), number);
            if (ref == nullptr) return noSuchRecord();
            Result<AnyBlock> read = AnyBlock::read(m_store, *ref, fieldsOf(m_kind, m_dimensions));
            if (!read) return read.error();
            m_rows = std::move(*read);
        }
        const AnyRow row = m_rows.at(number);
        Record record{.ref = refOf(row), .pe = m_pe, .duration = row.duration()};
        const Result<> filled = fill(record, row);
        if (!filled) return filled.error();
        return record;
    }

private:
    Error noSuchRecord() const
    {
        return Error{.what = tr("There is no such record in this trace."), .where = m_store.path(), .hint = {}};
    }

    Result<> fill(Record& record, const AnyRow& any)
    {
        switch (any.kind()) {
        case ChunkKind::Task: return fillTask(record, any.as<TaskRow>());
        case ChunkKind::Message: return fillMessage(record, any.as<MessageRow>());
        case ChunkKind::Overhead: record.detail = any.as<OverheadRow>().overheadKind(); break;
        case ChunkKind::Interval: {
            const auto row = any.as<IntervalRow>();
            record.region = row.region();
            record.value = row.value();
            record.detail = row.depth();
            break;
        }
        case ChunkKind::Counter:
            record.region = any.as<CounterRow>().region();
            record.sample = any.as<CounterRow>().value();
            break;
        case ChunkKind::Mark: {
            const auto row = any.as<MarkRow>();
            record.region = row.region();
            record.value = row.value();
            record.text = row.text();
            if (record.duration == 0) record.duration = -1;
            break;
        }
        case ChunkKind::Hop: {
            const auto row = any.as<HopRow>();
            record.detail = row.hopKind();
            record.from = row.creator();
            record.event = row.event();
            break;
        }
        case ChunkKind::MpiCall:
            record.region = any.as<MpiRow>().region();
            record.bytes = any.as<MpiRow>().bytes();
            break;
        default: break;
        }
        return Unit{};
    }

    Result<> fillTask(Record& record, const TaskRow& task)
    {
        record.entry = task.entry();
        record.exclusive = task.exclusive();
        record.bytes = task.bytes();
        for (int d = 0; d < m_dimensions; ++d)
            record.objectIndex[static_cast<std::size_t>(d)] = task.objectIndex(static_cast<std::size_t>(d));
        if (record.pe) record.task = {*record.pe, task.index()};
        if (m_store.chunks(ChunkKind::TaskSource, m_track).empty()) return Unit{};
        const Result<const TaskSourceRow*> found = m_sources.find(task.number());
        if (!found) return found.error();
        if (*found == nullptr) return noSuchRecord();
        const TaskSourceRow& source = **found;
        if (source.link() == Link::None) return Unit{};
        if (source.link() != Link::NoTask && source.sourceNumber() >= 0)
            record.source = {source.sourcePe(), static_cast<std::uint32_t>(source.sourceNumber())};
        if (source.link() == Link::Block) return Unit{};
        record.from = source.creator();
        if (const std::optional<std::int64_t> message = source.messageNumber())
            record.message = {source.creator(), static_cast<std::uint32_t>(*message)};
        return Unit{};
    }

    Result<> fillMessage(Record& record, const MessageRow& message)
    {
        record.entry = message.entry();
        record.bytes = message.bytes();
        record.messageKind = message.messageKind();
        record.destinations = message.destinations();
        record.event = message.event();
        if (message.duration() > 0) record.duration = message.duration();
        if (record.pe) {
            record.message = {*record.pe, message.index()};
            if (message.task()) record.task = {*record.pe, static_cast<std::uint32_t>(*message.task())};
        }
        if (m_store.chunks(ChunkKind::MessageExecutions, m_track).empty()) return Unit{};
        const Result<const ExecutionsRow*> executions = m_executions.find(message.number());
        if (!executions) return executions.error();
        if (*executions == nullptr) return noSuchRecord();
        record.executions = (*executions)->executions();
        return Unit{};
    }

    const TraceStore& m_store;
    std::optional<ProcessorId> m_pe;
    ChunkKind m_kind;
    TrackId m_track;
    int m_dimensions;
    AnyBlock m_rows;
    RowSeeker<TaskSourceRow> m_sources;
    RowSeeker<ExecutionsRow> m_executions;
};

int dimensionsOf(const TraceStore& store)
{
    int dimensions = 1;
    for (const Chare& chare : store.chares()) dimensions = std::max(dimensions, chare.dimensions);
    return std::min(dimensions, 6);
}

}  // namespace

RecordReader::RecordReader(std::shared_ptr<const TraceStore> store)
    : m_store(std::move(store)), m_keys(*m_store), m_dimensions(dimensionsOf(*m_store))
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
    LaneReader reader(*m_store, pe, wanted.lane.first, wanted.lane.second, m_dimensions);
    const auto add = [&](std::int64_t row) -> Result<> {
        Result<Record> record = reader.read(row);
        if (!record) return record.error();
        wanted.read.push_back(*record);
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
