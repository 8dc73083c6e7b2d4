// SPDX-License-Identifier: GPL-3.0-or-later
// Tables whose rows an analysis computes when a query first reads them, as SQLite virtual tables beside those of the
// trace (core/sql/traceviews.h).
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/sql/tracetables.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

struct sqlite3;

namespace longpole {

class ComputedRows {
public:
    virtual ~ComputedRows() = default;
    virtual std::size_t size() const = 0;
    virtual ViewValue value(std::size_t row, std::size_t column) const = 0;
};

struct ComputedColumn {
    const char* name;
    const char* type;  // SQL affinity
};

struct ComputedTable {
    const char* name;
    std::vector<ComputedColumn> columns{};
    // The first three columns are a processor, a begin and an end; rows are sorted by the first two and, on one
    // processor, disjoint: joins on overlap then look rows up.
    bool isSpans = false;
    // Asked when a statement reads the table, once for each connection. Errors: what keeps the rows from being known.
    std::function<Result<std::shared_ptr<const ComputedRows>>(const Progress&)> compute{};
};

// Adds the tables to the connection. `*progress`: of the statement that runs, null between statements; must outlive it.
Result<> registerComputedTables(sqlite3* connection, std::vector<ComputedTable> tables,
                                const Progress* const* progress);

}  // namespace longpole
