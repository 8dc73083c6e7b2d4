// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as people, spreadsheets and programs read them: aligned text, CSV, JSON.
#pragma once

#include "analysis/base/finding.h"
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
    // `store` names the entries of CellKind::Entry; it may be null for tables without.
    TableWriter(Output& output, OutputFormat format, std::vector<FindingColumn> columns, const TraceStore* store);

    // False when nothing more can be written.
    bool row(const std::vector<QVariant>& cells);
    void finish();

private:
    void writeText(const std::vector<QVariant>& cells);
    void flushHead();

    Output& m_output;
    OutputFormat m_format;
    std::vector<FindingColumn> m_columns;
    const TraceStore* m_store;
    std::vector<std::vector<QVariant>> m_head;  // text: rows kept until the widths are known
    std::vector<qsizetype> m_widths;
    std::vector<bool> m_right;
    bool m_headWritten = false;
    bool m_going = true;
    std::int64_t m_rows = 0;
};

void writeTable(Output& output, OutputFormat format, const FindingTable& table, const TraceStore* store);

QVariant entryCell(EntryId entry);  // of CellKind::Entry; invalid for noEntry

// A cell for people: "12.3 ms", "1 024", "42.1 %", an entry's name.
QString cellText(const QVariant& cell, CellKind kind, const TraceStore* store);
bool isRightAligned(CellKind kind);

// Control characters become blanks: one line per row, and no name or path commands the terminal.
QString onOneLine(QString text);

// Text filled into lines of 100 columns, each behind a margin; a longer word has a line of its own.
QString wrapped(const QString& text, qsizetype indent);

QString csvField(const QString& text);  // quoted where it has to be (RFC 4180)

}  // namespace longpole
