// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/sqlresult.h"

#include "core/store/tracestore.h"
#include "core/trace/format.h"

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

const QString nanoseconds = QStringLiteral("_ns");

// Moments by the names that SQL has for them; every other time is a duration, but for time_ns, which is either.
std::optional<CellKind> timeKindOf(const QString& name)
{
    if (!name.endsWith(nanoseconds) || name == QLatin1String("time_ns")) return {};
    for (const char* moment : {"begin_ns", "end_ns", "sent_ns", "received_ns"})
        if (name == QLatin1String(moment)) return CellKind::Instant;
    return CellKind::Time;
}

bool isNumber(const QVariant& value)
{
    return value.typeId() == QMetaType::LongLong || value.typeId() == QMetaType::Double
           || value.typeId() == QMetaType::Int;
}

// Whether its cells are of this kind, as far as they are not empty, and one is not.
template <typename Fits>
bool areAll(const SqlTable& table, std::size_t column, const Fits& fits)
{
    bool isAny = false;
    for (const std::vector<QVariant>& row : table.rows) {
        if (row[column].isNull()) continue;
        if (!fits(row[column])) return false;
        isAny = true;
    }
    return isAny;
}

std::optional<std::size_t> columnOf(const SqlTable& table, const char* name)
{
    const qsizetype at = table.columns.indexOf(QLatin1String(name));
    return at < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(at));
}

}  // namespace

SqlContent sqlContent(std::shared_ptr<const SqlTable> table, std::shared_ptr<const TraceStore> store)
{
    SqlContent content;
    content.table.rows = table->rows.size();
    const auto valueAt = [&table](std::size_t column) {
        return [table, column](std::size_t row) { return table->rows[row][column]; };
    };
    for (std::size_t column = 0; column < static_cast<std::size_t>(table->columns.size()); ++column) {
        const QString& name = table->columns[static_cast<qsizetype>(column)];
        const bool isNumeric = areAll(*table, column, isNumber);
        if (const auto kind = timeKindOf(name); kind && isNumeric) {
            content.table.columns.push_back({.key = name,
                                             .title = name.chopped(nanoseconds.size()),
                                             .kind = *kind,
                                             .value = valueAt(column),
                                             .isExported = false});
            content.columns.push_back(column);
        }
        PanelColumn shown{.key = name,
                          .title = name,
                          .kind = isNumeric ? CellKind::Number : CellKind::Text,
                          .value = valueAt(column)};
        if (!isNumeric)
            shown.isLink = [table, store, column](std::size_t row) {
                return taskIn(*table, *store, row, column).has_value();
            };
        content.table.columns.push_back(std::move(shown));
        content.columns.push_back(column);
    }
    content.table.store = std::move(store);
    return content;
}

std::optional<TaskId> taskIn(const SqlTable& table, const TraceStore& store, std::size_t row, std::size_t column)
{
    const QVariant& value = table.rows[row][column];
    // Messages are written as tasks are.
    if (value.typeId() != QMetaType::QString
        || table.columns[static_cast<qsizetype>(column)] == QLatin1String("message"))
        return {};
    const Result<TaskId> task = parseTaskId(value.toString());
    if (!task.ok() || index(task->pe) >= static_cast<std::uint32_t>(store.info().processors)) return {};
    return *task;
}

TimeRange rangeIn(const SqlTable& table, std::size_t row)
{
    const auto begin = columnOf(table, "begin_ns"), end = columnOf(table, "end_ns");
    if (!begin || !end || !isNumber(table.rows[row][*begin]) || !isNumber(table.rows[row][*end])) return {};
    return {table.rows[row][*begin].toLongLong(), table.rows[row][*end].toLongLong()};
}

std::vector<std::size_t> numericColumns(const SqlTable& table)
{
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < static_cast<std::size_t>(table.columns.size()); ++column)
        if (areAll(table, column, isNumber)) columns.push_back(column);
    return columns;
}

PlotSeries seriesOf(const SqlTable& table, std::optional<std::size_t> x, std::size_t y, TimeNs zero)
{
    const auto numberAt = [&](std::size_t row, std::size_t column) {
        const double number = table.rows[row][column].toDouble();
        const bool isMoment = timeKindOf(table.columns[static_cast<qsizetype>(column)]) == CellKind::Instant;
        return isMoment ? number - static_cast<double>(zero) : number;
    };
    std::vector<std::pair<double, double>> points;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const std::vector<QVariant>& cells = table.rows[row];
        if (cells[y].isNull() || (x && cells[*x].isNull())) continue;
        points.emplace_back(x ? numberAt(row, *x) : static_cast<double>(row + 1), numberAt(row, y));
    }
    std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    PlotSeries series{.name = table.columns[static_cast<qsizetype>(y)], .color = {}, .x = {}, .y = {}, .hasDots = true};
    for (const auto& [at, value] : points) {
        series.x.push_back(at);
        series.y.push_back(value);
    }
    return series;
}

PlotUnit unitOfColumn(const QString& name) { return name.endsWith(nanoseconds) ? PlotUnit::Time : PlotUnit::Number; }

}  // namespace longpole
