// SPDX-License-Identifier: GPL-3.0-or-later
// JSON that keeps 64-bit integers: values from Qt's types and the ids of a trace.
#pragma once

#include "analysis/base/finding.h"
#include "core/base/ids.h"
#include "core/store/tracestore.h"
#include "core/trace/trace.h"

#include <QJsonValue>
#include <QString>
#include <QVariant>

#include <nlohmann/json.hpp>

#include <span>

namespace longpole {

using JsonValue = nlohmann::ordered_json;

JsonValue toJson(const QString& text);
JsonValue toJson(const QVariant& value);  // integers stay integers; byte arrays as hex; invalid is null
JsonValue toJson(const QJsonValue& value);
JsonValue toJson(std::span<const Issue> issues);  // [{kind, count, where}]

// {id, name, chare}; null for noEntry.
JsonValue entryJson(const TraceStore& store, EntryId id);

// A cell under its column's id.
JsonValue cellJson(const QVariant& cell, CellKind kind, const TraceStore* store);

QByteArray dump(const JsonValue& json, int indent = 2);  // with a line end

}  // namespace longpole
