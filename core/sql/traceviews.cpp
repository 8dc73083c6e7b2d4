// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/traceviews.h"

#include "core/base/translate.h"
#include "core/sql/tracetables.h"
#include "core/sql/withinmemory.h"

#include <QFile>

#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <string>

#ifdef LONGPOLE_SQLITE_MODULE
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1
#else
#include <sqlite3.h>
#endif

namespace longpole {
namespace {

// What all tables of a connection share; the store is opened on first use.
struct Connection {
    std::shared_ptr<const TraceStore> store;
    std::optional<TrackKeys> keys;

    Result<> prepare(sqlite3* handle)
    {
        if (!store) {
            const char* path = sqlite3_db_filename(handle, "main");
            auto opened = TraceStore::open(QFile::decodeName(QByteArray(path ? path : "")));
            if (!opened) return opened.error();
            store = std::move(opened).value();
        }
        if (!keys) keys.emplace(*store);
        return Unit{};
    }
};

// One registered module: its table and the connection's state.
struct Registration {
    std::shared_ptr<Connection> connection;
    const ViewTable* table;
};

struct VirtualTable : sqlite3_vtab {
    std::shared_ptr<Connection> connection;
    const ViewTable* table = nullptr;
    double rowCount = 0;
    bool isOrdered = false;  // the rows of each processor come in begin order
};

struct Cursor : sqlite3_vtab_cursor {
    std::optional<TraceRows> rows;
    bool atEnd = true;
};

char* sqliteText(const QString& text) { return sqlite3_mprintf("%s", text.toUtf8().constData()); }

// What a pushed-down constraint bounds, and how. The plan is a string of (subject, comparison) pairs.
constexpr char keySubject = 'k', beginSubject = 'b', endSubject = 'e', idSubject = 'i';

char subjectOf(const ViewColumn& column)
{
    switch (column.field) {
    case Field::Pe:
    case Field::Track: return keySubject;
    case Field::Begin: return beginSubject;
    case Field::End: return endSubject;
    case Field::RowId: return idSubject;
    default: return 0;
    }
}

char comparisonOf(unsigned char op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return '=';
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE: return '>';
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE: return '<';
    default: return 0;
    }
}

// Counts the rows; sees whether chunks follow each other in time, on one track per processor.
void learnAbout(VirtualTable& table)
{
    table.isOrdered = table.table->isOrdered;
    const ChunkRef* above = nullptr;
    std::set<std::int64_t> pes;
    for (const ChunkRef& ref : table.connection->store->chunks(table.table->kind)) {
        table.rowCount += ref.rows;
        if (above && above->track == ref.track) table.isOrdered = table.isOrdered && above->lastBegin <= ref.firstBegin;
        else if (const auto pe = table.connection->keys->pe(ref.track))
            table.isOrdered = pes.insert(*pe).second && table.isOrdered;
        above = &ref;
    }
    if (table.connection->store->info().isPart()) table.isOrdered = false;
}

int connect(sqlite3* handle, void* argument, int, const char* const*, sqlite3_vtab** out, char** error)
{
    const auto& registration = *static_cast<const Registration*>(argument);
    if (const Result<> ready = registration.connection->prepare(handle); !ready) {
        *error = sqliteText(toText(ready.error()));
        return SQLITE_ERROR;
    }
    std::string ddl = "CREATE TABLE x(";
    for (const ViewColumn& column : registration.table->columns) {
        if (ddl.back() != '(') ddl += ", ";
        ddl += std::string(column.name) + ' ' + column.type;
    }
    if (const int code = sqlite3_declare_vtab(handle, (ddl + ')').c_str()); code != SQLITE_OK) return code;
    sqlite3_vtab_config(handle, SQLITE_VTAB_INNOCUOUS);
    auto table = std::make_unique<VirtualTable>();
    table->connection = registration.connection;
    table->table = registration.table;
    learnAbout(*table);
    *out = table.release();
    return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table)
{
    delete static_cast<VirtualTable*>(table);
    return SQLITE_OK;
}

// Cost in rows to read, as far as the plan tells.
void estimate(const VirtualTable& table, const std::string& plan, sqlite3_index_info& info)
{
    double rows = table.rowCount;
    const auto has = [&plan](const char* term) { return plan.find(term) != std::string::npos; };
    if (has("i=")) rows = std::min(rows, 1.0);
    if (has("k=")) rows /= std::max(1.0, static_cast<double>(table.connection->store->processors().size()));
    for (const char* term : {"k<", "k>", "b<", "b>", "e<", "e>"})
        if (has(term)) rows /= 3;
    if (has("b=") || has("e=")) rows /= 1000;
    // Of a trace of parts rows are asked for by what is kept, which has to be known first.
    const bool isBound = has("i=") || has("b") || has("e");
    if (table.connection->store->info().isPart()) rows = isBound ? 1e3 : has("k=") ? 1e6 : 1e12;
    info.estimatedRows = static_cast<sqlite3_int64>(rows) + 1;
    info.estimatedCost = rows + 100;  // opening a chunk
}

// Whether the rows of the plan come in the order that is asked for: those of one processor, by begin.
bool isInOrder(const VirtualTable& table, const std::string& plan, const sqlite3_index_info& info)
{
    if (!table.isOrdered || info.nOrderBy != 1 || info.aOrderBy[0].desc || info.aOrderBy[0].iColumn < 0) return false;
    const ViewColumn& column = table.table->columns[static_cast<std::size_t>(info.aOrderBy[0].iColumn)];
    return column.field == Field::Begin && plan.find("k=") != std::string::npos;
}

int bestIndex(sqlite3_vtab* base, sqlite3_index_info* info)
{
    const auto& table = *static_cast<const VirtualTable*>(base);
    std::string plan;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        if (!constraint.usable || constraint.iColumn < 0) continue;
        const char subject = subjectOf(table.table->columns[static_cast<std::size_t>(constraint.iColumn)]);
        const char comparison = comparisonOf(constraint.op);
        if (subject == 0 || comparison == 0 || (subject == idSubject && comparison != '=')) continue;
        if (subject == idSubject && std::strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
        info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.size() / 2) + 1;  // omit stays 0: SQLite checks too
        plan += subject;
        plan += comparison;
    }
    info->idxNum = static_cast<int>(info->colUsed & 0x7fffffff);
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    info->needToFreeIdxStr = 1;
    estimate(table, plan, *info);
    info->orderByConsumed = isInOrder(table, plan, *info) ? 1 : 0;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** out)
{
    *out = std::make_unique<Cursor>().release();
    return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor)
{
    delete static_cast<Cursor*>(cursor);
    return SQLITE_OK;
}

struct Bounds {
    std::int64_t low = minTime;
    std::int64_t high = maxTime;
};

// The whole numbers next to a value; all there are if the value is no number.
Bounds boundsOf(sqlite3_value* value)
{
    if (sqlite3_value_type(value) == SQLITE_INTEGER) return {sqlite3_value_int64(value), sqlite3_value_int64(value)};
    if (sqlite3_value_type(value) != SQLITE_FLOAT) return {};
    const double number = sqlite3_value_double(value);
    const auto clamped = [](double x) {
        if (x >= 9.2e18) return maxTime;
        return x <= -9.2e18 ? minTime : static_cast<std::int64_t>(x);
    };
    // Beyond 2^53 a double stands for several integers; one step further each way includes them.
    const double slack = std::fabs(number) < 9e15 ? 0.0 : std::fabs(number) * 1e-15;
    return {clamped(std::floor(number - slack)), clamped(std::ceil(number + slack))};
}

void narrow(std::int64_t& first, std::int64_t& last, char comparison, Bounds bounds)
{
    if (comparison != '<') first = std::max(first, bounds.low);
    if (comparison != '>') last = std::min(last, bounds.high);
}

RowFilter filterOf(const char* plan, int count, sqlite3_value** values)
{
    RowFilter filter;
    for (int i = 0; i < count; ++i, plan += 2) {
        const char subject = plan[0];
        const char comparison = plan[1];
        if (subject == idSubject) {
            const auto* id = reinterpret_cast<const char*>(sqlite3_value_text(values[i]));
            filter.rowId = id ? std::string(id, static_cast<std::size_t>(sqlite3_value_bytes(values[i])))
                              : std::string();
            continue;
        }
        const Bounds bounds = boundsOf(values[i]);
        if (subject == keySubject) narrow(filter.firstKey, filter.lastKey, comparison, bounds);
        if (subject == beginSubject) narrow(filter.firstBegin, filter.lastBegin, comparison, bounds);
        if (subject == endSubject) narrow(filter.firstEnd, filter.lastEnd, comparison, bounds);
    }
    return filter;
}

int next(sqlite3_vtab_cursor* base)
{
    auto& cursor = *static_cast<Cursor*>(base);
    const Result<bool> moved = cursor.rows->next();
    if (!moved) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = sqliteText(toText(moved.error()));
        return SQLITE_ERROR;
    }
    cursor.atEnd = !*moved;
    return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int used, const char* plan, int count, sqlite3_value** values)
{
    auto& cursor = *static_cast<Cursor*>(base);
    const auto& table = *static_cast<const VirtualTable*>(base->pVtab);
    cursor.rows.emplace(*table.connection->store, *table.connection->keys, *table.table,
                        static_cast<std::uint64_t>(used), filterOf(plan, count, values));
    return next(base);
}

int eof(sqlite3_vtab_cursor* cursor) { return static_cast<const Cursor*>(cursor)->atEnd ? 1 : 0; }

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int number)
{
    const ViewValue value = static_cast<const Cursor*>(base)->rows->value(static_cast<std::size_t>(number));
    if (const auto* whole = std::get_if<std::int64_t>(&value)) sqlite3_result_int64(context, *whole);
    else if (const auto* real = std::get_if<double>(&value)) sqlite3_result_double(context, *real);
    else if (const auto* text = std::get_if<std::string>(&value))
        sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    else sqlite3_result_null(context);
    return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* base, sqlite3_int64* id)
{
    const TraceRows& rows = *static_cast<const Cursor*>(base)->rows;
    const std::uint64_t track = index(rows.track());
    const std::uint64_t number = (track << 32) + static_cast<std::uint64_t>(rows.rowNumber());
    *id = static_cast<sqlite3_int64>(number);
    return SQLITE_OK;
}

sqlite3_module makeModule()
{
    sqlite3_module module{};  // without xCreate: the tables exist without being created, and only so
    module.iVersion = 1;
    module.xConnect = withinMemory<connect>;
    module.xBestIndex = withinMemory<bestIndex>;
    module.xDisconnect = disconnect;
    module.xOpen = withinMemory<open>;
    module.xClose = close;
    module.xFilter = withinMemory<filter>;
    module.xNext = withinMemory<next>;
    module.xEof = eof;
    module.xColumn = withinMemory<column>;
    module.xRowid = rowid;
    return module;
}

}  // namespace

Result<> registerTraceViews(sqlite3* connection, std::shared_ptr<const TraceStore> store)
{
    static const sqlite3_module module = makeModule();
    const auto shared = std::make_shared<Connection>();
    shared->store = std::move(store);
    for (const ViewTable& table : viewTables()) {
        auto registration = std::make_unique<Registration>(Registration{shared, &table});
        const auto destroy = [](void* argument) { delete static_cast<Registration*>(argument); };
        // SQLite owns the registration from here on, also when it fails.
        if (sqlite3_create_module_v2(connection, table.name, &module, registration.release(), destroy) != SQLITE_OK)
            return Error{.what = tr("The table %1 cannot be offered to SQL.").arg(QLatin1String(table.name)),
                         .where = {},
                         .hint = {}};
    }
    return Unit{};
}

}  // namespace longpole

#ifdef LONGPOLE_SQLITE_MODULE
extern "C" __attribute__((visibility("default"))) int sqlite3_extension_init(sqlite3* connection, char** error,
                                                                             const sqlite3_api_routines* routines)
{
    SQLITE_EXTENSION_INIT2(routines);
    const longpole::Result<> registered = longpole::registerTraceViews(connection, nullptr);
    if (registered) return SQLITE_OK;
    *error = sqlite3_mprintf("%s", longpole::toText(registered.error()).toUtf8().constData());
    return SQLITE_ERROR;
}
#endif
