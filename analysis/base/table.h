// SPDX-License-Identifier: GPL-3.0-or-later
// One table per answer: its columns, once. Text, CSV, JSON and its schema, reports, panels, tooltips and the reference
// in docs/ come from them.
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

// A value of an enumeration.
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

    // What else its schema says.
    Column orNone() &&;                        // may be empty, null in JSON
    Column belowZero() &&;                     // may be negative; Rows: its values may
    Column atLeast(std::int64_t number) &&;    // the smallest that it can be
    Column atMostOne() &&;                     // a part of a whole
    Column oneOf(std::vector<Word> words) &&;  // these only: programs read the word, people its title
    Column of(std::vector<Column> items) &&;   // Rows: objects with these columns
    Column of(CellKind item) &&;               // Rows: an array of values

    QString key;    // in JSON and CSV
    QString title;  // heading; where it is empty, for programs only
    CellKind kind = CellKind::Text;
    QString meaning;  // tooltip, schema and reference: what the figure is, without a full stop
    bool maybe = false;
    std::optional<std::int64_t> least = 0;  // of a number; nothing where it may be negative
    bool isUpToOne = false;
    std::vector<Word> words;
    std::vector<Column> items;
};

// What the titles and cells of a table speak of: a trace; or only its kind, where columns are described.
struct TableScope {
    TableScope(const TraceStore& trace) : words(trace.words()), store(&trace) {}
    TableScope(Vocabulary vocabulary) : words(vocabulary) {}

    Vocabulary words;
    const TraceStore* store = nullptr;
};

template <typename Row>
struct TableColumn : Column {
    // `cell` may be a member of Row. It is called for tables of a trace only.
    TableColumn(Column column, std::function<Cell(const Row&)> read) : Column(std::move(column)), cell(std::move(read))
    {
    }

    std::function<Cell(const Row&)> cell;
};

// What is left of a table when its rows are read: values in columns.
struct TableData {
    QString title;
    std::vector<Column> columns;
    std::vector<std::vector<QVariant>> rows;
    std::int64_t rowsOmitted = 0;  // said below the table
};

template <typename Row>
struct Table {
    QString id;     // "waits.worst": its name in the reference and in schemas
    QString title;  // above it in a report
    std::vector<TableColumn<Row>> columns;

    // Those columns, in that order; each must exist.
    Table only(std::initializer_list<const char*> keys) const;
    Table titled(QString text) const;
    // With another key for a column, where JSON of before called it otherwise.
    Table renamed(const char* key, const char* as) const;

    std::vector<Column> heads() const { return {columns.begin(), columns.end()}; }
    std::vector<QVariant> cells(const Row& row) const;
    template <typename Rows>
    TableData data(const Rows& rows, std::size_t most = static_cast<std::size_t>(-1)) const;
};

// The columns of a part of a row, as a table of such parts has them. `part` gives null where a row has none.
template <typename Row, typename Part>
std::vector<TableColumn<Row>> columnsOfPart(const Table<Part>& parts, std::function<const Part*(const Row&)> part)
{
    std::vector<TableColumn<Row>> columns;
    for (const TableColumn<Part>& column : parts.columns)
        columns.push_back({column, [part, cell = column.cell](const Row& row) {
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
Table<Row> Table<Row>::titled(QString text) const
{
    Table other = *this;
    other.title = std::move(text);
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

// As people read it: an enumeration's title, or as cellText() has it.
QString readText(const QVariant& cell, const Column& column, const TraceStore* store);

// A cell of kind Rows.
Cell rowsCell(TableData rows);

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

// A line of CSV without its end. An entry is three fields: key_id, key and key_chare; columns of kind Rows are left
// out.
QString csvHeads(std::span<const Column> columns);
QString csvRow(std::span<const QVariant> cells, std::span<const Column> columns, const TraceStore* store);

// JSON Schema of a row: an object. `$ref`s to #/$defs/entry where a column is an entry.
JsonValue schemaOf(std::span<const Column> columns);

// A table as the reference and the schemas know it.
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
