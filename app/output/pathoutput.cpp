// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/pathoutput.h"

#include "analysis/base/json.h"
#include "app/output/stepoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <array>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t stepsShown = 50;

std::array<std::pair<PathPart, TimeNs>, 5> parts(const PathParts& parts)
{
    return {{{PathPart::Compute, parts.compute},
             {PathPart::Network, parts.network},
             {PathPart::Queue, parts.queue},
             {PathPart::Overhead, parts.overhead},
             {PathPart::Unexplained, parts.unexplained}}};
}

TableData profileTable(const TraceStore& store, const CriticalPath& path)
{
    TableData table{{},
                    {{QStringLiteral("entry"), store.words().say(tr("Entry method"), tr("Region")), CellKind::Entry},
                     {QStringLiteral("count"), tr("Count"), CellKind::Count},
                     {QStringLiteral("time_ns"), tr("On path"), CellKind::Time},
                     {QStringLiteral("share"), tr("Of path"), CellKind::Share},
                     {QStringLiteral("busy_share"), tr("Of all busy"), CellKind::Share}},
                    {},
                    0};
    for (const PathProfileRow& row : path.profile)
        table.rows.push_back({Cell(row.entry), qlonglong(row.count), qlonglong(row.time), row.share, row.busyShare});
    return table;
}

void writeText(Output& output, const TraceStore& store, const CriticalPath& path, const QString& note)
{
    const QString share = path.duration > 0 ? tr(", %1 of the duration %2")
                                                  .arg(formatShare(double(path.length) / double(path.duration)),
                                                       formatTime(path.duration))
                                            : QString();
    output.write(
        tr("Critical path: %1, edges %2").arg(QLatin1String(name(path.mode)), QLatin1String(name(path.edges)))
        + QLatin1Char('\n')
        + tr("Length %1%2, steps: %3").arg(formatTime(path.length), share, formatCount(std::int64_t(path.steps.size())))
        + QLatin1Char('\n'));
    if (!note.isEmpty()) output.write(note + QLatin1Char('\n'));
    if (path.doubtfulWeight > 0)
        output.write(tr("%1 of it rests on repaired or estimated messages or inferred merges")
                         .arg(formatTime(path.doubtfulWeight))
                     + QLatin1Char('\n'));
    if (path.mode == PathMode::Elapsed) {
        TableData table{{},
                        {{QStringLiteral("part"), tr("Part"), CellKind::Text},
                         {QStringLiteral("time_ns"), tr("Time"), CellKind::Time},
                         {QStringLiteral("share"), tr("Of path"), CellKind::Share}},
                        {},
                        0};
        for (const auto& [part, time] : parts(path.parts))
            table.rows.push_back({QLatin1String(name(part)), qlonglong(time),
                                  path.length > 0 ? double(time) / double(path.length) : 0.0});
        output.write(QByteArray("\n"));
        writeTable(output, OutputFormat::Text, table, &store);
    }
    output.write(QByteArray("\n"));
    writeTable(output, OutputFormat::Text, profileTable(store, path), &store);
    output.write(QByteArray("\n"));
    TableWriter steps(output, OutputFormat::Text, stepColumns(store.words()), &store);
    for (std::size_t i = 0; i < path.steps.size() && i < stepsShown; ++i)
        steps.row(stepCells(path.steps[i], store.info().begin));
    steps.finish();
    if (path.steps.size() > stepsShown)
        output.write(tr("%1 more steps: --csv and --json list all")
                         .arg(formatCount(std::int64_t(path.steps.size() - stepsShown)))
                     + QLatin1Char('\n'));
}

void writeJson(Output& output, const TraceStore& store, const CriticalPath& path)
{
    const auto field = [&](const char* key, const JsonValue& value, const char* before) {
        output.write(QByteArray(before) + "  \"" + key + "\": " + dump(value, -1).trimmed());
    };
    field("mode", name(path.mode), "{\n");
    field("edges", name(path.edges), ",\n");
    field("length_ns", path.length, ",\n");
    field("duration_ns", path.duration, ",\n");
    output.write(QByteArray(",\n  \"steps\": "));
    writeStepsJson(output, store, path.steps, 4);
    const char* before = ",\n  \"profile\": [";
    for (const PathProfileRow& row : path.profile) {
        const JsonValue item = {{"entry", entryJson(store, row.entry)},
                                {"count", row.count},
                                {"time_ns", row.time},
                                {"share", row.share},
                                {"busy_share", row.busyShare}};
        output.write(QByteArray(before) + "\n    " + dump(item, -1).trimmed());
        before = ",";
    }
    output.write(path.profile.empty() ? QByteArray(before) + ']' : QByteArray("\n  ]"));
    JsonValue sums = JsonValue::object();
    for (const auto& [part, time] : parts(path.parts)) sums[name(part)] = time;
    field("parts", sums, ",\n");
    output.write(QByteArray("\n}\n"));
}

}  // namespace

const char* name(PathMode mode)
{
    switch (mode) {
    case PathMode::Work: return "work";
    case PathMode::Elapsed: return "elapsed";
    case PathMode::Sweep: break;
    }
    return "sweep";
}

const char* name(EdgeLevel edges)
{
    switch (edges) {
    case EdgeLevel::Messages: return "messages";
    case EdgeLevel::Merges: return "merges";
    case EdgeLevel::Order: break;
    }
    return "order";
}

const char* name(PathPart part)
{
    switch (part) {
    case PathPart::Compute: return "compute";
    case PathPart::Network: return "network";
    case PathPart::Queue: return "queue";
    case PathPart::Overhead: return "overhead";
    case PathPart::Unexplained: break;
    }
    return "unexplained";
}

void writePath(Output& output, OutputFormat format, const TraceStore& store, const CriticalPath& path,
               const QString& note)
{
    if (format == OutputFormat::Text) return writeText(output, store, path, note);
    if (format == OutputFormat::Json) return writeJson(output, store, path);
    TableWriter steps(output, OutputFormat::Csv, stepColumns(store.words()), &store);
    for (const PathStep& step : path.steps)
        if (!steps.row(stepCells(step, 0))) return;
    steps.finish();
}

}  // namespace longpole
