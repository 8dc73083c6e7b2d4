// SPDX-License-Identifier: GPL-3.0-or-later
// Rows on their way into the file: gathered column by column until they fill a chunk, then encoded.
#pragma once

#include "core/base/timerange.h"
#include "core/file/chunksink.h"
#include "core/file/codec.h"
#include "core/trace/columns.h"

#include <QtGlobal>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

// Rows of one kind and track that do not fill a chunk yet, stored column by column.
class RowBuffer {
public:
    explicit RowBuffer(std::size_t columns) : m_columns(columns) {}

    // Returns by how many bytes it is larger than it ever was.
    std::size_t append(std::span<const std::int64_t> row)
    {
        Q_ASSERT(row.size() == m_columns);
        const std::size_t before = m_largest;
        if (m_rows == m_capacity) grow();
        std::int64_t* cell = m_values.get() + m_rows;
        for (std::size_t c = 0; c < m_columns; ++c, cell += m_stride) *cell = row[c];
        ++m_rows;
        return (m_largest - before) * m_columns * sizeof(std::int64_t);
    }
    std::uint32_t rows() const { return m_restingRows + m_rows; }

    // Keeps the rows as small as they will lie in the file while others come elsewhere; more may be appended. Before
    // what follows is asked for, they are woken.
    void rest(ChunkKind kind, TrackId track);
    void wake(ChunkKind kind, TrackId track);

    std::size_t stride() const { return m_stride; }
    std::span<const std::int64_t> values() const { return {m_values.get(), m_stride * m_columns}; }
    const std::int64_t* column(int c) const { return m_values.get() + static_cast<std::size_t>(c) * m_stride; }
    void clear() { m_rows = 0; }  // of an awake one

private:
    // Columns that lie a power of two apart would all compete for the same few cache lines.
    static constexpr std::size_t apart = 8;

    void grow() { grow(m_capacity == 0 ? 64 : std::min<std::size_t>(m_capacity * 4, chunkRows - m_restingRows)); }
    void grow(std::size_t capacity)
    {
        auto wider = std::make_unique_for_overwrite<std::int64_t[]>((capacity + apart) * m_columns);
        for (std::size_t c = 0; c < m_columns; ++c)
            std::copy_n(m_values.get() + c * m_stride, m_rows, wider.get() + c * (capacity + apart));
        m_values = std::move(wider);
        m_capacity = capacity;
        m_stride = capacity + apart;
        m_largest = std::max(m_largest, m_stride);
    }

    std::size_t m_columns;
    std::size_t m_capacity = 0;
    std::size_t m_stride = 0;   // from one column to the next
    std::size_t m_largest = 0;  // stride
    std::uint32_t m_rows = 0;   // awake
    std::uint32_t m_restingRows = 0;
    std::unique_ptr<std::int64_t[]> m_values;  // what no row has set is never read
    struct Resting {
        std::uint32_t rows = 0;
        std::vector<char> bytes;
    };
    std::vector<Resting> m_resting;
};

EncodedChunk encodeRows(ChunkKind kind, TrackId track, const RowBuffer& buffer, Packing packing = Packing::Compressed);

}  // namespace longpole
