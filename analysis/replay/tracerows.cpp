// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/tracerows.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

Result<std::int64_t> readAll(const TraceStore& store, ChunkKind kind, TrackId track,
                             std::vector<std::shared_ptr<const Chunk>>& chunks)
{
    std::int64_t rows = 0;
    for (const ChunkRef& ref : store.chunks(kind, track)) {
        Result<std::shared_ptr<const Chunk>> read = store.read(ref);
        if (!read) return read.error();
        rows += ref.rows;
        chunks.push_back(std::move(*read));
    }
    return rows;
}

}  // namespace

Result<ReplayedRows> ReplayedRows::of(const TraceStore& store, std::uint32_t pe)
{
    ReplayedRows rows;
    const Processor* const processor = store.processor(ProcessorId{pe});
    if (processor == nullptr) return rows;
    Chunks pieces;
    for (const auto& [kind, chunks] : {std::pair{ChunkKind::Task, &rows.m_tasks},
                                       {ChunkKind::Message, &rows.m_messages},
                                       {ChunkKind::Piece, &pieces}})
        if (const auto read = readAll(store, kind, processor->track, *chunks); !read) return read.error();
        else rows.m_size += *read;
    const auto sources = readAll(store, ChunkKind::TaskSource, processor->track, rows.m_sources);
    if (!sources) return sources.error();
    const auto executions = readAll(store, ChunkKind::MessageExecutions, processor->track, rows.m_executionCounts);
    if (!executions) return executions.error();
    rows.m_sourceRows = *sources;
    rows.m_executions = *executions;
    rows.m_size += *sources + *executions;
    for (const auto& chunk : pieces)
        for (std::uint32_t r = 0; r < chunk->rows; ++r) {
            const TimeNs begin = chunk->at(PieceColumn::Begin, r);
            rows.m_pieces.push_back({static_cast<std::uint32_t>(chunk->at(PieceColumn::Task, r)), begin,
                                     saturatingAdd(begin, chunk->at(PieceColumn::Duration, r))});
        }
    std::sort(rows.m_pieces.begin(), rows.m_pieces.end(),
              [](const Piece& a, const Piece& b) { return std::tie(a.row, a.begin) < std::tie(b.row, b.begin); });
    return rows;
}

std::int64_t ReplayedRows::at(const Chunks& chunks, std::uint32_t row, std::size_t column)
{
    const auto after = std::upper_bound(chunks.begin(), chunks.end(), std::int64_t{row},
                                        [](std::int64_t r, const auto& chunk) { return r < chunk->firstRow; });
    const Chunk& chunk = **(after - 1);
    return chunk.at(column, static_cast<std::uint32_t>(row - chunk.firstRow));
}

std::span<const ReplayedRows::Piece> ReplayedRows::pieces(std::uint32_t row) const
{
    const auto first = std::partition_point(m_pieces.begin(), m_pieces.end(),
                                            [row](const Piece& p) { return p.row < row; });
    const auto last = std::partition_point(first, m_pieces.end(), [row](const Piece& p) { return p.row == row; });
    return {first, last};
}

}  // namespace longpole
