// SPDX-License-Identifier: GPL-3.0-or-later
// TraceStore's answers about single tasks and messages, for which it decodes only a few chunks.
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {
namespace {

constexpr std::uint32_t allFields = 0xffffffffu;

Error noSuchRow(const TraceStore& store, const QString& what)
{
    return Error{.what = tr("There is no %1 in this trace.").arg(what), .where = store.path(), .hint = {}};
}

// For the chunks whose rows begin within [from, to]. Of a trace that has parts of the events the caller has seen to it
// that they are there.
RowLimits beginning(TimeNs from, TimeNs to)
{
    return {.touching = {from, saturatingAdd(to, 1)}, .coverage = Coverage::Kept};
}

// What is not found may be among the events that the trace does not have.
Error notFound(const TraceStore& store, const QString& what)
{
    const Result<> there = requireRows(store, ChunkKind::Task, Coverage::Whole);
    return there ? noSuchRow(store, what) : there.error();
}

// The start of the first task after row `index` that starts at or after `end`: until then creations may belong to the
// end of `index`.
Result<TimeNs> nextTaskBegin(const TraceStore& store, TrackId track, std::uint32_t index, TimeNs end)
{
    auto tasks = store.rows<TaskRow>(track, TaskRow::Begin, beginning(end, maxTime));
    for (const TaskRow& task : tasks)
        if (task.begin() >= end && task.number() > index) return task.begin();
    if (const Result<> read = tasks.result(); !read) return read.error();
    return maxTime;
}

Result<MessageDetail> messageOf(ProcessorId pe, const MessageRow& row, RowSeeker<ExecutionsRow>& executions)
{
    const Result<const ExecutionsRow*> executed = executions.find(row.number());
    if (!executed) return executed.error();
    MessageDetail message;
    message.id = {pe, row.index()};
    if (row.task()) message.source = {pe, static_cast<std::uint32_t>(*row.task())};
    message.sent = row.sent();
    message.sourceOffset = row.offset();
    message.entry = row.entry();
    message.bytes = row.bytes();
    message.kind = row.messageKind();
    message.destinations = row.destinations();
    message.sendDuration = row.duration();
    message.event = row.event();
    message.executions = *executed ? (*executed)->executions() : 0;
    return message;
}

Result<std::vector<TimeRange>> piecesOf(const TraceStore& store, TrackId track, const TaskDetail& task)
{
    std::vector<TimeRange> pieces;
    auto rows = store.rows<PieceRow>(track, PieceRow::All, beginning(task.range.begin, task.range.end));
    for (const PieceRow& row : rows)
        if (row.task() == task.id.index) pieces.push_back(row.range());
    if (const Result<> read = rows.result(); !read) return read.error();
    return pieces;
}

// Source, message and send time from the row of TaskSource.
void setSource(TaskDetail& task, const TaskSourceRow& source)
{
    task.link = source.link();
    if (hasSource(task.link) && source.sourceNumber() >= 0) {
        task.source = {source.sourcePe(), static_cast<std::uint32_t>(source.sourceNumber())};
        task.sourceOffset = source.offset();
    }
    if (!hasSendTime(task.link)) return;
    task.sent = saturatingSubtract(task.range.begin, source.latency());
    if (source.hasMessage()) task.message = {source.creator(), static_cast<std::uint32_t>(*source.messageNumber())};
}

}  // namespace

Result<> requireEvents(const TraceStore& store)
{
    if (store.hasEvents()) return Unit{};
    const bool hasSource = !store.info().source.isEmpty();
    if (store.info().isPart())
        return Error{
            .what = tr(
                "This trace has the events of parts of the run only, and this takes all of them. Its totals, and "
                "what was computed with it, are of the whole run."),
            .where = hasSource ? store.info().source : store.path(),
            .hint = tr("longpole import makes the whole trace of what was recorded; longpole analyze with --keep, "
                       "--keep-ranks or --keep-range keeps more.")};
    return Error{
        .what = tr("This trace is a summary: it holds sums over intervals of %1, no tasks or messages.")
                    .arg(formatTime(store.info().interval)),
        .where = hasSource ? store.info().source : store.path(),
        .hint = tr("Link the program with -tracemode projections instead of summary and run it again: its event "
                   "logs show this.")};
}

Result<> requireRun(const TraceStore& store)
{
    if (!store.info().isFolded()) return Unit{};
    return Error{
        .what = store.words().say(tr("This trace is folded: each of its rows is one iteration of a PE, and no PE."),
                                  tr("This trace is folded: each of its rows is one iteration of a rank, and no "
                                     "rank.")),
        .where = store.path(),
        .hint = tr("Ask the trace that it was made from.")};
}

Result<> requireRows(const TraceStore& store, ChunkKind kind, Coverage coverage)
{
    const bool isSum = kind == ChunkKind::Tile || kind == ChunkKind::EntryBin || kind == ChunkKind::Latency;
    if (isSum || coverage == Coverage::Kept || !store.info().isPart()) return Unit{};
    return requireEvents(store);
}

TimeNs estimatedReceive(TimeNs sent, TimeNs begin, TimeNs leastLatency)
{
    return std::min(begin, saturatingAdd(sent, leastLatency));
}

Result<TaskDetail> TraceStore::task(TaskId id) const
{
    const Processor* processor = this->processor(id.pe);
    if (!processor) return noSuchRow(*this, tr("task %1").arg(toText(id)));
    RowSeeker<TaskRow> tasks(*this, processor->track, allFields, Coverage::Kept);
    const Result<const TaskRow*> found = tasks.find(id.index);
    if (!found) return found.error();
    if (!*found) return notFound(*this, tr("task %1").arg(toText(id)));
    const TaskRow& row = **found;
    if (!isKept(id.pe, row.range())) return requireEvents(*this).error();  // pieces of it may lack

    TaskDetail task;
    task.id = id;
    task.range = row.range();
    task.exclusive = row.exclusive();
    task.entry = row.entry();
    task.outer = {id.pe, static_cast<std::uint32_t>(row.outer())};
    task.objectIndex = row.objectIndex();
    task.bytes = row.bytes();
    task.messageType = row.messageType();
    task.cpu = row.cpu();
    task.pieces = {task.range};
    if (row.hasPieces()) {
        const Result<std::vector<TimeRange>> pieces = piecesOf(*this, processor->track, task);
        if (!pieces) return pieces.error();
        if (!pieces->empty()) task.pieces = *pieces;
    }
    RowSeeker<TaskSourceRow> sources(*this, processor->track, TaskSourceRow::All, Coverage::Kept);
    const Result<const TaskSourceRow*> source = sources.find(id.index);
    if (!source) return source.error();
    if (*source) setSource(task, **source);

    task.received = row.received();
    if (!task.received && task.sent) {
        const Result<std::vector<std::pair<ProcessorId, TimeNs>>> least = leastLatencies(id.pe);
        if (!least) return least.error();
        const ProcessorId creator = (*source)->creator();
        const auto pair = std::ranges::lower_bound(*least, creator, {}, &std::pair<ProcessorId, TimeNs>::first);
        if (pair != least->end() && pair->first == creator) {
            task.received = estimatedReceive(*task.sent, task.range.begin, pair->second);
            task.receivedEstimated = true;
        }
    }
    return task;
}

Result<MessageDetail> TraceStore::message(MessageId id) const
{
    const Processor* processor = this->processor(id.pe);
    if (!processor) return noSuchRow(*this, tr("message %1").arg(toText(id)));
    RowSeeker<MessageRow> messages(*this, processor->track, MessageRow::All, Coverage::Kept);
    RowSeeker<ExecutionsRow> executions(*this, processor->track, ExecutionsRow::Executions, Coverage::Kept);
    const Result<const MessageRow*> row = messages.find(id.index);
    if (!row) return row.error();
    if (!*row) return notFound(*this, tr("message %1").arg(toText(id)));
    return messageOf(id.pe, **row, executions);
}

Result<std::vector<MessageDetail>> TraceStore::messagesOf(TaskId id, const Progress& progress) const
{
    const Result<TaskDetail> task = this->task(id);
    if (!task) return task.error();
    const TrackId track = processor(id.pe)->track;
    const Result<TimeNs> until = nextTaskBegin(*this, track, id.index, task->range.end);
    if (!until) return until.error();
    if (!isKept(id.pe, {task->range.begin, std::min(*until, std::max(info().end, task->range.end))}))
        return requireEvents(*this).error();
    std::vector<MessageDetail> messages;
    RowSeeker<ExecutionsRow> executions(*this, track, ExecutionsRow::Executions, Coverage::Kept);
    auto rows = this->rows<MessageRow>(track, MessageRow::All, beginning(task->range.begin, *until));
    for (const MessageRow& row : rows) {
        if (progress.isCancelled()) return cancelledError();
        if (row.task() != id.index || row.sent() < task->range.begin || row.sent() > *until) continue;
        Result<MessageDetail> message = messageOf(id.pe, row, executions);
        if (!message) return message.error();
        messages.push_back(*message);
    }
    if (const Result<> read = rows.result(); !read) return read.error();
    return messages;
}

Result<std::vector<std::pair<ProcessorId, TimeNs>>> TraceStore::leastLatencies(ProcessorId pe) const
{
    std::vector<std::pair<ProcessorId, TimeNs>> least;
    const Processor* processor = this->processor(pe);
    if (!processor) return least;
    for (const ChunkRef& ref : chunks(ChunkKind::Latency, processor->track)) {
        const Result<std::shared_ptr<const Chunk>> chunk = read(ref);
        if (!chunk) return chunk.error();
        for (std::uint32_t row = 0; row < ref.rows; ++row)
            least.emplace_back(static_cast<ProcessorId>((*chunk)->at(LatencyColumn::SourcePe, row)),
                               (*chunk)->at(LatencyColumn::Least, row));
    }
    std::ranges::sort(least);
    return least;
}

}  // namespace longpole
