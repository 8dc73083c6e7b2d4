// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/sqlite.h"

#include "core/base/limits.h"
#include "core/base/partfile.h"
#include "core/base/translate.h"
#include "core/file/schema.h"

#include <QFile>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <sqlite3.h>
#include <unistd.h>

namespace longpole {
namespace {

constexpr const char* bulkVfs = "unix-none";
constexpr int longestQuery = 1'000'000;  // bytes; of the user

bool isDamage(int code)
{
    const int primary = code & 0xff;
    return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_TOOBIG;
}

Error sqliteError(sqlite3* handle, const QString& path)
{
    const int code = sqlite3_extended_errcode(handle);
    const QString message = QString::fromUtf8(sqlite3_errmsg(handle));
    const int primary = code & 0xff;
    if (primary == SQLITE_INTERRUPT) return cancelledError(path);
    // Without memory there is not even a handle.
    const bool isOfUser = handle && sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, -1) == longestQuery;
    if (primary == SQLITE_TOOBIG && isOfUser)
        return Error{.what = tr("A text of the result is longer than it may be."),
                     .where = path,
                     .hint = tr("Restrict it to fewer rows.")};
    if (isDamage(code)) return damagedFile(path, message);
    if (primary == SQLITE_NOMEM)
        return Error{.what = tr("The query needs more memory than it may take."),
                     .where = path,
                     .hint = tr("Restrict it to fewer rows, or leave out ORDER BY, GROUP BY and DISTINCT.")};
    if (primary == SQLITE_FULL || primary == SQLITE_IOERR)
        return Error{.what = tr("The file could not be read or written: %1.").arg(message),
                     .where = path,
                     .hint = tr("The disk may be full; free some space and try again.")};
    if (primary == SQLITE_CANTOPEN)
        return Error{.what = tr("The file cannot be opened."),
                     .where = path,
                     .hint = tr("Check that it exists and that you may read it.")};
    if (primary == SQLITE_AUTH)
        return Error{.what = tr("Only SELECT queries are allowed: %1.").arg(message), .where = path, .hint = {}};
    return Error{.what = tr("SQLite says: %1.").arg(message), .where = path, .hint = {}};
}

constexpr int stepsBetweenLooks = 4000;

SqlType typeOf(int sqliteType)
{
    switch (sqliteType) {
    case SQLITE_INTEGER: return SqlType::Integer;
    case SQLITE_FLOAT: return SqlType::Real;
    case SQLITE_TEXT: return SqlType::Text;
    case SQLITE_BLOB: return SqlType::Blob;
    default: return SqlType::Null;
    }
}

// The pages of every file that was ever written have this size. With smaller ones rows of a made file would have hardly
// anything of their own, and a thousand of them the same rest.
constexpr std::uint32_t pageBytes = 16384;
constexpr int longestStatement = 16384;  // bytes; of the schema, and of this program
constexpr std::array ourMarks{std::uint32_t{applicationId}, unfinishedMark};

std::uint32_t bigEndian(std::span<const unsigned char> bytes)
{
    std::uint32_t number = 0;
    for (const unsigned char byte : bytes) number = number << 8 | byte;
    return number;
}

// What SQLite would read before anybody can look: it parses the whole schema with the first statement, whatever it is.
// The places are those of the database header (https://www.sqlite.org/fileformat.html, 1.3).
Result<> checkHead(const StoreFile& file)
{
    std::array<unsigned char, 100> head{};
    const bool isHead = ::pread(file.descriptor(), head.data(), head.size(), 0) == static_cast<ssize_t>(head.size())
                        && std::memcmp(head.data(), "SQLite format 3", 16) == 0;
    if (!isHead || bigEndian(std::span(head).subspan(16, 2)) == pageBytes) return Unit{};  // else SQLite says so
    const std::uint32_t application = bigEndian(std::span(head).subspan(68, 4));
    if (std::find(ourMarks.begin(), ourMarks.end(), application) == ourMarks.end()) return foreignFile(file.path());
    return damagedFile(file.path(), tr("its pages have another size"));
}

// What a file's schema and the queries of a stranger may ask for (docs/security.md, "Limits").
void setLimits(sqlite3* handle, std::int64_t fileBytes)
{
    // A damaged length cannot ask for more memory than the file has bytes.
    const std::int64_t largest = std::clamp<std::int64_t>(fileBytes, 1'000'000, 1'000'000'000);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, static_cast<int>(largest));
    sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, longestStatement);  // and of the schema, which is parsed first
    sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 200);
    sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, 500);
    sqlite3_limit(handle, SQLITE_LIMIT_COMPOUND_SELECT, 100);
    sqlite3_limit(handle, SQLITE_LIMIT_VDBE_OP, 1'000'000);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
    sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
}

}  // namespace

void limitMemoryOfQueries() { sqlite3_hard_heap_limit64(limits::sqlMemory.free); }

Error foreignFile(const QString& path)
{
    return Error{.what = tr("This is not a Longpole file."),
                 .where = path,
                 .hint = tr("Open a .longpole file, or a trace to import.")};
}

Error damagedFile(const QString& path, const QString& detail)
{
    return Error{.what = tr("The file is damaged: %1.").arg(detail),
                 .where = path,
                 .hint = tr("Import the original trace again: longpole import TRACE")};
}

Statement::Statement(Statement&& other) noexcept
    : m_statement(std::exchange(other.m_statement, nullptr)), m_path(std::move(other.m_path))
{
}

Statement& Statement::operator=(Statement&& other) noexcept
{
    std::swap(m_statement, other.m_statement);
    std::swap(m_path, other.m_path);
    return *this;
}

Statement::~Statement() { sqlite3_finalize(m_statement); }

void Statement::bind(int parameter, std::int64_t value) { sqlite3_bind_int64(m_statement, parameter, value); }

void Statement::bind(int parameter, std::string_view text)
{
    sqlite3_bind_text64(m_statement, parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind(int parameter, std::span<const char> blob)
{
    sqlite3_bind_blob64(m_statement, parameter, blob.data(), blob.size(), SQLITE_STATIC);
}

void Statement::bind(int parameter, const QString& text)
{
    const QByteArray utf8 = text.toUtf8();
    sqlite3_bind_text64(m_statement, parameter, utf8.constData(), static_cast<sqlite3_uint64>(utf8.size()),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::bindNull(int parameter) { sqlite3_bind_null(m_statement, parameter); }

Result<bool> Statement::step()
{
    const int code = sqlite3_step(m_statement);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return sqliteError(sqlite3_db_handle(m_statement), m_path);
}

Result<> Statement::run()
{
    const Result<bool> stepped = step();
    sqlite3_reset(m_statement);
    if (!stepped) return stepped.error();
    return Unit{};
}

void Statement::reset() { sqlite3_reset(m_statement); }

int Statement::columns() const { return sqlite3_column_count(m_statement); }
QString Statement::columnName(int column) const { return QString::fromUtf8(sqlite3_column_name(m_statement, column)); }

SqlType Statement::type(int column) const { return typeOf(sqlite3_column_type(m_statement, column)); }

// A connection belongs to one thread, which is what such values ask for.
void Statement::readNumbers(std::span<Number> columns) const
{
    for (std::size_t column = 0; column < columns.size(); ++column) {
        sqlite3_value* const value = sqlite3_column_value(m_statement, static_cast<int>(column));
        const SqlType type = typeOf(sqlite3_value_type(value));
        columns[column] = {type, type == SqlType::Integer ? sqlite3_value_int64(value) : 0};
    }
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(m_statement, column); }
double Statement::real(int column) const { return sqlite3_column_double(m_statement, column); }

std::string_view Statement::text(int column) const
{
    const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    if (!begin) return {};
    return {begin, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))};
}

QString Statement::string(int column) const
{
    const std::string_view utf8 = text(column);
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

std::span<const char> Statement::blob(int column) const
{
    const auto* begin = static_cast<const char*>(sqlite3_column_blob(m_statement, column));
    if (!begin) return {};
    return {begin, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))};
}

bool Statement::isReadOnly() const { return sqlite3_stmt_readonly(m_statement) != 0; }

Database::Database(Database&& other) noexcept
    : m_handle(std::exchange(other.m_handle, nullptr)), m_path(std::move(other.m_path)),
      m_stop(std::move(other.m_stop)), m_file(std::move(other.m_file))
{
}

Database& Database::operator=(Database&& other) noexcept
{
    std::swap(m_handle, other.m_handle);
    std::swap(m_path, other.m_path);
    std::swap(m_stop, other.m_stop);
    std::swap(m_file, other.m_file);
    return *this;
}

Database::~Database() { sqlite3_close_v2(m_handle); }

Result<Database> Database::openImmutable(const QString& path)
{
    Result<std::shared_ptr<const StoreFile>> file = StoreFile::open(path);
    if (!file) return file.error();
    return openImmutable(std::move(file).value());
}

Result<Database> Database::openImmutable(std::shared_ptr<const StoreFile> file)
{
    if (const Result<> head = checkHead(*file); !head) return head.error();
    const QByteArray uri = "file:store?immutable=1&mode=ro&descriptor=" + QByteArray::number(file->descriptor());
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(uri.constData(), &handle,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, descriptorVfs());
    Database database(handle, file->path());
    if (code != SQLITE_OK) return sqliteError(handle, file->path());
    sqlite3_extended_result_codes(handle, 1);
    setLimits(handle, file->bytes());
    // Reading every table of an intact file takes a few steps a byte; what takes more has no end.
    const std::int64_t most = limits::sqlSteps.of(file->bytes()) / stepsBetweenLooks;
    database.m_file = std::move(file);
    database.setInterrupt([left = most]() mutable { return --left < 0; });
    if (auto set = database.execute("PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0");
        !set)
        return set.error();
    return database;
}

Result<Database> Database::openForBulk(const QByteArray& name, const char* vfs, const QString& path)
{
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(name.constData(), &handle,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
                                         | (vfs == bulkVfs ? 0 : SQLITE_OPEN_URI),
                                     vfs);
    Database database(handle, path);
    if (code != SQLITE_OK) return sqliteError(handle, path);
    sqlite3_extended_result_codes(handle, 1);
    // cache_size: pages of blobs are written once and never read again, so 4 MiB is plenty.
    if (auto set = database.execute("PRAGMA page_size = 16384; PRAGMA encoding = 'UTF-8'; PRAGMA journal_mode = OFF;"
                                    "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
                                    "PRAGMA auto_vacuum = NONE; PRAGMA cache_size = -4096;"
                                    "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY");
        !set)
        return set.error();
    return database;
}

Result<Database> Database::createForBulk(const QString& path)
{
    return openForBulk(QFile::encodeName(path), bulkVfs, path);
}

Result<Database> Database::createForBulk(int descriptor, const QString& path)
{
    return openForBulk("file:store?descriptor=" + QByteArray::number(descriptor), descriptorVfs(), path);
}

Result<> Database::execute(const char* sql)
{
    if (sqlite3_exec(m_handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return sqliteError(m_handle, m_path);
    return Unit{};
}

Result<Statement> Database::prepare(std::string_view sql, QByteArray* rest)
{
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    if (sqlite3_prepare_v3(m_handle, sql.data(), static_cast<int>(sql.size()), 0, &statement, &tail) != SQLITE_OK)
        return sqliteError(m_handle, m_path);
    if (rest) *rest = QByteArray(tail, static_cast<qsizetype>(sql.data() + sql.size() - tail));
    if (!statement) return Error{.what = tr("The query is empty."), .where = m_path, .hint = {}};
    return Statement(statement, m_path);
}

bool Database::isBlank(const QByteArray& sql)
{
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(m_handle, sql.constData(), static_cast<int>(sql.size()), &statement, nullptr);
    const bool blank = code == SQLITE_OK && !statement;
    sqlite3_finalize(statement);
    return blank;
}

Result<std::int64_t> Database::integer(const char* sql)
{
    Result<Statement> statement = prepare(sql);
    if (!statement) return statement.error();
    const Result<bool> row = statement->step();
    if (!row) return row.error();
    return *row ? statement->integer(0) : 0;
}

void Database::allowOnlySelect()
{
    // The first use of this table makes it, which would be refused.
    static_cast<void>(execute("SELECT name FROM pragma_table_info('meta')"));
    sqlite3_limit(m_handle, SQLITE_LIMIT_SQL_LENGTH, longestQuery);
    const auto authorize = [](void*, int action, const char* first, const char* second, const char*, const char*) {
        switch (action) {
        case SQLITE_SELECT:
        case SQLITE_READ:
        case SQLITE_RECURSIVE: return SQLITE_OK;
        case SQLITE_FUNCTION: return second && std::strcmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
        case SQLITE_PRAGMA:  // the columns of a table; it changes nothing
            return first && std::strcmp(first, "table_info") == 0 ? SQLITE_OK : SQLITE_DENY;
        default: return SQLITE_DENY;
        }
    };
    sqlite3_set_authorizer(m_handle, authorize, nullptr);
}

void Database::setInterrupt(std::function<bool()> stop)
{
    m_stop = std::make_unique<std::function<bool()>>(std::move(stop));
    const auto ask = [](void* stopIt) { return (*static_cast<std::function<bool()>*>(stopIt))() ? 1 : 0; };
    sqlite3_progress_handler(m_handle, stepsBetweenLooks, ask, m_stop.get());
}

Result<> Database::close()
{
    const int code = sqlite3_close(m_handle);
    if (code != SQLITE_OK) return sqliteError(m_handle, m_path);
    m_handle = nullptr;
    return Unit{};
}

}  // namespace longpole
