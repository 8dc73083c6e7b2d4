// SPDX-License-Identifier: GPL-3.0-or-later
// The program's only wrapper of SQLite: a connection and a prepared statement whose failures are Errors with the file's
// name. A Database belongs to one thread at a time.
#pragma once

#include "core/base/result.h"
#include "core/file/sqlitevfs.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace longpole {

enum class SqlType : std::uint8_t { Null, Integer, Real, Text, Blob };

class Statement {
public:
    Statement() = default;
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&& other) noexcept;
    ~Statement();

    // Parameters count from 1. What is bound by span or view must live until the statement is reset.
    void bind(int parameter, std::int64_t value);
    void bind(int parameter, std::string_view text);
    void bind(int parameter, std::span<const char> blob);
    void bind(int parameter, const QString& text);  // copies
    void bindNull(int parameter);

    Result<bool> step();  // true: there is a row
    Result<> run();       // steps a statement without rows once, then resets it
    void reset();

    // Of the current row, columns from 0. Views live until the next step.
    int columns() const;
    QString columnName(int column) const;
    SqlType type(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string_view text(int column) const;
    QString string(int column) const;
    std::span<const char> blob(int column) const;
    bool isReadOnly() const;

    struct Number {
        SqlType type = SqlType::Null;
        std::int64_t integer = 0;  // of an integer; else 0
    };
    // What all columns are, with the numbers among them, in less time than asking for each.
    void readNumbers(std::span<Number> columns) const;

private:
    friend class Database;
    Statement(sqlite3_stmt* statement, QString path) : m_statement(statement), m_path(std::move(path)) {}
    sqlite3_stmt* m_statement = nullptr;
    QString m_path;
};

class Database {
public:
    // A finished file, never written by anybody: no locks, no journal, works in a read-only folder. Corruption checks
    // are on, functions in the schema are not trusted, temporary tables are in memory, and a statement that takes many
    // steps for each byte of the file is stopped. Errors: missing, unreadable; a damaged file shows when read.
    static Result<Database> openImmutable(const QString& path);
    static Result<Database> openImmutable(std::shared_ptr<const StoreFile> file);
    // An empty file for one bulk write: no journal, no syncs, exclusive.
    static Result<Database> createForBulk(const QString& path);
    // The same in a file that is open already; `path`: for errors.
    static Result<Database> createForBulk(int descriptor, const QString& path);

    Database(Database&& other) noexcept;
    Database& operator=(Database&& other) noexcept;
    ~Database();

    Result<> execute(const char* sql);
    // `rest`, if given, receives what follows the first statement.
    Result<Statement> prepare(std::string_view sql, QByteArray* rest = nullptr);
    // Whether there is no statement in the text: only blanks and comments.
    bool isBlank(const QByteArray& sql);
    Result<std::int64_t> integer(const char* sql);  // the first column of the first row

    // From now on only SELECT runs: no writes, ATTACH, PRAGMA or loading of code.
    void allowOnlySelect();
    // Called every few thousand steps of a statement; returning true stops it with cancelledError().
    void setInterrupt(std::function<bool()> stop);
    // Closes and says whether that went well. The object is empty afterwards.
    Result<> close();

    sqlite3* handle() const { return m_handle; }
    const QString& path() const { return m_path; }
    const std::shared_ptr<const StoreFile>& file() const { return m_file; }  // of openImmutable()

private:
    static Result<Database> openForBulk(const QByteArray& name, const char* vfs, const QString& path);
    Database(sqlite3* handle, QString path) : m_handle(handle), m_path(std::move(path)) {}
    sqlite3* m_handle = nullptr;
    QString m_path;
    std::unique_ptr<std::function<bool()>> m_stop;  // at an address that survives a move
    std::shared_ptr<const StoreFile> m_file;
};

// Bounds what all connections of this process may hold together, sorted and grouped rows most of all. A query that
// needs more ends with an error.
void limitMemoryOfQueries();

// The error of a file that cannot be what TraceWriter wrote.
Error damagedFile(const QString& path, const QString& detail);
// An SQLite file that is none of Longpole's.
Error foreignFile(const QString& path);

}  // namespace longpole
