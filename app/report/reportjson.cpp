// SPDX-License-Identifier: GPL-3.0-or-later
// The report as JSON: resources/schema/report.schema.json documents it.
#include "analysis/report/experttables.h"
#include "analysis/report/tracetables.h"
#include "app/report/reportformats.h"

namespace longpole {

namespace {

constexpr int reportVersion = 2;

const char* name(CellKind kind)
{
    switch (kind) {
    case CellKind::Time: return "time_ns";
    case CellKind::Instant: return "instant_ns";
    case CellKind::Count: return "count";
    case CellKind::Number: return "number";
    case CellKind::Share: return "share";
    case CellKind::Ratio: return "ratio";
    case CellKind::Bytes: return "bytes";
    case CellKind::Entry:
    case CellKind::Code: return "entry";
    case CellKind::Flag:
    case CellKind::Rows:
    case CellKind::Text: break;
    }
    return "text";
}

JsonValue tableJson(const TableData& table, const TraceStore& store)
{
    JsonValue columns = JsonValue::array();
    for (const Column& column : table.columns)
        columns.push_back({{"id", column.key}, {"title", column.title}, {"kind", name(column.kind)}});
    return {{"title", table.title},
            {"columns", columns},
            {"rows", rowsJson(table, &store)},
            {"rows_omitted", table.rowsOmitted}};
}

JsonValue itemJson(const FindingItem& item)
{
    JsonValue facts = JsonValue::array();
    for (const FindingItem::Fact& fact : item.facts) facts.push_back({{"name", fact.name}, {"value", fact.value}});
    return {{"title", item.title},
            {"facts", facts},
            {"paragraphs", item.paragraphs},
            {"points", item.points},
            {"sql", item.sql.isEmpty() ? JsonValue(nullptr) : item.sql}};
}

void writeFinding(JsonText& text, const Finding& finding, const TraceStore& store)
{
    text.beginObject();
    text.member("id", finding.id);
    text.member("title", finding.title);
    text.member("paragraphs", finding.paragraphs + finding.appendix.paragraphs);
    text.key("items");
    text.beginList();
    for (const FindingItem& item : finding.items) text.value(itemJson(item));
    text.endList();
    text.key("tables");
    text.beginList();
    for (const std::vector<TableData>* part : {&finding.tables, &finding.appendix.tables})
        for (const TableData& table : *part) text.value(tableJson(table, store));
    text.endList();
    text.member("not_evaluated", finding.notEvaluated.isEmpty() ? JsonValue(nullptr) : finding.notEvaluated);
    text.key("result");
    finding.writeResult(text);
    text.endObject();
}

}  // namespace

Result<QByteArray> reportJson(const TraceStore& store, const AnalysisResults& results, const Progress& progress)
{
    JsonText text(progress);
    text.beginObject();
    text.member("schema", "longpole-report");
    text.member("version", reportVersion);
    text.member("generator", "Longpole " LONGPOLE_VERSION);
    text.member("trace", rowJson(traceTable(store), store, &store));
    text.member("judged", results.expert ? judgedJson(store, results.expert->health.checks) : JsonValue(nullptr));
    text.key("findings");
    text.beginList();
    for (const Finding& finding : results.findings) {
        writeFinding(text, finding, store);
        if (progress.isCancelled()) return cancelledError();
    }
    text.endList();
    text.endObject();
    return text.take();
}

}  // namespace longpole
