// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the records of one processor that begin and end something into executions with their pieces, and everything
// else that has a place in time into spans (docs/definitions.md, "Piece, execution, task"). Streaming: what can no
// longer change goes to a sink.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"
#include "importers/common/importlog.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace longpole {

constexpr std::uint32_t noRow = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t noSpan = std::numeric_limits<std::uint64_t>::max();

// What a BEGIN says about its execution.
struct ExecutionStart {
    std::uint32_t entry = 0;
    std::int32_t creator = 0;  // PE
    std::int32_t event = 0;    // -1: a block without a message
    std::uint16_t messageType = 0;
    std::int64_t bytes = 0;
    TimeNs received = 0;
    TimeNs cpu = -1;
    std::array<std::int32_t, 6> index{};
};

struct Execution {
    ExecutionStart start;
    TimeNs begin = 0;
    TimeNs end = 0;
    TimeNs exclusive = 0;  // sum of its pieces
    TimeNs cpu = -1;       // sum over its pieces, -1: not logged
    std::uint32_t pieces = 0;
    std::uint32_t outer = 0;       // rows back to the outermost execution around it, 0: none
    std::uint32_t before = noRow;  // row of the block before it on this processor
    TimeNs beforeOffset = 0;       // that block's end - that execution's begin

    // While it may still change.
    std::uint32_t insideUntil = 0;      // later rows below this one lie inside it
    std::uint32_t insideBefore = 0;     // insideUntil before another block began inside it
    std::uint64_t interruptedSpan = 0;  // the first span after that; has a meaning while isInterrupted
    TimeNs interruptedAt = 0;
    std::uint64_t lastSpan = noSpan;  // its last piece so far
    bool isOpen = false;
    bool isInterrupted = false;
};

enum class SpanKind : std::uint8_t { Piece, Idle, Pack, Unpack, Flush, Untraced };
constexpr std::size_t spanKinds = 6;

struct Span {
    TimeNs begin = 0;
    TimeNs end = 0;
    SpanKind kind{};
    std::uint32_t row = noRow;        // the row of a piece's execution; noRow: the piece is void
    TimeNs given = -1;                // up to here the sink has a very long piece already; -1: it has none of it
    std::uint64_t previous = noSpan;  // the piece before of the same execution
};

// Receives executions in row order (begin order), pieces in begin order, each after its execution, and the other spans
// in begin order among themselves; a span comes after the busy time before it.
class NestingSink {
public:
    virtual ~NestingSink() = default;
    virtual void execution(std::uint32_t row, const Execution& execution) = 0;
    virtual void piece(const Span& span, const Execution& execution) = 0;
    // Called for the time of each piece, in order; a very long piece comes in several parts.
    virtual void busy(TimeNs begin, TimeNs end, std::uint32_t entry) = 0;
    virtual void span(const Span& span) = 0;
};

class Nesting {
public:
    struct Hook {
        std::uint32_t row = noRow;
        TimeNs offset = 0;
        std::uint32_t entry = 0;
    };

    // `pendingLimit`: rows that may wait for a later piece.
    Nesting(NestingSink& sink, ImportLog& log, std::uint32_t pendingLimit = 65536);

    // Times must not decrease from call to call. `line` is for soft errors.
    void begin(TimeNs time, const ExecutionStart& start, std::int64_t line);
    void end(TimeNs time, std::uint32_t entry, std::int32_t event, TimeNs cpu, std::int64_t line);
    void beginSpan(SpanKind kind, TimeNs time, std::int64_t line);
    void endSpan(SpanKind kind, TimeNs time, std::int64_t line);
    // What a message created now belongs to: the block that is open, else the end of the last one if nothing has idled
    // since.
    Hook creation(TimeNs time) const;
    void traceOff(TimeNs time, std::int64_t line);
    void traceOn(TimeNs time, TimeNs firstTime, std::int64_t line);
    // Closes everything at the log's end.
    void finish(TimeNs time, std::int64_t line);

    std::uint32_t rows() const { return m_nextRow; }

private:
    struct Suspended {
        std::uint64_t hash = 0;
        std::uint32_t row = 0;
        std::int32_t previous = -1;  // position in the same bucket
    };
    struct Block {  // the last one that ended
        std::uint32_t row = noRow;
        std::uint32_t entry = 0;
        std::int32_t event = 0;
        TimeNs begin = 0;
        TimeNs end = 0;
    };

    Execution& at(std::uint32_t row) { return m_pending[row - m_firstRow]; }
    const Execution& at(std::uint32_t row) const { return m_pending[row - m_firstRow]; }
    void open(TimeNs time, const ExecutionStart& start);
    void startPiece(std::uint32_t row, TimeNs time);
    void stopPiece(TimeNs time);
    void closeCurrent(TimeNs time);
    void interrupt(TimeNs time);
    std::uint32_t takeInterrupted();
    void resume(TimeNs time);
    void closeLost(TimeNs time, std::int64_t line);
    void closeAllLost(TimeNs time, std::int64_t line);
    bool continues(TimeNs time) const;
    std::uint32_t findSuspended(const ExecutionStart& start) const;
    void suspend(std::uint32_t row);
    void dropSuspendedFrom(std::size_t position);
    void rehash();
    void settleAll();
    void settle(std::uint32_t untilRow);
    void settleSpans(std::uint32_t untilRow);
    bool give(Span& span, std::uint32_t untilRow);
    void limitRows(TimeNs time, std::int64_t line);
    void limitSpans(TimeNs time, std::int64_t line);

    NestingSink& m_sink;
    ImportLog& m_log;
    std::uint32_t m_limit;
    std::size_t m_spanLimit;

    std::vector<Execution> m_pending;  // rows m_firstRow .. m_nextRow - 1
    std::uint32_t m_firstRow = 0;
    std::uint32_t m_settledRow = 0;  // rows below were handed over
    std::uint32_t m_nextRow = 0;
    std::vector<Span> m_spans;  // spans m_firstSpan ..., in begin order
    std::uint64_t m_firstSpan = 0;
    struct Kept {
        std::size_t spans = 0;      // so many of m_spans have been looked at
        std::uint32_t row = noRow;  // the first of their pieces' rows
    } m_kept;

    std::uint32_t m_current = noRow;
    std::uint64_t m_currentSpan = 0;
    TimeNs m_pieceCpu = -1;
    std::vector<std::uint32_t> m_interrupted;  // open blocks that others began inside, outermost first
    std::map<std::pair<std::int32_t, std::uint32_t>, std::uint32_t> m_interruptedKeys;  // event, entry: how many
    TimeNs m_idleInside = -1;  // first idling since the current block's piece began, -1: none
    Block m_last;
    bool m_idledSince = false;                          // since m_last ended
    std::array<std::int64_t, spanKinds> m_openSpans{};  // number + 1 of an open span by kind, 0: none

    std::vector<Suspended> m_suspended;  // innermost last
    std::size_t m_suspendedBase = 0;     // those below can no longer be continued
    std::vector<std::int32_t> m_buckets;

    std::uint32_t m_outerRow = 0;  // settling: the outermost execution that reaches to m_outerUntil
    std::uint32_t m_outerUntil = 0;
};

}  // namespace longpole
