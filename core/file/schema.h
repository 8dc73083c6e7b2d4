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
#include <string_view>

namespace longpole {

struct OlderSchema;

// Raised when the format changes. Files of other versions are not opened: those of olderSchemas() can be converted, the
// traces of others must be imported again.
constexpr std::int64_t schemaVersion = 16;
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

// A row of a plain table while it is scanned. Asked for as another type a value is 0 or empty.
class ScannedRow {
public:
    ScannedRow(const Statement& statement, std::span<const Statement::Number> numbers)
        : m_statement(statement), m_numbers(numbers)
    {
    }
    int columns() const { return static_cast<int>(m_numbers.size()); }
    SqlType type(int column) const { return at(column).type; }
    std::int64_t integer(int column) const { return at(column).integer; }
    std::string_view text(int column) const { return m_statement.text(column); }
    QString string(int column) const { return m_statement.string(column); }

private:
    const Statement::Number& at(int column) const { return m_numbers[static_cast<std::size_t>(column)]; }
    const Statement& m_statement;
    std::span<const Statement::Number> m_numbers;
};

// Calls `row` for every row of the table and adds all its values to the hash (meta: without the stamp itself). Errors:
// damage; rows and their texts take more than the bytes that are left, which go down by what they take at least: pages
// that several rows or tables share are no intact file's.
Result<> scanTable(Database& database, const TableSpec& table, ValueHasher& hasher, std::int64_t& bytesLeft,
                   const std::function<void(const ScannedRow&)>& row = {});

// A hash that starts with the version of the file's schema.
Result<ValueHasher> beginStamp(Database& database);

}  // namespace longpole
