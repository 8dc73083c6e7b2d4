// SPDX-License-Identifier: GPL-3.0-or-later
// longpole activity-table: what one processor would have recorded of the paths through its tasks.
#include "analysis/paths/taskquestions.h"
#include "analysis/report/pathtables.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <optional>

namespace longpole {

namespace {

// Empty after a usage error, which was printed.
std::optional<ProcessorId> processorOf(const CommandLine& line, const TraceInfo& info)
{
    const auto pes = processorsOf(line, "pe", info.processors, info.vocabulary);
    if (pes && pes->size() == 1) return pes->front();
    if (pes)
        usageError(line.command,
                   info.vocabulary.say(tr("--pe takes one PE, not '%1'"), tr("--pe takes one rank, not '%1'"))
                       .arg(line.value("pe")));
    return {};
}

void writeAsJson(Output& output, const TraceStore& store, const ActivityTable& table)
{
    output.write(QStringLiteral("{\n  \"pe\": %1,\n  \"edges\": \"%2\",\n  \"rows\": [")
                     .arg(index(table.pe()))
                     .arg(QLatin1String(name(table.edges()))));
    const auto columns = activityRowTable(store).only({"index", "task", "entry", "message", "begin_ns", "end_ns",
                                                       "length_ns"});
    const auto paths = incomingPathTable(store);
    for (std::size_t i = 0; i < table.size(); ++i) {
        const ActivityRow row = table.row(i);
        JsonValue json = rowJson(columns, row, &store);
        json["incoming"] = isKnown(row.incoming) ? rowJson(paths, row.incoming, &store) : JsonValue();
        json["merged"] = row.isFirst || row.mergedCount == 0 ? rowsJson(paths, row.merged, &store) : JsonValue();
        if (!output.write(QByteArray(i == 0 ? "\n    " : ",\n    ") + dump(json, -1).trimmed())) return;
    }
    output.write(QByteArray(table.size() == 0 ? "]\n}\n" : "\n  ]\n}\n"));
}

// The rows are made from the compact table one by one while they are written.
void writeActivityTable(Output& output, OutputFormat format, const TraceStore& store, const ActivityTable& table)
{
    const RowsMade rows(table.size(), [&table](std::size_t row) { return table.row(row); });
    if (format == OutputFormat::Json) return writeAsJson(output, store, table);
    const auto columns = activityRowTable(store);
    if (format == OutputFormat::Csv)
        return writeTable(output, format,
                          columns
                              .only({"index", "task", "entry", "message", "begin_ns", "end_ns", "length_ns",
                                     "incoming_edge", "incoming_pe", "incoming_index", "incoming_ns", "merged_paths"})
                              .renamed("merged_paths", "merged"),
                          rows, store);
    output.write(store.words()
                     .say(tr("Activity table of PE %1, edges %2: %3 prefixes of %4 tasks"),
                          tr("Activity table of rank %1, edges %2: %3 prefixes of %4 tasks"))
                     .arg(index(table.pe()))
                     .arg(QLatin1String(name(table.edges())), formatCount(static_cast<std::int64_t>(table.size())),
                          formatCount(static_cast<std::int64_t>(table.tasks())))
                 + QStringLiteral("\n\n"));
    writeTable(output, format,
               columns.only({"index", "task", "entry", "message", "end_ns", "length_ns", "incoming_edge", "from",
                             "incoming_ns", "merged_with"}),
               rows, store);
}

ExitCode runActivityTable(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    if (!line.has("pe")) return usageError(line.command, tr("--pe P is missing: the table of which PE?"));
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto pe = processorOf(line, trace->store->info());
    if (!pe) return ExitCode::Usage;
    const auto table = withProgress(tr("Filling the table"), [&](const Progress& progress) {
        return trace->results->ask(ActivityTableQuestion{*pe, edgesOf(line)}, progress);
    });
    if (!table) return fail(table.error());
    return deliver(line, [&](Output& output) { writeActivityTable(output, *format, *trace->store, **table); });
}

constexpr CommandOption activityTableOptions[] = {
    {"pe", "P", "the PE whose table it is"}, edgesOption, jsonOption, csvOption, fileOption, symbolsOption,
};

constexpr CommandExample activityTableExamples[] = {
    {"longpole activity-table jacobi2d.sts --pe 0 --csv", "the longest path into each task of PE 0"},
};

}  // namespace

extern const Command activityTableCommand;  // commands.cpp lists it
const Command activityTableCommand{
    .name = "activity-table",
    .arguments = "TRACE",
    .summary = "what a PE would have recorded of the paths through its tasks",
    .description =
        R"(Lists the task prefixes of one PE, as the tables of Dooley, Arya and Kale do: each ends where a message is
sent or the task ends, and names the prefix that the longest path into its task comes from by PE and
index, with the length of that path, and what it was merged with. Following those names walks the path back.
With --json and --csv the first row of a task lists all that it was merged with; of its other rows it is the same.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = activityTableOptions,
    .examples = activityTableExamples,
    .run = runActivityTable,
};

}  // namespace longpole
