// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as people, spreadsheets and programs read them: aligned text, CSV, JSON.
#pragma once

#include "analysis/base/table.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

#include <QByteArray>
#include <QString>
#include <QVariant>

#include <vector>

namespace longpole {

// Writes row by row, so that a table may be longer than memory. Text: the widths come from the first 1000 rows.
class TableWriter {
public:
    // `store` names entries and gives the begin of the run; null for tables without them.
    TableWriter(Output& output, OutputFormat format, std::vector<Column> columns, const TraceStore* store);

    // False when nothing more can be written.
    bool row(const std::vector<QVariant>& cells);
    void finish();

private:
    void writeText(const std::vector<QVariant>& cells);
    void flushHead();

    Output& m_output;
    OutputFormat m_format;
    std::vector<Column> m_columns;
    const TraceStore* m_store;
    std::vector<std::vector<QVariant>> m_head;  // text: rows kept until the widths are known
    std::vector<qsizetype> m_widths;
    std::vector<bool> m_right;
    bool m_headWritten = false;
    bool m_going = true;
    std::int64_t m_rows = 0;
};

void writeTable(Output& output, OutputFormat format, const TableData& table, const TraceStore* store);
template <typename Row, typename Rows>
void writeTable(Output& output, OutputFormat format, const Table<Row>& table, const Rows& rows, const TraceStore& store)
{
    TableWriter writer(output, format, table.heads(), &store);
    for (const Row& row : rows)
        if (!writer.row(table.cells(row))) return;
    writer.finish();
}

// Text filled into lines of 100 columns, each behind a margin; a longer word has a line of its own.
QString wrapped(const QString& text, qsizetype indent);

}  // namespace longpole
