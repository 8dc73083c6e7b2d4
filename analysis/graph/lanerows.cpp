// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes the columns that the streams need, from chunks that need not be cut at the same rows.
#include "analysis/graph/lanerows.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::uint32_t bit(std::uint32_t column) { return 1u << column; }

constexpr std::uint32_t taskColumns = bit(TaskColumn::Begin) | bit(TaskColumn::Duration) | bit(TaskColumn::Entry)
                                      | bit(TaskColumn::Outer) | bit(TaskColumn::Pieces);
constexpr std::uint32_t beginColumns = bit(TaskColumn::Begin) | bit(TaskColumn::Outer);
constexpr std::uint32_t sourceColumns = bit(TaskSourceColumn::Link) | bit(TaskSourceColumn::SourcePe)
                                        | bit(TaskSourceColumn::SourceIndex) | bit(TaskSourceColumn::MessageIndex);
constexpr std::uint32_t messageColumns = bit(MessageColumn::Task) | bit(MessageColumn::Offset);
constexpr std::uint32_t allColumns = 0xffffffffu;

bool isMessage(std::int64_t link)
{
    return link == static_cast<std::int64_t>(Link::Message) || link == static_cast<std::int64_t>(Link::RepairedBcast);
}

LaneSource sourceOf(std::int64_t pe, std::int64_t row, std::int64_t message)
{
    LaneSource source{.pe = static_cast<std::uint32_t>(pe), .row = static_cast<std::uint32_t>(row)};
    if (message >= 0 && message < LaneSource::unknownMessage) source.message = static_cast<std::uint32_t>(message);
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

// Calls visit(chunk, row of the chunk, place) for the rows [first, last) that there are; place counts from `first`.
template <typename Visit>
Result<> LaneRows::visit(ChunkKind kind, std::uint32_t columns, std::int64_t first, std::int64_t last,
                         Visit visit) const
{
    for (const ChunkRef& ref : chunksFrom(kind, first)) {
        if (ref.firstRow >= last) break;
        const std::int64_t from = std::max(first, ref.firstRow);
        const std::int64_t to = std::min(last, ref.firstRow + ref.rows);
        if (from >= to) continue;
        const Result<std::shared_ptr<const Chunk>> chunk = m_store->read(ref, columns);
        if (!chunk) return chunk.error();
        for (std::int64_t row = from; row < to; ++row)
            visit(**chunk, static_cast<std::uint32_t>(row - ref.firstRow), static_cast<std::size_t>(row - first));
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

Result<> LaneRows::fill(Stream<LaneTask>& stream) const
{
    const std::int64_t last = makeRoom(ChunkKind::Task, stream);
    Result<> read = visit(ChunkKind::Task, taskColumns, stream.first, last,
                          [&stream](const Chunk& chunk, std::uint32_t r, std::size_t place) {
                              LaneTask& row = stream.rows[place];
                              row.begin = chunk.at(TaskColumn::Begin, r);
                              row.duration = std::max<TimeNs>(0, chunk.at(TaskColumn::Duration, r));
                              row.entry = EntryId{static_cast<std::uint32_t>(chunk.at(TaskColumn::Entry, r))};
                              row.isInner = chunk.at(TaskColumn::Outer, r) != 0;
                              row.hasPieces = chunk.at(TaskColumn::Pieces, r) > 0;
                          });
    if (!read) return read;
    return visit(ChunkKind::TaskSource, sourceColumns, stream.first, last,
                 [&stream](const Chunk& chunk, std::uint32_t r, std::size_t place) {
                     LaneTask& row = stream.rows[place];
                     row.hasSource = isMessage(chunk.at(TaskSourceColumn::Link, r));
                     row.source = sourceOf(chunk.at(TaskSourceColumn::SourcePe, r),
                                           chunk.at(TaskSourceColumn::SourceIndex, r),
                                           chunk.at(TaskSourceColumn::MessageIndex, r));
                 });
}

Result<> LaneRows::fill(Stream<LaneMessage>& stream) const
{
    const std::int64_t last = makeRoom(ChunkKind::Message, stream);
    Result<> read = visit(ChunkKind::Message, messageColumns, stream.first, last,
                          [&stream](const Chunk& chunk, std::uint32_t r, std::size_t place) {
                              stream.rows[place].task = chunk.at(MessageColumn::Task, r);
                              stream.rows[place].offset = chunk.at(MessageColumn::Offset, r);
                          });
    if (!read) return read;
    return visit(ChunkKind::MessageExecutions, allColumns, stream.first, last,
                 [&stream](const Chunk& chunk, std::uint32_t r, std::size_t place) {
                     const std::int64_t executions = chunk.at(MessageExecutionsColumn::Executions, r);
                     stream.rows[place].receivers = static_cast<std::uint32_t>(std::clamp<std::int64_t>(executions, 0,
                                                                                                        0x7fffffff));
                 });
}

Result<> LaneRows::fill(Stream<LanePiece>& stream) const
{
    return visit(ChunkKind::Piece, allColumns, stream.first, makeRoom(ChunkKind::Piece, stream),
                 [&stream](const Chunk& chunk, std::uint32_t r, std::size_t place) {
                     const TimeNs begin = chunk.at(PieceColumn::Begin, r);
                     stream.rows[place] = {begin, saturatingAdd(begin, chunk.at(PieceColumn::Duration, r)),
                                           chunk.at(PieceColumn::Task, r)};
                 });
}

Result<> LaneRows::fill(Stream<LaneMerge>& stream) const
{
    return visit(ChunkKind::Merge, allColumns, stream.first, makeRoom(ChunkKind::Merge, stream),
                 [&stream](const Chunk& chunk, std::uint32_t r, std::size_t place) {
                     stream.rows[place] = {chunk.at(MergeColumn::Task, r),
                                           sourceOf(chunk.at(MergeColumn::SourcePe, r),
                                                    chunk.at(MergeColumn::SourceIndex, r),
                                                    chunk.at(MergeColumn::MessageIndex, r))};
                 });
}

Result<std::int64_t> LaneRows::firstTaskAfter(TimeNs time, std::int64_t row) const
{
    for (const ChunkRef& ref : chunksFrom(ChunkKind::Task, row)) {
        if (ref.lastBegin <= time) continue;
        const Result<std::shared_ptr<const Chunk>> chunk = m_store->read(ref, beginColumns);
        if (!chunk) return chunk.error();
        for (std::uint32_t r = 0; r < ref.rows; ++r)
            if (ref.firstRow + r >= row && (*chunk)->at(TaskColumn::Outer, r) == 0
                && (*chunk)->at(TaskColumn::Begin, r) > time)
                return ref.firstRow + r;
    }
    return tasks.total;
}

}  // namespace longpole
