// SPDX-License-Identifier: GPL-3.0-or-later
// Makes rows of one processor's log: tasks, pieces, messages, idle time and overhead, totals and profile.
#include "importers/projections/processor.h"

#include "core/base/limits.h"
#include "core/base/timerange.h"
#include "core/trace/columns.h"

#include <algorithm>

namespace longpole {
namespace {

OverheadKind overheadKind(SpanKind kind)
{
    switch (kind) {
    case SpanKind::Pack: return OverheadKind::Pack;
    case SpanKind::Unpack: return OverheadKind::Unpack;
    case SpanKind::Flush: return OverheadKind::Flush;
    default: return OverheadKind::Untraced;
    }
}

}  // namespace

void ProjectionsRun::setProcessors(std::int64_t count)
{
    processors = workers = count;
    const std::int64_t perProcess = symbols.pesPerProcess.value_or(0);
    const std::int64_t processes = symbols.processes.value_or(0);
    if (perProcess > 0 && count == processes * (perProcess + 1)) workers = perProcess * processes;
}

void ProjectionsRun::setKnownEntries()
{
    for (const auto& [id, entry] : symbols.entries) {
        if (id >= knownEntries.size()) knownEntries.resize(id + std::size_t{1});
        knownEntries[id] = true;
    }
}

ProjectionsProcessor::ProjectionsProcessor(const ProjectionsRun& run, std::uint32_t pe, RowSink& sink,
                                           Spill& creationSpill, Spill& spill, ImportLog& log)
    : m_run(run), m_pe(pe), m_track(processorTrack(pe)), m_sink(sink), m_creationSpill(creationSpill), m_spill(spill),
      m_log(log), m_nesting(*this, log, run.pendingLimit), m_tiles({run.begin, maxTime}),
      m_entryBins({run.begin, maxTime})
{
    m_result.processor.pe = ProcessorId{pe};
    m_result.processor.track = m_track;
}

void ProjectionsProcessor::setLogBytes(std::int64_t bytes, std::size_t logs)
{
    m_textBytes = std::min(limits::textBytes.free, limits::textShare.shared(bytes, logs));
}

void ProjectionsProcessor::checkEntry(std::uint32_t entry, std::int64_t line)
{
    if (m_run.knows(entry)) return;
    if (!m_run.symbols.entries.empty()) m_log.add(IssueKind::UnknownEntry, line);
    if (entry >= m_unknownEntries.size()) m_unknownEntries.resize(entry + std::size_t{1});
    m_unknownEntries[entry] = true;
}

// A record's time, never before the one above it: rows stay in begin order whatever the log says. Pairs and bracketed
// notes are logged at their end with an earlier time, which stands.
TimeNs ProjectionsProcessor::timeOf(const LogRecord& record, std::int64_t line)
{
    if (record.time < 0) {
        m_log.add(IssueKind::TimeOutOfRange, line);
        return m_now;
    }
    if (record.type == RecordType::UserEventPair || record.type == RecordType::BracketedNote) return record.time;
    if (record.time < m_now) {
        m_log.add(IssueKind::TimeBackwards, line);
        return m_now;
    }
    m_now = record.time;
    return m_now;
}

void ProjectionsProcessor::add(const LogRecord& record, std::int64_t line)
{
    if (record.time == noTime) return;
    const TimeNs time = timeOf(record, line);
    m_first = std::min(m_first.value_or(time), time);  // a pair may stand before what happened earlier
    if (m_hasEnded) m_log.add(IssueKind::RecordAfterEnd, line);
    handle(record, time, line);
}

void ProjectionsProcessor::handle(const LogRecord& record, TimeNs time, std::int64_t line)
{
    switch (record.type) {
    case RecordType::BeginProcessing: return beginProcessing(record, time, line);
    case RecordType::EndProcessing:
        papi(record, time);
        return m_nesting.end(time, record.entry, record.event, record.cpu, line);
    case RecordType::Creation:
    case RecordType::CreationBroadcast:
    case RecordType::CreationMulticast: return creation(record, time, line);
    case RecordType::BeginIdle: return m_nesting.beginSpan(SpanKind::Idle, time, line);
    case RecordType::EndIdle: return m_nesting.endSpan(SpanKind::Idle, time, line);
    case RecordType::BeginPack: return m_nesting.beginSpan(SpanKind::Pack, time, line);
    case RecordType::EndPack: return m_nesting.endSpan(SpanKind::Pack, time, line);
    case RecordType::BeginUnpack: return m_nesting.beginSpan(SpanKind::Unpack, time, line);
    case RecordType::EndUnpack: return m_nesting.endSpan(SpanKind::Unpack, time, line);
    case RecordType::BeginInterrupt: return m_nesting.beginSpan(SpanKind::Flush, time, line);
    case RecordType::EndInterrupt: return m_nesting.endSpan(SpanKind::Flush, time, line);
    case RecordType::BeginTrace: return m_nesting.traceOn(time, *m_first, line);
    case RecordType::EndTrace: return m_nesting.traceOff(time, line);
    case RecordType::EndComputation: m_hasEnded = true; return;
    case RecordType::Enqueue:
    case RecordType::Dequeue:
    case RecordType::MessageReceive: return hop(record, time);
    default: return handleUser(record, time, line);
    }
}

void ProjectionsProcessor::beginProcessing(const LogRecord& record, TimeNs time, std::int64_t line)
{
    checkEntry(record.entry, line);
    ExecutionStart start;
    start.entry = record.entry;
    start.creator = record.pe;
    start.event = record.event;
    start.messageType = record.messageType;
    start.bytes = record.bytes;
    start.received = record.received;
    start.cpu = record.cpu;
    std::copy_n(record.index.begin(), record.indices, start.index.begin());
    papi(record, time);
    m_nesting.begin(time, start, line);
}

void ProjectionsProcessor::creation(const LogRecord& record, TimeNs time, std::int64_t line)
{
    checkEntry(record.entry, line);
    const Nesting::Hook hook = m_nesting.creation(time);
    const bool isHooked = hook.row != noRow;
    if (isHooked) {
        ProfileRow& profile = m_profile[hook.entry];
        ++profile.messages;
        profile.bytes = saturatingAdd(profile.bytes, record.bytes);
    }
    MessageKind kind = MessageKind::Single;
    if (record.type == RecordType::CreationBroadcast) kind = MessageKind::Broadcast;
    if (record.type == RecordType::CreationMulticast) kind = MessageKind::Multicast;

    std::array<std::int64_t, MessageColumn::Count> row;
    row[MessageColumn::Sent] = time;
    row[MessageColumn::Task] = isHooked ? std::int64_t{hook.row} : -1;
    row[MessageColumn::Offset] = hook.offset;
    row[MessageColumn::Entry] = record.entry;
    row[MessageColumn::Bytes] = record.bytes;
    row[MessageColumn::Kind] = static_cast<std::int64_t>(kind);
    row[MessageColumn::Destinations] = record.value;
    row[MessageColumn::Duration] = record.sendDuration;
    row[MessageColumn::Event] = record.event;
    row[MessageColumn::MessageType] = record.messageType;
    m_sink.append(ChunkKind::Message, m_track, row);
    if (m_run.hasBins) m_tiles.message(time, record.bytes);

    const auto event = static_cast<std::uint32_t>(record.event);
    if (isBroadcastType(record.messageType)) {
        m_result.broadcasts.push_back({event, record.entry, 0, m_result.creations.size(), time});
    }
    m_result.creations.add({time, hook.offset, event, hook.row, record.entry, record.messageType}, m_creationSpill);
}

void ProjectionsProcessor::hop(const LogRecord& record, TimeNs time)
{
    HopKind kind = HopKind::Enqueue;
    if (record.type == RecordType::Dequeue) kind = HopKind::Dequeue;
    if (record.type == RecordType::MessageReceive) kind = HopKind::Receive;
    const std::array<std::int64_t, HopColumn::Count> row = {time, static_cast<std::int64_t>(kind), record.pe,
                                                            record.event};
    m_sink.append(ChunkKind::Hop, m_track, row);
}

void ProjectionsProcessor::execution(std::uint32_t, const Execution& execution)
{
    const ExecutionStart& start = execution.start;
    std::array<std::int64_t, TaskColumn::Count> row;
    row[TaskColumn::Begin] = execution.begin;
    row[TaskColumn::Duration] = execution.end - execution.begin;
    row[TaskColumn::Nested] = execution.end - execution.begin - execution.exclusive;
    row[TaskColumn::Entry] = start.entry;
    row[TaskColumn::Outer] = execution.outer;
    row[TaskColumn::Pieces] = std::int64_t{execution.pieces} - 1;
    row[TaskColumn::Bytes] = start.bytes;
    row[TaskColumn::MessageType] = start.messageType;
    row[TaskColumn::Received] = start.received > 0 ? start.received - execution.begin : minTime;
    row[TaskColumn::Cpu] = execution.cpu;
    std::copy(start.index.begin(), start.index.end(), row.begin() + TaskColumn::Index0);
    m_sink.append(ChunkKind::Task, m_track, row);
    if (m_run.hasBins) {
        m_tiles.task(execution.begin);
        m_entryBins.task(execution.begin, EntryId{start.entry});
    }

    ProfileRow& profile = m_profile[start.entry];
    ++profile.count;
    profile.time = saturatingAdd(profile.time, overlap({execution.begin, execution.end}, {m_run.begin, maxTime}));
    m_result.executions.add({.begin = execution.begin,
                             .creator = start.creator,
                             .event = start.event,
                             .entry = start.entry,
                             .isBlock = start.event == -1,
                             .before = execution.before,
                             .beforeOffset = execution.beforeOffset},
                            m_spill);
}

void ProjectionsProcessor::piece(const Span& span, const Execution&)
{
    const std::array<std::int64_t, PieceColumn::Count> row = {span.begin, span.end - span.begin, span.row};
    m_sink.append(ChunkKind::Piece, m_track, row);
}

void ProjectionsProcessor::busy(TimeNs begin, TimeNs end, std::uint32_t entry)
{
    if (!m_waiting.empty()) {
        giveWaiting(begin);
        for (Waiting& waiting : m_waiting) {
            give(waiting.begin, std::min(begin, waiting.end), waiting.kind);
            waiting.begin = std::max(waiting.begin, end);
        }
        std::erase_if(m_waiting, [](const Waiting& waiting) { return waiting.begin >= waiting.end; });
    }
    if (m_run.hasBins) {
        m_tiles.busy(begin, end, EntryId{entry});
        m_entryBins.busy(begin, end, EntryId{entry});
    }
    const TimeNs counted = overlap({begin, end}, {m_run.begin, maxTime});
    addSaturating(m_result.busy, counted);
    addSaturating(m_profile[entry].exclusive, counted);
    m_busyUntil = std::max(m_busyUntil, end);
}

void ProjectionsProcessor::span(const Span& span)
{
    if (span.kind != SpanKind::Idle) {
        const std::array<std::int64_t, OverheadColumn::Count> row = {
            span.begin, span.end - span.begin, static_cast<std::int64_t>(overheadKind(span.kind))};
        m_sink.append(ChunkKind::Overhead, m_track, row);
    }
    giveWaiting(span.begin);
    const TimeNs begin = std::max(span.begin, m_busyUntil);
    if (begin < span.end) m_waiting.push_back({begin, span.end, span.kind});
}

// Hands over the waiting spans that end by `until`: no piece will begin before that.
void ProjectionsProcessor::giveWaiting(TimeNs until)
{
    std::erase_if(m_waiting, [&](const Waiting& waiting) {
        if (waiting.end > until) return false;
        give(waiting.begin, waiting.end, waiting.kind);
        return true;
    });
}

void ProjectionsProcessor::give(TimeNs begin, TimeNs end, SpanKind kind)
{
    if (begin >= end) return;
    const TimeNs counted = overlap({begin, end}, {m_run.begin, maxTime});
    Processor& processor = m_result.processor;
    switch (kind) {
    case SpanKind::Idle: {
        const std::array<std::int64_t, IdleColumn::Count> row = {begin, end - begin};
        m_sink.append(ChunkKind::Idle, m_track, row);
        if (m_run.hasBins) m_tiles.idle(begin, end);
        addSaturating(processor.idle, counted);
        break;
    }
    case SpanKind::Pack:
    case SpanKind::Unpack:
        if (m_run.hasBins) m_tiles.pack(begin, end);
        addSaturating(processor.pack, counted);
        break;
    case SpanKind::Flush: addSaturating(processor.flush, counted); break;
    default: addSaturating(processor.untraced, counted);
    }
}

ProcessorResult ProjectionsProcessor::finish(const ProjectionsLog& source)
{
    const std::int64_t line = source.place();
    if (source.records() == 0) m_log.add(IssueKind::EmptyLog);
    else if (!m_hasEnded) m_log.add(IssueKind::MissingEndOfLog, line);
    m_nesting.finish(m_now, line);
    giveWaiting(maxTime);
    closeOpenPairs();
    emitUserRows();
    if (m_run.hasBins) {
        m_sink.append(m_track, m_tiles.finish());
        m_sink.append(m_track, m_entryBins.finish());
    }

    Processor& processor = m_result.processor;
    processor.firstRecord = m_first.value_or(0);
    processor.lastRecord = m_now;
    processor.records = source.records();
    processor.tasks = m_nesting.rows();
    processor.messages = m_result.creations.size();
    processor.busy = m_result.busy;
    m_result.counts = source.counts();
    m_result.isBinary = source.isBinary();
    m_result.creations.finish(m_creationSpill);
    m_result.executions.finish(m_spill);
    if (m_result.creations.duplicateKeys() > 0)
        m_log.add(IssueKind::DuplicateKey, 0, m_result.creations.duplicateKeys());
    m_profile.forEach([this](std::uint32_t entry, ProfileRow& row) {
        if (row.count == 0 && row.messages == 0) return;
        row.pe = ProcessorId{m_pe};
        row.entry = EntryId{entry};
        m_result.profile.push_back(row);
    });
    for (std::uint32_t entry = 0; entry < m_unknownEntries.size(); ++entry) {
        if (m_unknownEntries[entry]) m_result.unknownEntries.push_back(entry);
    }
    return std::move(m_result);
}

}  // namespace longpole
