// SPDX-License-Identifier: GPL-3.0-or-later
// The schema of a .longpole file: its version and marks, its tables made and checked, and the one scan that both the
// writer and the reader use to hash and to read them.
#pragma once

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/file/sqlite.h"
#include "core/file/tablespec.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <span>

namespace longpole {

struct OlderSchema;

// Raised when the format changes. Files of other versions are not opened: those of olderSchemas() can be converted, the
// traces of others must be imported again.
constexpr std::int64_t schemaVersion = 15;
constexpr std::int64_t applicationId = 0x4c50304c;  // "LP0L", in the SQLite header where file(1) finds it

// Creates the tables that every file has and sets the version, and the mark of unfinished files, which the last takes
// away. The second creates those of parts.
Result<> createSchema(Database& database);
Result<> addTablesOfParts(Database& database);
Result<> markFinished(Database& database);

// The tables of a file that this program can read. Errors: no Longpole file; a newer or an older schema (names both
// versions); a schema with anything but our tables, in our order and our words.
Result<std::span<const TableSpec>> checkSchema(Database& database);

// The version of a finished file. Errors: no Longpole file; a newer schema (names both versions).
Result<std::int64_t> versionOf(Database& database);
bool canBeUpgraded(std::int64_t version);
// The schema of a file whose version can be upgraded: as strictly as the one above.
Result<const OlderSchema*> checkOlderSchema(Database& database);

// Calls `row` for every row of the table and adds all its values to the hash (meta: without the stamp itself). Errors:
// damage; more rows than `limit`, which no intact file can have.
Result<> scanTable(Database& database, const TableSpec& table, ValueHasher& hasher, std::int64_t limit,
                   const std::function<void(const Statement&)>& row = {});

// A hash that starts with the version of the file's schema.
Result<ValueHasher> beginStamp(Database& database);

}  // namespace longpole
