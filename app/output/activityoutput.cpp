// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/activityoutput.h"

#include "analysis/base/json.h"
#include "app/output/pathoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

bool isKnown(const IncomingPath& incoming) { return incoming.prefix.index >= 0; }

QString text(const PrefixId& prefix)
{
    return QString::number(index(prefix.pe)) % QLatin1Char(':') % QString::number(prefix.index);
}

// What a table forgets: "message 1:17 7.3 us; order 0:4 1 us", or with plain nanoseconds.
QString mergedText(const ActivityRow& row, bool forPeople)
{
    QStringList list;
    for (const IncomingPath& merged : row.merged)
        list << QLatin1String(name(merged.edge)) % QLatin1Char(' ') % text(merged.prefix) % QLatin1Char(' ')
                    % (forPeople ? formatTime(merged.length) : QString::number(merged.length));
    return list.join(QStringLiteral("; "));
}

QVariant messageCell(MessageId message) { return message.isValid() ? QVariant(toText(message)) : QVariant(); }
std::vector<Column> columnsForPeople(Vocabulary words)
{
    return {{QStringLiteral("index"), tr("Index"), CellKind::Count},
            {QStringLiteral("task"), tr("Task"), CellKind::Text},
            {QStringLiteral("entry"), words.say(tr("Entry method"), tr("Region")), CellKind::Entry},
            {QStringLiteral("message"), tr("Sends"), CellKind::Text},
            {QStringLiteral("end_ns"), tr("Until"), CellKind::Time},
            {QStringLiteral("length_ns"), tr("Path"), CellKind::Time},
            {QStringLiteral("edge"), tr("Comes by"), CellKind::Text},
            {QStringLiteral("from"), tr("From"), CellKind::Text},
            {QStringLiteral("incoming_ns"), tr("Its path"), CellKind::Time},
            {QStringLiteral("merged"), tr("Merged with"), CellKind::Text}};
}

std::vector<QVariant> cellsForPeople(const ActivityRow& row, TimeNs zero)
{
    std::vector<QVariant> cells{qlonglong(row.index),
                                toText(row.task),
                                Cell(row.entry),
                                messageCell(row.message),
                                qlonglong(row.end - zero),
                                qlonglong(row.length),
                                QVariant(),
                                QVariant(),
                                QVariant(),
                                mergedText(row, true)};
    if (isKnown(row.incoming)) {
        cells[6] = QLatin1String(name(row.incoming.edge));
        cells[7] = text(row.incoming.prefix);
        cells[8] = qlonglong(row.incoming.length);
    }
    return cells;
}

std::vector<Column> columnsOfCsv()
{
    std::vector<Column> columns;
    for (const char* id : {"index", "task", "entry", "message", "begin_ns", "end_ns", "length_ns", "incoming_edge",
                           "incoming_pe", "incoming_index", "incoming_ns", "merged"})
        columns.push_back({QLatin1String(id), {}, qstrcmp(id, "entry") == 0 ? CellKind::Entry : CellKind::Text});
    return columns;
}

std::vector<QVariant> cellsOfCsv(const ActivityRow& row)
{
    std::vector<QVariant> cells{qlonglong(row.index),
                                toText(row.task),
                                Cell(row.entry),
                                messageCell(row.message),
                                qlonglong(row.begin),
                                qlonglong(row.end),
                                qlonglong(row.length),
                                QVariant(),
                                QVariant(),
                                QVariant(),
                                QVariant(),
                                mergedText(row, false)};
    if (isKnown(row.incoming)) {
        cells[7] = QLatin1String(name(row.incoming.edge));
        cells[8] = index(row.incoming.prefix.pe);
        cells[9] = qlonglong(row.incoming.prefix.index);
        cells[10] = qlonglong(row.incoming.length);
    }
    return cells;
}

JsonValue incomingJson(const IncomingPath& incoming)
{
    if (!isKnown(incoming)) return nullptr;
    return {{"edge", name(incoming.edge)},
            {"pe", index(incoming.prefix.pe)},
            {"index", incoming.prefix.index},
            {"length_ns", incoming.length}};
}

JsonValue rowJson(const TraceStore& store, const ActivityRow& row)
{
    JsonValue merged = JsonValue::array();
    for (const IncomingPath& incoming : row.merged) merged.push_back(incomingJson(incoming));
    return {{"index", row.index},
            {"task", toText(row.task)},
            {"entry", entryJson(store, row.entry)},
            {"message", row.message.isValid() ? toText(row.message) : JsonValue(nullptr)},
            {"begin_ns", row.begin},
            {"end_ns", row.end},
            {"length_ns", row.length},
            {"incoming", incomingJson(row.incoming)},
            {"merged", merged}};
}

void writeJson(Output& output, const TraceStore& store, const ActivityTable& table)
{
    output.write(QStringLiteral("{\n  \"pe\": %1,\n  \"edges\": \"%2\",\n  \"rows\": [")
                     .arg(index(table.pe()))
                     .arg(QLatin1String(name(table.edges()))));
    for (std::size_t i = 0; i < table.size(); ++i)
        if (!output.write(QByteArray(i == 0 ? "\n    " : ",\n    ") + dump(rowJson(store, table.row(i)), -1).trimmed()))
            return;
    output.write(QByteArray(table.size() == 0 ? "]\n}\n" : "\n  ]\n}\n"));
}

}  // namespace

void writeActivityTable(Output& output, OutputFormat format, const TraceStore& store, const ActivityTable& table)
{
    if (format == OutputFormat::Json) return writeJson(output, store, table);
    const bool forPeople = format == OutputFormat::Text;
    if (forPeople)
        output.write(tr("Activity table of processor %1, edges %2: %3 prefixes of %4 tasks")
                         .arg(index(table.pe()))
                         .arg(QLatin1String(name(table.edges())), formatCount(static_cast<std::int64_t>(table.size())),
                              formatCount(static_cast<std::int64_t>(table.tasks())))
                     + QStringLiteral("\n\n"));
    TableWriter rows(output, format, forPeople ? columnsForPeople(store.words()) : columnsOfCsv(), &store);
    for (std::size_t i = 0; i < table.size(); ++i) {
        const ActivityRow row = table.row(i);
        if (!rows.row(forPeople ? cellsForPeople(row, store.info().begin) : cellsOfCsv(row))) return;
    }
    rows.finish();
}

}  // namespace longpole
