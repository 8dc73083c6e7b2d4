// SPDX-License-Identifier: GPL-3.0-or-later
// longpole long-tasks: the command of docs/developer/add-a-command.md.
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"
#include "guide/longtasks.h"

#include <optional>

namespace longpole {

namespace {

ExitCode runLongTasks(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const Result<TimeNs> limit = line.has("limit") ? parseTime(line.value("limit")) : Result<TimeNs>(0);
    if (!limit) return valueError(line, "limit", limit.error());
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    std::optional<Result<std::shared_ptr<const std::vector<LongTask>>>> tasks;
    withProgress(tr("Looking for long tasks"),
                 [&](const Progress& progress) { tasks = trace->results->ask(LongTasksQuestion{*limit}, progress); });
    if (!*tasks) return fail(tasks->error());
    return deliver(line, [&](Output& output) {
        writeTable(output, *format, longTaskTable(*trace->store), ***tasks, *trace->store);
    });
}

constexpr CommandOption longTasksOptions[] = {
    {"limit", "T", "only tasks that took longer than this"}, jsonOption, csvOption, fileOption, symbolsOption,
};

constexpr CommandExample longTasksExamples[] = {
    {"longpole long-tasks jacobi2d.sts --limit 1ms", "tasks of more than a millisecond, the longest first"},
};

}  // namespace

extern const Command longTasksCommand;  // commands.cpp lists it
const Command longTasksCommand{
    .name = "long-tasks",
    .arguments = "TRACE",
    .summary = "tasks that took longer than a limit",
    .description = R"(Lists executions by how long they took, longest first.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = longTasksOptions,
    .examples = longTasksExamples,
    .run = runLongTasks,
};

}  // namespace longpole
