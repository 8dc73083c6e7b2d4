// SPDX-License-Identifier: GPL-3.0-or-later
// Merges executions of one piece with the pieces of the others and sweeps over them.
#include "analysis/graph/executionparts.h"

#include "core/base/result.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::uint32_t bit(std::size_t column) { return 1u << column; }

bool touches(const ChunkRef& ref, TimeRange range) { return ref.firstBegin < range.end && ref.maxEnd >= range.begin; }

}  // namespace

ExecutionParts::ExecutionParts(const TraceStore& store, TrackId track, TimeRange range, std::optional<TimeRange> grain)
    : m_store(store), m_track(track), m_range(range), m_grain(grain), m_cursor(range.begin),
      m_pieceChunks(store.chunks(ChunkKind::Piece, track))
{
}

Result<> ExecutionParts::visit(std::uint32_t columns, bool withParts, ExecutionVisitor& visitor,
                               const Progress& progress)
{
    m_visitor = &visitor;
    if (withParts)
        columns |= bit(TaskColumn::Begin) | bit(TaskColumn::Duration) | bit(TaskColumn::Entry)
                   | bit(TaskColumn::Pieces);
    if (withParts && m_grain) columns |= bit(TaskColumn::Nested);
    for (const ChunkRef& ref : m_store.chunks(ChunkKind::Task, m_track)) {
        if (!touches(ref, m_range)) continue;
        if (progress.isCancelled()) return cancelledError();
        const auto chunk = m_store.read(ref, columns);
        if (!chunk) return chunk.error();
        if (Result<> seen = visitor.tasks(**chunk); !seen) return seen;
        if (!withParts) continue;
        if (Result<> added = addTasks(**chunk); !added) return added;
    }
    if (!withParts) return Unit{};
    if (Result<> added = addPiecesBefore(maxTime, 0); !added) return added;
    advance(m_range.end);
    return Unit{};
}

Result<> ExecutionParts::addTasks(const Chunk& chunk)
{
    const std::int64_t* begin = chunk[TaskColumn::Begin];
    const std::int64_t* duration = chunk[TaskColumn::Duration];
    const std::int64_t* entry = chunk[TaskColumn::Entry];
    const std::int64_t* more = chunk[TaskColumn::Pieces];
    for (std::uint32_t row = 0; row < chunk.rows; ++row) {
        Owner owner{EntryId{static_cast<std::uint32_t>(entry[row])}};
        if (m_grain)
            owner.passes = m_grain->contains(saturatingSubtract(duration[row], chunk.at(TaskColumn::Nested, row)));
        const TimeNs end = saturatingAdd(begin[row], duration[row]);
        if (more[row] > 0) {
            m_owners.emplace_back(chunk.firstRow + row, owner);
            continue;
        }
        if (begin[row] >= m_range.end || end <= m_range.begin) continue;
        if (Result<> added = addPiecesBefore(begin[row], chunk.firstRow + row); !added) return added;
        add(begin[row], end, owner);
    }
    return Unit{};
}

// Of those that begin at the same time, the later row lies inside.
Result<> ExecutionParts::addPiecesBefore(TimeNs time, std::int64_t row)
{
    for (;;) {
        if (!m_pieces || m_piece >= m_pieces->rows) {
            while (!m_pieceChunks.empty() && !touches(m_pieceChunks.front(), m_range))
                m_pieceChunks = m_pieceChunks.subspan(1);
            if (m_pieceChunks.empty() || m_pieceChunks.front().firstBegin > time) return Unit{};
            auto chunk = m_store.read(m_pieceChunks.front());
            if (!chunk) return chunk.error();
            m_pieces = *chunk;
            m_piece = 0;
            m_pieceChunks = m_pieceChunks.subspan(1);
            continue;
        }
        const TimeNs begin = m_pieces->at(PieceColumn::Begin, m_piece);
        const std::int64_t task = m_pieces->at(PieceColumn::Task, m_piece);
        if (begin > time || (begin == time && task >= row)) return Unit{};
        const TimeNs end = saturatingAdd(begin, m_pieces->at(PieceColumn::Duration, m_piece));
        if (begin < m_range.end && end > m_range.begin) add(begin, end, ownerOf(task));
        ++m_piece;
    }
}

ExecutionParts::Owner ExecutionParts::ownerOf(std::int64_t task) const
{
    const auto it = std::lower_bound(m_owners.begin(), m_owners.end(), task,
                                     [](const auto& owner, std::int64_t wanted) { return owner.first < wanted; });
    return it != m_owners.end() && it->first == task ? it->second : Owner{};
}

void ExecutionParts::add(TimeNs begin, TimeNs end, Owner owner)
{
    advance(std::max(begin, m_range.begin));
    m_open.push_back({std::min(end, m_range.end), owner});
}

// Gives away the time up to `until`; what has ended by then is closed.
void ExecutionParts::advance(TimeNs until)
{
    while (!m_open.empty()) {
        const Open top = m_open.back();
        if (top.end > until) {
            give(m_cursor, until, top.owner);
            break;
        }
        give(m_cursor, top.end, top.owner);
        m_cursor = std::max(m_cursor, top.end);
        m_open.pop_back();
    }
    m_cursor = std::max(m_cursor, until);
}

void ExecutionParts::give(TimeNs begin, TimeNs end, Owner owner)
{
    if (begin < end) m_visitor->part(begin, end, owner.entry, owner.passes);
}

}  // namespace longpole
