// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/prioritylist.h"

#include "analysis/base/cells.h"
#include "analysis/base/json.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QFileInfo>

#include <algorithm>

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
