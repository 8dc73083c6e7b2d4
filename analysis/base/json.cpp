// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/json.h"

#include "core/base/limits.h"
#include "core/trace/format.h"

#include <array>
#include <cstddef>

namespace longpole {

void to_json(JsonValue& json, TaskId task)
{
    if (task.isValid()) json = toText(task);
    else json = nullptr;
}

void to_json(JsonValue& json, const Issue& issue)
{
    json = {{"kind", issue.kind}, {"count", issue.count}, {"where", issue.place}};
}

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
    default: return value.toString();
    }
}

JsonValue entryJson(const TraceStore& store, EntryId id)
{
    if (id == noEntry) return nullptr;
    JsonValue json{{"id", index(id)}, {"name", nullptr}, {"chare", nullptr}};
    if (const Entry* entry = store.entry(id)) {
        json["name"] = entry->name;
        json["chare"] = entry->chare;
    } else if (const Region* region = store.region(static_cast<RegionId>(index(id)))) {
        json["name"] = region->name;
    }
    return json;
}

namespace {

std::string dumped(const JsonValue& json, int indent)
{
    std::string text = json.dump(indent, ' ', false, JsonValue::error_handler_t::replace);
    text += '\n';
    return text;
}

}  // namespace

QByteArray dump(const JsonValue& json, int indent) { return QByteArray::fromStdString(dumped(json, indent)); }

QByteArray dump(JsonValue&& json, int indent)
{
    const std::string text = dumped(json, indent);
    json = nullptr;
    return QByteArray::fromStdString(text);
}

namespace {

// Whether nothing stands in more than so many lists and objects, and no object has more than so many members. The
// library copies, compares and writes values by calling itself, so that a line of brackets would use up the stack, and
// compares each name with all before it in its object.
bool isModest(const QByteArray& text)
{
    std::array<std::int64_t, limits::jsonDepth.free + 2> members{};  // by depth
    std::size_t open = 0;
    bool isText = false;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (isText) {
            if (c == '\\') ++at;
            else if (c == '"') isText = false;
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
        if (c == ':' && ++members[open] > limits::jsonMembers.free) return false;
        if (c == ']' || c == '}') open -= open > 0 ? 1 : 0;
        else if (open > limits::jsonDepth.free) return false;
        else if (c == '[' || c == '{') members[++open] = 0;
        isText = c == '"';
    }
    return true;
}

}  // namespace

std::optional<JsonValue> parseJson(const QByteArray& text)
{
    if (text.contains('\0')) return {};  // which the library takes for the text's end
    if (!isModest(text)) return {};
    JsonValue json = JsonValue::parse(text.begin(), text.end(), nullptr, false);
    if (json.is_discarded()) return {};
    return json;
}

const JsonValue& memberOf(const JsonValue& object, const char* key)
{
    static const JsonValue none;
    const auto found = object.find(key);  // end() if it is no object
    return found != object.end() ? *found : none;
}

const JsonValue& listOf(const JsonValue& object, const char* key)
{
    static const JsonValue none = JsonValue::array();
    const JsonValue& value = memberOf(object, key);
    return value.is_array() ? value : none;
}

QString textOf(const JsonValue& object, const char* key)
{
    const JsonValue& value = memberOf(object, key);
    return value.is_string() ? QString::fromStdString(value.get_ref<const std::string&>()) : QString();
}

std::int64_t integerOf(const JsonValue& object, const char* key, std::int64_t otherwise)
{
    const JsonValue& value = memberOf(object, key);
    return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

}  // namespace longpole
