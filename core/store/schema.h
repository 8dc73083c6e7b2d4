// SPDX-License-Identifier: GPL-3.0-or-later
// The plain tables of a .longpole file: their DDL, the schema's version, and the one scan that both the writer and the
// reader use to hash and to read them.
#pragma once

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/store/sqlite.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <span>

namespace longpole {

// 2: chunks of kind merge. 3: chunks of kind entry_bin; tiles have bytes and packing. Older files are read as they are:
// they have no such chunks, and 0 in those columns. 4: MPI calls name their wait state and whom they waited for;
// regions of kind communicator; links of kind collective.
constexpr std::int64_t schemaVersion = 4;
constexpr std::int64_t applicationId = 0x4c50304c;  // "LP0L", in the SQLite header where file(1) finds it

struct TableSpec {
    const char* name;
    const char* ddl;
    const char* scan;  // SELECT of all columns in rowid order: reads the table's leaves, no index
    bool stamped;      // part of the stamp; chunk_data is not: each chunk's hash stands in table chunk
};

std::span<const TableSpec> tables();
const TableSpec& table(const char* name);

// Creates all tables and sets version and application id.
Result<> createSchema(Database& database);

// Whether this program can read the file. Errors: no Longpole file; a newer schema (names both versions); an older one
// without a migration. Finished files are never written, so a migration turns old rows into new ones while reading.
Result<> checkSchema(Database& database);

// Calls `row` for every row of the table and adds all its values to the hash (meta: without the stamp itself).
// Errors: damage; more rows than `limit`, which an honest file cannot have.
Result<> scanTable(Database& database, const TableSpec& table, ValueHasher& hasher, std::int64_t limit,
                   const std::function<void(const Statement&)>& row = {});

// A hash that starts with the version of the file's schema.
Result<ValueHasher> beginStamp(Database& database);

}  // namespace longpole
