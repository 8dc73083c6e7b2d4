// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/sqlsession.h"

#include "core/base/nearestnames.h"
#include "core/base/translate.h"
#include "core/file/schema.h"
#include "core/file/sqlite.h"
#include "core/sql/tracetables.h"
#include "core/sql/traceviews.h"

#include <QRegularExpression>

#include <algorithm>
#include <string>
#include <vector>

namespace longpole {
namespace {

QVariant valueOf(const Statement& row, int column)
{
    switch (row.type(column)) {
    case SqlType::Integer: return QVariant(static_cast<qlonglong>(row.integer(column)));
    case SqlType::Real: return QVariant(row.real(column));
    case SqlType::Text: return QVariant(row.string(column));
    case SqlType::Blob: {
        const std::span<const char> bytes = row.blob(column);
        return QVariant(QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())));
    }
    case SqlType::Null: break;
    }
    return QVariant();
}

// Queries may look rows up by their id, which a damaged inner page would answer wrongly although every row is there.
Result<> checkPlainTables(Database& database, HasEvents has)
{
    for (const TableSpec& spec : tables(has)) {
        if (!spec.stamped) continue;
        const QByteArray sql = QByteArrayLiteral("PRAGMA quick_check('") + spec.name + "')";
        Result<Statement> check = database.prepare(sql.constData());
        if (!check) return check.error();
        const Result<bool> row = check->step();
        if (!row) return row.error();
        if (!*row || check->text(0) != "ok") return damagedFile(database.path(), check->string(0));
    }
    return Unit{};
}

// Connects the virtual tables, which takes rights that queries do not get later.
Result<> connectViews(Database& database, const std::vector<std::string>& names)
{
    for (const std::string& name : names)
        if (const Result<Statement> prepared = database.prepare("SELECT 1 FROM " + name); !prepared)
            return prepared.error();
    return Unit{};
}

// The texts that a query of one column gives; what fails gives none.
QStringList firstColumn(Database& database, const QString& query)
{
    const QByteArray sql = query.toUtf8();
    QStringList values;
    Result<Statement> statement = database.prepare({sql.constData(), static_cast<std::size_t>(sql.size())});
    if (!statement) return values;
    for (Result<bool> step = statement->step(); step && *step; step = statement->step()) values << statement->string(0);
    return values;
}

// The columns of those tables that the query names.
QStringList columnsIn(Database& database, const QStringList& tables, const QString& query)
{
    QStringList columns;
    for (const QString& table : tables) {
        const QRegularExpression named(QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(table)),
                                       QRegularExpression::CaseInsensitiveOption);
        if (query.contains(named))
            columns += firstColumn(database, QStringLiteral("SELECT name FROM pragma_table_info('%1')").arg(table));
    }
    columns.removeDuplicates();
    return columns;
}

// The table that is called so in the query: "entry" in "FROM entry AS e" and "JOIN entry e"; empty if none is.
QString tableCalled(const QString& alias, const QStringList& tables, const QString& query)
{
    static const QRegularExpression between(QStringLiteral("\\W+"));
    QStringList words = query.split(between, Qt::SkipEmptyParts);
    words.removeIf([](const QString& word) { return word.compare(QLatin1String("as"), Qt::CaseInsensitive) == 0; });
    if (tables.contains(alias, Qt::CaseInsensitive)) return alias;
    for (qsizetype i = 1; i < words.size(); ++i)
        if (words[i].compare(alias, Qt::CaseInsensitive) == 0 && tables.contains(words[i - 1], Qt::CaseInsensitive))
            return words[i - 1];
    return {};
}

// Of a table or column that does not exist: what there is, and the nearest name.
Error withNames(Database& database, const QStringList& tables, const QString& query, const Error& error)
{
    static const QRegularExpression form(QStringLiteral("no such (table|column): ([^.]+\\.)?(.+?)\\.?$"));
    const QRegularExpressionMatch match = form.match(error.what);
    if (!match.hasMatch()) return error;
    const QString name = match.captured(3);
    const bool isTable = match.captured(1) == QLatin1String("table");
    QString alias = match.captured(2);
    alias.chop(1);
    const QString of = isTable || alias.isEmpty() ? QString() : tableCalled(alias, tables, query);
    const QStringList known = isTable ? tables : columnsIn(database, of.isEmpty() ? tables : QStringList(of), query);
    const QString near = suggestion(name, known);
    const QString what = isTable        ? tr("There is no table '%1'").arg(name)
                         : of.isEmpty() ? tr("There is no column '%1'").arg(name)
                                        : tr("The table %1 has no column '%2'").arg(of, name);
    const QString list = known.join(QStringLiteral(", "));
    const auto isOfParts = [&name](const TableSpec& spec) { return name == QLatin1String(spec.name); };
    if (isTable && std::ranges::any_of(longpole::tables(HasEvents::OfParts), isOfParts))
        return Error{.what = tr("This trace has all events of the run, and no table '%1'.").arg(name),
                     .where = error.where,
                     .hint = tr("longpole analyze with --keep stores results in the trace; of this one the commands "
                                "compute them.")};
    return Error{.what = what + (near.isEmpty() ? QStringLiteral(".") : near),
                 .where = error.where,
                 .hint = known.isEmpty() ? QString()
                         : isTable       ? tr("Tables: %1.").arg(list)
                                         : tr("Columns: %1.").arg(list)};
}

}  // namespace

class SqlSession::Private {
public:
    Private(Database opened, std::shared_ptr<const TraceStore> trace)
        : store(std::move(trace)), database(std::move(opened))
    {
    }

    std::shared_ptr<const TraceStore> store;
    Database database;
    QStringList tables;                  // of the queries
    const Progress* progress = nullptr;  // of the query that runs
};

SqlSession::SqlSession(std::unique_ptr<Private> content) : d(std::move(content)) {}
SqlSession::~SqlSession() = default;

Result<std::unique_ptr<SqlSession>> SqlSession::open(std::shared_ptr<const TraceStore> store,
                                                     std::vector<ComputedTable> computed)
{
    Result<Database> database = Database::openImmutable(store->file());
    if (!database) return database.error();
    limitMemoryOfQueries();
    const HasEvents has = store->info().isPart() ? HasEvents::OfParts : HasEvents::All;
    if (const Result<> sound = checkPlainTables(*database, has); !sound) return sound.error();
    if (const Result<> added = registerTraceViews(database->handle(), store); !added) return added.error();
    std::vector<std::string> names;
    for (const ViewTable& view : viewTables()) names.emplace_back(view.name);
    for (const ComputedTable& table : computed) names.emplace_back(table.name);
    auto content = std::make_unique<Private>(std::move(database).value(), std::move(store));
    Private* state = content.get();
    if (const Result<> added = registerComputedTables(state->database.handle(), std::move(computed), &state->progress);
        !added)
        return added.error();
    if (const Result<> connected = connectViews(state->database, names); !connected) return connected.error();
    for (const std::string& name : names) state->tables << QString::fromStdString(name);
    state->tables += firstColumn(state->database, QStringLiteral("SELECT name FROM sqlite_master WHERE type IN "
                                                                 "('table', 'view') AND name NOT LIKE 'sqlite_%'"));
    state->database.setInterrupt([state] { return state->progress && state->progress->isCancelled(); });
    state->database.allowOnlySelect();
    return std::unique_ptr<SqlSession>(new SqlSession(std::move(content)));
}

QStringList SqlSession::tables() const { return d->tables; }

QStringList SqlSession::columnsOf(const QString& table) const
{
    if (!d->tables.contains(table)) return {};
    return firstColumn(d->database, QStringLiteral("SELECT name FROM pragma_table_info('%1')").arg(table));
}

Result<> SqlSession::run(const QString& query, const std::function<void(const QStringList&)>& columns,
                         const std::function<bool(std::span<const QVariant>)>& row, const Progress& progress)
{
    const QByteArray sql = query.toUtf8();
    QByteArray rest;
    Result<Statement> statement = d->database.prepare({sql.constData(), static_cast<std::size_t>(sql.size())}, &rest);
    if (!statement) return withNames(d->database, d->tables, query, statement.error());
    if (!d->database.isBlank(rest))
        return Error{.what = tr("Only one query can be run at a time."), .where = query, .hint = {}};
    if (!statement->isReadOnly())
        return Error{.what = tr("Only SELECT queries are allowed."), .where = query, .hint = {}};
    QStringList names;
    for (int column = 0; column < statement->columns(); ++column) names += statement->columnName(column);
    columns(names);

    d->progress = &progress;
    std::vector<QVariant> values(static_cast<std::size_t>(statement->columns()));
    Result<> outcome = Unit{};
    for (;;) {
        const Result<bool> step = statement->step();
        if (!step) outcome = step.error();
        if (!step || !*step) break;
        for (int column = 0; column < statement->columns(); ++column)
            values[static_cast<std::size_t>(column)] = valueOf(*statement, column);
        if (!row(values)) break;
    }
    d->progress = nullptr;
    return outcome;
}

}  // namespace longpole
