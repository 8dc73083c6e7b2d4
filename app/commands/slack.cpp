// SPDX-License-Identifier: GPL-3.0-or-later
// longpole slack: how much longer each task could have taken.
#include "analysis/graph/graphquestions.h"
#include "analysis/paths/slackquestions.h"
#include "analysis/report/pathtables.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/leftout.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <optional>

namespace longpole {

namespace {

struct SlackAnswer {
    std::shared_ptr<const ActivityGraph> graph{};
    std::shared_ptr<const Slack> slack{};
    std::vector<std::uint32_t> tasks{};  // least slack first
    std::int64_t within = 0;             // how many tasks have at most --max of slack
    QString text{};                      // what was left out
};

// The graph and its slack, in `answer`.
Result<> findSlack(Results& results, const PathModel& model, const LeftOut& leftOut, SlackAnswer& answer,
                   const Progress& progress)
{
    Result<std::shared_ptr<const Slack>> slack = std::shared_ptr<const Slack>();
    if (leftOut.interrupted) {
        const auto without = results.ask(UninterruptedModelQuestion{model.edges, model.part}, progress);
        if (!without) return without.error();
        const UninterruptedModel& left = **without;
        answer.graph = left.modelled.graph;
        slack = slackOfTasks(*answer.graph, left.modelled.model, &left.heads, progress);
    } else {
        const auto graph = results.ask(graphOf(model.edges, model.part), progress);
        if (!graph) return graph.error();
        answer.graph = *graph;
        slack = results.ask(SlackQuestion{model}, progress);
    }
    if (!slack) return slack.error();
    answer.slack = *slack;
    return Unit{};
}

Result<SlackAnswer> slackOf(Results& results, const PathRequest& request, const LeftOut& leftOut, TimeRange range,
                            const Progress& progress)
{
    const Result<PathsLeft> left = pathsLeft(results, leftOut, range, progress);
    if (!left) return left.error();
    SlackAnswer answer{.text = left->text};
    const Result<> found = findSlack(results, modelOf(request, results.store(), left->range), leftOut, answer,
                                     progress);
    if (!found) return found.error();
    return answer;
}

void takeLeast(SlackAnswer& answer, TimeNs atMost, std::int64_t limit)
{
    const std::vector<TimeNs>& values = answer.slack->slack;
    answer.within = std::count_if(values.begin(), values.end(), [atMost](TimeNs value) { return value <= atMost; });
    const auto rows = static_cast<std::size_t>(std::min<std::int64_t>(answer.within, limit));
    answer.tasks = leastSlackFirst(*answer.slack, atMost, rows);
}

void writeRows(Output& output, OutputFormat format, const TraceStore& store, const SlackAnswer& answer)
{
    const RowsMade rows(answer.tasks.size(), [&answer](std::size_t row) {
        return slackOfTask(*answer.graph, *answer.slack, answer.tasks[row]);
    });
    writeTable(output, format, slackTable(store), rows, store);
}

void writeText(Output& output, const TraceStore& store, const SlackAnswer& answer, const PathRequest& request)
{
    const std::vector<TimeNs>& values = answer.slack->slack;
    output.write(tr("Slack to the %1 path, edges %2, of length %3: %4 of %5 tasks have none")
                     .arg(QLatin1String(name(request.mode)), QLatin1String(name(request.edges)),
                          formatTime(answer.slack->length), formatCount(std::count(values.begin(), values.end(), 0)),
                          formatCount(std::int64_t(values.size())))
                 + QLatin1Char('\n'));
    if (!answer.text.isEmpty()) output.write(answer.text + QLatin1Char('\n'));
    output.write(QByteArray("\n"));
    writeRows(output, OutputFormat::Text, store, answer);
    if (const std::int64_t left = answer.within - std::int64_t(answer.tasks.size()); left > 0)
        output.write(tr("%1 more tasks: --limit, --csv and --json list more").arg(formatCount(left))
                     + QLatin1Char('\n'));
}

ExitCode runSlack(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    const auto leftOut = leftOutOf(line, request->mode);
    if (!leftOut) return ExitCode::Usage;
    const auto atMost = line.has("max") ? parseTime(line.value("max")) : Result<TimeNs>(maxTime);
    if (!atMost) return valueError(line, "max", atMost.error());
    const auto limit = countOption(line, "limit", *format == OutputFormat::Text ? rowsOfText : allRows);
    if (!limit) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    std::optional<Result<SlackAnswer>> answer;
    withProgress(tr("Finding the slack"), [&](const Progress& progress) {
        answer = slackOf(*trace->results, *request, *leftOut, *range, progress);
        if (*answer) takeLeast(**answer, *atMost, *limit);
    });
    if (!*answer) return fail(answer->error());
    return deliver(line, [&](Output& output) {
        if (*format == OutputFormat::Text) writeText(output, *trace->store, **answer, *request);
        else writeRows(output, *format, *trace->store, **answer);
    });
}

constexpr CommandOption slackOptions[] = {
    throughModeOption,
    edgesOption,
    {"max", "T", "only tasks with slack up to this"},
    {"limit", "N", "number of tasks, those with least slack first (default: all; as text 50)"},
    fromOption,
    untilOption,
    withoutPathOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample slackExamples[] = {
    {"longpole slack jacobi2d.sts --limit 20", "the twenty tasks whose delay would be felt first"},
};

}  // namespace

extern const Command slackCommand;  // commands.cpp lists it
const Command slackCommand{
    .name = "slack",
    .arguments = "TRACE",
    .summary = "how much longer each task could have taken",
    .description =
        R"(Lists the tasks by how much longer each could have taken without lengthening the critical path, work or
elapsed: the path's own tasks have none. --without interrupted takes off what interruptions took of tasks,
--without startup begins where start-up ends, as critical-path does.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = slackOptions,
    .examples = slackExamples,
    .run = runSlack,
};

}  // namespace longpole
