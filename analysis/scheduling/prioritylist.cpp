// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/prioritylist.h"

#include "analysis/base/cells.h"
#include "analysis/base/json.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QFileInfo>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace longpole {

namespace {

QByteArray className(EntryClass entryClass) { return QByteArray(name(entryClass)).toUpper(); }

// A string literal of C: no trigraphs, all that is not plain ASCII in octal.
QByteArray literal(const QString& text)
{
    QByteArray written = "\"";
    for (const char c : text.toUtf8()) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\' && c != '?') written += c;
        else written += '\\' + QByteArray::number(byte, 8).rightJustified(3, '0');
    }
    return written + '"';
}

bool isAdvised(const SchedulingAnalysis& analysis, EntryId entry)
{
    return std::any_of(analysis.tried.begin(), analysis.tried.end(), [&](const TriedScheme& tried) {
        return tried.isAdvised && std::find(tried.entries.begin(), tried.entries.end(), entry) != tried.entries.end();
    });
}

Error unreadable(const QString& fileName, const QString& what)
{
    return {.what = what,
            .where = fileName,
            .hint = tr("Priorities are what 'longpole advise --priorities' writes as .json or .csv.")};
}

Result<NamedPriority> rowOf(const JsonValue& row, const QString& fileName)
{
    const JsonValue& priority = memberOf(row, "prio");
    const QString name = textOf(row, "name");
    const auto least = std::int64_t{std::numeric_limits<std::int32_t>::min()};
    const auto most = std::int64_t{std::numeric_limits<std::int32_t>::max()};
    if (name.isEmpty()) return unreadable(fileName, tr("A row of the priorities names no entry method."));
    const bool isTooLarge = priority.is_number_unsigned() && priority.get<std::uint64_t>() > std::uint64_t(most);
    if (!priority.is_number_integer() || isTooLarge || priority.get<std::int64_t>() < least
        || priority.get<std::int64_t>() > most)
        return unreadable(fileName, tr("The priority of %1 is no number of 32 bits.").arg(onOneLine(name)));
    const JsonValue& number = memberOf(row, "ep");
    const bool isKnown = number.is_number_unsigned() && number.get<std::uint64_t>() < mostIds;
    return NamedPriority{.number = isKnown ? number.get<std::uint32_t>() : mostIds,
                         .name = name,
                         .priority = static_cast<std::int32_t>(priority.get<std::int64_t>())};
}

Result<std::vector<NamedPriority>> rowsOfJson(const JsonValue& json, const QString& fileName)
{
    if (textOf(json, "format") != QLatin1String("charm-autoprio"))
        return unreadable(fileName, tr("The file holds no priorities."));
    if (memberOf(json, "version") != 1)
        return unreadable(fileName, tr("The priorities are of a version that this program does not know."));
    if (!memberOf(json, "entries").is_array()) return unreadable(fileName, tr("The file holds no priorities."));
    std::vector<NamedPriority> rows;
    for (const JsonValue& entry : listOf(json, "entries")) {
        Result<NamedPriority> row = rowOf(entry, fileName);
        if (!row) return row.error();
        rows.push_back(std::move(*row));
    }
    return rows;
}

// The cells of one line, without the quotes around them.
QStringList cellsOf(const QString& line)
{
    QStringList cells{QString()};
    bool isQuoted = false;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        if (c == QLatin1Char('"') && isQuoted && i + 1 < line.size() && line[i + 1] == c) cells.last() += line[++i];
        else if (c == QLatin1Char('"')) isQuoted = !isQuoted;
        else if (c == QLatin1Char(',') && !isQuoted) cells << QString();
        else cells.last() += c;
    }
    return cells;
}

Result<std::vector<NamedPriority>> rowsOfCsv(const QString& text, const QString& fileName)
{
    QStringList lines = text.split(QLatin1Char('\n'));
    if (text.contains(QChar(QChar::Null)) || lines.takeFirst().trimmed() != QLatin1String("ep,name,prio,count,class"))
        return unreadable(fileName, tr("The file holds no priorities."));
    if (lines.isEmpty() || !lines.takeLast().isEmpty())
        return unreadable(fileName, tr("The file of priorities is cut: its last line has no end."));
    std::vector<NamedPriority> rows;
    for (const QString& line : lines) {
        const QStringList cells = cellsOf(line.endsWith(QLatin1Char('\r')) ? line.chopped(1) : line);
        bool isNumber = false, isPriority = false;
        const std::uint32_t number = cells.value(0).toUInt(&isNumber);
        const int priority = cells.value(2).toInt(&isPriority);
        if (cells.value(1).isEmpty()) return unreadable(fileName, tr("A row of the priorities names no entry method."));
        if (!isPriority)
            return unreadable(fileName, tr("The priority of %1 is no number of 32 bits.").arg(onOneLine(cells[1])));
        rows.push_back({isNumber && number < mostIds ? number : mostIds, cells[1], priority});
    }
    return rows;
}

QString withoutBlanks(QString name) { return name.remove(QLatin1Char(' ')); }

}  // namespace

PriorityList priorityList(const TraceStore& store, const SchedulingAnalysis& analysis, ListedEntries which)
{
    PriorityList list{.source = store.info().fingerprint, .window = store.info().range()};
    for (const PathEntry& entry : analysis.entries) {
        if (which == ListedEntries::Advised && !isAdvised(analysis, entry.entry)) continue;
        const Entry* const known = store.entry(entry.entry);
        list.rows.push_back({.entry = entry.entry,
                             .name = known ? entryName(*known, false) : QString(),
                             .count = entry.criticalCount,
                             .entryClass = entry.entryClass});
    }
    std::sort(list.rows.begin(), list.rows.end(),
              [](const PriorityList::Row& a, const PriorityList::Row& b) { return a.entry < b.entry; });
    return list;
}

QByteArray toJson(const PriorityList& list)
{
    QByteArray json = dump({{"format", "charm-autoprio"},
                            {"version", 1},
                            {"source", list.source},
                            {"window", {list.window.begin, list.window.end}},
                            {"high", list.high},
                            {"low", list.low}},
                           -1);
    json.chop(2);  // the closing brace and the line's end
    json += ",\"entries\":[";
    for (const PriorityList::Row& row : list.rows)  // a line each
        json += (&row == list.rows.data() ? "\n  " : ",\n  ")
                + dump({{"ep", index(row.entry)},
                        {"name", row.name},
                        {"prio", row.priority},
                        {"count", row.count},
                        {"class", className(row.entryClass).toStdString()}},
                       -1)
                      .trimmed();
    return json + (list.rows.empty() ? "]" : "\n]") + ",\"default\":" + QByteArray::number(list.low) + "}\n";
}

QByteArray toHeader(const PriorityList& list)
{
    QByteArray text = "/* Priorities of entry methods, from the critical path of a recorded run (charm-autoprio 1).\n"
                      "   Smaller numbers run first; what is not listed has CHARM_AUTOPRIO_DEFAULT. */\n"
                      "#ifndef CHARM_AUTOPRIO_H\n#define CHARM_AUTOPRIO_H\n\n"
                      "#define CHARM_AUTOPRIO_VERSION 1\n#define CHARM_AUTOPRIO_SOURCE " + literal(list.source)
                      + "\n#define CHARM_AUTOPRIO_WINDOW_BEGIN " + QByteArray::number(qlonglong(list.window.begin))
                      + "LL\n#define CHARM_AUTOPRIO_WINDOW_END " + QByteArray::number(qlonglong(list.window.end))
                      + "LL\n#define CHARM_AUTOPRIO_HIGH (" + QByteArray::number(list.high)
                      + ")\n#define CHARM_AUTOPRIO_LOW (" + QByteArray::number(list.low)
                      + ")\n#define CHARM_AUTOPRIO_DEFAULT (" + QByteArray::number(list.low) + ")\n\n"
                      "typedef struct {\n  int ep; /* -1: the end */\n  const char *name;\n  int prio;\n  long long count;\n"
                      "  const char *kind; /* GOOD, MIXED, ONCE */\n} charm_autoprio_entry;\n\n"
                      "static const charm_autoprio_entry charm_autoprio_entries[] = {\n";
    for (const PriorityList::Row& row : list.rows)
        text += "  {" + QByteArray::number(index(row.entry)) + ", " + literal(row.name) + ", "
                + QByteArray::number(row.priority) + ", " + QByteArray::number(qlonglong(row.count)) + "LL, \""
                + className(row.entryClass) + "\"},\n";
    return text + "  {-1, 0, CHARM_AUTOPRIO_DEFAULT, 0LL, 0}\n};\n\n"
                  "static inline int charm_autoprio(int ep)\n{\n  const charm_autoprio_entry *e = charm_autoprio_entries;\n"
                  "  while (e->ep != -1 && e->ep != ep) ++e;\n  return e->prio;\n}\n\n#endif\n";
}

QByteArray toCsv(const PriorityList& list)
{
    QByteArray text = "ep,name,prio,count,class\n";
    for (const PriorityList::Row& row : list.rows)
        text += QByteArray::number(index(row.entry)) + ',' + csvField(row.name).toUtf8() + ','
                + QByteArray::number(row.priority) + ',' + QByteArray::number(qlonglong(row.count)) + ','
                + className(row.entryClass) + '\n';
    return text;
}

Result<std::vector<NamedPriority>> readPriorities(const QByteArray& text, const QString& fileName)
{
    if (const std::optional<JsonValue> json = parseJson(text)) return rowsOfJson(*json, fileName);
    if (text.trimmed().startsWith('{'))
        return unreadable(fileName, tr("The file of priorities is broken: it is no JSON, or cut."));
    return rowsOfCsv(QString::fromUtf8(text), fileName);
}

FoundPriorities findPriorities(const TraceStore& store, std::span<const NamedPriority> named)
{
    std::map<QString, std::set<EntryId>> byName;
    for (const Entry& entry : store.entries()) byName[withoutBlanks(entryName(entry, false))].insert(entry.id);
    FoundPriorities found;
    std::map<EntryId, std::size_t> last;  // of several rows of an entry method the last one counts
    std::vector<EntryId> meant;           // by row that is not missing
    std::vector<std::int32_t> priorities;
    for (const NamedPriority& row : named) {
        const auto known = byName.find(withoutBlanks(row.name));
        if (known == byName.end()) {
            found.missing << row.name;
            continue;
        }
        const std::set<EntryId>& entries = known->second;
        const auto same = entries.find(EntryId{row.number});
        meant.push_back(same != entries.end() ? *same : *entries.begin());
        priorities.push_back(row.priority);
        last[meant.back()] = meant.size() - 1;
    }
    for (std::size_t row = 0; row < meant.size(); ++row)
        if (last[meant[row]] == row) found.priorities.entries.push_back({meant[row], priorities[row]});
    return found;
}

Result<QByteArray> priorityFile(const PriorityList& list, const QString& fileName)
{
    const QString ending = QFileInfo(fileName).suffix().toLower();
    if (ending == QLatin1String("json")) return toJson(list);
    if (ending == QLatin1String("h")) return toHeader(list);
    if (ending == QLatin1String("csv")) return toCsv(list);
    return Error{.what = tr("Priorities are written as .json, .h or .csv."),
                 .where = fileName,
                 .hint = tr("Name the file so that its ending says which.")};
}

}  // namespace longpole
