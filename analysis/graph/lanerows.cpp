// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes the columns that the streams need, from chunks that need not be cut at the same rows.
#include "analysis/graph/lanerows.h"

#include "core/store/rows.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::uint32_t laneTaskFields = TaskRow::Range | TaskRow::Entry | TaskRow::Outer | TaskRow::Pieces;
constexpr std::uint32_t laneSourceFields = TaskSourceRow::Link | TaskSourceRow::Source | TaskSourceRow::Offset
                                           | TaskSourceRow::HasMessage;

bool carriesPath(Link link)
{
    return link == Link::Message || link == Link::RepairedBcast || link == Link::Forwarded || link == Link::Collective;
}

template <typename Row>  // TaskSourceRow or MergeRow
LaneSource sourceOf(const Row& row)
{
    LaneSource source{.pe = index(row.sourcePe()),
                      .row = static_cast<std::uint32_t>(row.sourceNumber()),
                      .offset = row.offset()};
    const std::optional<std::int64_t> message = row.messageNumber();
    if (message && *message < LaneSource::unknownMessage) source.message = static_cast<std::uint32_t>(*message);
    return source;
}

}  // namespace

LaneRows::LaneRows(const TraceStore& store, TrackId track, std::uint32_t windowRows)
    : m_store(&store), m_track(track), m_windowRows(std::max(windowRows, 1u))
{
    const auto rows = [&](ChunkKind kind) -> std::int64_t {
        const std::span<const ChunkRef> chunks = store.chunks(kind, track);
        return chunks.empty() ? 0 : chunks.back().firstRow + chunks.back().rows;
    };
    tasks.total = rows(ChunkKind::Task);
    messages.total = rows(ChunkKind::Message);
    pieces.total = rows(ChunkKind::Piece);
    merges.total = rows(ChunkKind::Merge);
}

std::span<const ChunkRef> LaneRows::chunksFrom(ChunkKind kind, std::int64_t row) const
{
    const std::span<const ChunkRef> chunks = m_store->chunks(kind, m_track);
    const auto after = std::upper_bound(chunks.begin(), chunks.end(), row,
                                        [](std::int64_t wanted, const ChunkRef& ref) { return wanted < ref.firstRow; });
    return after == chunks.begin() ? chunks : chunks.subspan(static_cast<std::size_t>(after - chunks.begin()) - 1);
}

// Calls visit(row, place) for the rows [first, last) that there are; place counts from `first`.
template <typename Row, typename Visit>
Result<> LaneRows::visit(std::uint32_t fields, std::int64_t first, std::int64_t last, Visit visit) const
{
    for (const ChunkRef& ref : chunksFrom(Row::kind, first)) {
        if (ref.firstRow >= last) break;
        const std::int64_t from = std::max(first, ref.firstRow);
        const std::int64_t to = std::min(last, ref.firstRow + ref.rows);
        if (from >= to) continue;
        const Result<RowBlock<Row>> rows = m_store->block<Row>(ref, fields);
        if (!rows) return rows.error();
        for (std::int64_t row = from; row < to; ++row) visit(rows->at(row), static_cast<std::size_t>(row - first));
    }
    return Unit{};
}

// Makes room up to the end of the chunk, or of the window. Returns the row behind it.
template <typename Row>
std::int64_t LaneRows::makeRoom(ChunkKind kind, Stream<Row>& stream) const
{
    const ChunkRef& chunk = chunksFrom(kind, stream.first).front();
    const std::int64_t last = std::max(stream.first + 1,
                                       std::min(stream.first + m_windowRows, chunk.firstRow + chunk.rows));
    stream.rows.assign(static_cast<std::size_t>(last - stream.first), Row{});
    return last;
}

Result<> LaneRows::fill(Stream<LaneTaskRow>& stream) const
{
    const std::int64_t last = makeRoom(ChunkKind::Task, stream);
    Result<> read = visit<TaskRow>(laneTaskFields, stream.first, last,
                                   [&stream](const TaskRow& task, std::size_t place) {
                                       LaneTaskRow& row = stream.rows[place];
                                       row.begin = task.begin();
                                       row.duration = std::max<TimeNs>(0, task.duration());
                                       row.entry = task.entry();
                                       row.isInner = !task.isOutermost();
                                       row.hasPieces = task.hasPieces();
                                   });
    if (!read) return read;
    return visit<TaskSourceRow>(laneSourceFields, stream.first, last,
                                [&stream](const TaskSourceRow& source, std::size_t place) {
                                    stream.rows[place].hasSource = carriesPath(source.link());
                                    stream.rows[place].source = sourceOf(source);
                                });
}

Result<> LaneRows::fill(Stream<LaneMessageRow>& stream) const
{
    const std::int64_t last = makeRoom(ChunkKind::Message, stream);
    Result<> read = visit<MessageRow>(MessageRow::Task | MessageRow::Offset, stream.first, last,
                                      [&stream](const MessageRow& message, std::size_t place) {
                                          stream.rows[place].task = message.task().value_or(-1);
                                          stream.rows[place].offset = message.offset();
                                      });
    if (!read) return read;
    return visit<ExecutionsRow>(ExecutionsRow::Executions, stream.first, last,
                                [&stream](const ExecutionsRow& row, std::size_t place) {
                                    const auto executions = std::clamp<std::int64_t>(row.executions(), 0, 0x7fffffff);
                                    stream.rows[place].receivers = static_cast<std::uint32_t>(executions);
                                });
}

Result<> LaneRows::fill(Stream<LanePieceRow>& stream) const
{
    return visit<PieceRow>(PieceRow::All, stream.first, makeRoom(ChunkKind::Piece, stream),
                           [&stream](const PieceRow& piece, std::size_t place) {
                               stream.rows[place] = {piece.begin(), piece.end(), piece.task()};
                           });
}

Result<> LaneRows::fill(Stream<LaneMergeRow>& stream) const
{
    return visit<MergeRow>(MergeRow::All, stream.first, makeRoom(ChunkKind::Merge, stream),
                           [&stream](const MergeRow& merge, std::size_t place) {
                               stream.rows[place] = {merge.task(), merge.link() != Link::Rendezvous, sourceOf(merge)};
                           });
}

Result<std::int64_t> LaneRows::firstTaskAfter(TimeNs time, std::int64_t row) const
{
    for (const ChunkRef& ref : chunksFrom(ChunkKind::Task, row)) {
        if (ref.lastBegin <= time) continue;
        const Result<RowBlock<TaskRow>> read = m_store->block<TaskRow>(ref, TaskRow::Begin | TaskRow::Outer);
        if (!read) return read.error();
        for (const TaskRow& task : *read)
            if (task.number() >= row && task.isOutermost() && task.begin() > time) return task.number();
    }
    return tasks.total;
}

}  // namespace longpole
