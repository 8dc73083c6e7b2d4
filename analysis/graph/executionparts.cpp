// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps over time: executions that ran in one piece, and the pieces of those that were interrupted, in order of their
// begins.
#include "analysis/graph/executionparts.h"

#include "core/base/result.h"

#include <algorithm>

namespace longpole {

namespace {

bool touches(const ChunkRef& ref, TimeRange range) { return ref.firstBegin < range.end && ref.maxEnd >= range.begin; }

}  // namespace

ExecutionParts::ExecutionParts(const TraceStore& store, TrackId track, TimeRange range, std::optional<TimeRange> grain)
    : m_store(store), m_track(track), m_range(range), m_grain(grain), m_cursor(range.begin),
      m_pieceChunks(store.chunks(ChunkKind::Piece, track))
{
}

Result<> ExecutionParts::visit(std::uint32_t fields, bool withParts, ExecutionVisitor& visitor,
                               const Progress& progress)
{
    m_visitor = &visitor;
    if (withParts) fields |= TaskRow::Range | TaskRow::Entry | TaskRow::Pieces;
    if (withParts && m_grain) fields |= TaskRow::Exclusive;
    for (const ChunkRef& ref : m_store.chunks(ChunkKind::Task, m_track)) {
        if (!touches(ref, m_range)) continue;
        if (progress.isCancelled()) return cancelledError();
        const auto rows = m_store.block<TaskRow>(ref, fields);
        if (!rows) return rows.error();
        if (Result<> seen = visitor.tasks(*rows); !seen) return seen;
        if (!withParts) continue;
        if (Result<> added = addTasks(*rows); !added) return added;
    }
    if (!withParts) return Unit{};
    if (Result<> added = addPiecesBefore(maxTime, 0); !added) return added;
    advance(m_range.end);
    return Unit{};
}

Result<> ExecutionParts::addTasks(const RowBlock<TaskRow>& rows)
{
    for (const TaskRow& task : rows) {
        Owner owner{task.entry()};
        if (m_grain) owner.passes = m_grain->contains(task.exclusive());
        if (task.hasPieces()) {
            m_owners.emplace_back(task.number(), owner);
            continue;
        }
        const TimeRange range = task.range();
        if (range.begin >= m_range.end || range.end <= m_range.begin) continue;
        if (Result<> added = addPiecesBefore(range.begin, task.number()); !added) return added;
        add(range.begin, range.end, owner);
    }
    return Unit{};
}

// Of executions that begin at the same time, the one in the later row is nested in the other.
Result<> ExecutionParts::addPiecesBefore(TimeNs time, std::int64_t row)
{
    for (;;) {
        if (m_piece >= m_pieces.size()) {
            while (!m_pieceChunks.empty() && !touches(m_pieceChunks.front(), m_range))
                m_pieceChunks = m_pieceChunks.subspan(1);
            if (m_pieceChunks.empty() || m_pieceChunks.front().firstBegin > time) return Unit{};
            auto pieces = m_store.block<PieceRow>(m_pieceChunks.front(), PieceRow::All);
            if (!pieces) return pieces.error();
            m_pieces = *pieces;
            m_piece = 0;
            m_pieceChunks = m_pieceChunks.subspan(1);
            continue;
        }
        const PieceRow piece = m_pieces[m_piece];
        const TimeRange range = piece.range();
        if (range.begin > time || (range.begin == time && piece.task() >= row)) return Unit{};
        if (range.begin < m_range.end && range.end > m_range.begin) add(range.begin, range.end, ownerOf(piece.task()));
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

// Gives the time up to `until` to the innermost executions that are open, and closes those that have ended by then.
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
