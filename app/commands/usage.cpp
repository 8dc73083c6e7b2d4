// SPDX-License-Identifier: GPL-3.0-or-later
// longpole usage: how each processor spent its time.
#include "analysis/projection/stagequestions.h"
#include "analysis/report/sumtables.h"
#include "app/commandline/chartoptions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "views/drawing/pictures/renderusage.h"

namespace longpole {

namespace {

void writeProcessors(Output& output, OutputFormat format, const TraceStore& store, const UsageProfile& profile)
{
    const Table<ProcessorUsage> all = usageTable(store);
    if (format == OutputFormat::Text) {
        const auto table = all.only({"pe", "user_ns", "user_share", "idle_ns", "idle_share", "overhead_ns",
                                     "overhead_share", "pack_ns", "flush_ns", "untraced_ns"});
        TableWriter writer(output, format, table.heads(), &store);
        for (const ProcessorUsage& processor : profile.processors) writer.row(table.cells(processor));
        ProcessorUsage total = profile.total;
        total.pe = allProcessors;
        writer.row(table.cells(total));
        writer.finish();
        if (const TimeNs missing = missingTime(store, profile.processors); missing > 0)
            output.write(QString(store.words()
                                     .say(tr("%1 of all time, listed as overhead, is that of PEs without a log: nobody "
                                             "knows what they did."),
                                          tr("%1 of all time, listed as overhead, is that of ranks without a log: "
                                             "nobody knows what they did."))
                                     .arg(shareText(missing, profile.total.usage.sum()))
                                 % QLatin1Char('\n')));
        return;
    }
    const auto table = all.only({"pe", "user_ns", "idle_ns", "overhead_ns", "pack_ns", "flush_ns", "untraced_ns",
                                 "entries"});
    writeTable(output, format, table, profile.processors, store);
}

void writeEntries(Output& output, OutputFormat format, const TraceStore& store, const UsageProfile& profile)
{
    std::vector<EntryTime> rows;
    for (const ProcessorUsage& processor : profile.processors)
        for (const EntryTime& row : entryTimes(processor)) rows.push_back(row);
    writeTable(output, format, entryTimeTable(store), rows, store);
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
    const auto found = withProgress(tr("Adding up"), [&](const Progress& progress) {
        return trace->results->ask(UsageQuestion{*range, *pes}, progress);
    });
    if (!found) return fail(found.error());
    const UsageProfile& profile = **found;
    if (chart->isPicture) {
        chart->picture.size = completed(chart->picture.size, ChartPicture{}.size);
        return deliverPicture(line, renderUsage(store, profile, chart->picture));
    }
    return deliver(line, [&](Output& output) {
        if (chart->format != OutputFormat::Json && line.value("by") == QLatin1String("entry"))
            writeEntries(output, chart->format, store, profile);
        else writeProcessors(output, chart->format, store, profile);
    });
}

constexpr CommandOption usageOptions[] = {
    {"by", "KIND", "a row per PE or rank (default), or per PE or rank and entry method", "pe entry"},
    rangeOption,
    fromOption,
    untilOption,
    pesOption,
    themeOption,
    sizeOption,
    jsonOption,
    csvOption,
    chartFileOption,
    symbolsOption,
};

constexpr CommandExample usageExamples[] = {
    {"longpole usage jacobi2d.sts", "busy time, idle time and overhead of each PE"},
    {"longpole usage jacobi2d.sts -o usage.svg", "the same as a picture, stacked by entry method"},
};

}  // namespace

extern const Command usageCommand;  // commands.cpp lists it
const Command usageCommand{
    .name = "usage",
    .arguments = "TRACE",
    .summary = "what each PE or rank did with its time: entry methods, idle, overhead",
    .description =
        R"(Lists busy time, idle time and overhead of each PE, which add up to the run exactly, and with --by entry
or in JSON the busy time by entry method (exclusive). Pack, flush and untraced lie inside overhead or idling. A picture
stacks them. With --range times are cut at its ends.)",
    .minArguments = 1,
    .maxArguments = 1,
    .drawsPictures = true,
    .options = usageOptions,
    .examples = usageExamples,
    .run = runUsage,
};

}  // namespace longpole
