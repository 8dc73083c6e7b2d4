// SPDX-License-Identifier: GPL-3.0-or-later
// TraceStore's answers about single tasks and messages, for which it decodes only a few chunks.
#include "core/base/translate.h"
#include "core/store/tracestore.h"
#include "core/trace/columns.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {
namespace {

// A row with the chunk that holds it.
struct Row {
    std::shared_ptr<const Chunk> chunk;
    std::uint32_t row = 0;

    std::int64_t operator[](std::size_t column) const { return chunk->at(column, row); }
};

Error noSuchRow(const TraceStore& store, const QString& what)
{
    return Error{.what = tr("There is no %1 in this trace.").arg(what), .where = store.path(), .hint = {}};
}

// Nothing if the track has fewer rows of the kind.
Result<std::optional<Row>> rowAt(const TraceStore& store, ChunkKind kind, TrackId track, std::int64_t row)
{
    const auto chunks = store.chunks(kind, track);
    const auto after = std::ranges::upper_bound(chunks, row, {}, &ChunkRef::firstRow);
    if (after == chunks.begin()) return std::optional<Row>();
    const ChunkRef& ref = *(after - 1);
    if (row - ref.firstRow >= ref.rows) return std::optional<Row>();
    const Result<std::shared_ptr<const Chunk>> chunk = store.read(ref);
    if (!chunk) return chunk.error();
    return std::optional(Row{*chunk, static_cast<std::uint32_t>(row - ref.firstRow)});
}

// Calls visit(chunk, row) for the rows that begin within [from, to], in their order; stops when it returns false.
Result<> visitRows(const TraceStore& store, ChunkKind kind, TrackId track, TimeNs from, TimeNs to, auto visit)
{
    const auto time = static_cast<std::size_t>(chunkSpec(kind).timeColumn);
    for (const ChunkRef& ref : store.chunks(kind, track)) {
        if (ref.lastBegin < from || ref.firstBegin > to) continue;
        const Result<std::shared_ptr<const Chunk>> chunk = store.read(ref);
        if (!chunk) return chunk.error();
        for (std::uint32_t row = 0; row < ref.rows; ++row) {
            const TimeNs begin = (*chunk)->at(time, row);
            if (begin >= from && begin <= to && !visit(**chunk, row)) return Unit{};
        }
    }
    return Unit{};
}

// The start of the first task after row `index` that starts at or after `end`: until then creations may belong to the
// end of `index`.
Result<TimeNs> nextTaskBegin(const TraceStore& store, TrackId track, std::uint32_t index, TimeNs end)
{
    TimeNs next = maxTime;
    const auto visit = [&](const Chunk& chunk, std::uint32_t row) {
        if (chunk.firstRow + row <= index) return true;
        next = chunk.at(TaskColumn::Begin, row);
        return false;
    };
    const Result<> visited = visitRows(store, ChunkKind::Task, track, end, maxTime, visit);
    if (!visited) return visited.error();
    return next;
}

MessageDetail messageOf(ProcessorId pe, const Row& row, std::int64_t executions)
{
    MessageDetail message;
    message.id = {pe, static_cast<std::uint32_t>(row.chunk->firstRow + row.row)};
    if (row[MessageColumn::Task] >= 0) message.source = {pe, static_cast<std::uint32_t>(row[MessageColumn::Task])};
    message.sent = row[MessageColumn::Sent];
    message.sourceOffset = row[MessageColumn::Offset];
    message.entry = static_cast<EntryId>(row[MessageColumn::Entry]);
    message.bytes = row[MessageColumn::Bytes];
    message.kind = static_cast<MessageKind>(row[MessageColumn::Kind]);
    message.destinations = row[MessageColumn::Destinations];
    message.sendDuration = row[MessageColumn::Duration];
    message.event = row[MessageColumn::Event];
    message.executions = executions;
    return message;
}

Result<std::int64_t> executionsOf(const TraceStore& store, TrackId track, std::int64_t row)
{
    const Result<std::optional<Row>> found = rowAt(store, ChunkKind::MessageExecutions, track, row);
    if (!found) return found.error();
    return *found ? (**found)[MessageExecutionsColumn::Executions] : 0;
}

Result<std::vector<TimeRange>> piecesOf(const TraceStore& store, TrackId track, const TaskDetail& task)
{
    std::vector<TimeRange> pieces;
    const auto collect = [&](const Chunk& chunk, std::uint32_t row) {
        if (chunk.at(PieceColumn::Task, row) == task.id.index) {
            const TimeNs begin = chunk.at(PieceColumn::Begin, row);
            pieces.push_back({begin, saturatingAdd(begin, chunk.at(PieceColumn::Duration, row))});
        }
        return true;
    };
    const Result<> visited = visitRows(store, ChunkKind::Piece, track, task.range.begin, task.range.end, collect);
    if (!visited) return visited.error();
    return pieces;
}

// Source, message and send time from the row of TaskSource.
void setSource(TaskDetail& task, const Row& source)
{
    task.link = static_cast<Link>(source[TaskSourceColumn::Link]);
    if (hasSource(task.link) && source[TaskSourceColumn::SourceIndex] >= 0) {
        task.source = {static_cast<ProcessorId>(source[TaskSourceColumn::SourcePe]),
                       static_cast<std::uint32_t>(source[TaskSourceColumn::SourceIndex])};
        task.sourceOffset = source[TaskSourceColumn::Offset];
    }
    if (!hasSendTime(task.link)) return;
    task.sent = saturatingSubtract(task.range.begin, source[TaskSourceColumn::Latency]);
    if (source[TaskSourceColumn::MessageIndex] >= 0)
        task.message = {static_cast<ProcessorId>(source[TaskSourceColumn::CreatorPe]),
                        static_cast<std::uint32_t>(source[TaskSourceColumn::MessageIndex])};
}

}  // namespace

Result<> requireEvents(const TraceStore& store)
{
    if (store.hasEvents()) return Unit{};
    return Error{
        .what = tr("This trace is a summary: it holds sums over intervals of %1, no executions or messages.")
                    .arg(formatTime(store.info().interval)),
        .where = store.info().source.isEmpty() ? store.path() : store.info().source,
        .hint = tr("Link the program with -tracemode projections instead of summary and run it again: its event "
                   "logs show this.")};
}

TimeNs estimatedReceive(TimeNs sent, TimeNs begin, TimeNs leastLatency)
{
    return std::min(begin, saturatingAdd(sent, leastLatency));
}

Result<TaskDetail> TraceStore::task(TaskId id) const
{
    const Processor* processor = this->processor(id.pe);
    if (!processor) return noSuchRow(*this, tr("task %1").arg(toText(id)));
    const Result<std::optional<Row>> found = rowAt(*this, ChunkKind::Task, processor->track, id.index);
    if (!found) return found.error();
    if (!*found) return noSuchRow(*this, tr("task %1").arg(toText(id)));
    const Row& row = **found;

    TaskDetail task;
    task.id = id;
    const TimeNs begin = row[TaskColumn::Begin];
    task.range = {begin, saturatingAdd(begin, row[TaskColumn::Duration])};
    task.exclusive = saturatingSubtract(row[TaskColumn::Duration], row[TaskColumn::Nested]);
    task.entry = static_cast<EntryId>(row[TaskColumn::Entry]);
    task.outer = {id.pe, id.index - static_cast<std::uint32_t>(row[TaskColumn::Outer])};
    for (std::size_t i = 0; i < task.objectIndex.size(); ++i) task.objectIndex[i] = row[TaskColumn::Index0 + i];
    task.bytes = row[TaskColumn::Bytes];
    task.messageType = row[TaskColumn::MessageType];
    if (row[TaskColumn::Cpu] >= 0) task.cpu = row[TaskColumn::Cpu];
    task.pieces = {task.range};
    if (row[TaskColumn::Pieces] > 0) {
        const Result<std::vector<TimeRange>> pieces = piecesOf(*this, processor->track, task);
        if (!pieces) return pieces.error();
        if (!pieces->empty()) task.pieces = *pieces;
    }
    const Result<std::optional<Row>> source = rowAt(*this, ChunkKind::TaskSource, processor->track, id.index);
    if (!source) return source.error();
    if (*source) setSource(task, **source);

    if (row[TaskColumn::Received] != minTime) {
        task.received = saturatingAdd(begin, row[TaskColumn::Received]);
    } else if (task.sent) {
        const Result<std::vector<std::pair<ProcessorId, TimeNs>>> least = leastLatencies(id.pe);
        if (!least) return least.error();
        const auto creator = static_cast<ProcessorId>((**source)[TaskSourceColumn::CreatorPe]);
        const auto pair = std::ranges::lower_bound(*least, creator, {}, &std::pair<ProcessorId, TimeNs>::first);
        if (pair != least->end() && pair->first == creator) {
            task.received = estimatedReceive(*task.sent, begin, pair->second);
            task.receivedEstimated = true;
        }
    }
    return task;
}

Result<MessageDetail> TraceStore::message(MessageId id) const
{
    const Processor* processor = this->processor(id.pe);
    if (!processor) return noSuchRow(*this, tr("message %1").arg(toText(id)));
    const Result<std::optional<Row>> row = rowAt(*this, ChunkKind::Message, processor->track, id.index);
    if (!row) return row.error();
    if (!*row) return noSuchRow(*this, tr("message %1").arg(toText(id)));
    const Result<std::int64_t> executions = executionsOf(*this, processor->track, id.index);
    if (!executions) return executions.error();
    return messageOf(id.pe, **row, *executions);
}

Result<std::vector<MessageDetail>> TraceStore::messagesOf(TaskId id) const
{
    const Result<TaskDetail> task = this->task(id);
    if (!task) return task.error();
    const TrackId track = processor(id.pe)->track;
    const Result<TimeNs> until = nextTaskBegin(*this, track, id.index, task->range.end);
    if (!until) return until.error();
    std::vector<std::int64_t> rows;
    const auto collect = [&](const Chunk& chunk, std::uint32_t row) {
        if (chunk.at(MessageColumn::Task, row) == id.index) rows.push_back(chunk.firstRow + row);
        return true;
    };
    const Result<> visited = visitRows(*this, ChunkKind::Message, track, task->range.begin, *until, collect);
    if (!visited) return visited.error();
    std::vector<MessageDetail> messages;
    for (const std::int64_t row : rows) {
        const Result<MessageDetail> message = this->message({id.pe, static_cast<std::uint32_t>(row)});
        if (!message) return message.error();
        messages.push_back(*message);
    }
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
