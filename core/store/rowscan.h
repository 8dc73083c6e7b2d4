// SPDX-License-Identifier: GPL-3.0-or-later
// The door for rows: all of a track decoded chunk by chunk in one loop, or one after another by number.
//
//     auto tasks = store.rows<TaskRow>(track, TaskRow::Begin | TaskRow::Entry);
//     for (const TaskRow& task : tasks) use(task.begin(), task.entry());
//     if (const Result<> read = tasks.result(); !read) return read;
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/rowblock.h"
#include "core/store/tracestore.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

struct RowLimits {
    // Chunks that do not touch this range are left out. Those that do may also have rows outside of it. Of a trace that
    // has parts of the events it can be read if it is kept.
    TimeRange touching{minTime, maxTime};
    const Progress* progress = nullptr;  // looked at before each chunk: cancelled work ends with that error
    Coverage coverage = Coverage::Whole;
};

// Reads a list of chunks one after the other.
class ChunkWalk {
public:
    ChunkWalk(const TraceStore& store, ChunkKind kind, std::span<const ChunkRef> chunks, std::uint32_t fields,
              const RowLimits& limits)
        : m_store(store), m_chunks(chunks), m_fields(fields), m_limits(limits)
    {
        if (const Result<> there = requireRows(store, kind, limits.coverage); !there) m_error = there.error();
    }
    // Null after the last chunk, and after an error.
    std::shared_ptr<const Chunk> next();
    Result<> result() const { return m_error ? Result<>(*m_error) : Result<>(Unit{}); }

private:
    const TraceStore& m_store;
    std::span<const ChunkRef> m_chunks;
    std::uint32_t m_fields;
    RowLimits m_limits;
    std::optional<Error> m_error;
};

// Gives rows one after the other: in a range-based for, or by next() to read several kinds side by side.
template <typename Row>
class RowScan {
public:
    RowScan(const TraceStore& store, std::span<const ChunkRef> chunks, std::uint32_t fields, const RowLimits& limits)
        : m_walk(store, Row::kind, chunks, fields, limits)
    {
    }

    struct End {};
    class Iterator {
    public:
        explicit Iterator(RowScan& scan) : m_scan(&scan) { open(); }
        const Row& operator*() const { return m_row; }
        const Row* operator->() const { return &m_row; }
        Iterator& operator++()
        {
            if (++m_row.m_row == m_rows) open();
            return *this;
        }
        bool operator!=(End) const { return m_rows != 0; }

    private:
        void open()
        {
            m_rows = m_scan->open() ? m_scan->m_block.size() : 0;
            if (m_rows != 0) m_row = m_scan->m_block[0];
        }
        RowScan* m_scan;
        Row m_row;
        std::uint32_t m_rows = 0;
    };
    Iterator begin() { return Iterator(*this); }
    End end() const { return {}; }

    // Moves to the first and then to each further row; null if there is none, and after an error.
    const Row* next()
    {
        if (!m_at) m_at.emplace(*this);
        else ++*m_at;
        return *m_at != End{} ? &**m_at : nullptr;
    }
    const RowBlock<Row>& block() const { return m_block; }  // the chunk of the current row
    TrackId track() const { return m_track; }               // of the current row

    // To be asked when there are no more rows: why reading stopped early, if it did. Errors: damaged chunks; cancelled.
    Result<> result() const { return m_walk.result(); }

private:
    bool open()
    {
        do {
            std::shared_ptr<const Chunk> chunk = m_walk.next();
            if (!chunk) return false;
            m_track = chunk->track;
            m_block = RowBlock<Row>(std::move(chunk));
        } while (m_block.size() == 0);
        return true;
    }

    ChunkWalk m_walk;
    RowBlock<Row> m_block;
    TrackId m_track = noTrack;
    std::optional<Iterator> m_at;
};

// The chunk that holds a row of its track by number; null if there is none.
const ChunkRef* chunkOf(std::span<const ChunkRef> chunks, std::int64_t number);

// Single rows of a track by number; neighbours lie in one chunk. Numbers that lie far apart in turn have each chunk
// decoded a few times at most: then the asked fields of the track stay in memory, 8 bytes each and row.
template <typename Row>
class RowSeeker {
public:
    RowSeeker(const TraceStore& store, TrackId track, std::uint32_t fields, Coverage coverage = Coverage::Whole)
        : m_store(&store),
          m_chunks(coverage == Coverage::Kept ? store.keptChunks(Row::kind, track) : store.chunks(Row::kind, track)),
          m_fields(fields), m_coverage(coverage)
    {
    }
    // Null if there is no such row. Valid until the next call. Errors: damaged chunks; the trace has parts only.
    Result<const Row*> find(std::int64_t number)
    {
        if (!m_block.holds(number)) {
            std::swap(m_block, m_blockBefore);  // many go to and fro between two chunks
            if (!m_block.holds(number)) {
                const ChunkRef* const ref = chunkOf(m_chunks, number);
                if (ref == nullptr) {
                    if (const Result<> there = requireRows(*m_store, Row::kind, m_coverage); !there)
                        return there.error();
                    return static_cast<const Row*>(nullptr);
                }
                if (const Result<> opened = open(static_cast<std::size_t>(ref - m_chunks.data())); !opened)
                    return opened.error();
            }
        }
        m_row = m_block.at(number);
        return static_cast<const Row*>(&m_row);
    }

private:
    static constexpr std::size_t readsInOrder = 4;  // of each chunk, before chunks are kept

    Result<> open(std::size_t place)
    {
        if (!m_kept.empty() && m_kept[place].size() != 0) {
            m_block = m_kept[place];
            return Unit{};
        }
        Result<RowBlock<Row>> block = m_store->block<Row>(m_chunks[place], m_fields, m_coverage);
        if (!block) return block.error();
        m_block = std::move(*block);
        if (++m_reads <= readsInOrder * m_chunks.size()) return Unit{};
        m_kept.resize(m_chunks.size());
        m_kept[place] = m_block;
        return Unit{};
    }

    const TraceStore* m_store;
    std::span<const ChunkRef> m_chunks;
    std::uint32_t m_fields;
    Coverage m_coverage;
    RowBlock<Row> m_block, m_blockBefore;
    std::size_t m_reads = 0;
    std::vector<RowBlock<Row>> m_kept;  // by chunk; none as long as rows are asked for nearly in order
    Row m_row;
};

template <typename Row>
RowScan<Row> TraceStore::rows(TrackId track, std::uint32_t fields, const RowLimits& limits) const
{
    // All that touch a range that is kept are there.
    RowLimits granted = limits;
    if (const Track* const row = info().isPart() ? this->track(track) : nullptr; row != nullptr && row->pe)
        if (isKept(*row->pe, limits.touching)) granted.coverage = Coverage::Kept;
    const bool isOfKept = granted.coverage == Coverage::Kept;
    return RowScan<Row>(*this, isOfKept ? keptChunks(Row::kind, track) : chunks(Row::kind, track), fields, granted);
}
template <typename Row>
RowScan<Row> TraceStore::rows(TrackId track, std::uint32_t fields) const
{
    return rows<Row>(track, fields, RowLimits{});
}
template <typename Row>
RowScan<Row> TraceStore::rows(std::uint32_t fields, const RowLimits& limits) const
{
    return RowScan<Row>(*this, chunks(Row::kind), fields, limits);
}
template <typename Row>
RowScan<Row> TraceStore::rows(std::uint32_t fields) const
{
    return rows<Row>(fields, RowLimits{});
}
template <typename Row>
Result<RowBlock<Row>> TraceStore::block(const ChunkRef& ref, std::uint32_t fields, Coverage coverage) const
{
    assert(ref.kind == Row::kind);
    auto chunk = read(ref, fields, coverage);
    if (!chunk) return chunk.error();
    return RowBlock<Row>(std::move(*chunk));
}

}  // namespace longpole
