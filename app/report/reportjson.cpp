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

JsonValue findingJson(const Finding& finding, const TraceStore& store)
{
    JsonValue items = JsonValue::array();
    for (const FindingItem& item : finding.items) items.push_back(itemJson(item));
    JsonValue tables = JsonValue::array();
    for (const std::vector<TableData>* part : {&finding.tables, &finding.appendix.tables})
        for (const TableData& table : *part) tables.push_back(tableJson(table, store));
    return {{"id", finding.id},
            {"title", finding.title},
            {"paragraphs", finding.paragraphs + finding.appendix.paragraphs},
            {"items", items},
            {"tables", tables},
            {"not_evaluated", finding.notEvaluated.isEmpty() ? JsonValue(nullptr) : finding.notEvaluated},
            {"result", finding.resultJson()}};
}

// A value's text as it stands in a list that an object has.
void appendIndented(const QByteArray& value, QByteArray& text)
{
    constexpr qsizetype indent = 4;
    text.reserve(text.size() + value.size() + indent * value.count('\n'));  // no more: it may be most of the memory
    for (qsizetype begin = 0; begin < value.size();) {
        const qsizetype end = value.indexOf('\n', begin);
        if (begin > 0) text += '\n';
        text.append("    ").append(value.constData() + begin, end - begin);
        begin = end + 1;
    }
}

}  // namespace

// One finding at a time: as values of the library they take many times what their text does.
Result<QByteArray> reportJson(const TraceStore& store, const AnalysisResults& results, const Progress& progress)
{
    JsonValue judged = nullptr;
    if (results.expert) judged = judgedJson(store, results.expert->health.checks);
    const JsonValue report = {{"schema", "longpole-report"},
                              {"version", reportVersion},
                              {"generator", "Longpole " LONGPOLE_VERSION},
                              {"trace", rowJson(traceTable(store), store, &store)},
                              {"judged", judged},
                              {"findings", JsonValue::array()}};
    const QByteArray empty = dump(report), open = "\"findings\": [";
    const qsizetype place = empty.lastIndexOf(open) + open.size();
    QByteArray text = empty.left(place);
    for (const Finding& finding : results.findings) {
        if (progress.isCancelled()) return cancelledError();
        text += &finding == &results.findings.front() ? "\n" : ",\n";
        const QByteArray dumped = dump(findingJson(finding, store));  // its values are let go here
        appendIndented(dumped, text);
    }
    const QByteArray rest = (results.findings.empty() ? "" : "\n  ") + empty.mid(place);
    text.reserve(text.size() + rest.size());
    text += rest;
    return text;
}

}  // namespace longpole
