// SPDX-License-Identifier: GPL-3.0-or-later
// One PE's part of a stored trace as a stream: its outermost executions one by one, each with what was sent and what
// ran nested inside it. Holds a window of rows, whatever the length of the trace.
#pragma once

#include "analysis/graph/lanerows.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

struct LaneTask {
    std::uint32_t row = 0;
    EntryId entry = noEntry;
    TimeNs begin = 0;  // trimmed as in buildGraph(): the outermost executions of a PE are disjoint and lie in the run
    TimeNs end = 0;
    std::optional<LaneSource> source{};
};

// A message created by the task or by an execution inside it.
struct LaneSend {
    TimeNs time = 0;            // within the task
    std::uint32_t message = 0;  // row in the PE's messages
    std::uint32_t receivers = 0;
};

// A piece of an execution nested in the task.
struct LanePiece {
    TimeNs begin = 0;
    TimeNs end = 0;
    std::uint32_t row = 0;
    EntryId entry = noEntry;
};

class TraceLane {
public:
    // `windowRows`: see LaneRows.
    TraceLane(const TraceStore& store, const Processor& processor, std::uint32_t windowRows);

    // Makes next() the current task; the first time it only finds the first one. Errors: damaged chunks.
    Result<> open();

    // The task to come; its end is not settled yet. None: all were opened.
    const std::optional<LaneTask>& next() const { return m_next; }
    const LaneTask& current() const { return m_current; }
    // Rows below it belong to the current task or to earlier ones.
    std::uint32_t nextRow() const { return m_next ? m_next->row : static_cast<std::uint32_t>(m_rows.tasks.total); }
    std::int64_t rows() const { return m_rows.tasks.total; }

    // Of the current task.
    const std::vector<LaneSend>& sends() const { return m_sends; }              // by time
    const std::vector<LanePiece>& pieces() const { return m_pieces; }           // by begin, then row
    const std::vector<LaneSource>& merges() const { return m_merges; }          // recorded: what it waited for besides
    const std::vector<LaneSource>& nextMerges() const { return m_nextMerges; }  // of next() itself
    TimeNs sendTime(TimeNs offset) const;  // of what the current task sent so long after its begin, as logged
    const std::vector<LaneSource>& innerSources() const { return m_innerSources; }  // of the executions inside

    // The first row of a task that begins after `time`, where next() begins at `time` or later. O(rows up to there).
    Result<std::uint32_t> endOfTie(TimeNs time) const;
    // The row of the task after next(), which there is. O(rows up to there).
    Result<std::uint32_t> rowAfterNext() const;

private:
    struct InnerRow {
        std::uint32_t row;
        TimeNs begin;
        EntryId entry;
    };
    const InnerRow* inner(std::int64_t row) const;  // null if there is none
    Result<> findNext();
    Result<> gatherPieces();
    Result<> gatherSends();
    Result<> gatherMerges();

    TimeRange m_run;
    LaneRows m_rows;
    bool m_isOpen = false;
    LaneTask m_current;
    std::optional<LaneTask> m_next;
    TimeNs m_currentBegin = 0;  // as logged: offsets in nested executions are counted from there
    TimeNs m_nextBegin = 0;
    std::vector<InnerRow> m_inner;  // of the current task
    std::vector<LaneSend> m_sends;
    std::vector<LanePiece> m_pieces;
    std::vector<LaneSource> m_merges;
    std::vector<LaneSource> m_nextMerges;
    std::vector<LaneSource> m_innerSources;
};

}  // namespace longpole
