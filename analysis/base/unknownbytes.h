// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of MPI calls say nothing of what the calls moved: its bytes are unknown, not none.
#pragma once

#include "analysis/base/table.h"
#include "core/store/tracestore.h"
#include "core/trace/trace.h"

#include <utility>

namespace longpole {

inline bool areBytesKnown(const TraceInfo& info) { return info.format != callTableFormat; }

// The table with empty cells for bytes that its trace does not know.
template <typename Row>
Table<Row> knowingBytes(Table<Row> table, const TableScope& scope)
{
    const bool areKnown = scope.store == nullptr || areBytesKnown(scope.store->info());
    for (TableColumn<Row>& column : table.columns) {
        if (column.kind != CellKind::Bytes) continue;
        auto cell = std::move(column.cell);
        column = {Column(std::move(column)).orNone(),
                  [cell = std::move(cell), areKnown](const Row& row) { return areKnown ? cell(row) : Cell(); }};
    }
    return table;
}

}  // namespace longpole
