// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/jsonoutput.h"

#include <QJsonArray>
#include <QJsonObject>

namespace longpole {

JsonValue toJson(const QString& text) { return text.toStdString(); }

JsonValue toJson(const QVariant& value)
{
    switch (value.typeId()) {
    case QMetaType::UnknownType:
    case QMetaType::Nullptr: return nullptr;
    case QMetaType::Bool: return value.toBool();
    case QMetaType::Int:
    case QMetaType::LongLong: return static_cast<std::int64_t>(value.toLongLong());
    case QMetaType::UInt:
    case QMetaType::ULongLong: return static_cast<std::uint64_t>(value.toULongLong());
    case QMetaType::Double:
    case QMetaType::Float: return value.toDouble();
    case QMetaType::QByteArray: return QString::fromLatin1(value.toByteArray().toHex()).toStdString();
    case QMetaType::QJsonValue: return toJson(value.toJsonValue());
    default: return toJson(value.toString());
    }
}

JsonValue toJson(const QJsonValue& value)
{
    switch (value.type()) {
    case QJsonValue::Bool: return value.toBool();
    case QJsonValue::String: return toJson(value.toString());
    case QJsonValue::Double: {
        // QJsonValue keeps 64-bit integers; toVariant() tells them from fractions.
        const QVariant number = value.toVariant();
        if (number.typeId() == QMetaType::LongLong) return static_cast<std::int64_t>(number.toLongLong());
        return number.toDouble();
    }
    case QJsonValue::Array: {
        JsonValue list = JsonValue::array();
        const QJsonArray values = value.toArray();
        for (const QJsonValue& item : values) list.push_back(toJson(item));
        return list;
    }
    case QJsonValue::Object: {
        JsonValue object = JsonValue::object();
        const QJsonObject values = value.toObject();
        for (auto it = values.begin(); it != values.end(); ++it) object[it.key().toStdString()] = toJson(it.value());
        return object;
    }
    case QJsonValue::Null:
    case QJsonValue::Undefined: break;
    }
    return nullptr;
}

JsonValue toJson(std::span<const Issue> issues)
{
    JsonValue list = JsonValue::array();
    for (const Issue& issue : issues)
        list.push_back({{"kind", toJson(issue.kind)}, {"count", issue.count}, {"where", toJson(issue.place)}});
    return list;
}

JsonValue entryJson(const TraceStore& store, EntryId id)
{
    if (id == noEntry) return nullptr;
    const Entry* entry = store.entry(id);
    return {{"id", index(id)},
            {"name", entry ? toJson(entry->name) : JsonValue(nullptr)},
            {"chare", entry ? toJson(entry->chare) : JsonValue(nullptr)}};
}

JsonValue cellJson(const QVariant& cell, CellKind kind, const TraceStore* store)
{
    if (kind != CellKind::Entry || !store) return toJson(cell);
    return cell.isNull() ? JsonValue(nullptr) : entryJson(*store, EntryId{cell.toUInt()});
}

QByteArray dump(const JsonValue& json, int indent)
{
    return QByteArray::fromStdString(json.dump(indent, ' ', false, JsonValue::error_handler_t::replace)) + '\n';
}

}  // namespace longpole
