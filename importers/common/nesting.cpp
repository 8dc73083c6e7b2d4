// SPDX-License-Identifier: GPL-3.0-or-later
// Finds suspended blocks by a hash of their key, the innermost first: busy processors chain thousands of blocks back to
// back, each of which might have been suspended by the next.
#include "importers/common/nesting.h"

#include "core/base/drawnhash.h"

#include <algorithm>
#include <utility>

namespace longpole {
namespace {

constexpr TimeNs suspensionGap = 2000;  // ns between an end and the start that it makes room for
                                        // (docs/definitions.md, "Piece, execution, task")

std::uint64_t keyHash(const ExecutionStart& start)
{
    std::uint64_t hash = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(start.creator)) << 32)
                         | static_cast<std::uint32_t>(start.event);
    hash = drawnHash(start.entry, drawnHash(hash));
    for (const std::int32_t i : start.index) hash = drawnHash(static_cast<std::uint32_t>(i), hash);
    return hash;
}

bool sameKey(const ExecutionStart& a, const ExecutionStart& b)
{
    return a.event == b.event && a.creator == b.creator && a.entry == b.entry && a.index == b.index;
}

}  // namespace

Nesting::Nesting(NestingSink& sink, ImportLog& log, std::uint32_t pendingLimit)
    : m_sink(sink), m_log(log), m_limit(std::max(pendingLimit, 2u)), m_spanLimit(2 * std::size_t{m_limit}),
      m_buckets(1024, -1)
{
}

void Nesting::begin(TimeNs time, const ExecutionStart& start, std::int64_t line)
{
    if (m_openSpans[static_cast<std::size_t>(SpanKind::Idle)] != 0 && m_current == noRow) {
        m_log.add(IssueKind::UnpairedIdle, line);
        endSpan(SpanKind::Idle, time, line);
    }
    if (m_current != noRow && m_idleInside >= 0) closeAllLost(m_idleInside, line);
    if (m_current != noRow) {
        interrupt(time);
    } else {
        if (!continues(time)) settleAll();
        const std::uint32_t row = findSuspended(start);
        if (row != noRow) {
            while (m_suspended.back().row != row) dropSuspendedFrom(m_suspended.size() - 1);
            dropSuspendedFrom(m_suspended.size() - 1);
            at(row).insideUntil = m_nextRow;
            at(row).isOpen = true;
            m_pieceCpu = start.cpu;
            startPiece(row, time);
            return;
        }
    }
    if (m_pending.size() >= m_limit) limitRows(time, line);
    open(time, start);
}

void Nesting::open(TimeNs time, const ExecutionStart& start)
{
    Execution execution;
    execution.start = start;
    execution.begin = time;
    execution.isOpen = true;
    if (!m_interrupted.empty()) {
        execution.before = m_interrupted.back();
        execution.beforeOffset = time - at(execution.before).begin;
    } else if (m_last.row != noRow) {
        execution.before = m_last.row;
        execution.beforeOffset = m_last.end - m_last.begin;
    }
    m_pending.push_back(execution);
    m_pieceCpu = start.cpu;
    startPiece(m_nextRow++, time);
}

void Nesting::startPiece(std::uint32_t row, TimeNs time)
{
    m_current = row;
    m_currentSpan = m_firstSpan + m_spans.size();
    m_idleInside = -1;
    m_spans.push_back({time, -1, SpanKind::Piece, row, -1, std::exchange(at(row).lastSpan, m_currentSpan)});
}

void Nesting::stopPiece(TimeNs time)
{
    Span& span = m_spans[m_currentSpan - m_firstSpan];
    span.end = time;
    Execution& execution = at(m_current);
    execution.end = time;
    execution.exclusive += time - span.begin;
    ++execution.pieces;
}

void Nesting::end(TimeNs time, std::uint32_t entry, std::int32_t event, TimeNs cpu, std::int64_t line)
{
    if (m_current == noRow) {
        m_log.add(IssueKind::EndWithoutBegin, line);
        return;
    }
    const auto isThis = [&](std::uint32_t row) { return at(row).start.event == event && at(row).start.entry == entry; };
    if (!isThis(m_current)) {
        if (m_interruptedKeys.contains({event, entry})) {
            const std::uint32_t row = *std::find_if(m_interrupted.rbegin(), m_interrupted.rend(), isThis);
            while (m_current != row) {
                m_log.add(IssueKind::MissingEnd, line);
                closeCurrent(time);
            }
        } else if (m_last.row == noRow || m_last.event != event || m_last.entry != entry) {
            // The tracer writes the inner block's key into the end of a block around it (raw nesting); any other key is
            // odd.
            m_log.add(IssueKind::EndMismatch, line);
        }
    }
    if (cpu >= 0 && m_pieceCpu >= 0) {
        Execution& execution = at(m_current);
        execution.cpu = saturatingAdd(std::max<TimeNs>(execution.cpu, 0), std::max<TimeNs>(cpu - m_pieceCpu, 0));
    }
    closeCurrent(time);
}

void Nesting::closeCurrent(TimeNs time)
{
    stopPiece(time);
    Execution& execution = at(m_current);
    execution.isOpen = false;
    execution.isInterrupted = false;
    m_last = {m_current, execution.start.entry, execution.start.event, execution.begin, time};
    m_idledSince = false;
    m_idleInside = -1;
    const std::uint32_t closed = m_current;
    m_current = noRow;
    if (!m_interrupted.empty()) resume(time);
    else if (execution.start.event != -1) suspend(closed);
}

// A block begins inside an open one: raw nesting, or the open one's end is lost, as later records will tell.
void Nesting::interrupt(TimeNs time)
{
    if (m_interrupted.empty()) dropSuspendedFrom(m_suspendedBase);
    stopPiece(time);
    Execution& execution = at(m_current);
    if (!execution.isInterrupted) {
        execution.isInterrupted = true;
        execution.interruptedAt = time;
        execution.interruptedSpan = m_firstSpan + m_spans.size();
        execution.insideBefore = execution.insideUntil;
    }
    m_interrupted.push_back(m_current);
    ++m_interruptedKeys[{execution.start.event, execution.start.entry}];
    m_current = noRow;
}

std::uint32_t Nesting::takeInterrupted()
{
    const std::uint32_t row = m_interrupted.back();
    m_interrupted.pop_back();
    const auto key = m_interruptedKeys.find({at(row).start.event, at(row).start.entry});
    if (--key->second == 0) m_interruptedKeys.erase(key);
    return row;
}

void Nesting::resume(TimeNs time)
{
    const std::uint32_t row = takeInterrupted();
    at(row).insideUntil = m_nextRow;
    m_pieceCpu = -1;
    startPiece(row, time);
}

// The current block's end is lost: it is taken to be where it was first interrupted, else `time`.
void Nesting::closeLost(TimeNs time, std::int64_t line)
{
    m_log.add(IssueKind::MissingEnd, line);
    Execution& execution = at(m_current);
    stopPiece(std::max(time, m_spans[m_currentSpan - m_firstSpan].begin));
    if (execution.isInterrupted) {
        const std::uint64_t first = std::max(execution.interruptedSpan, m_firstSpan);
        std::uint64_t number = execution.lastSpan;
        while (number != noSpan && number >= first) {
            Span& span = m_spans[number - m_firstSpan];
            execution.exclusive -= span.end - span.begin;
            --execution.pieces;
            span.row = noRow;
            number = span.previous;
        }
        execution.lastSpan = number;
        execution.end = execution.interruptedAt;
        execution.insideUntil = execution.insideBefore;
        execution.isInterrupted = false;
    }
    execution.isOpen = false;
    m_last = {m_current, execution.start.entry, execution.start.event, execution.begin, execution.end};
    m_idleInside = -1;
    m_current = noRow;
}

void Nesting::closeAllLost(TimeNs time, std::int64_t line)
{
    closeLost(time, line);
    while (!m_interrupted.empty()) {
        resume(time);
        closeLost(time, line);
    }
    m_idledSince = true;
}

bool Nesting::continues(TimeNs time) const
{
    return m_last.row != noRow && !m_idledSince && time - m_last.end <= suspensionGap;
}

std::uint32_t Nesting::findSuspended(const ExecutionStart& start) const
{
    if (start.event == -1) return noRow;
    const std::uint64_t hash = keyHash(start);
    std::int32_t position = m_buckets[hash & (m_buckets.size() - 1)];
    while (position >= static_cast<std::int32_t>(m_suspendedBase)) {
        const Suspended& suspended = m_suspended[static_cast<std::size_t>(position)];
        if (suspended.hash == hash && sameKey(m_pending[suspended.row - m_firstRow].start, start)) {
            // Nothing ran since it ended: a broadcast's next element, not a continuation.
            return suspended.row == m_last.row ? noRow : suspended.row;
        }
        position = suspended.previous;
    }
    return noRow;
}

void Nesting::suspend(std::uint32_t row)
{
    if (m_suspended.size() >= m_buckets.size()) rehash();
    const std::uint64_t hash = keyHash(at(row).start);
    std::int32_t& bucket = m_buckets[hash & (m_buckets.size() - 1)];
    m_suspended.push_back({hash, row, bucket});
    bucket = static_cast<std::int32_t>(m_suspended.size()) - 1;
}

void Nesting::dropSuspendedFrom(std::size_t position)
{
    while (m_suspended.size() > position) {
        const Suspended& last = m_suspended.back();
        m_buckets[last.hash & (m_buckets.size() - 1)] = last.previous;
        m_suspended.pop_back();
    }
}

void Nesting::rehash()
{
    m_buckets.assign(m_buckets.size() * 4, -1);
    for (std::size_t i = 0; i < m_suspended.size(); ++i) {
        std::int32_t& bucket = m_buckets[m_suspended[i].hash & (m_buckets.size() - 1)];
        m_suspended[i].previous = bucket;
        bucket = static_cast<std::int32_t>(i);
    }
}

void Nesting::beginSpan(SpanKind kind, TimeNs time, std::int64_t line)
{
    std::int64_t& open = m_openSpans[static_cast<std::size_t>(kind)];
    if (open != 0) {
        m_log.add(kind == SpanKind::Idle ? IssueKind::UnpairedIdle : IssueKind::UnpairedOverhead, line);
        return;
    }
    if (m_spans.size() >= m_spanLimit) {
        limitSpans(time, line);
        m_spanLimit = std::max(2 * std::size_t{m_limit}, 2 * m_spans.size());
    }
    if (kind == SpanKind::Idle || kind == SpanKind::Untraced) {
        if (m_current != noRow) {
            if (m_idleInside < 0) m_idleInside = time;
        } else {
            settleAll();
        }
        m_idledSince = true;
    }
    m_spans.push_back({time, -1, kind, noRow});
    open = static_cast<std::int64_t>(m_firstSpan + m_spans.size());
}

void Nesting::endSpan(SpanKind kind, TimeNs time, std::int64_t line)
{
    std::int64_t& open = m_openSpans[static_cast<std::size_t>(kind)];
    if (open == 0) {
        m_log.add(kind == SpanKind::Idle ? IssueKind::UnpairedIdle : IssueKind::UnpairedOverhead, line);
        return;
    }
    m_spans[static_cast<std::uint64_t>(open - 1) - m_firstSpan].end = time;
    open = 0;
}

Nesting::Hook Nesting::creation(TimeNs time) const
{
    if (m_current != noRow) return {m_current, time - at(m_current).begin, at(m_current).start.entry};
    if (m_last.row != noRow && !m_idledSince) return {m_last.row, m_last.end - m_last.begin, m_last.entry};
    return {};
}

// Tracing stops: blocks that are open now are never closed in the log.
void Nesting::traceOff(TimeNs time, std::int64_t line)
{
    while (m_current != noRow) closeCurrent(time);
    for (std::size_t kind = 0; kind < spanKinds; ++kind) {
        if (m_openSpans[kind] != 0 && kind != static_cast<std::size_t>(SpanKind::Untraced)) {
            endSpan(static_cast<SpanKind>(kind), time, line);
        }
    }
    beginSpan(SpanKind::Untraced, time, line);
}

// `firstTime`: where the log begins, for a log that starts with tracing off.
void Nesting::traceOn(TimeNs time, TimeNs firstTime, std::int64_t line)
{
    const bool isOff = m_openSpans[static_cast<std::size_t>(SpanKind::Untraced)] != 0;
    if (!isOff && m_nextRow == 0 && m_spans.empty() && m_firstSpan == 0) {
        beginSpan(SpanKind::Untraced, firstTime, line);
    }
    endSpan(SpanKind::Untraced, time, line);
}

void Nesting::finish(TimeNs time, std::int64_t line)
{
    // The last block of a normal log is the trace's own shutdown, which has no end.
    if (m_current != noRow) {
        if (m_idleInside >= 0) closeAllLost(m_idleInside, line);
        else closeCurrent(time);
    }
    if (m_current != noRow) closeAllLost(time, line);
    for (std::size_t kind = 0; kind < spanKinds; ++kind) {
        if (m_openSpans[kind] != 0) endSpan(static_cast<SpanKind>(kind), time, line);
    }
    settleAll();
}

void Nesting::settleAll()
{
    dropSuspendedFrom(0);
    m_suspendedBase = 0;
    if (m_interrupted.empty() && m_current == noRow) settle(m_nextRow);
}

// Hands over all rows below `untilRow` and the spans up to the first that is not complete or belongs to a later row.
void Nesting::settle(std::uint32_t untilRow)
{
    for (; m_settledRow < untilRow; ++m_settledRow) {
        Execution& execution = at(m_settledRow);
        if (m_settledRow < m_outerUntil) {
            execution.outer = m_settledRow - m_outerRow;
        } else if (execution.insideUntil > m_settledRow + 1) {
            m_outerRow = m_settledRow;
            m_outerUntil = execution.insideUntil;
        }
        m_sink.execution(m_settledRow, execution);
    }
    settleSpans(untilRow);
}

void Nesting::settleSpans(std::uint32_t untilRow)
{
    std::size_t done = 0;
    while (done < m_spans.size() && give(m_spans[done], untilRow)) ++done;
    // A span that is still open keeps the executions of the pieces behind it, which may be many at many calls.
    if (done > 0) m_kept = {};
    for (; done + m_kept.spans < m_spans.size(); ++m_kept.spans) {
        const Span& span = m_spans[done + m_kept.spans];
        if (span.kind == SpanKind::Piece) m_kept.row = std::min(m_kept.row, span.row);
    }
    const std::uint32_t keep = std::min(untilRow, m_kept.row);
    m_spans.erase(m_spans.begin(), m_spans.begin() + static_cast<std::ptrdiff_t>(done));
    m_firstSpan += done;
    m_pending.erase(m_pending.begin(), m_pending.begin() + static_cast<std::ptrdiff_t>(keep - m_firstRow));
    m_firstRow = keep;
}

// False if the span cannot be handed over yet.
bool Nesting::give(Span& span, std::uint32_t untilRow)
{
    if (span.end < 0) return false;
    if (span.kind != SpanKind::Piece) {
        m_sink.span(span);
        return true;
    }
    if (span.row == noRow) return true;
    if (span.row >= untilRow) return false;
    const Execution& execution = at(span.row);
    m_sink.busy(std::max(span.begin, span.given), span.end, execution.start.entry);
    if (execution.pieces > 1) m_sink.piece(span, execution);
    return true;
}

// Too many rows wait: the older half is settled, and none of it can be continued any more.
void Nesting::limitRows(TimeNs time, std::int64_t line)
{
    m_log.add(IssueKind::SuspensionLimit, line);
    if (!m_interrupted.empty()) {
        const bool idledSince = m_idledSince;
        m_current = takeInterrupted();
        startPiece(m_current, time);
        closeAllLost(time, line);
        m_idledSince = idledSince;
    }
    const std::uint32_t until = m_firstRow + static_cast<std::uint32_t>(m_pending.size() / 2);
    while (m_suspendedBase < m_suspended.size() && m_suspended[m_suspendedBase].row < until) ++m_suspendedBase;
    settle(until);
    if (m_pending.size() >= m_limit) limitSpans(time, line);
}

// Too many spans wait behind one that is open. Packing or idling whose end must be lost is dropped; of a block that
// goes on and on, the sink gets the part so far.
void Nesting::limitSpans(TimeNs time, std::int64_t line)
{
    if (!m_suspended.empty()) m_log.add(IssueKind::SuspensionLimit, line);
    dropSuspendedFrom(0);
    m_suspendedBase = 0;
    settle(std::min({m_nextRow, m_current, m_interrupted.empty() ? noRow : m_interrupted.front()}));
    while (!m_spans.empty()) {
        Span& head = m_spans.front();
        if (head.end < 0 && head.kind != SpanKind::Piece) {
            endSpan(head.kind, head.begin, line);
            m_log.add(head.kind == SpanKind::Idle ? IssueKind::UnpairedIdle : IssueKind::UnpairedOverhead, line);
        } else if (head.end < 0 && m_spans.size() > 1) {
            const Span open = [&] {
                Span part = head;
                part.given = time;
                return part;
            }();
            m_sink.busy(std::max(head.begin, head.given), time, at(head.row).start.entry);
            head.end = time;
            head.row = noRow;  // steps aside while those behind it are handed over
            settleSpans(m_settledRow);
            m_currentSpan = --m_firstSpan;
            at(open.row).lastSpan = m_currentSpan;
            m_spans.insert(m_spans.begin(), open);
            m_kept = {};
            return;
        }
        const std::size_t before = m_spans.size();
        settleSpans(m_settledRow);
        if (m_spans.size() == before) return;
    }
}

}  // namespace longpole
