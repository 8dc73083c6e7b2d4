// SPDX-License-Identifier: GPL-3.0-or-later
// longpole fold: writes a trace in which the iterations of a run are laid over each other.
#include "analysis/base/json.h"
#include "analysis/base/naming.h"
#include "analysis/phases/foldedtrace.h"
#include "analysis/phases/phasequestions.h"
#include "analysis/report/phasetables.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/sourcefiles.h"
#include "app/output/output.h"
#include "core/trace/format.h"

#include <QFileInfo>

namespace longpole {

namespace {

struct FoldRequest {
    PathRequest path{};
    TimeRange range{};
    PhaseQuestion question{};
    std::size_t phase = 0;
    PhaseCut cut = PhaseCut::Iterations;
};

PhaseCut cutOf(const CommandLine& line)
{
    const QString cut = line.value("cut");
    if (cut == QLatin1String("repeats")) return PhaseCut::Repeats;
    return cut == QLatin1String("instances") ? PhaseCut::Instances : PhaseCut::Iterations;
}

Result<FoldReport> fold(Results& results, const FoldRequest& request, const QString& target, const Progress& progress)
{
    const auto answer = results.ask(PathPhasesQuestion{questionOf(request.path, results.store(), request.range),
                                                       request.question},
                                    progress);
    if (!answer) return answer.error();
    const PathPhases& found = **answer;
    if (request.phase >= found.phases.size())
        return Error{found.phases.empty()
                         ? tr("Nothing repeats along the critical path.")
                         : tr("Only %1 phases repeat along the critical path.").arg(found.phases.size()),
                     QString(),
                     found.phases.empty() ? tr("Ask for fewer --support, or another --mode.")
                                          : tr("'longpole phases' lists them.")};
    const std::vector<TimeRange> ranges = rangesOf(phasePieces(found, found.phases[request.phase], request.cut));
    return foldTrace(results.store(), ranges, target, progress);
}

QString foldText(const FoldReport& report)
{
    QString text = tr("%1 iterations on a common axis of %2, in %3 rows\n%4 tasks, of which %5 parts were cut off "
                      "at an end; %6 messages; %7 tasks whose message is not of their iteration\n")
                       .arg(formatCount(report.iterations), formatTime(report.length), formatCount(report.rows),
                            formatCount(report.executions), formatCount(report.cutExecutions),
                            formatCount(report.messages), formatCount(report.droppedLinks));
    if (report.cutIterations > 0)
        text += counted("%1 longer iterations were cut, by %2 in all\n", "%1 longer iteration was cut, by %2\n",
                        report.cutIterations)
                    .arg(formatTime(report.cutTime));
    return text + tr("%1 of the run lies in no iteration\n").arg(formatTime(report.outside));
}

ExitCode print(const CommandLine& line, const QString& target, const FoldReport& report)
{
    auto output = Output::open({});
    if (line.has("json")) output->write(dump(rowJson(foldTable(Vocabulary()), {target, report}, nullptr)));
    else output->write(foldText(report));
    const Result<> finished = output->finish();
    return finished ? ExitCode::Fine : fail(finished.error());
}

ExitCode runFold(const CommandLine& line)
{
    if (!line.has("o")) return usageError(line.command, tr("-o FILE is missing: the .longpole file to write"));
    const QString target = line.output.name;
    const auto path = iterationRequest(line);
    if (!path) return ExitCode::Usage;
    const auto support = countOption(line, "support", PhaseOptions{}.support);
    const auto phase = countOption(line, "phase", 1);
    if (!support || !phase) return ExitCode::Usage;
    if (*support < 2)
        return usageError(line.command, tr("--support takes at least 2: what occurs once repeats nothing"));
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *path, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    const FoldRequest request{.path = *path,
                              .range = *range,
                              .question = {.options = {.support = *support, .count = static_cast<std::size_t>(*phase)},
                                           .collapse = !line.has("keep-runs")},
                              .phase = static_cast<std::size_t>(*phase) - 1,
                              .cut = cutOf(line)};
    for (const QString& read : readFilesOf(line)) writeWithRightsOf(read, target);
    const auto report = withProgress(tr("Folding"), [&](const Progress& progress) {
        return fold(*trace->results, request, target, progress);
    });
    return report ? print(line, target, *report) : fail(report.error());
}

constexpr CommandOption foldOptions[] = {
    {"o", "FILE", "the folded trace, which gets the ending .longpole", nullptr, "longpole"},
    {"cut", "WHAT",
     "iterations (default): as 'phases' counts them; "
     "repeats of it, or instances: its occurrences",
     "iterations repeats instances"},
    {"phase", "N", "number of the phase, as 'phases' lists them (default: 1)"},
    {"support", "N", "least number of occurrences of a phase (default: 6)"},
    {"keep-runs", nullptr, "a run of one entry method is as many symbols as tasks, not one"},
    {"mode", "MODE", "the path: work (default), elapsed or sweep", "work elapsed sweep"},
    iterationEdgesOption,
    fromOption,
    untilOption,
    rangeOption,
    jsonOption,
    symbolsOption,
};

constexpr CommandExample foldExamples[] = {
    {"longpole fold jacobi2d.sts -o iteration.longpole", "all iterations laid over each other, as a trace to open"},
};

}  // namespace

extern const Command foldCommand;  // commands.cpp lists it
const Command foldCommand{
    .name = "fold",
    .arguments = "TRACE",
    .summary = "the iterations of a run laid over each other, as a trace of its own",
    .description =
        R"(Writes a trace in which time is that since the start of an iteration, and each iteration of each PE is a
row. Timelines, profiles, histograms, stages and paths work on it; advice, replay, waits, efficiencies and comparisons
are of the run and its PEs, and refuse. Iterations are those of a repeated phase of the critical path.
The axis is as long as the longest iteration that is not slow (median + 3 x spread); slow ones are cut there, and
what others lack is untraced time. Tasks that lie in two iterations are cut and count in both; messages
from one iteration to another lose their sender. User events, statistics and comm threads are left out.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = foldOptions,
    .examples = foldExamples,
    .run = runFold,
};

}  // namespace longpole
