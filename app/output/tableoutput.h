// SPDX-License-Identifier: GPL-3.0-or-later
// Writes tables as aligned text, CSV or JSON.
#pragma once

#include "analysis/base/table.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

#include <QByteArray>
#include <QString>
#include <QVariant>

#include <cstddef>
#include <utility>
#include <vector>

namespace longpole {

// Writes row by row, so that a table may be longer than memory. Text: the widths come from the first 1000 rows, or from
// fewer that are long.
class TableWriter {
public:
    // `store` names entries and gives the begin of the run; null for tables that need neither.
    TableWriter(Output& output, OutputFormat format, std::vector<Column> columns, const TraceStore* store);

    // False when nothing more can be written.
    bool row(const std::vector<QVariant>& cells);
    void finish();

private:
    void writeText(const std::vector<QVariant>& cells);
    void flushHead();

    Output& m_output;
    OutputFormat m_format;
    std::vector<Column> m_columns;
    const TraceStore* m_store;
    std::vector<std::vector<QVariant>> m_head;  // of text: rows kept until the widths are known
    qsizetype m_headLetters = 0;                // of these
    std::vector<qsizetype> m_widths;
    std::vector<bool> m_right;
    bool m_headWritten = false;
    bool m_going = true;
    std::int64_t m_rows = 0;
};

// Rows that are made one by one while they are written: made(0) to made(count - 1).
template <typename Make>
class RowsMade {
public:
    class Iterator {
    public:
        Iterator(const RowsMade& rows, std::size_t at) : m_rows(&rows), m_at(at) {}
        decltype(auto) operator*() const { return m_rows->m_make(m_at); }
        Iterator& operator++()
        {
            ++m_at;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return m_at != other.m_at; }

    private:
        const RowsMade* m_rows;
        std::size_t m_at;
    };

    RowsMade(std::size_t count, Make made) : m_count(count), m_make(std::move(made)) {}
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, m_count}; }

private:
    std::size_t m_count;
    Make m_make;
};

void writeTable(Output& output, OutputFormat format, const TableData& table, const TraceStore* store);
template <typename Row, typename Rows>
void writeTable(Output& output, OutputFormat format, const Table<Row>& table, const Rows& rows, const TraceStore& store)
{
    TableWriter writer(output, format, table.heads(), &store);
    for (const Row& row : rows)
        if (!writer.row(table.cells(row))) return;
    writer.finish();
}

// Text filled into lines of 100 columns, each behind a margin of `indent` blanks; a longer word has a line of its own.
QString wrapped(const QString& text, qsizetype indent);

// A line of Markdown in which nothing is markup, an entity, mathematics, a picture, the end of a table's cell, a link
// or somebody's name.
QString escapedMarkdown(const QString& text);

}  // namespace longpole
