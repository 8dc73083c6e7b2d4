// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/whatifoutput.h"

#include "analysis/base/json.h"
#include "app/output/pathoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

bool isSet(const WhatIfAnswer& answer) { return answer.question.entries.size() > 1; }

EntryId entryOf(const WhatIfAnswer& answer)
{
    return answer.question.entries.size() == 1 ? answer.question.entries.front() : noEntry;
}

QString nameOf(const TraceStore& store, EntryId entry)
{
    const QString name = cellText(Cell(entry), CellKind::Entry, &store);
    return name.isEmpty() ? store.words().say(tr("what has no entry method"), tr("what has no region")) : name;
}

// "at most 0.8 s (12.3 %), then Foo::bar becomes critical".
QString gainText(const TraceStore& store, const WhatIfAnswer& answer, const CriticalPath& path)
{
    const TimeNs length = path.length;
    const TimeNs change = answer.gain < 0 ? -answer.gain : answer.gain;
    const QString amount = length > 0
                               ? tr("%1 (%2)").arg(formatTime(change), formatShare(double(change) / double(length)))
                               : formatTime(change);
    if (answer.gain < 0) return tr("costs %1").arg(amount);
    if (answer.gain == 0 && answer.nextCritical == noEntry) return tr("nothing");
    const QString next = nameOf(store, answer.nextCritical);
    if (answer.gain == 0) return tr("nothing, %1 stays critical").arg(next);
    if (answer.nextCritical == noEntry) return tr("at most %1").arg(amount);
    const bool hadMost = !path.profile.empty() && path.profile.front().entry == answer.nextCritical;
    return (hadMost ? tr("at most %1, then %2 stays critical") : tr("at most %1, then %2 becomes critical"))
        .arg(amount, next);
}

void writeText(Output& output, const TraceStore& store, const CriticalPath& path, Rational factor,
               const std::vector<WhatIfAnswer>& answers)
{
    const QString change = factor.numerator == 0 ? tr("cost nothing") : tr("took %1 times as long").arg(toText(factor));
    output.write(store.words()
                     .say(tr("The %1 path, edges %2, is %3 long. What it gains if an entry method %4:"),
                          tr("The %1 path, edges %2, is %3 long. What it gains if a region %4:"))
                     .arg(QLatin1String(name(path.mode)), QLatin1String(name(path.edges)), formatTime(path.length),
                          change)
                 + QStringLiteral("\n\n"));
    TableWriter table(output, OutputFormat::Text,
                      {{QStringLiteral("entry"), store.words().say(tr("Entry method"), tr("Region")), CellKind::Text},
                       {QStringLiteral("share_ns"), tr("On path"), CellKind::Time},
                       {QStringLiteral("net_ns"), tr("Path then"), CellKind::Time},
                       {QStringLiteral("gain_ns"), tr("Gain"), CellKind::Text}},
                      &store);
    for (const WhatIfAnswer& answer : answers)
        table.row({isSet(answer) ? tr("all of them at once") : nameOf(store, entryOf(answer)), qlonglong(answer.share),
                   qlonglong(answer.net), gainText(store, answer, path)});
    table.finish();
}

void writeCsv(Output& output, const TraceStore& store, const std::vector<WhatIfAnswer>& answers)
{
    TableWriter table(output, OutputFormat::Csv,
                      {{QStringLiteral("entry"), {}, CellKind::Entry},
                       {QStringLiteral("share_ns"), {}, CellKind::Time},
                       {QStringLiteral("net_ns"), {}, CellKind::Time},
                       {QStringLiteral("gain_ns"), {}, CellKind::Time},
                       {QStringLiteral("next_critical"), {}, CellKind::Entry}},
                      &store);
    for (const WhatIfAnswer& answer : answers)
        table.row({Cell(entryOf(answer)), qlonglong(answer.share), qlonglong(answer.net), qlonglong(answer.gain),
                   Cell(answer.nextCritical)});
    table.finish();
}

void writeJson(Output& output, const TraceStore& store, const std::vector<WhatIfAnswer>& answers)
{
    QByteArray rows;
    for (const WhatIfAnswer& answer : answers) {
        JsonValue row = {{"entry", entryJson(store, entryOf(answer))}};
        if (isSet(answer)) {
            row["entries"] = JsonValue::array();
            for (const EntryId entry : answer.question.entries) row["entries"].push_back(entryJson(store, entry));
        }
        row["share_ns"] = answer.share;
        row["net_ns"] = answer.net;
        row["gain_ns"] = answer.gain;
        row["next_critical"] = entryJson(store, answer.nextCritical);
        rows += (rows.isEmpty() ? "\n  " : ",\n  ") + dump(row, -1).trimmed();
    }
    output.write('[' + rows + (rows.isEmpty() ? "]\n" : "\n]\n"));
}

}  // namespace

void writeWhatIf(Output& output, OutputFormat format, const TraceStore& store, const CriticalPath& path,
                 Rational factor, const std::vector<WhatIfAnswer>& answers)
{
    switch (format) {
    case OutputFormat::Text: return writeText(output, store, path, factor, answers);
    case OutputFormat::Csv: return writeCsv(output, store, answers);
    case OutputFormat::Json: return writeJson(output, store, answers);
    }
}

}  // namespace longpole
