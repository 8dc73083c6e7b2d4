// SPDX-License-Identifier: GPL-3.0-or-later
// longpole parallelism: tasks that much concurrent work waits for and that began late.
#include "analysis/graph/graphquestions.h"
#include "analysis/noise/uninterrupted.h"
#include "analysis/paths/taskquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/leftout.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/pathoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

struct ExposingAnswer {
    std::shared_ptr<const std::vector<ExposingTask>> tasks{};
    QString text{};  // what was left out
};

Result<ExposingAnswer> exposing(Results& results, ExposingQuestion question, const LeftOut& leftOut, TimeRange range,
                                const Progress& progress)
{
    const Result<PathsLeft> left = pathsLeft(results, leftOut, range, progress);
    if (!left) return left.error();
    question.part = partOf(results.store(), left->range);
    if (!leftOut.interrupted) {
        const auto tasks = results.ask(question, progress);
        if (!tasks) return tasks.error();
        return ExposingAnswer{*tasks, left->text};
    }
    const auto without = results.ask(UninterruptedModelQuestion{question.edges, question.part}, progress);
    if (!without) return without.error();
    const ModelledGraph& modelled = (*without)->modelled;
    Result<std::vector<ExposingTask>> tasks = exposingTasks(*modelled.graph, modelled.model.edges, question.count,
                                                            progress);
    if (!tasks) return tasks.error();
    return ExposingAnswer{std::make_shared<const std::vector<ExposingTask>>(std::move(*tasks)), left->text};
}

ExitCode runParallelism(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    if (!line.has("edges")) request->edges = EdgeLevel::Messages;
    const auto leftOut = leftOutOf(line, PathMode::Work);
    if (!leftOut) return ExitCode::Usage;
    const auto count = countOption(line, "k", 10);
    if (!count) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    const ExposingQuestion question{.edges = request->edges, .count = static_cast<std::size_t>(*count)};
    const auto found = withProgress(tr("Looking for parallelism"), [&](const Progress& progress) {
        return exposing(*trace->results, question, *leftOut, *range, progress);
    });
    if (!found) return fail(found.error());
    const std::vector<ExposingTask>& tasks = *found->tasks;
    return deliver(line, [&](Output& output) {
        const TraceStore& store = *trace->store;
        const auto table = exposingTaskTable(store);
        if (*format == OutputFormat::Json)
            return writeWithSteps(output, store,
                                  table.only({"task", "entry", "dominated_ns", "span_ns", "exposed", "delay_ns"}),
                                  tasks,
                                  [](const ExposingTask& task) -> const std::vector<PathStep>& { return task.steps; });
        if (*format == OutputFormat::Text) {
            output.write(tr("Tasks that much work waits for and that began late, edges %1")
                             .arg(QLatin1String(name(request->edges)))
                         + QStringLiteral("\n\n"));
            if (!found->text.isEmpty()) output.write(found->text + QStringLiteral("\n\n"));
            if (const QString first = exposingSentence(store, tasks, request->edges); !first.isEmpty())
                output.write(wrapped(first, 0) + QLatin1Char('\n'));
        }
        // Text has the parts of the delay, and no steps.
        writeTable(output, *format,
                   table.only({"task", "entry", "dominated_ns", "span_ns", "exposed", "delay_ns", "queue_ns",
                               "network_ns"}),
                   tasks, store);
    });
}

constexpr CommandOption parallelismOptions[] = {
    {"k", "N", "number of tasks (default: 10)"},
    {"edges", "EDGES", "what tasks wait for: messages (default); recorded and inferred merges too", "messages merges"},
    fromOption,
    untilOption,
    rangeOption,
    withoutPathOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample parallelismExamples[] = {
    {"longpole parallelism jacobi2d.sts -k 5", "the five tasks whose late start kept most other work waiting"},
};

}  // namespace

extern const Command parallelismCommand;  // commands.cpp lists it
const Command parallelismCommand{
    .name = "parallelism",
    .arguments = "TRACE",
    .summary = "tasks that much concurrent work waits for and that began late",
    .description =
        R"(Lists the tasks with most of work that cannot begin without them (dominated) times how much later they began
than the work before them had to let them (delay), with the longest chain of that work (span) and how much of
it could run at once (exposed). Their delay went into queues, the network, overhead, and a late start of their
chain of messages; the steps lead to them. --without interrupted takes off what interruptions took of tasks,
--without startup begins where start-up ends.)",
    .minArguments = 1,
    .maxArguments = 1,
    .needs = Needs::Queues,
    .instead = "waits",
    .options = parallelismOptions,
    .examples = parallelismExamples,
    .run = runParallelism,
};

}  // namespace longpole
