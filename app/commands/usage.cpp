// SPDX-License-Identifier: GPL-3.0-or-later
// longpole usage: what each processor did with its time.
#include "analysis/base/json.h"
#include "analysis/projection/stagequestions.h"
#include "app/commandline/chartoptions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "views/drawing/pictures/renderusage.h"

#include <optional>

namespace longpole {

namespace {

JsonValue usageJson(const TraceStore& store, const UsageProfile& profile)
{
    JsonValue list = JsonValue::array();
    for (const ProcessorUsage& processor : profile.processors) {
        JsonValue entries = JsonValue::array();
        for (const EntryUsage& entry : processor.entries)
            entries.push_back({{"entry", entryJson(store, entry.entry)}, {"time_ns", entry.time}});
        list.push_back({{"pe", index(processor.pe)},
                        {"user_ns", processor.usage.user},
                        {"idle_ns", processor.usage.idle},
                        {"overhead_ns", processor.usage.overhead},
                        {"pack_ns", processor.pack},
                        {"flush_ns", processor.flush},
                        {"untraced_ns", processor.untraced},
                        {"entries", entries}});
    }
    return list;
}

double shareOf(TimeNs time, TimeNs whole)
{
    return whole > 0 ? static_cast<double>(time) / static_cast<double>(whole) : 0;
}

void writeProcessors(Output& output, OutputFormat format, const TraceStore& store, const UsageProfile& profile)
{
    const bool isText = format == OutputFormat::Text;
    std::vector<Column> columns{{QStringLiteral("pe"), store.words().say(tr("PE"), tr("Rank")), CellKind::Text}};
    for (const auto& [id, title] : {std::pair{"user_ns", tr("User")}, std::pair{"idle_ns", tr("Idle")},
                                    std::pair{"overhead_ns", tr("Overhead")}, std::pair{"pack_ns", tr("Pack")},
                                    std::pair{"flush_ns", tr("Flush")}, std::pair{"untraced_ns", tr("Untraced")}})
        columns.push_back({QLatin1String(id), title, CellKind::Time});
    if (isText) {
        columns.insert(columns.begin() + 2, {QStringLiteral("user"), QString(), CellKind::Share});
        columns.insert(columns.begin() + 4, {QStringLiteral("idle"), QString(), CellKind::Share});
        columns.insert(columns.begin() + 6, {QStringLiteral("overhead"), QString(), CellKind::Share});
    }
    TableWriter writer(output, format, columns, &store);
    const auto write = [&](const QVariant& pe, const ProcessorUsage& one) {
        std::vector<QVariant> cells{pe};
        for (const TimeNs time : {one.usage.user, one.usage.idle, one.usage.overhead}) {
            cells.push_back(qlonglong(time));
            if (isText) cells.push_back(shareOf(time, one.usage.sum()));
        }
        for (const TimeNs time : {one.pack, one.flush, one.untraced}) cells.push_back(qlonglong(time));
        return writer.row(cells);
    };
    for (const ProcessorUsage& processor : profile.processors)
        if (!write(index(processor.pe), processor)) return;
    if (isText && !write(tr("all"), profile.total)) return;
    writer.finish();
}

void writeEntries(Output& output, OutputFormat format, const TraceStore& store, const UsageProfile& profile)
{
    TableWriter writer(output, format,
                       {{QStringLiteral("pe"), store.words().say(tr("PE"), tr("Rank")), CellKind::Text},
                        {QStringLiteral("entry"), store.words().say(tr("Entry method"), tr("Region")), CellKind::Entry},
                        {QStringLiteral("time_ns"), tr("Time"), CellKind::Time},
                        {QStringLiteral("share"), tr("Of its time"), CellKind::Share}},
                       &store);
    for (const ProcessorUsage& processor : profile.processors)
        for (const EntryUsage& entry : processor.entries)
            if (!writer.row({index(processor.pe), Cell(entry.entry), qlonglong(entry.time),
                             shareOf(entry.time, processor.usage.sum())}))
                return;
    writer.finish();
}

ExitCode runUsage(const CommandLine& line)
{
    auto chart = chartOutput(line);
    if (!chart) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    const auto pes = chosenProcessors(line, store.info());
    if (!pes) return ExitCode::Usage;
    const auto range = chosenRange(line, store.info());
    if (!range) return ExitCode::Usage;
    std::optional<Result<std::shared_ptr<const UsageProfile>>> found;
    withProgress(tr("Adding up"), [&](const Progress& progress) {
        found = trace->results->ask(UsageQuestion{*range, *pes}, progress);
    });
    if (!*found) return fail(found->error());
    const UsageProfile& profile = ***found;
    if (chart->isPicture) {
        chart->picture.size = completed(chart->picture.size, ChartPicture{}.size);
        return deliverPicture(line, renderUsage(store, profile, chart->picture));
    }
    return deliver(line, [&](Output& output) {
        if (chart->format == OutputFormat::Json) output.write(dump(usageJson(store, profile)));
        else if (line.value("by") == QLatin1String("entry")) writeEntries(output, chart->format, store, profile);
        else writeProcessors(output, chart->format, store, profile);
    });
}

constexpr CommandOption options[] = {
    {"by", "KIND", "a row per processor (default), or per processor and entry method", "pe entry"},
    rangeOption,
    pesOption,
    themeOption,
    sizeOption,
    jsonOption,
    csvOption,
    chartFileOption,
    symbolsOption,
};

constexpr CommandExample examples[] = {
    {"longpole usage jacobi2d.sts", "user time, idle time and overhead of each processor"},
    {"longpole usage jacobi2d.sts -o usage.svg", "the same as a picture, stacked by entry method"},
};

}  // namespace

extern const Command usageCommand;  // commands.cpp lists it
const Command usageCommand{
    .name = "usage",
    .arguments = "TRACE",
    .summary = "what each processor did with its time: entry methods, idle, overhead",
    .description =
        R"(Lists user time, idle time and overhead of each processor, which add up to the run exactly, and with --by entry
or in JSON the user time by entry method (exclusive). Pack, flush and untraced lie inside overhead or idling. A picture
stacks them. With --range times are cut at its ends.)",
    .minArguments = 1,
    .maxArguments = 1,
    .drawsPictures = true,
    .options = options,
    .examples = examples,
    .run = runUsage,
};

}  // namespace longpole
