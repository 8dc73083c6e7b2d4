// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/table.h"

namespace longpole {

Column Column::orNone() &&
{
    maybe = true;
    return std::move(*this);
}

Column Column::belowZero() &&
{
    least.reset();
    return std::move(*this);
}

Column Column::atLeast(std::int64_t number) &&
{
    least = number;
    return std::move(*this);
}

Column Column::atMostOne() &&
{
    isUpToOne = true;
    return std::move(*this);
}

Column Column::oneOf(std::vector<Word> itsWords) &&
{
    words = std::move(itsWords);
    return std::move(*this);
}

Column Column::of(std::vector<Column> itsItems) &&
{
    items = std::move(itsItems);
    return std::move(*this);
}

// A single item without a key stands for an array of values.
Column Column::of(CellKind item) && { return std::move(*this).of({Column(QString(), QString(), item)}); }

QString readText(const QVariant& cell, const Column& column, const TraceStore* store)
{
    const QString word = column.words.empty() ? QString() : rawValue(cell).toString();
    for (const Word& known : column.words)
        if (known.word == word) return known.title;
    return cellText(cell, column.kind, store);
}

Cell rowsCell(const TableData& rows) { return QVariant::fromValue(rows); }

JsonValue cellJson(const QVariant& cell, const Column& column, const TraceStore* store)
{
    const QVariant raw = rawValue(cell);
    if (raw.isNull()) return nullptr;
    const bool isCode = column.kind == CellKind::Entry || column.kind == CellKind::Code;
    if (isCode && store != nullptr) return entryJson(*store, EntryId{raw.toUInt()});
    if (column.kind != CellKind::Rows) return toJson(raw);
    if (raw.metaType() == QMetaType::fromType<TableData>()) return rowsJson(raw.value<TableData>(), store);
    JsonValue list = JsonValue::array();
    for (const QVariant& item : raw.toList()) list.push_back(cellJson(item, column.items.front(), store));
    return list;
}

JsonValue rowJson(std::span<const QVariant> cells, std::span<const Column> columns, const TraceStore* store)
{
    JsonValue object = JsonValue::object();
    object.get_ref<JsonValue::object_t&>().reserve(columns.size());  // there may be a million such rows
    for (std::size_t i = 0; i < columns.size(); ++i)
        object[columns[i].key.toStdString()] = cellJson(cells[i], columns[i], store);
    return object;
}

JsonValue rowsJson(const TableData& table, const TraceStore* store)
{
    JsonValue list = JsonValue::array();
    list.get_ref<JsonValue::array_t&>().reserve(table.rows.size());
    for (const auto& cells : table.rows) list.push_back(rowJson(cells, table.columns, store));
    return list;
}

QString csvHeads(std::span<const Column> columns)
{
    QStringList fields;
    for (const Column& column : columns) {
        if (column.kind == CellKind::Rows) continue;
        if (column.kind == CellKind::Entry) fields << csvField(column.key + QStringLiteral("_id"));
        fields << csvField(column.key);
        if (column.kind == CellKind::Entry) fields << csvField(column.key + QStringLiteral("_chare"));
    }
    return fields.join(QLatin1Char(','));
}

QString csvRow(std::span<const QVariant> cells, std::span<const Column> columns, const TraceStore* store)
{
    QStringList fields;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].kind == CellKind::Rows) continue;
        const QVariant cell = rawValue(cells[i]);
        if (columns[i].kind != CellKind::Entry) {
            fields << csvField(columns[i].kind == CellKind::Code ? cellText(cell, CellKind::Code, store)
                                                                 : plainText(cell));
            continue;
        }
        const EntryId id = cell.isNull() ? noEntry : EntryId{cell.toUInt()};
        const Entry* entry = store != nullptr ? store->entry(id) : nullptr;
        const Region* region = store != nullptr && entry == nullptr ? store->region(RegionId{index(id)}) : nullptr;
        fields << plainText(cell)
               << csvField(entry != nullptr    ? entry->name
                           : region != nullptr ? region->name
                                               : QString())
               << csvField(entry != nullptr ? entry->chare : QString());
    }
    return fields.join(QLatin1Char(','));
}

namespace {

JsonValue wordsJson(const std::vector<Word>& words)
{
    JsonValue list = JsonValue::array();
    for (const Word& word : words) list.push_back(word.word);
    return list;
}

JsonValue valueSchema(const Column& column)
{
    const auto number = [&column](const char* type) {
        JsonValue schema{{"type", type}};
        if (column.least) schema["minimum"] = *column.least;
        if (column.isUpToOne) schema["maximum"] = 1;
        return schema;
    };
    switch (column.kind) {
    case CellKind::Text:
        if (column.words.empty()) return {{"type", "string"}};
        return {{"enum", wordsJson(column.words)}};
    case CellKind::Instant: return {{"type", "integer"}};
    case CellKind::Time:
    case CellKind::Count:
    case CellKind::Number:
    case CellKind::Bytes: return number("integer");
    case CellKind::Share:
    case CellKind::Ratio: return number("number");
    case CellKind::Flag: return {{"type", "boolean"}};
    case CellKind::Entry:
    case CellKind::Code: return {{"$ref", "#/$defs/entry"}};
    case CellKind::Rows: break;
    }
    if (column.items.size() != 1 || !column.items.front().key.isEmpty())
        return {{"type", "array"}, {"items", schemaOf(column.items)}};
    Column item = column.items.front();
    if (!column.least) item.least.reset();
    item.isUpToOne = column.isUpToOne;
    return {{"type", "array"}, {"items", valueSchema(item)}};
}

}  // namespace

JsonValue schemaOf(std::span<const Column> columns)
{
    JsonValue properties = JsonValue::object();
    JsonValue required = JsonValue::array();
    for (const Column& column : columns) {
        JsonValue schema = valueSchema(column);
        if (column.maybe && schema.contains("type")) schema["type"] = {schema["type"], "null"};
        if (column.maybe && schema.contains("enum")) schema["enum"].push_back(nullptr);
        if (!column.meaning.isEmpty()) schema["description"] = column.meaning;
        properties[column.key.toStdString()] = std::move(schema);
        required.push_back(column.key);
    }
    return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

}  // namespace longpole
