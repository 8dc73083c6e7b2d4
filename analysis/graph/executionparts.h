// SPDX-License-Identifier: GPL-3.0-or-later
// The time of one processor's executions as disjoint parts in time order, each given to the innermost execution.
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/rowscan.h"
#include "core/store/taskrows.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {

class ExecutionVisitor {
public:
    virtual ~ExecutionVisitor() = default;
    // Each chunk of executions, as it is read, in order; it may hold some that lie outside the range.
    virtual Result<> tasks(const RowBlock<TaskRow>& rows) = 0;
    // Time inside the range, in order, without overlap. Parts come after the chunk that holds their execution.
    // `passes`: the execution's own time lies in the range of grain sizes that was asked for.
    virtual void part(TimeNs begin, TimeNs end, EntryId innermost, bool passes) = 0;
};

// Streams one track: holds a chunk of executions and one of pieces at a time, and 8 bytes for each execution with
// several pieces. Of executions that overlap without nesting the one that began last has the time.
class ExecutionParts {
public:
    ExecutionParts(const TraceStore& store, TrackId track, TimeRange range, std::optional<TimeRange> grain = {});

    // `fields`: of TaskRow, that the visitor needs beside those that parts need. `withParts` false: only chunks.
    // Errors: damaged chunks; the visitor's; cancelled.
    Result<> visit(std::uint32_t fields, bool withParts, ExecutionVisitor& visitor, const Progress& progress);

private:
    struct Owner {
        EntryId entry = noEntry;
        bool passes = true;
    };
    struct Open {
        TimeNs end = 0;
        Owner owner;
    };
    Result<> addTasks(const RowBlock<TaskRow>& rows);
    Result<> addPiecesBefore(TimeNs time, std::int64_t row);
    Owner ownerOf(std::int64_t task) const;
    void add(TimeNs begin, TimeNs end, Owner owner);
    void advance(TimeNs until);
    void give(TimeNs begin, TimeNs end, Owner owner);

    const TraceStore& m_store;
    TrackId m_track;
    TimeRange m_range;
    std::optional<TimeRange> m_grain;
    ExecutionVisitor* m_visitor = nullptr;
    std::vector<Open> m_open;  // innermost last
    TimeNs m_cursor = minTime;
    std::vector<std::pair<std::int64_t, Owner>> m_owners;  // executions with several pieces, by row
    std::span<const ChunkRef> m_pieceChunks;
    RowBlock<PieceRow> m_pieces;
    std::uint32_t m_piece = 0;
};

}  // namespace longpole
