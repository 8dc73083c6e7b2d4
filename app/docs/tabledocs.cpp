// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docs/tabledocs.h"

#include "analysis/report/tables.h"
#include "core/base/translate.h"

#include <algorithm>

namespace longpole {

namespace {

QString kindName(const Column& column)
{
    switch (column.kind) {
    case CellKind::Text: return column.words.empty() ? tr("text") : tr("word");
    case CellKind::Time: return tr("time, ns");
    case CellKind::Instant: return tr("instant, ns");
    case CellKind::Count: return tr("count");
    case CellKind::Number: return tr("number");
    case CellKind::Share: return tr("share");
    case CellKind::Ratio: return tr("ratio");
    case CellKind::Bytes: return tr("bytes");
    case CellKind::Flag: return tr("yes or no");
    case CellKind::Entry:
    case CellKind::Code: return tr("code: id, name, chare");
    case CellKind::Rows: break;
    }
    return tr("rows");
}

QString meaningOf(const Column& column)
{
    QString text = column.meaning;
    QStringList words;
    for (const Word& word : column.words) words << QLatin1Char('`') + word.word + QLatin1Char('`');
    if (!words.isEmpty()) text += tr(": one of %1").arg(words.join(QStringLiteral(", ")));
    QStringList keys;
    for (const Column& item : column.items)
        if (!item.key.isEmpty()) keys << QLatin1Char('`') + item.key + QLatin1Char('`');
    if (!keys.isEmpty()) text += tr(": %1").arg(keys.join(QStringLiteral(", ")));
    if (column.maybe) text += tr("; may be empty");
    return text;
}

// "PE; MPI: rank", or one of them if both are the same.
QString inBoth(const QString& objects, const QString& ranks)
{
    return objects == ranks ? objects : tr("%1; MPI: %2").arg(objects, ranks);
}

// The columns that a comment names; empty if there is no such table or column.
std::optional<std::vector<Column>> columnsOf(const QString& named)
{
    static const std::vector<TableInfo> tables = allTables(ProgramKind::MessageDriven);
    const QString id = named.section(QLatin1Char(':'), 0, 0).trimmed();
    const auto table = std::find_if(tables.begin(), tables.end(),
                                    [&id](const TableInfo& known) { return known.id == id; });
    if (table == tables.end()) return {};
    const QStringList keys = named.section(QLatin1Char(':'), 1).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (keys.isEmpty()) return table->columns;
    std::vector<Column> columns;
    for (const QString& key : keys) {
        const auto column = std::find_if(table->columns.begin(), table->columns.end(),
                                         [&key](const Column& known) { return known.key == key; });
        if (column == table->columns.end()) return {};
        columns.push_back(*column);
    }
    return columns;
}

// Fills in the schema and all that it contains; false if a comment names a table or a column that does not exist.
bool fill(JsonValue& schema)
{
    if (schema.is_object()) {
        constexpr auto comment = "$comment";
        const QString prefix = QStringLiteral("columns of ");
        if (const QString said = textOf(schema, comment); said.startsWith(prefix)) {
            const auto columns = columnsOf(said.mid(prefix.size()));
            if (!columns) return false;
            const JsonValue type = memberOf(schema, "type");
            schema.update(schemaOf(*columns));
            if (type.is_array()) schema["type"] = type;  // ["object", "null"] stays: a row, or null
            return true;
        }
    }
    return !schema.is_structured() || std::all_of(schema.begin(), schema.end(), fill);
}

}  // namespace

QString tableReference()
{
    const std::vector<TableInfo> objects = allTables(ProgramKind::MessageDriven);
    const std::vector<TableInfo> ranks = allTables(ProgramKind::Mpi);
    QString text = QStringLiteral("# Tables\n\n")
                   + tr(
                       "What each column of each table means: in the window (where the heading's tooltip says it as "
                       "well), in reports, and under its key in CSV and JSON. Times are in nanoseconds in CSV and "
                       "JSON, shares from 0 to 1.")
                   + QStringLiteral("\n\n<!-- Written by script/generate from the program's own tables. -->\n");
    for (std::size_t i = 0; i < objects.size(); ++i) {
        text += QStringLiteral("\n## %1\n\n%2\n\n| key | heading | what it is | meaning |\n|---|---|---|---|\n")
                    .arg(objects[i].id, inBoth(objects[i].title, ranks[i].title));
        for (std::size_t k = 0; k < objects[i].columns.size(); ++k) {
            const Column& column = objects[i].columns[k];
            const Column& other = ranks[i].columns[k];
            text += QStringLiteral("| `%1` | %2 | %3 | %4 |\n")
                        .arg(column.key, inBoth(column.title, other.title), kindName(column),
                             inBoth(meaningOf(column), meaningOf(other)));
        }
    }
    return text;
}

std::optional<JsonValue> withTables(const JsonValue& schema)
{
    JsonValue filled = schema;
    if (!fill(filled)) return {};
    return filled;
}

}  // namespace longpole
