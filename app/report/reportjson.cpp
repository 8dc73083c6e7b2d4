// SPDX-License-Identifier: GPL-3.0-or-later
// The report as JSON: resources/schema/report.schema.json documents it.
#include "app/output/jsonoutput.h"
#include "app/output/tracejson.h"
#include "app/report/reportformats.h"

namespace longpole {

namespace {

constexpr int schemaVersion = 2;

const char* name(CellKind kind)
{
    switch (kind) {
    case CellKind::Time: return "time_ns";
    case CellKind::Count: return "count";
    case CellKind::Share: return "share";
    case CellKind::Bytes: return "bytes";
    case CellKind::Entry: return "entry";
    case CellKind::Text: break;
    }
    return "text";
}

JsonValue tableJson(const FindingTable& table, const TraceStore& store)
{
    JsonValue columns = JsonValue::array();
    for (const FindingColumn& column : table.columns)
        columns.push_back({{"id", toJson(column.id)}, {"title", toJson(column.title)}, {"kind", name(column.kind)}});
    JsonValue rows = JsonValue::array();
    for (const auto& cells : table.rows) {
        JsonValue row = JsonValue::object();
        for (std::size_t i = 0; i < cells.size() && i < table.columns.size(); ++i)
            row[table.columns[i].id.toStdString()] = cellJson(cells[i], table.columns[i].kind, &store);
        rows.push_back(row);
    }
    return {{"title", toJson(table.title)}, {"columns", columns}, {"rows", rows}, {"rows_omitted", table.rowsOmitted}};
}

JsonValue texts(const QStringList& lines)
{
    JsonValue array = JsonValue::array();
    for (const QString& line : lines) array.push_back(toJson(line));
    return array;
}

JsonValue itemJson(const FindingItem& item)
{
    JsonValue facts = JsonValue::array();
    for (const FindingItem::Fact& fact : item.facts)
        facts.push_back({{"name", toJson(fact.name)}, {"value", toJson(fact.value)}});
    return {{"title", toJson(item.title)},
            {"facts", facts},
            {"paragraphs", texts(item.paragraphs)},
            {"points", texts(item.points)},
            {"sql", item.sql.isEmpty() ? JsonValue(nullptr) : toJson(item.sql)}};
}

JsonValue findingJson(const Finding& finding, const TraceStore& store)
{
    JsonValue items = JsonValue::array();
    for (const FindingItem& item : finding.items) items.push_back(itemJson(item));
    JsonValue tables = JsonValue::array();
    for (const FindingTable& table : finding.tables) tables.push_back(tableJson(table, store));
    return {{"id", toJson(finding.id)},
            {"title", toJson(finding.title)},
            {"paragraphs", texts(finding.paragraphs)},
            {"items", items},
            {"tables", tables},
            {"not_evaluated", finding.notEvaluated.isEmpty() ? JsonValue(nullptr) : toJson(finding.notEvaluated)},
            {"result", toJson(finding.json)}};
}

}  // namespace

Result<QByteArray> reportJson(const TraceStore& store, const AnalysisResults& results, const Progress& progress)
{
    JsonValue findings = JsonValue::array();
    for (const Finding& finding : results.findings) {
        if (progress.isCancelled()) return cancelledError();
        findings.push_back(findingJson(finding, store));
    }
    const JsonValue report = {{"schema", "longpole-report"},
                              {"version", schemaVersion},
                              {"generator", "Longpole " LONGPOLE_VERSION},
                              {"trace", traceJson(store)},
                              {"findings", findings}};
    return dump(report);
}

}  // namespace longpole
