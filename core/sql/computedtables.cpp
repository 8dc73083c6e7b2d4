// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/computedtables.h"

#include "core/base/translate.h"
#include "core/sql/withinmemory.h"

#include <sqlite3.h>

#include <optional>
#include <string>
#include <utility>

namespace longpole {
namespace {

struct ComputedRegistration {
    ComputedTable table;
    const Progress* const* progress = nullptr;
    std::shared_ptr<const ComputedRows> rows{};  // once somebody has read them
};

struct ComputedVirtualTable : sqlite3_vtab {
    ComputedRegistration* registration = nullptr;
};

struct ComputedCursor : sqlite3_vtab_cursor {
    std::shared_ptr<const ComputedRows> rows;
    std::size_t row = 0, last = 0;
};

// The columns of a table of spans, and what bounds them in a plan.
constexpr std::size_t peColumn = 0, beginColumn = 1, endColumn = 2;
constexpr char atPe = 'p', beginsBefore = 'b', endsAfter = 'e';

std::int64_t spanCell(const ComputedRows& rows, std::size_t row, std::size_t column)
{
    const ViewValue value = rows.value(row, column);
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr ? *whole : 0;
}

// The first row from `first` on of which `isBefore` does not hold; it holds of all rows before that.
template <typename IsBefore>
std::size_t partitionRows(std::size_t first, std::size_t last, IsBefore isBefore)
{
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (isBefore(middle)) first = middle + 1;
        else last = middle;
    }
    return first;
}

int connectComputed(sqlite3* handle, void* argument, int, const char* const*, sqlite3_vtab** out, char**)
{
    auto* registration = static_cast<ComputedRegistration*>(argument);
    std::string ddl = "CREATE TABLE x(";
    for (const ComputedColumn& column : registration->table.columns) {
        if (ddl.back() != '(') ddl += ", ";
        ddl += std::string(column.name) + ' ' + column.type;
    }
    if (const int code = sqlite3_declare_vtab(handle, (ddl + ')').c_str()); code != SQLITE_OK) return code;
    sqlite3_vtab_config(handle, SQLITE_VTAB_INNOCUOUS);
    auto table = std::make_unique<ComputedVirtualTable>();
    table->registration = registration;
    *out = table.release();
    return SQLITE_OK;
}

int disconnectComputed(sqlite3_vtab* table)
{
    delete static_cast<ComputedVirtualTable*>(table);
    return SQLITE_OK;
}

char boundOf(const sqlite3_index_info::sqlite3_index_constraint& constraint)
{
    const bool isLess = constraint.op == SQLITE_INDEX_CONSTRAINT_LT || constraint.op == SQLITE_INDEX_CONSTRAINT_LE;
    const bool isMore = constraint.op == SQLITE_INDEX_CONSTRAINT_GT || constraint.op == SQLITE_INDEX_CONSTRAINT_GE;
    if (constraint.iColumn == int(peColumn) && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ) return atPe;
    if (constraint.iColumn == int(beginColumn) && isLess) return beginsBefore;
    return constraint.iColumn == int(endColumn) && isMore ? endsAfter : '\0';
}

// How many rows there are is known only once they were computed.
int planComputed(sqlite3_vtab* base, sqlite3_index_info* info)
{
    constexpr sqlite3_int64 guess = 100'000, fewPerPe = 100;
    const auto& registration = *static_cast<const ComputedVirtualTable*>(base)->registration;
    sqlite3_int64 rows = registration.rows ? static_cast<sqlite3_int64>(registration.rows->size()) + 1 : guess;
    std::string plan;
    for (int i = 0; i < info->nConstraint && registration.table.isSpans; ++i) {
        const char bound = info->aConstraint[i].usable != 0 ? boundOf(info->aConstraint[i]) : '\0';
        if (bound == '\0' || plan.find(bound) != std::string::npos) continue;
        plan += bound;
        info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.size());  // omit stays 0: SQLite checks too
    }
    if (plan.find(atPe) == std::string::npos) {
        for (int i = 0; i < info->nConstraint; ++i) info->aConstraintUsage[i].argvIndex = 0;
        plan.clear();
    } else {
        rows = plan.size() == 3 ? 1 + rows / guess : 1 + rows / fewPerPe;
    }
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    info->needToFreeIdxStr = 1;
    info->estimatedRows = rows;
    info->estimatedCost = static_cast<double>(rows);
    return info->idxStr != nullptr ? SQLITE_OK : SQLITE_NOMEM;
}

// Narrows the cursor to the rows that the plan's bounds leave; all that are not whole numbers bound nothing.
void narrowSpans(ComputedCursor& cursor, const std::string& plan, sqlite3_value** values)
{
    const ComputedRows& rows = *cursor.rows;
    const auto valueFor = [&](char bound) -> std::optional<std::int64_t> {
        const std::size_t at = plan.find(bound);
        if (at == std::string::npos || sqlite3_value_type(values[at]) != SQLITE_INTEGER) return {};
        return sqlite3_value_int64(values[at]);
    };
    const std::optional<std::int64_t> pe = valueFor(atPe);
    if (!pe) return;
    cursor.row = partitionRows(0, rows.size(), [&](std::size_t r) { return spanCell(rows, r, peColumn) < *pe; });
    cursor.last = partitionRows(cursor.row, rows.size(),
                                [&](std::size_t r) { return spanCell(rows, r, peColumn) <= *pe; });
    if (const auto after = valueFor(endsAfter))
        cursor.row = partitionRows(cursor.row, cursor.last,
                                   [&](std::size_t r) { return spanCell(rows, r, endColumn) < *after; });
    if (const auto before = valueFor(beginsBefore))
        cursor.last = partitionRows(cursor.row, cursor.last,
                                    [&](std::size_t r) { return spanCell(rows, r, beginColumn) <= *before; });
}

int openComputed(sqlite3_vtab*, sqlite3_vtab_cursor** out)
{
    *out = std::make_unique<ComputedCursor>().release();
    return SQLITE_OK;
}

int closeComputed(sqlite3_vtab_cursor* cursor)
{
    delete static_cast<ComputedCursor*>(cursor);
    return SQLITE_OK;
}

int filterComputed(sqlite3_vtab_cursor* base, int, const char* plan, int, sqlite3_value** values)
{
    auto& cursor = *static_cast<ComputedCursor*>(base);
    ComputedRegistration& registration = *static_cast<ComputedVirtualTable*>(base->pVtab)->registration;
    if (!registration.rows) {
        const Progress none;
        const Progress* running = *registration.progress;
        auto computed = registration.table.compute(running != nullptr ? *running : none);
        if (!computed) {
            sqlite3_free(base->pVtab->zErrMsg);
            base->pVtab->zErrMsg = sqlite3_mprintf("%s", toText(computed.error()).toUtf8().constData());
            return SQLITE_ERROR;
        }
        registration.rows = std::move(*computed);
    }
    cursor.rows = registration.rows;
    cursor.row = 0;
    cursor.last = cursor.rows->size();
    if (plan != nullptr && *plan != '\0') narrowSpans(cursor, plan, values);
    return SQLITE_OK;
}

int nextComputed(sqlite3_vtab_cursor* cursor)
{
    ++static_cast<ComputedCursor*>(cursor)->row;
    return SQLITE_OK;
}

int isComputedOver(sqlite3_vtab_cursor* base)
{
    const auto& cursor = *static_cast<const ComputedCursor*>(base);
    return cursor.row >= cursor.last ? 1 : 0;
}

int computedCell(sqlite3_vtab_cursor* base, sqlite3_context* context, int number)
{
    const auto& cursor = *static_cast<const ComputedCursor*>(base);
    const ViewValue value = cursor.rows->value(cursor.row, static_cast<std::size_t>(number));
    if (const auto* whole = std::get_if<std::int64_t>(&value)) sqlite3_result_int64(context, *whole);
    else if (const auto* real = std::get_if<double>(&value)) sqlite3_result_double(context, *real);
    else if (const auto* text = std::get_if<std::string>(&value))
        sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    else sqlite3_result_null(context);
    return SQLITE_OK;
}

int computedRowId(sqlite3_vtab_cursor* base, sqlite3_int64* id)
{
    *id = static_cast<sqlite3_int64>(static_cast<const ComputedCursor*>(base)->row);
    return SQLITE_OK;
}

sqlite3_module makeComputedModule()
{
    sqlite3_module module{};  // without xCreate, as the tables of the trace
    module.iVersion = 1;
    module.xConnect = withinMemory<connectComputed>;
    module.xBestIndex = withinMemory<planComputed>;
    module.xDisconnect = disconnectComputed;
    module.xOpen = withinMemory<openComputed>;
    module.xClose = closeComputed;
    module.xFilter = withinMemory<filterComputed>;
    module.xNext = withinMemory<nextComputed>;
    module.xEof = isComputedOver;
    module.xColumn = withinMemory<computedCell>;
    module.xRowid = computedRowId;
    return module;
}

}  // namespace

Result<> registerComputedTables(sqlite3* connection, std::vector<ComputedTable> tables, const Progress* const* progress)
{
    static const sqlite3_module module = makeComputedModule();
    for (ComputedTable& table : tables) {
        const char* name = table.name;
        auto registration = std::make_unique<ComputedRegistration>(ComputedRegistration{std::move(table), progress});
        const auto destroy = [](void* argument) { delete static_cast<ComputedRegistration*>(argument); };
        // SQLite owns the registration from here on, also when it fails.
        if (sqlite3_create_module_v2(connection, name, &module, registration.release(), destroy) != SQLITE_OK)
            return Error{.what = tr("The table %1 cannot be offered to SQL.").arg(QLatin1String(name)),
                         .where = {},
                         .hint = {}};
    }
    return Unit{};
}

}  // namespace longpole
