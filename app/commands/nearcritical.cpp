// SPDX-License-Identifier: GPL-3.0-or-later
// longpole near-critical: the next longest paths that share little with those before them.
#include "analysis/paths/slackquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/pathoutput.h"
#include "core/trace/format.h"

#include <optional>

namespace longpole {

namespace {

QString takeover(const std::vector<NearCriticalPath>& paths, const NearCriticalOptions& options)
{
    if (paths.size() < 2)
        return tr("No other path within %1 of its length has %2 of its time on tasks of its own")
            .arg(formatShare(options.slackShare), formatShare(options.distinctShare));
    if (paths[1].slack == 0) return tr("The second path is as long: shortening the first alone gains nothing");
    return tr("Shorten the first path by more than %1, and the second takes over").arg(formatTime(paths[1].slack));
}

void writeText(Output& output, const TraceStore& store, const PathRequest& request,
               const std::vector<NearCriticalPath>& paths, const NearCriticalOptions& options)
{
    output.write(
        tr("Longest paths: %1, edges %2").arg(QLatin1String(name(request.mode)), QLatin1String(name(request.edges)))
        + QLatin1Char('\n') + takeover(paths, options) + QStringLiteral("\n\n"));
    writeTable(output, OutputFormat::Text,
               nearCriticalTable(store).only({"path", "length_ns", "slack_ns", "distinct_ns", "step_count", "to",
                                              "entry"}),
               numbered(paths), store);
}

// A row for each step, which repeats the figures of its path.
void writeCsv(Output& output, const TraceStore& store, const std::vector<NearCriticalPath>& paths)
{
    const auto figures = nearCriticalTable(store).only({"path", "length_ns", "slack_ns", "distinct_ns"});
    const auto steps = listedSteps(store);
    std::vector<Column> columns = figures.heads();
    for (const Column& column : steps.columns) columns.push_back(column);
    TableWriter table(output, OutputFormat::Csv, std::move(columns), &store);
    for (const NumberedPath& path : numbered(paths))
        for (const PathStep& step : path.near->path.steps) {
            std::vector<QVariant> cells = figures.cells(path);
            for (QVariant& cell : steps.cells(step)) cells.push_back(std::move(cell));
            if (!table.row(cells)) return;
        }
    table.finish();
}

ExitCode runNearCritical(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    NearCriticalOptions options;
    const auto count = countOption(line, "k", std::int64_t(options.count));
    if (!count) return ExitCode::Usage;
    options.count = static_cast<std::size_t>(*count);
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    std::optional<Result<std::shared_ptr<const std::vector<NearCriticalPath>>>> found;
    withProgress(tr("Finding the next longest paths"), [&](const Progress& progress) {
        found = trace->results->ask(NearCriticalQuestion{modelOf(*request, *trace->store, *range), options}, progress);
    });
    if (!*found) return fail(found->error());
    const std::vector<NearCriticalPath>& paths = ***found;
    return deliver(line, [&](Output& output) {
        if (*format == OutputFormat::Text) writeText(output, *trace->store, *request, paths, options);
        else if (*format == OutputFormat::Csv) writeCsv(output, *trace->store, paths);
        else
            writeWithSteps(output, *trace->store,
                           nearCriticalTable(*trace->store).only({"length_ns", "slack_ns", "distinct_ns"}),
                           numbered(paths), [](const NumberedPath& row) -> const std::vector<PathStep>& {
                               return row.near->path.steps;
                           });
    });
}

constexpr CommandOption nearCriticalOptions[] = {
    {"k", "N", "at most so many paths (10 unless told)"},
    throughModeOption,
    edgesOption,
    fromOption,
    untilOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample nearCriticalExamples[] = {
    {"longpole near-critical jacobi2d.sts -k 3", "the paths that take over when the critical one is shortened"},
};

}  // namespace

extern const Command nearCriticalCommand;  // commands.cpp lists it
const Command nearCriticalCommand{
    .name = "near-critical",
    .arguments = "TRACE",
    .summary = "the next longest paths that share little with the critical one",
    .description =
        R"(Lists paths whose length is within 5 % of the critical path's and of which at least a fifth lies on tasks of no
path before, the critical path first: what takes over when that is shortened. The next path is the longest one
through the task with least slack that is on no path yet. --csv lists the steps.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = nearCriticalOptions,
    .examples = nearCriticalExamples,
    .run = runNearCritical,
};

}  // namespace longpole
