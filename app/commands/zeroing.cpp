// SPDX-License-Identifier: GPL-3.0-or-later
// longpole zeroing: how much shorter the critical path would be if entry methods cost nothing, or a factor.
#include "analysis/whatif/questioncheck.h"
#include "analysis/whatif/whatifquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "app/output/whatifoutput.h"
#include "core/store/entrychoice.h"

#include <algorithm>
#include <optional>

namespace longpole {

namespace {

struct ZeroingAnswer {
    std::shared_ptr<const CriticalPath> path;
    std::vector<WhatIfAnswer> answers;
};

Result<std::vector<EntryId>> entriesOf(const CommandLine& line, const TraceStore& store)
{
    std::vector<EntryId> entries;
    for (const QString& name : line.values("entry")) {
        const Result<EntryId> entry = parseEntry(store, name);
        if (!entry) return entry.error();
        if (std::find(entries.begin(), entries.end(), *entry) == entries.end()) entries.push_back(*entry);
    }
    return entries;
}

// Each entry method alone, by gain, and behind them all of several together.
Result<std::vector<WhatIfAnswer>> answersFor(const std::vector<EntryId>& entries, Results& results,
                                             const PathModel& model, Rational factor, const Progress& progress)
{
    WhatIfQuestion question{.model = model};
    for (const EntryId entry : entries) question.changes.push_back({{entry}, factor});
    if (entries.size() > 1) question.changes.push_back({entries, factor});
    const auto found = results.ask(question, progress);
    if (!found) return found.error();
    std::vector<WhatIfAnswer> answers = **found;
    std::stable_sort(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(entries.size()), gainsMore);
    return answers;
}

// Each entry method of the path alone.
Result<std::vector<WhatIfAnswer>> answersForAll(Results& results, const PathModel& model, Rational factor,
                                                const Progress& progress)
{
    const auto gains = results.ask(ZeroingQuestion{model, factor}, progress);
    if (!gains) return gains.error();
    return (*gains)->answers;
}

Result<ZeroingAnswer> answer(Results& results, const PathRequest& request, TimeRange range,
                             const std::vector<EntryId>& entries, Rational factor, const Progress& progress)
{
    const auto path = findPath(results, questionOf(request, results.store(), range), progress);
    if (!path) return path.error();
    const PathModel model = modelOf(request, results.store(), range);
    const auto answers = entries.empty() ? answersForAll(results, model, factor, progress)
                                         : answersFor(entries, results, model, factor, progress);
    if (!answers) return answers.error();
    return ZeroingAnswer{*path, *answers};
}

ExitCode runZeroing(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    const auto factor = line.has("factor") ? parseRational(line.value("factor")) : Result<Rational>(Rational{0, 1});
    if (!factor) return usageError(line.command, tr("--factor: %1").arg(toText(factor.error())));
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    if (const auto problem = problemWith({request->mode, {}}, *factor, range->length()))
        return usageError(line.command, tr("--factor: %1").arg(toText(*problem)));
    const auto entries = entriesOf(line, *trace->store);
    if (!entries) return usageError(line.command, tr("--entry: %1").arg(onOneLine(toText(entries.error()))));
    std::optional<Result<ZeroingAnswer>> found;
    withProgress(tr("Asking what if"), [&](const Progress& progress) {
        found = answer(*trace->results, *request, *range, *entries, *factor, progress);
    });
    if (!*found) return fail(found->error());
    return deliver(line, [&](Output& output) {
        writeWhatIf(output, *format, *trace->store, *(*found)->path, *factor, (*found)->answers);
    });
}

constexpr CommandOption options[] = {
    {"entry", "E", "this entry method (id or name) instead of those on the path; repeated: these, and all at once"},
    {"factor", "P/Q", "what their time is multiplied with: 1/2, 0.5, 50% or 2; 0 unless told"},
    throughModeOption,
    edgesOption,
    fromOption,
    untilOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample examples[] = {
    {"longpole zeroing jacobi2d.sts", "how much shorter the path would be without each entry method"},
    {"longpole zeroing jacobi2d.sts --factor 1/2", "the same, were each twice as fast"},
};

}  // namespace

extern const Command zeroingCommand;  // commands.cpp lists it
const Command zeroingCommand{
    .name = "zeroing",
    .arguments = "TRACE",
    .summary = "how much shorter the critical path would be if entry methods cost nothing, or a factor",
    .description =
        R"(Finds, exactly, the longest path if an entry method's own time were taken away (logical zeroing) or multiplied
with --factor, what that gains at most, and which entry method then has most of the path. Several at once can
gain more than the sum of each alone: repeat --entry. elapsed repeats the run with its latencies, queues and the
order on each processor as they were.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = options,
    .examples = examples,
    .run = runZeroing,
};

}  // namespace longpole
