// SPDX-License-Identifier: GPL-3.0-or-later
// JSON that keeps 64-bit integers and the order of its keys; Qt's texts, optional values and what identifies things in
// a trace stand in it as they are.
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

// What {{"key", value}, ...} takes besides nlohmann's own.
void to_json(JsonValue& json, TaskId task);         // "3:1207"; null if it is none
void to_json(JsonValue& json, const Issue& issue);  // {kind, count, where}

JsonValue toJson(const QVariant& value);  // integers stay integers; byte arrays as hex; invalid is null

// {id, name, chare} of an entry, or of a region, which has no chare; null for noEntry (docs/command-line.md, "JSON").
JsonValue entryJson(const TraceStore& store, EntryId id);

// Invalid UTF-8 becomes U+FFFD. Ends with a line end.
QByteArray dump(const JsonValue& json, int indent = 2);
// Nothing where the text is not JSON.
std::optional<JsonValue> parseJson(const QByteArray& text);

// What stands under the key, or nothing - an empty text, `otherwise`, null - where it is missing, of another type, or
// `object` is none.
const JsonValue& memberOf(const JsonValue& object, const char* key);
const JsonValue& listOf(const JsonValue& object, const char* key);  // an array, empty for nothing
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
