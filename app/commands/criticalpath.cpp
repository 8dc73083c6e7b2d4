// SPDX-License-Identifier: GPL-3.0-or-later
// longpole critical-path: the path, its profile and its parts.
#include "analysis/graph/cuts.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/noise/noisequestions.h"
#include "analysis/noise/uninterrupted.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/leftout.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/commands/streaming.h"
#include "app/output/pathoutput.h"
#include "core/trace/format.h"

#include <optional>

namespace longpole {

namespace {

// The request with the task that --to names; empty after a usage error, which was printed.
std::optional<PathRequest> withTarget(const CommandLine& line, PathRequest request)
{
    if (!line.has("to")) return request;
    if (request.mode == PathMode::Sweep) {
        usageError(line.command, tr("--to does not go with --mode sweep: its segments end at no task"));
        return {};
    }
    const auto task = parseTaskId(line.value("to"));
    if (!task) {
        valueError(line, "to", task.error());
        return {};
    }
    request.to = *task;
    return request;
}

// A line for each end of the range that is no consistent cut: tasks began before it by messages that were sent later.
QString cutsNote(const ActivityGraph& graph, TimeRange range)
{
    QStringList lines;
    for (const TimeNs time : {range.begin, range.end}) {
        if (time <= graph.run.begin || time >= graph.run.end) continue;
        const ConsistentCut found = consistentCut(graph, time);
        if (found.lowered == 0) continue;
        lines << tr("The cut at %1 is not consistent: tasks begun before what started them was sent: %2; PEs "
                    "to stop earlier: %3, by up to %4")
                     .arg(formatTime(time - graph.run.begin), formatCount(found.received), formatCount(found.lowered),
                          formatTime(time - found.lowest));
    }
    return lines.join(QLatin1Char('\n'));
}

// Both texts with a line break between them, which is left out if one is empty.
QString joined(const QString& a, const QString& b)
{
    if (a.isEmpty() || b.isEmpty()) return a + b;
    return a + QLatin1Char('\n') + b;
}

// The path without interruptions, or as it was.
Result<std::shared_ptr<const CriticalPath>> pathOf(Results& results, const PathQuestion& question,
                                                   const LeftOut& leftOut, const Progress& progress)
{
    if (!leftOut.interrupted) return findPath(results, question, progress);
    return results.ask(UninterruptedPathQuestion{question.edges, question.to, question.part}, progress);
}

// Of a trace that has the events of parts of the run only: what was computed with it, or why there is no answer.
ExitCode runStoredPath(const CommandLine& line, OutputFormat format, const CommandTrace& trace, PathQuestion question,
                       TimeRange range)
{
    question.range = partOf(*trace.store, range);
    const auto path = findPath(*trace.results, question, Progress{});
    if (!path) return fail(path.error());
    PathNotes notes;
    if (question.mode == PathMode::Work && !keepsOrder(question.edges))
        notes.text = tr("How many merge edges there are is not known: the trace has the events of parts of the run");
    return deliver(line, [&](Output& output) { writePath(output, format, *trace.store, **path, notes); });
}

ExitCode runCriticalPath(const CommandLine& line)
{
    if (refusesStreamingOptions(line)) return ExitCode::Usage;
    if (line.has("streaming")) return runStreamingPath(line);
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    auto request = pathRequest(line);
    if (request) request = withTarget(line, *request);
    if (!request) return ExitCode::Usage;
    const auto leftOut = leftOutOf(line, request->mode);
    if (!leftOut) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    if (request->to && !hasTask(line, *trace->store, *request->to)) return ExitCode::Usage;
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    PathQuestion question{.mode = request->mode, .edges = request->edges, .to = request->to};
    if (trace->store->info().isPart() && !leftOut->any()) return runStoredPath(line, *format, *trace, question, *range);
    std::optional<Result<std::shared_ptr<const CriticalPath>>> path;
    Result<QString> note = QString();
    PathNotes notes;
    withProgress(tr("Finding the path"), [&](const Progress& progress) {
        const Result<TimeRange> part = rangeWithout(*trace->results, *leftOut, *range, progress);
        const auto noise = trace->results->ask(allNoise(), progress);
        if (!part || !noise) {
            path = part ? noise.error() : part.error();
            return;
        }
        notes.interrupted = std::make_shared<const InterruptedTasks>(interruptedTasks(**noise));
        notes.text = leftOutText(*leftOut, *notes.interrupted, part->begin - range->begin,
                                 trace->store->words().ofRanks());
        (leftOut->interrupted ? question.part : question.range) = partOf(*trace->store, *part);
        path = pathOf(*trace->results, question, *leftOut, progress);
        if (!*path || *format != OutputFormat::Text || leftOut->interrupted) return;
        note = mergesNote(*trace->results, question, progress);
        if (!note) return;
        const auto graph = trace->results->ask(GraphQuestion{}, progress);
        note = graph ? Result<QString>(joined(*note, cutsNote(**graph, *range))) : graph.error();
    });
    if (!*path) return fail(path->error());
    if (!note) return fail(note.error());
    notes.text = joined(notes.text, *note);
    return deliver(line, [&](Output& output) { writePath(output, *format, *trace->store, ***path, notes); });
}

constexpr CommandOption criticalPathOptions[] = {
    {"mode", "MODE",
     "work: longest chain of computation (default); elapsed: backward walk over the whole duration; "
     "sweep: bottleneck segments",
     "work elapsed sweep"},
    edgesOption,
    {"to", "TASK", "the path that ends at this task"},
    fromOption,
    untilOption,
    rangeOption,
    withoutPathOption,
    {"streaming", nullptr, "Hollingsworth's online algorithm: one pass in order of time, no graph, no steps"},
    {"procedures", "A,B",
     "with --streaming: follow these entry methods, by id or name (default: the eight with most "
     "time)"},
    {"sample", "T", "with --streaming: the path as far as it has come, every T"},
    {"inclusive", nullptr, "with --streaming: shares with all that the entry methods run nested"},
    {"exclusive", nullptr, "with --streaming: shares without it (default)"},
    {"zeroing", nullptr, "with --streaming: the length if each of them cost nothing"},
    {"top-share", "M", "with --streaming: search for the entry methods with more than 1/M of the path"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample criticalPathExamples[] = {
    {"longpole critical-path jacobi2d.sts", "the longest chain of computation, and the entry methods on it"},
    {"longpole critical-path jacobi2d.sts --mode elapsed",
     "what the whole duration was spent on: computation, network, queues, overhead"},
};

}  // namespace

extern const Command criticalPathCommand;  // commands.cpp lists it
const Command criticalPathCommand{
    .name = "critical-path",
    .arguments = "TRACE",
    .summary = "the critical path and its profile",
    .description =
        R"(Finds the longest chain of computation (work), the chain of compute, network, queue and overhead that fills
the whole duration (elapsed), or the longest segment of each group of overlapping ones (sweep).
elapsed always follows the PEs' order. --csv lists the steps.

--edges merges infers what tasks waited for besides their message: messages that an object buffered until it
could act, Structured Dagger's when and overlap, and contributions to reductions. Recorded merges take their
place where there are any. --edges messages says how long the path would be at most with them.

The ranks of an MPI program keep their order at every level. --edges data leaves out what a sender waited for its
receiver: the path of what was sent, as a program can carry it along while it runs.

--from and --until cut tasks at these times. Where a task had begun by then on a message that was sent only
later, clocks disagree and the program was in no such state: the text says so, and how far it is from one.

--without interrupted takes off what interruptions took of tasks, by their CPU times or the usual time of their
kind; the column Interrupted shows it. --without startup begins where start-up ends.

--streaming gives the length of the work path at edges order, of an MPI run at edges data, and what chosen entry
methods have of it, with memory for the PEs, these entry methods and the messages in flight: for traces too large for
a graph. --from and --until are the times at which all PEs are told to start and to stop. Of equally long paths
the local one stays, so that shares may differ from those of the path with steps. --top-share passes over the
trace a few times. --csv lists the samples, without --sample the profile.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = criticalPathOptions,
    .examples = criticalPathExamples,
    .run = runCriticalPath,
};

}  // namespace longpole
