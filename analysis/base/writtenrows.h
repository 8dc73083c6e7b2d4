// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a table as JSON, written one after the other: the same list as rowsJson().
#pragma once

#include "analysis/base/jsontext.h"
#include "analysis/base/table.h"

#include <vector>

namespace longpole {

template <typename Row, typename Rows>
void writeRows(JsonText& text, const Table<Row>& table, const Rows& rows, const TraceStore* store)
{
    const std::vector<Column> heads = table.heads();
    text.beginList();
    for (const Row& row : rows) {
        if (text.isCancelled()) break;
        text.value(rowJson(table.cells(row), heads, store));
    }
    text.endList();
}

}  // namespace longpole
