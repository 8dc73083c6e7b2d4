// SPDX-License-Identifier: GPL-3.0-or-later
// What is written from the list of tables: the reference in docs/, and the parts of JSON schemas that are rows.
#pragma once

#include "analysis/base/json.h"

#include <QString>

namespace longpole {

QString tableReference();  // docs/reference/tables.md

// An object of a schema with the comment "columns of waits" describes a row of that table; "columns of waits: pattern
// count" one with these columns only. What else it says stays. Nothing if a table or a column is not there.
std::optional<JsonValue> withTables(const JsonValue& schema);

}  // namespace longpole
