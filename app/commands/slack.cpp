// SPDX-License-Identifier: GPL-3.0-or-later
// longpole slack: how much longer each task could have taken.
#include "analysis/base/naming.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/paths/slackquestions.h"
#include "analysis/report/pathtables.h"
#include "analysis/results/storedresults.h"
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

QString headText(PathMode mode, EdgeLevel edges, TimeNs length, std::int64_t without, std::int64_t tasks)
{
    return tr("Slack to the %1 path, edges %2, of length %3: %4 of %5 tasks have none")
               .arg(QLatin1String(name(mode)), QLatin1String(name(edges)), formatTime(length), formatCount(without),
                    formatCount(tasks))
           + QLatin1Char('\n');
}

void writeRest(Output& output, std::int64_t left)
{
    if (left > 0)
        output.write(counted("%1 more tasks: --limit, --csv and --json list more",
                             "%1 more task: --limit, --csv and --json list more", left)
                     + QLatin1Char('\n'));
}

void writeText(Output& output, const TraceStore& store, const SlackAnswer& answer, const PathRequest& request)
{
    const std::vector<TimeNs>& values = answer.slack->slack;
    output.write(headText(request.mode, request.edges, answer.slack->length,
                          std::count(values.begin(), values.end(), 0), std::int64_t(values.size())));
    if (!answer.text.isEmpty()) output.write(answer.text + QLatin1Char('\n'));
    output.write(QByteArray("\n"));
    writeRows(output, OutputFormat::Text, store, answer);
    writeRest(output, answer.within - std::int64_t(answer.tasks.size()));
}

// Of a trace that has the events of parts of the run only: the tasks with least slack as they were listed when it was
// made, if no others are asked for.
ExitCode runStoredSlack(const CommandLine& line, OutputFormat format, const CommandTrace& trace, PathModel model,
                        TimeNs atMost, std::int64_t limit)
{
    const TraceStore& store = *trace.store;
    if (model != PathModel{}) return fail(requireEvents(store).error());
    const Result<StoredSlack> slack = storedSlack(store);
    if (!slack) return fail(slack.error());
    std::vector<TaskSlack> rows;
    for (const StoredSlack::Task& task : slack->least)
        if (task.slack <= atMost) rows.push_back({task.task, task.entry, task.begin, task.end, task.slack});
    std::optional<std::int64_t> within = std::ssize(rows);  // how many tasks of the run
    if (rows.size() == slack->least.size()) {               // others that are not listed may belong to them
        if (atMost == 0) within = slack->without;
        else if (atMost >= slack->length) within = slack->tasks;
        else if (slack->tasks > std::ssize(rows)) within.reset();
    }
    const bool isAnswered = std::ssize(rows) >= limit || (within && *within == std::ssize(rows));
    if (!isAnswered || (!within && format == OutputFormat::Text)) return fail(requireEvents(store).error());
    if (std::ssize(rows) > limit) rows.resize(static_cast<std::size_t>(limit));
    return deliver(line, [&](Output& output) {
        if (format != OutputFormat::Text) return writeTable(output, format, slackTable(store), rows, store);
        output.write(headText(model.mode, model.edges, slack->length, slack->without, slack->tasks));
        output.write(QByteArray("\n"));
        writeTable(output, format, slackTable(store), rows, store);
        writeRest(output, *within - std::ssize(rows));
    });
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
    if (trace->store->info().isPart() && !leftOut->any())
        return runStoredSlack(line, *format, *trace, modelOf(*request, *trace->store, *range), *atMost, *limit);
    const auto answer = withProgress(tr("Finding the slack"), [&](const Progress& progress) {
        Result<SlackAnswer> all = slackOf(*trace->results, *request, *leftOut, *range, progress);
        if (all) takeLeast(*all, *atMost, *limit);
        return all;
    });
    if (!answer) return fail(answer.error());
    return deliver(line, [&](Output& output) {
        if (*format == OutputFormat::Text) writeText(output, *trace->store, *answer, *request);
        else writeRows(output, *format, *trace->store, *answer);
    });
}

constexpr CommandOption slackOptions[] = {
    throughModeOption,
    edgesOption,
    {"max", "T", "only tasks with slack up to this"},
    {"limit", "N", "number of tasks, those with least slack first (default: all; as text 50)"},
    fromOption,
    untilOption,
    rangeOption,
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
