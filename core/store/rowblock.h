// SPDX-License-Identifier: GPL-3.0-or-later
// A decoded chunk as rows: each a view of a few words that is read through the accessors of its kind's class, which
// know how the columns are encoded.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"
#include "core/trace/columns.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {

// What all kinds' rows have. Only fields that were asked for when the chunk was read may be looked at.
class RowView {
public:
    std::int64_t number() const { return m_first + m_row; }  // on its track, from 0
    std::uint32_t index() const { return static_cast<std::uint32_t>(number()); }

protected:
    static constexpr std::uint32_t bit(std::uint32_t column) { return 1u << column; }
    std::int64_t at(std::size_t column) const { return m_columns[column][m_row]; }
    // -1 stands for "none" or "not known".
    std::optional<std::int64_t> known(std::size_t column) const
    {
        return at(column) < 0 ? std::nullopt : std::optional(at(column));
    }
    template <typename Id>
    Id id(std::size_t column) const
    {
        return static_cast<Id>(static_cast<std::uint32_t>(at(column)));
    }
    TimeRange rangeOf(std::size_t beginColumn, std::size_t durationColumn) const
    {
        return {at(beginColumn), saturatingAdd(at(beginColumn), at(durationColumn))};
    }

private:
    template <typename Row>
    friend class RowBlock;
    template <typename Row>
    friend class RowScan;
    friend class AnyRow;
    void show(const Chunk& chunk, std::uint32_t row)
    {
        m_columns = chunk.columns.data();
        m_first = chunk.firstRow;
        m_row = row;
    }
    const StoredColumn* m_columns = nullptr;
    std::int64_t m_first = 0;
    std::uint32_t m_row = 0;
};

template <typename Row>
class RowBlock {
public:
    RowBlock() = default;
    explicit RowBlock(std::shared_ptr<const Chunk> chunk) : m_chunk(std::move(chunk)) {}

    std::uint32_t size() const { return m_chunk ? m_chunk->rows : 0; }
    std::int64_t first() const { return m_chunk ? m_chunk->firstRow : 0; }  // number of the first row
    bool holds(std::int64_t number) const { return number >= first() && number < first() + size(); }
    Row operator[](std::uint32_t row) const
    {
        Row view;
        view.show(*m_chunk, row);
        return view;
    }
    Row at(std::int64_t number) const { return (*this)[static_cast<std::uint32_t>(number - first())]; }

    class Iterator {
    public:
        explicit Iterator(const Row& row) : m_row(row) {}
        const Row& operator*() const { return m_row; }
        Iterator& operator++()
        {
            ++m_row.m_row;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return m_row.m_row != other.m_row.m_row; }

    private:
        Row m_row;
    };
    Iterator begin() const { return Iterator(m_chunk ? (*this)[0] : Row()); }
    Iterator end() const { return Iterator(m_chunk ? (*this)[m_chunk->rows] : Row()); }

private:
    std::shared_ptr<const Chunk> m_chunk;
};

}  // namespace longpole
