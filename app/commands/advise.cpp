// SPDX-License-Identifier: GPL-3.0-or-later
// longpole advise: says what to change first and what that is predicted to gain, and writes priorities as a file.
#include "analysis/expert/expertquestions.h"
#include "analysis/scheduling/schedulingquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/commandline/thresholdsoption.h"
#include "app/output/adviceoutput.h"

#include <cstdio>

namespace longpole {

namespace {

Result<> writePriorities(const PriorityList& list, const QString& fileName)
{
    const Result<QByteArray> text = priorityFile(list, fileName);
    if (!text) return text.error();
    OutputReplacement file(fileName);
    if (!file.begin() || file.write(*text) != text->size() || !file.commit())
        return Error{tr("The file cannot be written: %1.").arg(file.errorString()), fileName, QString()};
    return Unit{};
}

constexpr CommandOption prioritiesOption{
    "priorities", "FILE", "also write the advised priorities, by the ending: .json (default), .h or .csv", nullptr,
    "json h csv"};

ExitCode runAdvise(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    OutputFile priorities;
    const bool allEntries = line.has("all-path-entries");
    if (line.has("priorities")) {
        const QStringList endings = wordsOf(prioritiesOption.endings);
        const auto file = withEnding(line.value("priorities"), endings, false, QStringLiteral("--priorities"));
        if (!file) return usageError(line.command, file.error().what);
        priorities = *file;
        if (const auto writable = checkWritable(priorities.name, inputsOf(line.command, line.options)); !writable)
            return fail(writable.error());
        if (const auto apart = checkApart(priorities.name, line.output.name); !apart) return fail(apart.error());
    }
    if (allEntries && !line.has("priorities"))
        return usageError(line.command, tr("--all-path-entries is about the file of --priorities"));
    const auto thresholds = thresholdsOf(line);
    if (!thresholds) return ExitCode::BadInput;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto answer = withProgress(tr("Replaying the run with priorities"), [&](const Progress& progress) {
        return trace->results->ask(ExpertQuestion{*thresholds}, progress);
    });
    if (!answer) return fail(answer.error());
    const Expert& found = **answer;
    if (line.has("priorities")) {
        const auto which = allEntries ? ListedEntries::OnThePath : ListedEntries::Advised;
        const auto list = trace->results->ask(PriorityListQuestion{*thresholds, which}, Progress{});
        if (!list) return fail(list.error());
        const Result<> written = writePriorities(**list, priorities.name);
        if (!written) return fail(written.error());
        if (priorities.endingAdded)
            std::fprintf(stderr, "%s\n", qUtf8Printable(tr("Wrote %1").arg(onOneLine(priorities.name))));
    }
    return deliver(line, [&](Output& output) { writeAdvice(output, *format, *trace->store, found); });
}

constexpr CommandOption adviseOptions[] = {
    prioritiesOption,
    {"all-path-entries", nullptr, "with --priorities: of all entry methods on the path, as Charm++ itself would"},
    thresholdsOption,
    withoutOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample adviseExamples[] = {
    {"longpole advise jacobi2d.sts", "what to change first, what it would save, and whether priorities would help"},
    {"longpole advise jacobi2d.sts --priorities priorities.h", "the advised priorities as a header for the program"},
};

}  // namespace

extern const Command adviseCommand;  // commands.cpp lists it
const Command adviseCommand{
    .name = "advise",
    .arguments = "TRACE",
    .summary = "what to change first, and what a replay says that it saves",
    .description =
        R"(Lists what to change: first what a replay says it saves, then the rest by time lost times confidence, and last what
was measured and is not worth it: it saves less than 1 %, or the replay can't tell a gain from a loss. The replay gives
every PE the same work (load balance, bottlenecks), lets messages take no time (latency, locality), or halves an entry
method on the critical path; "replay" of --json has the option of longpole replay that asks the same. What advice could
save at most is told only where no replay says what it saves: MPI runs have none, runs of more than 300,000 tasks are
not replayed here.
Each piece of advice says what is wrong, what to do, what it costs and could save, and which part of the run that is
of: the whole run, or its slow stretches. The column lost_ns of its SQL adds up to the loss, of priorities to the
waits.

For priorities it looks at what the tasks of the critical path (work path, edges merges) waited for in their queues, as
Sinha and Kale do. Priorities help only if critical tasks come after idle periods, and if some were overtaken. If so,
the recorded tasks and messages are replayed with the most promising entry methods first, and, where the same code does
critical and other work, with the objects or iterations that tell them apart. A priority is advised only where the
whole interval that the trace leaves open gains. Waits for the rest of a task that ran already are no matter of
priority: then the advice is to split it.

Entry methods of the path are good (mostly critical), mixed, or run once. --priorities writes a file that a program
can read: entry methods with priority -5, all others 0. --csv lists the advice.)",
    .minArguments = 1,
    .maxArguments = 1,
    .saysHealth = true,
    .options = adviseOptions,
    .examples = adviseExamples,
    .run = runAdvise,
};

}  // namespace longpole
