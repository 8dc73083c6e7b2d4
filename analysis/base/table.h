// SPDX-License-Identifier: GPL-3.0-or-later
// The table of an answer lists its columns once: text, CSV, JSON and its schema, reports, panels, tooltips and the
// reference in docs/ are all made from it.
#pragma once

#include "analysis/base/cells.h"
#include "analysis/base/json.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

// A value of an enumeration, for programs and for people.
struct Word {
    QString word;   // "late_sender"
    QString title;  // "Late sender"
};

struct Column {
    Column(QString itsKey, QString itsTitle, CellKind itsKind = CellKind::Text, QString itsMeaning = {})
        : key(std::move(itsKey)), title(std::move(itsTitle)), kind(itsKind), meaning(std::move(itsMeaning))
    {
    }
    Column(const char* itsKey, QString itsTitle, CellKind itsKind = CellKind::Text, QString itsMeaning = {})
        : Column(QString::fromLatin1(itsKey), std::move(itsTitle), itsKind, std::move(itsMeaning))
    {
    }

    // Say more of the column's values; for the schema.
    Column orNone() &&;                           // a cell may be empty, null in JSON
    Column belowZero() &&;                        // may be negative; Rows: its values may
    Column atLeast(std::int64_t number) &&;       // the smallest possible value
    Column atMostOne() &&;                        // the part of a whole; Rows: its values are
    Column oneOf(std::vector<Word> itsWords) &&;  // the possible values: programs read the word, people its title
    Column of(std::vector<Column> itsItems) &&;   // Rows: objects with these columns
    Column of(CellKind item) &&;                  // Rows: an array of values

    QString key;    // in JSON and CSV
    QString title;  // the heading; empty: the column is for programs only
    CellKind kind = CellKind::Text;
    QString meaning;  // what the figure is, for tooltip, schema and reference; without a full stop
    bool maybe = false;
    std::optional<std::int64_t> least = 0;  // the least number possible; empty if it may be negative
    bool isUpToOne = false;
    std::vector<Word> words;
    std::vector<Column> items;
};

// What a table is about: a trace, or only the words of a kind of program, which is enough to describe the columns.
struct TableScope {
    TableScope(const TraceStore& trace) : words(trace.words()), store(&trace) {}
    TableScope(Vocabulary vocabulary) : words(vocabulary) {}

    Vocabulary words;
    const TraceStore* store = nullptr;
};

template <typename Row>
struct TableColumn : Column {
    // `read` gives the cell of a row, and may be a pointer to a member of Row. It is called for tables of a trace only.
    TableColumn(Column column, std::function<Cell(const Row&)> read) : Column(std::move(column)), cell(std::move(read))
    {
    }

    std::function<Cell(const Row&)> cell;
};

// A table whose rows have been read: its values, without the type of its rows.
struct TableData {
    QString title;
    std::vector<Column> columns;
    std::vector<std::vector<QVariant>> rows;
    std::int64_t rowsOmitted = 0;  // their number is shown below the table
};

template <typename Row>
struct Table {
    QString id;     // "waits.worst": the table's name in the reference and in schemas
    QString title;  // stands above the table in a report
    std::vector<TableColumn<Row>> columns;

    // The table with those columns only, in that order; each must exist.
    Table only(std::initializer_list<const char*> keys) const;
    Table titled(const QString& text) const;
    // The table with another key for a column, for outputs that have always called it so.
    Table renamed(const char* key, const char* as) const;

    std::vector<Column> heads() const { return {columns.begin(), columns.end()}; }
    std::vector<QVariant> cells(const Row& row) const;
    template <typename Rows>
    TableData data(const Rows& rows, std::size_t most = static_cast<std::size_t>(-1)) const;
};

// The columns of a table of parts, for rows that have such a part. `part` returns null for a row without one, whose
// cells are then empty.
template <typename Row, typename Part>
std::vector<TableColumn<Row>> columnsOfPart(const Table<Part>& parts, std::function<const Part*(const Row&)> part)
{
    std::vector<TableColumn<Row>> columns;
    for (const TableColumn<Part>& column : parts.columns)
        columns.push_back({static_cast<const Column&>(column), [part, cell = column.cell](const Row& row) {
                               const Part* const found = part(row);
                               return found != nullptr ? cell(*found) : Cell();
                           }});
    return columns;
}

template <typename Row>
Table<Row> Table<Row>::only(std::initializer_list<const char*> keys) const
{
    Table picked{id, title, {}};
    for (const char* key : keys) {
        const auto found = std::find_if(columns.begin(), columns.end(),
                                        [key](const Column& column) { return column.key == QLatin1String(key); });
        Q_ASSERT_X(found != columns.end(), "Table::only", key);
        if (found != columns.end()) picked.columns.push_back(*found);
    }
    return picked;
}

template <typename Row>
Table<Row> Table<Row>::titled(const QString& text) const
{
    Table other = *this;
    other.title = text;
    return other;
}

template <typename Row>
Table<Row> Table<Row>::renamed(const char* key, const char* as) const
{
    Table other = *this;
    for (Column& column : other.columns)
        if (column.key == QLatin1String(key)) column.key = QString::fromLatin1(as);
    return other;
}

template <typename Row>
std::vector<QVariant> Table<Row>::cells(const Row& row) const
{
    std::vector<QVariant> values;
    values.reserve(columns.size());
    for (const TableColumn<Row>& column : columns) values.push_back(column.cell(row));
    return values;
}

template <typename Row>
template <typename Rows>
TableData Table<Row>::data(const Rows& rows, std::size_t most) const
{
    TableData read{title, heads(), {}, 0};
    for (const Row& row : rows) {
        if (read.rows.size() < most) read.rows.push_back(cells(row));
        else ++read.rowsOmitted;
    }
    return read;
}

// The text of a cell for people: the title of an enumeration's word, else that of cellText().
QString readText(const QVariant& cell, const Column& column, const TraceStore* store);

// A cell of kind Rows.
Cell rowsCell(const TableData& rows);

JsonValue cellJson(const QVariant& cell, const Column& column, const TraceStore* store);
JsonValue rowJson(std::span<const QVariant> cells, std::span<const Column> columns, const TraceStore* store);
JsonValue rowsJson(const TableData& table, const TraceStore* store);
template <typename Row>
JsonValue rowJson(const Table<Row>& table, const Row& row, const TraceStore* store)
{
    return rowJson(table.cells(row), table.heads(), store);
}
template <typename Row, typename Rows>
JsonValue rowsJson(const Table<Row>& table, const Rows& rows, const TraceStore* store)
{
    return rowsJson(table.data(rows), store);
}

// A line of CSV without a line break. An entry takes three fields, key_id, key and key_chare; columns of kind Rows are
// left out.
QString csvHeads(std::span<const Column> columns);
QString csvRow(std::span<const QVariant> cells, std::span<const Column> columns, const TraceStore* store);

// The JSON Schema of a row, which is an object. Columns of kind Entry refer to #/$defs/entry.
JsonValue schemaOf(std::span<const Column> columns);

// A table's description, without its rows, for the reference and the schemas.
struct TableInfo {
    QString id;
    QString title;
    std::vector<Column> columns;
};
template <typename Row>
TableInfo infoOf(const Table<Row>& table)
{
    return {table.id, table.title, table.heads()};
}

}  // namespace longpole

Q_DECLARE_METATYPE(longpole::TableData)
