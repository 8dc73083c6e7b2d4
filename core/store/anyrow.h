// SPDX-License-Identifier: GPL-3.0-or-later
// Rows whose kind is known only at run time, for lists of records of all kinds.
#pragma once

#include "core/base/result.h"
#include "core/store/rowblock.h"
#include "core/store/tracestore.h"

#include <cassert>
#include <cstdint>
#include <memory>

namespace longpole {

class AnyRow {
public:
    // The field that must be read for time().
    static std::uint32_t timeField(ChunkKind kind) { return bit(chunkSpec(kind).timeColumn); }

    ChunkKind kind() const { return m_chunk->kind; }
    TrackId track() const { return m_chunk->track; }
    std::int64_t number() const { return m_chunk->firstRow + m_row; }
    TimeNs time() const { return m_chunk->at(static_cast<std::size_t>(m_spec->timeColumn), m_row); }
    TimeNs duration() const  // -1: rows of this kind have none
    {
        const int column = m_spec->durationColumn;
        return column < 0 ? -1 : m_chunk->at(static_cast<std::size_t>(column), m_row);
    }
    template <typename Row>
    Row as() const
    {
        assert(kind() == Row::kind);
        Row row;
        row.show(*m_chunk, m_row);
        return row;
    }

private:
    friend class AnyBlock;
    AnyRow(const Chunk& chunk, const ChunkSpec& spec, std::uint32_t row) : m_chunk(&chunk), m_spec(&spec), m_row(row) {}
    static std::uint32_t bit(int column) { return column < 0 ? 0 : 1u << column; }
    const Chunk* m_chunk;
    const ChunkSpec* m_spec;
    std::uint32_t m_row;
};

class AnyBlock {
public:
    AnyBlock() = default;
    // `fields` as the kind's own class names them. Errors: a damaged chunk.
    static Result<AnyBlock> read(const TraceStore& store, const ChunkRef& ref, std::uint32_t fields)
    {
        Result<std::shared_ptr<const Chunk>> chunk = store.read(ref, fields);
        if (!chunk) return chunk.error();
        AnyBlock block;
        block.m_chunk = std::move(*chunk);
        block.m_spec = &chunkSpec(ref.kind);
        return block;
    }
    std::uint32_t size() const { return m_chunk ? m_chunk->rows : 0; }
    bool holds(std::int64_t number) const
    {
        return m_chunk && number >= m_chunk->firstRow && number - m_chunk->firstRow < m_chunk->rows;
    }
    AnyRow operator[](std::uint32_t row) const { return {*m_chunk, *m_spec, row}; }
    AnyRow at(std::int64_t number) const { return (*this)[static_cast<std::uint32_t>(number - m_chunk->firstRow)]; }

private:
    std::shared_ptr<const Chunk> m_chunk;
    const ChunkSpec* m_spec = nullptr;
};

}  // namespace longpole
