// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a query as the window shows them: times in the timeline's clock beside raw ones, tasks as links, and a
// column over another as a plot.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"
#include "views/plots/plot.h"
#include "views/widgets/tablemodel.h"

#include <QStringList>
#include <QVariant>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {

class TraceStore;

// The rows of a query, in memory.
struct SqlTable {
    QStringList columns;
    std::vector<std::vector<QVariant>> rows;
    bool isCut = false;  // there were more rows than the limit, which are left out
};

// Its table in the window. Columns that are not in the query are not exported.
struct SqlContent {
    TableContent table{};
    std::vector<std::size_t> columns{};  // of the query, by column of the table
};
SqlContent sqlContent(std::shared_ptr<const SqlTable> table, std::shared_ptr<const TraceStore> store);

// The task that a cell names, "3:17"; empty if it names none of the trace.
std::optional<TaskId> taskIn(const SqlTable& table, const TraceStore& store, std::size_t row, std::size_t column);
// From begin_ns to end_ns of a row; empty without such columns.
TimeRange rangeIn(const SqlTable& table, std::size_t row);

// Columns that hold numbers only, empty cells aside; those that can be plotted.
std::vector<std::size_t> numericColumns(const SqlTable& table);
// A column over another one, or over the number of the row; rows where either is empty are left out. Moments count from
// `zero`.
PlotSeries seriesOf(const SqlTable& table, std::optional<std::size_t> x, std::size_t y, TimeNs zero);
PlotUnit unitOfColumn(const QString& name);

}  // namespace longpole
