// SPDX-License-Identifier: GPL-3.0-or-later
// JSON that keeps 64-bit integers and the order of its keys, and takes Qt's strings, optional values and ids of a
// trace.
#pragma once

#include "core/base/ids.h"
#include "core/store/tracestore.h"
#include "core/trace/trace.h"

#include <QByteArray>
#include <QString>
#include <QVariant>

#include <nlohmann/json.hpp>

#include <optional>

namespace longpole {

using JsonValue = nlohmann::ordered_json;

// Conversions that let {{"key", value}, ...} take these types, too.
void to_json(JsonValue& json, TaskId task);         // "3:1207"; null if the id is invalid
void to_json(JsonValue& json, const Issue& issue);  // {kind, count, where}

JsonValue toJson(const QVariant& value);  // integers stay integers; byte arrays as hex; invalid is null

// {id, name, chare} of an entry, or of a region, which has no chare; null for noEntry (docs/command-line.md, "JSON").
JsonValue entryJson(const TraceStore& store, EntryId id);

// The text of JSON, with a line break at its end. Invalid UTF-8 becomes U+FFFD.
QByteArray dump(const JsonValue& json, int indent = 2);
QByteArray dump(JsonValue&& json, int indent = 2);  // lets go of the values, which take more than their text
// Empty if the text is not JSON, if something in it stands in more lists and objects than
// limits::jsonDepth, or if an object has more members than limits::jsonMembers.
std::optional<JsonValue> parseJson(const QByteArray& text);

// The value under the key. If it is missing or of another type, or if `object` is no object: null, an empty array, an
// empty text or `otherwise`.
const JsonValue& memberOf(const JsonValue& object, const char* key);
const JsonValue& listOf(const JsonValue& object, const char* key);  // an array
QString textOf(const JsonValue& object, const char* key);
std::int64_t integerOf(const JsonValue& object, const char* key, std::int64_t otherwise);

}  // namespace longpole

inline void to_json(nlohmann::ordered_json& json, const QString& text) { json = text.toStdString(); }
inline void to_json(nlohmann::ordered_json& json, QLatin1String text)
{
    json = std::string(text.data(), text.data() + text.size());
}

template <typename Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
    static void to_json(ordered_json& json, const std::optional<Value>& value)
    {
        if (value) json = *value;
        else json = nullptr;
    }
};
