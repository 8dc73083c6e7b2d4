// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/schema.h"

#include "core/base/partfile.h"
#include "core/base/translate.h"
#include "core/file/olderschemas.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace longpole {
namespace {

// What a row takes in the file: a byte for each column and two for the row (the file format of SQLite, 1.6 and 2.1),
// and its texts.
std::int64_t leastBytesOf(const Statement& row, std::span<const Statement::Number> values)
{
    std::int64_t bytes = std::ssize(values) + 2;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto column = static_cast<int>(i);
        if (values[i].type == SqlType::Text) bytes += static_cast<std::int64_t>(row.text(column).size());
        if (values[i].type == SqlType::Blob) bytes += static_cast<std::int64_t>(row.blob(column).size());
    }
    return bytes;
}

void addValue(ValueHasher& hasher, const Statement& row, int column, const Statement::Number& value)
{
    switch (value.type) {
    case SqlType::Integer: return hasher.addInteger(value.integer);
    case SqlType::Real: return hasher.addReal(row.real(column));
    case SqlType::Text: return hasher.addText(row.text(column));
    case SqlType::Blob: return hasher.addBlob(row.blob(column));
    case SqlType::Null: return hasher.addNull();
    }
}

// How many of the tables the file has: the first ones, one after the other, and nothing else. Whatever else stands in
// the schema is run or read in place of what it hides: views that never end, tables named as those of the SQL module,
// triggers, indexes on expressions.
Result<std::size_t> countTables(Database& database, std::span<const TableSpec> specs)
{
    Result<Statement> rows = database.prepare("SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema");
    if (!rows) return rows.error();
    std::size_t known = 0;
    for (;;) {
        const Result<bool> row = rows->step();
        if (!row) return row.error();
        if (!*row) return known;
        const bool isKnown = known < specs.size() && rows->text(0) == "table" && rows->text(1) == specs[known].name
                             && rows->text(2) == specs[known].name && rows->text(3) == specs[known].ddl
                             && rows->integer(4) > 1;
        if (!isKnown)
            return damagedFile(database.path(),
                               tr("its schema holds what no Longpole file does: %1").arg(rows->string(1).left(80)));
        ++known;
    }
}

Error tableMissing(const Database& database) { return damagedFile(database.path(), tr("a table is missing")); }

Result<std::span<const TableSpec>> checkTables(Database& database)
{
    const Result<std::size_t> known = countTables(database, tables(HasEvents::OfParts));
    if (!known) return known.error();
    for (const HasEvents has : {HasEvents::All, HasEvents::OfParts})
        if (*known == tables(has).size()) return tables(has);
    return tableMissing(database);
}

Result<> createTables(Database& database, std::span<const TableSpec> some)
{
    for (const TableSpec& spec : some)
        if (auto created = database.execute(spec.ddl); !created) return created;
    return Unit{};
}

// A file that was cut inside its last page would otherwise show it only when that page is read.
Result<> checkLength(Database& database)
{
    const Result<std::int64_t> pages = database.integer("PRAGMA page_count");
    if (!pages) return pages.error();
    const Result<std::int64_t> pageSize = database.integer("PRAGMA page_size");
    if (!pageSize) return pageSize.error();
    if (*pages * *pageSize > database.file()->length()) return damagedFile(database.path(), tr("its end is missing"));
    return Unit{};
}

}  // namespace

Result<> createSchema(Database& database)
{
    std::string pragmas = "PRAGMA application_id = ";
    pragmas += std::to_string(unfinishedMark);
    pragmas += "; PRAGMA user_version = ";
    pragmas += std::to_string(schemaVersion);
    if (auto set = database.execute(pragmas.c_str()); !set) return set;
    return createTables(database, tables(HasEvents::All));
}

Result<> addTablesOfParts(Database& database)
{
    return createTables(database, tables(HasEvents::OfParts).subspan(tables(HasEvents::All).size()));
}

Result<> markFinished(Database& database)
{
    std::string pragma = "PRAGMA application_id = ";
    pragma += std::to_string(applicationId);
    return database.execute(pragma.c_str());
}

bool canBeUpgraded(std::int64_t version)
{
    return version >= olderSchemas().front().version && version < schemaVersion;
}

Result<std::int64_t> versionOf(Database& database)
{
    const Result<std::int64_t> application = database.integer("PRAGMA application_id");
    if (!application) return application.error();
    if (*application == unfinishedMark)
        return Error{.what = tr("The file is unfinished: its import did not end."),
                     .where = database.path(),
                     .hint = tr("Import the trace again.")};
    if (*application != applicationId) return foreignFile(database.path());
    const Result<std::int64_t> version = database.integer("PRAGMA user_version");
    if (!version) return version.error();
    if (*version > schemaVersion)
        return Error{.what = tr("The file was made by a newer Longpole: its schema has version %1, this program knows "
                                "versions up to %2.")
                                 .arg(*version)
                                 .arg(schemaVersion),
                     .where = database.path(),
                     .hint = tr("Update Longpole, or import the trace again with this version.")};
    if (*version < 1) return damagedFile(database.path(), tr("schema version %1").arg(*version));
    return version;
}

Result<std::span<const TableSpec>> checkSchema(Database& database)
{
    const Result<std::int64_t> version = versionOf(database);
    if (!version) return version.error();
    if (*version < schemaVersion)
        return Error{.what = tr("The file was made by an older Longpole: its schema has version %1, this program reads "
                                "version %2.")
                                 .arg(*version)
                                 .arg(schemaVersion),
                     .where = database.path(),
                     .hint = canBeUpgraded(*version) ? tr("'longpole upgrade' makes it a file of this version.")
                                                     : tr("Import the trace again from its logs.")};
    if (const Result<> length = checkLength(database); !length) return length.error();
    return checkTables(database);
}

Result<const OlderSchema*> checkOlderSchema(Database& database)
{
    const Result<std::int64_t> version = versionOf(database);
    if (!version) return version.error();
    if (const Result<> length = checkLength(database); !length) return length.error();
    Error wrong = tableMissing(database);
    for (const OlderSchema& older : olderSchemas()) {
        if (older.version != *version) continue;
        const Result<std::size_t> known = countTables(database, older.tables);
        if (known && *known == older.tables.size()) return &older;
        wrong = known ? tableMissing(database) : known.error();
    }
    return wrong;
}

Result<> scanTable(Database& database, const TableSpec& table, ValueHasher& hasher, std::int64_t& bytesLeft,
                   const std::function<void(const ScannedRow&)>& row)
{
    const std::string sql = std::string("SELECT * FROM ") + table.name + " ORDER BY rowid";  // reads no index
    Result<Statement> statement = database.prepare(sql.c_str());
    if (!statement) return damagedFile(database.path(), statement.error().what);
    hasher.addText(table.name);
    const bool isMeta = std::strcmp(table.name, "meta") == 0;
    std::vector<Statement::Number> numbers(static_cast<std::size_t>(statement->columns()));
    for (;;) {
        const Result<bool> step = statement->step();
        if (!step) return step.error();
        if (!*step) return Unit{};
        statement->readNumbers(numbers);
        bytesLeft -= leastBytesOf(*statement, numbers);
        if (bytesLeft < 0)
            return damagedFile(database.path(), tr("table %1 has no end").arg(QLatin1String(table.name)));
        if (row) row(ScannedRow(*statement, numbers));
        if (isMeta && statement->text(0) == "stamp") continue;
        int column = 0;
        for (const Statement::Number& value : numbers) addValue(hasher, *statement, column++, value);
    }
}

Result<ValueHasher> beginStamp(Database& database)
{
    const Result<std::int64_t> version = database.integer("PRAGMA user_version");
    if (!version) return version.error();
    ValueHasher hasher;
    hasher.addInteger(*version);
    return Result<ValueHasher>(std::move(hasher));
}

}  // namespace longpole
