// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the executions, messages, pieces and merges of one PE in step, one outermost execution after the other.
#include "analysis/graph/tracelane.h"

#include <algorithm>
#include <tuple>

namespace longpole {

TraceLane::TraceLane(const TraceStore& store, const Processor& processor, std::uint32_t windowRows)
    : m_run(store.info().range()), m_rows(store, processor.track, windowRows)
{
}

Result<> TraceLane::open()
{
    if (m_next) {
        m_current = *m_next;
        m_currentBegin = m_nextBegin;
        m_isOpen = true;
    }
    if (Result<> found = findNext(); !found) return found;
    if (Result<> gathered = gatherMerges(); !gathered || !m_isOpen) return gathered;
    return gatherSends();
}

// Reads on, past the executions that are nested in the current task, to the next outermost one.
Result<> TraceLane::findNext()
{
    m_next.reset();
    m_inner.clear();
    m_innerSources.clear();
    m_pieces.clear();
    bool inSeveralPieces = false;
    for (auto& position = m_rows.tasks.position; !m_next; ++position) {
        const Result<const LaneTaskRow*> peeked = m_rows.peek(m_rows.tasks);
        if (!peeked) return peeked.error();
        if (*peeked == nullptr) break;
        const LaneTaskRow& row = **peeked;
        const auto number = static_cast<std::uint32_t>(position);
        if (!row.isInner) {
            const TimeNs free = m_isOpen ? m_current.begin : m_run.begin;
            const TimeNs begin = std::clamp(row.begin, free, std::max(free, m_run.end));
            const TimeNs end = std::clamp(saturatingAdd(row.begin, row.duration), begin, std::max(begin, m_run.end));
            m_next = LaneTask{.row = number, .entry = row.entry, .begin = begin, .end = end};
            if (row.hasSource) m_next->source = row.source;
            m_nextBegin = row.begin;
            m_current.end = std::clamp(row.begin, m_current.begin, m_current.end);
            continue;
        }
        m_inner.push_back({number, row.begin, row.entry});
        if (row.hasSource) m_innerSources.push_back(row.source);
        if (row.hasPieces) inSeveralPieces = true;
        else m_pieces.push_back({row.begin, saturatingAdd(row.begin, row.duration), number, row.entry});
    }
    return inSeveralPieces ? gatherPieces() : Result<>(Unit{});
}

const TraceLane::InnerRow* TraceLane::inner(std::int64_t row) const
{
    const auto found = std::lower_bound(m_inner.begin(), m_inner.end(), row,
                                        [](const InnerRow& inner, std::int64_t wanted) { return inner.row < wanted; });
    return found != m_inner.end() && found->row == row ? &*found : nullptr;
}

// Reads the pieces of nested executions that ran in several; findNext() has added the others already.
Result<> TraceLane::gatherPieces()
{
    for (auto& position = m_rows.pieces.position;; ++position) {
        const Result<const LanePieceRow*> peeked = m_rows.peek(m_rows.pieces);
        if (!peeked) return peeked.error();
        if (*peeked == nullptr || (*peeked)->task >= nextRow()) break;
        const LanePieceRow& piece = **peeked;
        if (const InnerRow* of = inner(piece.task)) m_pieces.push_back({piece.begin, piece.end, of->row, of->entry});
    }
    std::sort(m_pieces.begin(), m_pieces.end(), [](const LanePiece& a, const LanePiece& b) {
        return std::tie(a.begin, a.row) < std::tie(b.begin, b.row);
    });
    return Unit{};
}

Result<> TraceLane::gatherSends()
{
    m_sends.clear();
    for (auto& position = m_rows.messages.position;; ++position) {
        const Result<const LaneMessageRow*> peeked = m_rows.peek(m_rows.messages);
        if (!peeked) return peeked.error();
        if (*peeked == nullptr || (*peeked)->task >= nextRow()) break;
        const LaneMessageRow& message = **peeked;
        const InnerRow* const by = inner(message.task);
        // no execution sent it, or it was logged too late to tell which one did
        if (by == nullptr && message.task != m_current.row) continue;
        const TimeNs begin = by != nullptr ? by->begin : m_currentBegin;
        const TimeNs offset = saturatingAdd(message.offset, begin - m_currentBegin);
        m_sends.push_back({sendTime(offset), static_cast<std::uint32_t>(position), message.receivers});
    }
    const auto isBefore = [](const LaneSend& a, const LaneSend& b) { return a.time < b.time; };
    if (!std::is_sorted(m_sends.begin(), m_sends.end(), isBefore))
        std::stable_sort(m_sends.begin(), m_sends.end(), isBefore);
    return Unit{};
}

TimeNs TraceLane::sendTime(TimeNs offset) const
{
    return m_current.begin + std::clamp<TimeNs>(offset, 0, m_current.end - m_current.begin);
}

// Reads the merges of executions nested in the current task and those of the next task. The current task's own were
// read with the task before it.
Result<> TraceLane::gatherMerges()
{
    m_merges.clear();
    m_merges.swap(m_nextMerges);
    for (auto& position = m_rows.merges.position;; ++position) {
        const Result<const LaneMergeRow*> peeked = m_rows.peek(m_rows.merges);
        if (!peeked) return peeked.error();
        if (*peeked == nullptr) return Unit{};
        const LaneMergeRow& merge = **peeked;
        if (m_next && merge.task > m_next->row) return Unit{};
        if (!merge.carriesPath) continue;
        if (m_next && merge.task == m_next->row) m_nextMerges.push_back(merge.source);
        else if (m_isOpen && merge.task >= m_current.row) m_merges.push_back(merge.source);
    }
}

Result<std::uint32_t> TraceLane::endOfTie(TimeNs time) const
{
    if (!m_next || m_next->begin > time) return nextRow();
    if (time >= m_run.end) return static_cast<std::uint32_t>(m_rows.tasks.total);
    const Result<std::int64_t> row = m_rows.firstTaskAfter(time, m_next->row);
    if (!row) return row.error();
    return static_cast<std::uint32_t>(*row);
}

Result<std::uint32_t> TraceLane::rowAfterNext() const
{
    const Result<std::int64_t> row = m_rows.firstTaskAfter(minTime, std::int64_t{m_next->row} + 1);
    if (!row) return row.error();
    return static_cast<std::uint32_t>(*row);
}

}  // namespace longpole
