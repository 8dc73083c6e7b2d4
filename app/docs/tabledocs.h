// SPDX-License-Identifier: GPL-3.0-or-later
// Writes, from the list of all tables, their reference in docs/ and the rows of JSON schemas.
#pragma once

#include "analysis/base/json.h"

#include <QString>

namespace longpole {

QString tableReference();  // the text of docs/reference/tables.md

// Fills in every object of the schema whose "$comment" is "columns of waits": it becomes the description of a row of
// the table "waits"; with "columns of waits: pattern count" of these columns only. All else in the schema stays. Empty
// if there is no such table or column.
std::optional<JsonValue> withTables(const JsonValue& schema);

}  // namespace longpole
