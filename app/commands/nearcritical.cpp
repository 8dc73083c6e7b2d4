// SPDX-License-Identifier: GPL-3.0-or-later
// longpole near-critical: the next longest paths that share little with those before them.
#include "analysis/paths/slackquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/leftout.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/nearoutput.h"

#include <optional>

namespace longpole {

namespace {

using FoundPaths = Result<std::shared_ptr<const NearPaths>>;

// The paths of the run, or of the run without interruptions.
FoundPaths pathsWith(Results& results, const PathModel& model, const LeftOut& leftOut,
                     const NearCriticalOptions& options, const Progress& progress)
{
    if (!leftOut.interrupted) return results.ask(NearCriticalQuestion{model, options}, progress);
    const auto without = results.ask(UninterruptedModelQuestion{model.edges, model.part}, progress);
    if (!without) return without.error();
    const UninterruptedModel& left = **without;
    const auto slack = slackOfTasks(*left.modelled.graph, left.modelled.model, &left.heads, progress);
    if (!slack) return slack.error();
    auto paths = nearCriticalPaths(*left.modelled.graph, left.modelled.model, **slack, left.heads, options, progress);
    if (!paths) return paths.error();
    return std::make_shared<const NearPaths>(std::move(*paths));
}

Result<NearAnswer> findPaths(Results& results, const PathRequest& request, const LeftOut& leftOut, TimeRange range,
                             const NearCriticalOptions& options, const Progress& progress)
{
    const Result<PathsLeft> left = pathsLeft(results, leftOut, range, progress);
    if (!left) return left.error();
    const PathModel model = modelOf(request, results.store(), left->range);
    const auto paths = pathsWith(results, model, leftOut, options, progress);
    if (!paths) return paths.error();
    NearAnswer answer{.paths = *paths, .model = model, .options = options, .text = left->text};
    if (answer.paths->size() != 1 || options.count < 2) return answer;
    const auto longest = pathsWith(results, model, leftOut, longestOther, progress);
    if (!longest) return longest.error();
    answer.longest = *longest;
    return answer;
}

// "5%", "5 %" or "0.05".
std::optional<double> shareOf(QString text)
{
    text = text.trimmed();
    const bool isPercent = text.endsWith(QLatin1Char('%'));
    if (isPercent) text.chop(1);
    bool isNumber = false;
    const double number = text.trimmed().toDouble(&isNumber) / (isPercent ? 100 : 1);
    if (!isNumber || !(number >= 0 && number <= 1)) return {};
    return number;
}

ExitCode runNearCritical(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    const auto leftOut = leftOutOf(line, request->mode);
    if (!leftOut) return ExitCode::Usage;
    NearCriticalOptions options;
    const auto count = countOption(line, "k", std::int64_t(options.count));
    if (!count) return ExitCode::Usage;
    options.count = static_cast<std::size_t>(*count);
    if (line.has("min-new")) {
        const auto share = shareOf(line.value("min-new"));
        if (!share) return usageError(line.command, tr("--min-new takes a share such as 5%, from 0% to 100%"));
        options.distinctShare = *share;
        options.slackShare = 1;
    }
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    const auto found = withProgress(tr("Finding the next longest paths"), [&](const Progress& progress) {
        return findPaths(*trace->results, *request, *leftOut, *range, options, progress);
    });
    if (!found) return fail(found.error());
    return deliver(line, [&](Output& output) { writeNear(output, *format, *trace->store, *found); });
}

constexpr CommandOption nearCriticalOptions[] = {
    {"k", "N", "number of paths (default: 10)"},
    {"min-new", "SHARE",
     "the next longest paths, however long, of which so much lies on tasks of no path before (20% within 5% of the "
     "critical path's length by default)"},
    throughModeOption,
    edgesOption,
    fromOption,
    untilOption,
    rangeOption,
    withoutPathOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample nearCriticalExamples[] = {
    {"longpole near-critical jacobi2d.sts -k 3", "the paths that take over when the critical one is shortened"},
    {"longpole near-critical jacobi2d.sts --min-new 1%", "the next longest paths that differ by a hundredth"},
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
through the task with least slack that is on no path yet. Mostly the next longest paths differ from the critical
one in a few tasks only, so that it is alone; then the text says what the longest other one has of its own, and
--min-new SHARE lists the next longest that differ by that much. --csv lists the steps.

--without interrupted takes off what interruptions took of tasks, --without startup begins where start-up ends, as
critical-path does.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = nearCriticalOptions,
    .examples = nearCriticalExamples,
    .run = runNearCritical,
};

}  // namespace longpole
