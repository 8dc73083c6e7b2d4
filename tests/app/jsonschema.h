// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a JSON document against the part of JSON Schema that resources/schema uses.
#pragma once

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <string>

// Shows both documents when they differ.
#define COMPARE_JSON(actual, expected) \
    QCOMPARE(QString::fromStdString(nlohmann::json(actual).dump()), \
             QString::fromStdString(nlohmann::json(expected).dump()))

namespace longpole::test {

using nlohmann::json;

inline bool hasType(const json& value, const std::string& type)
{
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.is_boolean();
    throw std::runtime_error("the schema has an unknown type " + type);
}

// The first violation as "place: what", empty if there is none.
inline std::string violation(const json& value, const json& schema, const json& root, const std::string& place = "$")
{
    if (schema.contains("$ref")) {
        const std::string pointer = schema["$ref"].get<std::string>().substr(1);
        return violation(value, root.at(json::json_pointer(pointer)), root, place);
    }
    if (schema.contains("type")) {
        const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
        bool fits = false;
        for (const json& type : types) fits = fits || hasType(value, type);
        if (!fits) return place + ": not of type " + types.dump() + " but " + value.dump();
    }
    if (schema.contains("anyOf")) {
        std::string wrong;
        for (const json& choice : schema["anyOf"]) {
            wrong = violation(value, choice, root, place);
            if (wrong.empty()) break;
        }
        if (!wrong.empty()) return place + ": fits none of several; of the last, " + wrong;
    }
    if (schema.contains("const") && schema["const"] != value) return place + ": not " + schema["const"].dump();
    if (schema.contains("enum")) {
        bool listed = false;
        for (const json& choice : schema["enum"]) listed = listed || choice == value;
        if (!listed) return place + ": not one of " + schema["enum"].dump();
    }
    if (value.is_number() && schema.contains("minimum") && value < schema["minimum"]) return place + ": too small";
    if (value.is_number() && schema.contains("maximum") && value > schema["maximum"]) return place + ": too large";
    if (value.is_object()) {
        for (const json& name : schema.value("required", json::array()))
            if (!value.contains(name.get<std::string>())) return place + ": lacks " + name.get<std::string>();
        const json properties = schema.value("properties", json::object());
        for (const auto& [name, member] : value.items()) {
            const json others = schema.value("additionalProperties", json(true));
            if (!properties.contains(name) && others == json(false))
                return std::string(place).append(": has the undocumented ").append(name);
            const json rule = properties.contains(name) ? properties[name]
                              : others.is_object()      ? others
                                                        : json::object();
            if (const std::string found = violation(member, rule, root, std::string(place).append(".").append(name));
                !found.empty())
                return found;
        }
    }
    if (value.is_array() && schema.contains("items"))
        for (std::size_t i = 0; i < value.size(); ++i)
            if (const std::string found = violation(value[i], schema["items"], root,
                                                    place + "[" + std::to_string(i) + "]");
                !found.empty())
                return found;
    return {};
}

// `name` as in resources/schema/<name>.schema.json.
inline std::string violation(const std::string& document, const std::string& name)
{
    const json value = json::parse(document, nullptr, false);
    if (value.is_discarded()) return "no JSON: " + document.substr(0, 200);
    std::ifstream file(std::string(LONGPOLE_SCHEMAS) + "/" + name + ".schema.json");
    const json schema = json::parse(file);
    return violation(value, schema, schema);
}

}  // namespace longpole::test
