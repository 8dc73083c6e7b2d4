// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/tracetables.h"

#include "core/base/translate.h"
#include "core/store/rowscan.h"
#include "core/trace/columns.h"
#include "core/trace/format.h"
#include "core/trace/kindnames.h"

#include <algorithm>
#include <bit>

namespace longpole {
namespace {

constexpr const char* asInteger = "INTEGER";
constexpr const char* asText = "TEXT";
constexpr const char* asReal = "REAL";

// clang-format off
constexpr ViewColumn taskColumns[] = {
    {"task", asText, Field::RowId}, {"pe", asInteger, Field::Pe}, {"entry", asInteger, Field::Entry, TaskColumn::Entry},
    {"begin_ns", asInteger, Field::Begin}, {"end_ns", asInteger, Field::End},
    {"exclusive_ns", asInteger, Field::Exclusive, TaskColumn::Nested}, {"object", asText, Field::Object},
    {"source", asText, Field::Source}, {"source_offset_ns", asInteger, Field::SourceOffset},
    {"sent_ns", asInteger, Field::Sent}, {"received_ns", asInteger, Field::Received},
    {"estimated", asInteger, Field::Estimated}, {"message", asText, Field::MessageId}, {"link", asText, Field::Link},
    {"bytes", asInteger, Field::Raw, TaskColumn::Bytes}, {"cpu_ns", asInteger, Field::Known, TaskColumn::Cpu}};
constexpr ViewColumn messageColumns[] = {
    {"message", asText, Field::RowId}, {"source", asText, Field::TaskOnPe, MessageColumn::Task},
    {"entry", asInteger, Field::Entry, MessageColumn::Entry}, {"sent_ns", asInteger, Field::Begin},
    {"bytes", asInteger, Field::Raw, MessageColumn::Bytes}, {"executions", asInteger, Field::Executions},
    {"kind", asText, Field::MessageKind, MessageColumn::Kind}, {"pe", asInteger, Field::Pe},
    {"destinations", asInteger, Field::Raw, MessageColumn::Destinations}};
constexpr ViewColumn idleColumns[] = {
    {"pe", asInteger, Field::Pe}, {"begin_ns", asInteger, Field::Begin}, {"end_ns", asInteger, Field::End}};
constexpr ViewColumn overheadColumns[] = {
    {"pe", asInteger, Field::Pe}, {"kind", asText, Field::OverheadKind, OverheadColumn::Kind},
    {"begin_ns", asInteger, Field::Begin}, {"end_ns", asInteger, Field::End}};
constexpr ViewColumn intervalColumns[] = {
    {"track", asInteger, Field::Track}, {"depth", asInteger, Field::Raw, IntervalColumn::Depth},
    {"region", asText, Field::RegionName, IntervalColumn::Region}, {"begin_ns", asInteger, Field::Begin},
    {"end_ns", asInteger, Field::End}, {"exclusive_ns", asInteger, Field::Exclusive, IntervalColumn::Nested},
    {"value", asInteger, Field::Raw, IntervalColumn::Value}};
constexpr ViewColumn counterColumns[] = {
    {"track", asInteger, Field::Track}, {"name", asText, Field::RegionName, CounterColumn::Region},
    {"time_ns", asInteger, Field::Begin}, {"value", asReal, Field::RawDouble, CounterColumn::Value},
    {"user_time", asReal, Field::RawDouble, CounterColumn::UserTime}};
constexpr ViewColumn markColumns[] = {
    {"track", asInteger, Field::Track}, {"name", asText, Field::RegionName, MarkColumn::Region},
    {"time_ns", asInteger, Field::Begin}, {"text", asText, Field::Text, MarkColumn::Text},
    {"value", asInteger, Field::Raw, MarkColumn::Value}, {"end_ns", asInteger, Field::End}};
constexpr ViewColumn hopColumns[] = {
    {"pe", asInteger, Field::Pe}, {"time_ns", asInteger, Field::Begin}, {"kind", asText, Field::HopKind, HopColumn::Kind},
    {"creator_pe", asInteger, Field::Raw, HopColumn::CreatorPe}, {"event", asInteger, Field::Raw, HopColumn::Event}};
constexpr ViewColumn mpiCallColumns[] = {
    {"rank", asInteger, Field::Pe}, {"seq", asInteger, Field::Raw, MpiCallColumn::Seq},
    {"call", asText, Field::RegionName, MpiCallColumn::Region}, {"begin_ns", asInteger, Field::Begin},
    {"end_ns", asInteger, Field::End}, {"comm", asInteger, Field::Known, MpiCallColumn::Comm},
    {"peer", asInteger, Field::Known, MpiCallColumn::Peer}, {"tag", asInteger, Field::Known, MpiCallColumn::Tag},
    {"bytes", asInteger, Field::Raw, MpiCallColumn::Bytes},
    {"wait_before_ns", asInteger, Field::Raw, MpiCallColumn::WaitBefore},
    {"execution_ns", asInteger, Field::Raw, MpiCallColumn::Execution},
    {"wait_after_ns", asInteger, Field::Raw, MpiCallColumn::WaitAfter},
    {"pattern", asText, Field::WaitPattern, MpiCallColumn::Pattern},
    {"severity_ns", asInteger, Field::Raw, MpiCallColumn::Severity},
    {"culprit", asInteger, Field::Known, MpiCallColumn::Culprit},
    {"culprit_seq", asInteger, Field::Known, MpiCallColumn::CulpritSeq},
    {"instance", asInteger, Field::Known, MpiCallColumn::Instance},
    {"task", asText, Field::TaskOnPe, MpiCallColumn::Task},
    {"flags", asInteger, Field::Raw, MpiCallColumn::Flags}, {"track", asInteger, Field::Track},
    {"call_path", asInteger, Field::Positive, MpiCallColumn::Path},
    {"sent_bytes", asInteger, Field::Raw, MpiCallColumn::Sent}};
constexpr ViewColumn threadWaitColumns[] = {
    {"rank", asInteger, Field::Pe}, {"track", asInteger, Field::Track},
    {"call", asText, Field::RegionName, ThreadWaitColumn::Region}, {"begin_ns", asInteger, Field::Begin},
    {"end_ns", asInteger, Field::End}, {"wait_ns", asInteger, Field::Raw, ThreadWaitColumn::Wait},
    {"pattern", asText, Field::WaitPattern, ThreadWaitColumn::Pattern},
    {"instance", asInteger, Field::Known, ThreadWaitColumn::Instance},
    {"culprit_track", asInteger, Field::Known, ThreadWaitColumn::Culprit}};
constexpr ViewColumn mergeColumns[] = {
    {"task", asText, Field::TaskOnPe, MergeColumn::Task}, {"pe", asInteger, Field::Pe},
    {"source", asText, Field::SourceRow, MergeColumn::SourceIndex},
    {"source_offset_ns", asInteger, Field::Raw, MergeColumn::Offset},
    {"message", asText, Field::SourceRow, MergeColumn::MessageIndex},
    {"link", asText, Field::MergeLink, MergeColumn::Link}};
// clang-format on

// isOrdered only where one stream writes a track's rows and says that they are in begin order.
constexpr ViewTable allTables[] = {
    {"task", ChunkKind::Task, ChunkKind::TaskSource, taskColumns, true},
    {"message", ChunkKind::Message, ChunkKind::MessageExecutions, messageColumns, false},
    {"idle", ChunkKind::Idle, {}, idleColumns, true},
    {"overhead", ChunkKind::Overhead, {}, overheadColumns, false},
    {"interval", ChunkKind::Interval, {}, intervalColumns, false},
    {"counter", ChunkKind::Counter, {}, counterColumns, false},
    {"mark", ChunkKind::Mark, {}, markColumns, false},
    {"hop", ChunkKind::Hop, {}, hopColumns, false},
    {"mpi_call", ChunkKind::MpiCall, {}, mpiCallColumns, false},
    {"merge", ChunkKind::Merge, {}, mergeColumns, false},
    {"thread_wait", ChunkKind::ThreadWait, {}, threadWaitColumns, false},
};

constexpr std::uint32_t bit(std::uint32_t column) { return 1u << column; }

struct Needs {
    std::uint32_t columns = 0;
    std::uint32_t aligned = 0;
    bool latencies = false;
};

constexpr std::uint32_t creationColumns = bit(TaskSourceColumn::Link) | bit(TaskSourceColumn::Latency);

// What has to be decoded for a cell.
Needs needsOf(const ViewTable& table, const ViewColumn& column)
{
    const ChunkSpec& spec = chunkSpec(table.kind);
    const std::uint32_t time = spec.timeColumn < 0 ? 0 : bit(static_cast<std::uint32_t>(spec.timeColumn));
    const std::uint32_t duration = spec.durationColumn < 0 ? 0 : bit(static_cast<std::uint32_t>(spec.durationColumn));
    switch (column.field) {
    case Field::Pe:
    case Field::Track:
    case Field::RowId: return {};
    case Field::Begin: return {time};
    case Field::End: return {time | duration};
    case Field::Exclusive: return {duration | bit(column.column)};
    case Field::Object: return {bit(TaskColumn::Entry) | 0x3fu << TaskColumn::Index0};
    case Field::Source:
        return {0, bit(TaskSourceColumn::Link) | bit(TaskSourceColumn::SourcePe) | bit(TaskSourceColumn::SourceIndex)};
    case Field::SourceOffset: return {0, bit(TaskSourceColumn::Link) | bit(TaskSourceColumn::Offset)};
    case Field::Link: return {0, bit(TaskSourceColumn::Link)};
    case Field::Sent: return {time, creationColumns};
    case Field::Received:
    case Field::Estimated:
        return {time | bit(TaskColumn::Received), creationColumns | bit(TaskSourceColumn::CreatorPe), true};
    case Field::MessageId:
        return {0,
                bit(TaskSourceColumn::Link) | bit(TaskSourceColumn::MessageIndex) | bit(TaskSourceColumn::CreatorPe)};
    case Field::Executions: return {0, bit(MessageExecutionsColumn::Executions)};
    case Field::SourceRow: return {bit(MergeColumn::SourcePe) | bit(column.column)};
    default: return {bit(column.column)};
    }
}

std::string utf8(const QString& string) { return string.toStdString(); }

ViewValue nameIn(std::initializer_list<const char*> names, std::int64_t number)
{
    if (number < 0 || number >= static_cast<std::int64_t>(names.size())) return number;
    return std::string(names.begin()[number]);
}

ViewValue linkName(std::int64_t link)
{
    return nameIn({"none", "message", "repaired_broadcast", "block", "no_task", "collective", "forwarded",
                   "rendezvous"},
                  link);
}

// What is kept can be asked for.
Error notKept(Error error)
{
    error.hint = tr(
        "Ask for what is kept: SELECT task.* FROM kept JOIN task ON task.pe = kept.pe AND task.begin_ns "
        "BETWEEN kept.begin_ns AND kept.end_ns. longpole import makes the whole trace.");
    return error;
}

// What a link says of its row of TaskSource.
bool hasSource(std::int64_t link) { return hasSource(static_cast<Link>(link)); }
bool hasSendTime(std::int64_t link) { return hasSendTime(static_cast<Link>(link)); }

}  // namespace

std::span<const ViewTable> viewTables() { return allTables; }

TrackKeys::TrackKeys(const TraceStore& store)
{
    for (const Track& track : store.tracks())
        if (track.pe) m_peOfTrack.emplace_back(track.id, index(*track.pe));
    for (const Processor& processor : store.processors())
        m_peOfTrack.emplace_back(processor.track, index(processor.pe));
    std::ranges::sort(m_peOfTrack);
    const auto sameTrack = [](const auto& a, const auto& b) { return a.first == b.first; };
    m_peOfTrack.erase(std::unique(m_peOfTrack.begin(), m_peOfTrack.end(), sameTrack), m_peOfTrack.end());
    for (const auto& [track, pe] : m_peOfTrack) m_tracksOfPe.emplace_back(pe, track);
    std::ranges::sort(m_tracksOfPe);
}

std::optional<std::int64_t> TrackKeys::pe(TrackId track) const
{
    const auto found = std::ranges::lower_bound(m_peOfTrack, track, {}, &std::pair<TrackId, std::int64_t>::first);
    if (found == m_peOfTrack.end() || found->first != track) return {};
    return found->second;
}

std::span<const std::pair<std::int64_t, TrackId>> TrackKeys::tracksOf(std::int64_t pe) const
{
    const auto key = &std::pair<std::int64_t, TrackId>::first;
    return {std::ranges::lower_bound(m_tracksOfPe, pe, {}, key), std::ranges::upper_bound(m_tracksOfPe, pe, {}, key)};
}

TraceRows::TraceRows(const TraceStore& store, const TrackKeys& keys, const ViewTable& table, std::uint64_t used,
                     const RowFilter& filter)
    : m_store(store), m_keys(keys), m_table(table), m_filter(filter)
{
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].field == Field::Pe) m_hasPe = true;
        if ((used >> c & 1) == 0) continue;
        const Needs needs = needsOf(table, table.columns[c]);
        m_columns |= needs.columns;
        m_alignedColumns |= needs.aligned;
        m_needsLatencies = m_needsLatencies || needs.latencies;
    }
    const ChunkSpec& spec = chunkSpec(table.kind);
    m_filtersRows = filter.firstBegin != minTime || filter.lastBegin != maxTime;
    if (m_filtersRows) m_columns |= bit(static_cast<std::uint32_t>(spec.timeColumn));
    selectChunks(filter);
    if (m_needsLatencies) countLatencyChunks();
}

void TraceRows::selectChunks(const RowFilter& filter)
{
    if (m_store.info().isPart()) return selectKept(filter);
    if (filter.rowId) {
        const Result<TaskId> id = parseTaskId(QString::fromStdString(*filter.rowId));
        if (!id || utf8(toText(*id)) != *filter.rowId) return;  // SQL compares text, and "01:2" is none of ours
        const Processor* processor = m_store.processor(id->pe);
        if (!processor) return;
        const ChunkRef* const chunk = chunkOf(m_store.chunks(m_table.kind, processor->track), id->index);
        if (!chunk) return;
        m_chunks.emplace_back(chunk, 1);
        m_onlyRow = id->index;
        return;
    }
    if (filter.firstKey == filter.lastKey) {
        if (!m_hasPe && filter.firstKey >= 0 && filter.firstKey <= 0xffffffff)
            m_chunks.push_back(m_store.chunks(m_table.kind, static_cast<TrackId>(filter.firstKey)));
        if (m_hasPe)
            for (const auto& [pe, track] : m_keys.tracksOf(filter.firstKey))
                m_chunks.push_back(m_store.chunks(m_table.kind, track));
        return;
    }
    m_chunks.push_back(m_store.chunks(m_table.kind));
}

// Whether a processor has all rows that pass the filter: those that begin or end in a time that is kept, or reach over
// it. What has no times is kept with the whole run only.
bool TraceRows::isKept(std::int64_t pe) const
{
    const auto keeps = [&](TimeNs begin, TimeNs end) {
        const TimeRange run = m_store.info().range();
        const TimeRange asked{std::max(begin, run.begin), std::min(end, run.end)};
        return asked.begin > asked.end || m_store.isKept(static_cast<ProcessorId>(pe), asked);
    };
    if (chunkSpec(m_table.kind).timeColumn < 0) return keeps(minTime, maxTime);
    if (keeps(m_filter.firstBegin, m_filter.lastBegin) || keeps(m_filter.firstEnd, m_filter.lastEnd)) return true;
    const TimeNs from = std::min(m_filter.firstEnd, m_filter.lastBegin);
    return m_filter.firstEnd != minTime && m_filter.lastBegin != maxTime && keeps(from, m_filter.lastBegin);
}

// Nothing is selected if a row may pass the filter that is not kept.
void TraceRows::selectKept(const RowFilter& filter)
{
    if (filter.rowId) {
        const Result<TaskId> id = parseTaskId(QString::fromStdString(*filter.rowId));
        const Processor* const processor = id ? m_store.processor(id->pe) : nullptr;
        m_coverage = Coverage::Kept;
        if (processor == nullptr || utf8(toText(*id)) != *filter.rowId) return;  // as in a trace with all events
        const ChunkRef* const chunk = chunkOf(m_store.keptChunks(m_table.kind, processor->track), id->index);
        if (chunk == nullptr) m_coverage = Coverage::Whole;
        else m_chunks.emplace_back(chunk, 1);
        m_onlyRow = id->index;
        return;
    }
    const auto select = [this](TrackId track) {
        const std::optional<std::int64_t> pe = m_keys.pe(track);
        const bool isThere = pe && isKept(*pe);
        if (isThere) m_chunks.push_back(m_store.keptChunks(m_table.kind, track));
        return isThere;
    };
    bool isThere = true;
    if (m_hasPe && filter.firstKey == filter.lastKey) {
        for (const auto& [pe, track] : m_keys.tracksOf(filter.firstKey)) isThere = isThere && select(track);
    } else {
        for (const Track& track : m_store.tracks()) {
            const std::optional<std::int64_t> key = m_hasPe ? m_keys.pe(track.id) : std::int64_t{index(track.id)};
            if (key && *key >= filter.firstKey && *key <= filter.lastKey) isThere = isThere && select(track.id);
        }
    }
    if (isThere) m_coverage = Coverage::Kept;
    else m_chunks.clear();
}

bool TraceRows::isWanted(const ChunkRef& ref) const
{
    if (ref.lastBegin < m_filter.firstBegin || ref.firstBegin > m_filter.lastBegin) return false;
    if (ref.maxEnd < m_filter.firstEnd || ref.firstBegin > m_filter.lastEnd) return false;
    const bool bounded = m_filter.firstKey != minTime || m_filter.lastKey != maxTime;
    if (!bounded) return true;
    const std::optional<std::int64_t> key = m_hasPe ? m_keys.pe(ref.track) : std::int64_t{index(ref.track)};
    return key && *key >= m_filter.firstKey && *key <= m_filter.lastKey;
}

// Chunks of a PE need not follow each other.
void TraceRows::countLatencyChunks()
{
    for (const std::span<const ChunkRef> chunks : m_chunks)
        for (const ChunkRef& ref : chunks)
            if (const auto pe = m_keys.pe(ref.track); pe && isWanted(ref))
                ++m_latencies[static_cast<ProcessorId>(*pe)].chunksLeft;
}

// Moves to the next chunk that may hold rows, before its first row.
Result<bool> TraceRows::openNext()
{
    if (const Result<> there = requireRows(m_store, m_table.kind, m_coverage); !there) return notKept(there.error());
    for (; m_span < m_chunks.size(); ++m_span, m_nextChunk = 0) {
        const std::span<const ChunkRef> chunks = m_chunks[m_span];
        while (m_nextChunk < chunks.size() && !isWanted(chunks[m_nextChunk])) ++m_nextChunk;
        if (m_nextChunk == chunks.size()) continue;
        const ChunkRef& ref = chunks[m_nextChunk++];
        if (m_columns != 0) {
            const Result<std::shared_ptr<const Chunk>> chunk = m_store.read(ref, m_columns, m_coverage);
            if (!chunk) return chunk.error();
            m_chunk = *chunk;
        }
        m_track = ref.track;
        m_pe = m_keys.pe(ref.track);
        m_chunkRow = ref.firstRow;
        m_rows = ref.rows;
        m_aligned.reset();
        if (m_needsLatencies)
            if (const Result<> read = readLatencies(); !read) return read.error();
        return true;
    }
    return false;
}

Result<> TraceRows::readLatencies()
{
    if (m_latenciesHere != nullptr && m_latenciesHere->chunksLeft == 0) m_latenciesHere->least = {};
    m_latenciesHere = nullptr;
    if (!m_pe) return Unit{};
    const auto pe = static_cast<ProcessorId>(*m_pe);
    Latencies& latencies = m_latencies[pe];
    --latencies.chunksLeft;
    if (!latencies.isRead) {
        Result<std::vector<std::pair<ProcessorId, TimeNs>>> least = m_store.leastLatencies(pe);
        if (!least) return least.error();
        latencies.least = std::move(least).value();
        latencies.isRead = true;
    }
    m_latenciesHere = &latencies;
    return Unit{};
}

// The row of the aligned kind that belongs to the current one.
Result<> TraceRows::readAligned()
{
    const std::int64_t row = rowNumber();
    if (m_aligned && row - m_aligned->firstRow < m_aligned->rows && row >= m_aligned->firstRow) {
        m_alignedRow = static_cast<std::uint32_t>(row - m_aligned->firstRow);
        return Unit{};
    }
    m_aligned.reset();
    const ChunkRef* const ref = chunkOf(m_coverage == Coverage::Kept ? m_store.keptChunks(*m_table.aligned, m_track)
                                                                     : m_store.chunks(*m_table.aligned, m_track),
                                        row);
    if (!ref) return Unit{};
    const Result<std::shared_ptr<const Chunk>> chunk = m_store.read(*ref, m_alignedColumns, m_coverage);
    if (!chunk) return chunk.error();
    m_aligned = *chunk;
    m_alignedRow = static_cast<std::uint32_t>(row - m_aligned->firstRow);
    return Unit{};
}

bool TraceRows::passes(std::uint32_t row) const
{
    if (m_onlyRow && m_chunkRow + row != *m_onlyRow) return false;
    if (!m_filtersRows) return true;
    const TimeNs begin = m_chunk->at(static_cast<std::size_t>(chunkSpec(m_table.kind).timeColumn), row);
    return begin >= m_filter.firstBegin && begin <= m_filter.lastBegin;
}

Result<bool> TraceRows::next()
{
    std::uint32_t row = m_isOpen ? m_row + 1 : 0;
    for (;;) {
        if (m_isOpen) {
            while (row < m_rows && !passes(row)) ++row;
            if (row < m_rows) break;
        }
        const Result<bool> opened = openNext();
        if (!opened || !*opened) return opened;
        m_isOpen = true;
        row = 0;
    }
    m_row = row;
    if (m_alignedColumns != 0)
        if (const Result<> read = readAligned(); !read) return read.error();
    return true;
}

std::string TraceRows::rowIdText(std::int64_t pe, std::int64_t row) const
{
    return std::to_string(pe) + ':' + std::to_string(row);
}

ViewValue TraceRows::value(std::size_t column) const { return fieldValue(m_table.columns[column]); }

ViewValue TraceRows::fieldValue(const ViewColumn& column) const
{
    const ChunkSpec& spec = chunkSpec(m_table.kind);
    const auto time = [&] { return cell(static_cast<std::size_t>(spec.timeColumn)); };
    const auto duration = [&] { return cell(static_cast<std::size_t>(spec.durationColumn)); };
    switch (column.field) {
    case Field::Raw: return cell(column.column);
    case Field::RawDouble: return std::bit_cast<double>(cell(column.column));
    case Field::Pe: return m_pe ? ViewValue(*m_pe) : ViewValue();
    case Field::Track: return std::int64_t{index(m_track)};
    case Field::RowId: return m_pe ? ViewValue(rowIdText(*m_pe, rowNumber())) : ViewValue();
    case Field::Begin: return time();
    case Field::End: return spec.durationColumn < 0 ? time() : saturatingAdd(time(), duration());
    case Field::Exclusive: return saturatingSubtract(duration(), cell(column.column));
    case Field::Entry:
        return cell(column.column) == index(noEntry) || cell(column.column) < 0 ? ViewValue() : cell(column.column);
    case Field::RegionName: {
        const Region* region = m_store.region(static_cast<RegionId>(cell(column.column)));
        return region ? ViewValue(utf8(region->name)) : ViewValue();
    }
    case Field::Text: return cell(column.column) < 0 ? ViewValue() : utf8(m_store.text(cell(column.column)));
    case Field::OverheadKind: return nameIn({"pack", "unpack", "flush", "untraced"}, cell(column.column));
    case Field::WaitPattern: return std::string(nameOf(static_cast<WaitPattern>(cell(column.column))));
    case Field::HopKind: return nameIn({"enqueue", "dequeue", "receive"}, cell(column.column));
    case Field::MessageKind: return nameIn({"single", "broadcast", "multicast"}, cell(column.column));
    case Field::Known: return cell(column.column) < 0 ? ViewValue() : cell(column.column);
    case Field::Positive: return cell(column.column) <= 0 ? ViewValue() : cell(column.column);
    case Field::TaskOnPe: return cell(column.column) < 0 || !m_pe ? ViewValue() : rowIdText(*m_pe, cell(column.column));
    case Field::MergeLink: return linkName(cell(column.column));
    case Field::SourceRow:
        return cell(column.column) < 0 ? ViewValue() : rowIdText(cell(MergeColumn::SourcePe), cell(column.column));
    case Field::Executions: return m_aligned ? alignedCell(MessageExecutionsColumn::Executions) : std::int64_t{0};
    case Field::Object: {
        const Entry* entry = m_store.entry(static_cast<EntryId>(cell(TaskColumn::Entry)));
        if (!entry) return {};
        std::array<std::int64_t, 6> objectIndex{};
        for (std::size_t i = 0; i < objectIndex.size(); ++i) objectIndex[i] = cell(TaskColumn::Index0 + i);
        const auto chare = std::ranges::lower_bound(m_store.chares(), entry->chareId, {}, &Chare::id);
        const bool known = chare != m_store.chares().end() && chare->id == entry->chareId;
        return utf8(objectName(known ? *chare : Chare{.id = {}, .name = entry->chare}, objectIndex));
    }
    default: return sourceValue(column);
    }
}

// Cells that come from the task's row of TaskSource.
ViewValue TraceRows::sourceValue(const ViewColumn& column) const
{
    if (column.field == Field::Received) return received(false);
    if (column.field == Field::Estimated) return received(true);
    const std::int64_t link = m_aligned ? alignedCell(TaskSourceColumn::Link) : std::int64_t(Link::None);
    switch (column.field) {
    case Field::Link: return linkName(link);
    case Field::Source:
        if (!hasSource(link) || alignedCell(TaskSourceColumn::SourceIndex) < 0) return {};
        return rowIdText(alignedCell(TaskSourceColumn::SourcePe), alignedCell(TaskSourceColumn::SourceIndex));
    case Field::SourceOffset: return hasSource(link) ? ViewValue(alignedCell(TaskSourceColumn::Offset)) : ViewValue();
    case Field::MessageId:
        if (!hasSendTime(link) || alignedCell(TaskSourceColumn::MessageIndex) < 0) return {};
        return rowIdText(alignedCell(TaskSourceColumn::CreatorPe), alignedCell(TaskSourceColumn::MessageIndex));
    case Field::Sent:
        if (!hasSendTime(link)) return {};
        return saturatingSubtract(cell(TaskColumn::Begin), alignedCell(TaskSourceColumn::Latency));
    default: return {};
    }
}

// The receive time, or whether it is an estimate (1, 0; nothing without a receive time).
ViewValue TraceRows::received(bool asFlag) const
{
    const TimeNs begin = cell(TaskColumn::Begin);
    if (cell(TaskColumn::Received) != minTime)
        return asFlag ? std::int64_t{0} : saturatingAdd(begin, cell(TaskColumn::Received));
    if (!m_aligned || !hasSendTime(alignedCell(TaskSourceColumn::Link)) || m_latenciesHere == nullptr) return {};
    const auto creator = static_cast<ProcessorId>(alignedCell(TaskSourceColumn::CreatorPe));
    const auto& least = m_latenciesHere->least;
    const auto pair = std::ranges::lower_bound(least, creator, {}, &std::pair<ProcessorId, TimeNs>::first);
    if (pair == least.end() || pair->first != creator) return {};
    const TimeNs sent = saturatingSubtract(begin, alignedCell(TaskSourceColumn::Latency));
    return asFlag ? std::int64_t{1} : estimatedReceive(sent, begin, pair->second);
}

}  // namespace longpole
