// SPDX-License-Identifier: GPL-3.0-or-later
// The event rows of a trace as named tables and columns, filtered by processor, time and id: what SQL shows, without
// SQL itself. One list of tables drives everything.
#pragma once

#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/columns.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace longpole {

// How a cell is made from its row. Raw shows ViewColumn::column as it is stored, Known shows null if that is below 0,
// TaskOnPe shows it as a task of the same PE.
enum class Field : std::uint8_t {
    // clang-format off
    Raw, RawDouble, Pe, Track, RowId, Begin, End, Exclusive, Entry, Object, RegionName, Text, OverheadKind, HopKind,
    WaitPattern, MessageKind, Link, Known, Positive, Source, SourceOffset, Sent, Received, Estimated, MessageId, TaskOnPe,
    Executions, SourceRow, MergeLink
    // clang-format on
};

struct ViewColumn {
    const char* name;
    const char* type;  // SQL affinity
    Field field = Field::Raw;
    std::uint8_t column = 0;
};

struct ViewTable {
    const char* name;
    ChunkKind kind;
    std::optional<ChunkKind> aligned;  // another kind whose rows belong to this one's by number
    std::span<const ViewColumn> columns;
    bool isOrdered;  // rows of a track stand in begin order
};

std::span<const ViewTable> viewTables();

using ViewValue = std::variant<std::monostate, std::int64_t, double, std::string>;

// Bounds are inclusive and only narrow what is read: rows outside of them may still come.
struct RowFilter {
    std::int64_t firstKey = minTime, lastKey = maxTime;  // processor, or track where the table has no processor
    TimeNs firstBegin = minTime, lastBegin = maxTime;
    TimeNs firstEnd = minTime, lastEnd = maxTime;
    std::optional<std::string> rowId;  // exactly this "pe:index"
};

// Who a track belongs to, for all cursors of a connection.
class TrackKeys {
public:
    explicit TrackKeys(const TraceStore& store);
    std::optional<std::int64_t> pe(TrackId track) const;
    std::span<const std::pair<std::int64_t, TrackId>> tracksOf(std::int64_t pe) const;

private:
    std::vector<std::pair<TrackId, std::int64_t>> m_peOfTrack;
    std::vector<std::pair<std::int64_t, TrackId>> m_tracksOfPe;
};

// A cursor over one table. It reads no chunk that cannot hold a row of the filter, and decodes no column that is not
// used. Of a trace that has parts of the events (TraceInfo::isPart) it gives rows only if all that pass the filter are
// kept.
class TraceRows {
public:
    // `used`: bit i for column i of the table.
    TraceRows(const TraceStore& store, const TrackKeys& keys, const ViewTable& table, std::uint64_t used,
              const RowFilter& filter);

    // Moves to the first or the next row; false if there is none. Errors: damaged chunks; rows that are not kept.
    Result<bool> next();
    ViewValue value(std::size_t column) const;
    std::int64_t rowNumber() const { return m_chunkRow + m_row; }
    TrackId track() const { return m_track; }

private:
    void selectChunks(const RowFilter& filter);
    void selectKept(const RowFilter& filter);
    bool isKept(std::int64_t pe) const;
    bool isWanted(const ChunkRef& ref) const;
    void countLatencyChunks();
    Result<bool> openNext();
    Result<> readAligned();
    Result<> readLatencies();
    bool passes(std::uint32_t row) const;
    std::int64_t cell(std::size_t column) const { return m_chunk->at(column, m_row); }
    std::int64_t alignedCell(std::size_t column) const { return m_aligned->at(column, m_alignedRow); }
    ViewValue fieldValue(const ViewColumn& column) const;
    ViewValue sourceValue(const ViewColumn& column) const;
    ViewValue received(bool asFlag) const;
    std::string rowIdText(std::int64_t pe, std::int64_t row) const;

    const TraceStore& m_store;
    const TrackKeys& m_keys;
    const ViewTable& m_table;
    RowFilter m_filter;
    std::uint32_t m_columns = 0;  // of the table's kind
    std::uint32_t m_alignedColumns = 0;
    bool m_needsLatencies = false;
    bool m_filtersRows = false;
    bool m_hasPe = false;
    Coverage m_coverage = Coverage::Whole;            // Kept: all rows of the filter are
    std::vector<std::span<const ChunkRef>> m_chunks;  // still to come: the first span from m_nextChunk on
    std::size_t m_span = 0;
    std::size_t m_nextChunk = 0;
    std::optional<std::int64_t> m_onlyRow;

    std::shared_ptr<const Chunk> m_chunk;
    TrackId m_track{};
    std::optional<std::int64_t> m_pe;
    std::int64_t m_chunkRow = 0;  // number of the chunk's first row
    std::uint32_t m_rows = 0;
    std::uint32_t m_row = 0;  // current
    bool m_isOpen = false;
    std::shared_ptr<const Chunk> m_aligned;  // null: the aligned kind has no such row
    std::uint32_t m_alignedRow = 0;
    // By PE: read when the first of its chunks comes, and dropped after the last one.
    struct Latencies {
        std::size_t chunksLeft = 0;
        bool isRead = false;
        std::vector<std::pair<ProcessorId, TimeNs>> least;  // by source
    };
    std::map<ProcessorId, Latencies> m_latencies;
    Latencies* m_latenciesHere = nullptr;  // of the PE of the chunk; null: it has none
};

}  // namespace longpole
