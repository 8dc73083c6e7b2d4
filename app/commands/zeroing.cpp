// SPDX-License-Identifier: GPL-3.0-or-later
// longpole zeroing: how much shorter the critical path would be if entry methods cost nothing or a fraction.
#include "analysis/base/entrychoice.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/report/pathnames.h"
#include "analysis/report/whatiftables.h"
#include "analysis/whatif/questioncheck.h"
#include "analysis/whatif/whatifquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/leftout.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

struct ZeroingAnswer {
    std::shared_ptr<const CriticalPath> path;
    std::vector<WhatIfAnswer> answers;
    QString text{};  // what was left out
};

bool isSet(const WhatIfAnswer& answer) { return answer.question.entries.size() > 1; }

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

// Questions about each entry method alone; if there are several, then one about all of them together.
std::vector<WhatIf> changesOf(const std::vector<EntryId>& entries, Rational factor)
{
    std::vector<WhatIf> changes;
    changes.reserve(entries.size() + 1);
    for (const EntryId entry : entries) changes.push_back({{entry}, factor});
    if (entries.size() > 1) changes.push_back({entries, factor});
    return changes;
}

// Those about one alone by gain.
void sortAlone(std::vector<WhatIfAnswer>& answers)
{
    const auto together = std::find_if(answers.begin(), answers.end(), isSet);
    std::stable_sort(answers.begin(), together, gainsMore);
}

Result<std::vector<WhatIfAnswer>> answersFor(const std::vector<EntryId>& entries, Results& results,
                                             const PathModel& model, Rational factor, const Progress& progress)
{
    const auto found = results.ask(WhatIfQuestion{.model = model, .changes = changesOf(entries, factor)}, progress);
    if (!found) return found.error();
    return **found;
}

// Answers for each entry method of the path alone.
Result<std::vector<WhatIfAnswer>> answersForAll(Results& results, const PathModel& model, Rational factor,
                                                const Progress& progress)
{
    const auto gains = results.ask(ZeroingQuestion{model, factor}, progress);
    if (!gains) return gains.error();
    return (*gains)->answers;
}

// The same of the run without interruptions.
Result<ZeroingAnswer> uninterruptedAnswer(Results& results, EdgeLevel edges, TimeRange part,
                                          const std::vector<EntryId>& entries, Rational factor,
                                          const Progress& progress)
{
    const auto without = results.ask(UninterruptedModelQuestion{edges, part}, progress);
    if (!without) return without.error();
    const auto path = results.ask(UninterruptedPathQuestion{.edges = edges, .part = part}, progress);
    if (!path) return path.error();
    const ModelledGraph& left = (*without)->modelled;
    auto answers = entries.empty() ? zeroing(*left.graph, left.model, **path, progress, factor)
                                   : whatIf(*left.graph, left.model, changesOf(entries, factor), progress);
    if (!answers) return answers.error();
    return ZeroingAnswer{*path, std::move(*answers)};
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

QString nameOf(const TraceStore& store, EntryId entry)
{
    const QString name = cellText(Cell(entry), CellKind::Entry, &store);
    return name.isEmpty() ? store.words().say(tr("what has no entry method"), tr("what has no region")) : name;
}

// "0.8 s (12.3 %), then Foo::bar becomes critical", under a head that says "at most".
QString gainText(const TraceStore& store, const WhatIfAnswer& answer, const CriticalPath& path)
{
    const TimeNs length = path.length;
    const TimeNs change = answer.gain < 0 ? -answer.gain : answer.gain;
    const QString amount = length > 0
                               ? tr("%1 (%2)").arg(formatTime(change), formatShare(double(change) / double(length)))
                               : formatTime(change);
    if (answer.gain < 0) return tr("costs %1").arg(amount);
    if (answer.gain == 0 && answer.nextCritical == noEntry) return tr("nothing");
    const QString next = nameOf(store, answer.nextCritical);
    if (answer.gain == 0) return tr("nothing, %1 stays critical").arg(next);
    if (answer.nextCritical == noEntry) return amount;
    const bool hadMost = !path.profile.empty() && path.profile.front().entry == answer.nextCritical;
    return (hadMost ? tr("%1, then %2 stays critical") : tr("%1, then %2 becomes critical")).arg(amount, next);
}

Result<ZeroingAnswer> answerWithout(const LeftOut& leftOut, Results& results, const PathRequest& request,
                                    TimeRange range, const std::vector<EntryId>& entries, Rational factor,
                                    const Progress& progress)
{
    const Result<PathsLeft> left = pathsLeft(results, leftOut, range, progress);
    if (!left) return left.error();
    auto found = leftOut.interrupted ? uninterruptedAnswer(results, request.edges, partOf(results.store(), left->range),
                                                           entries, factor, progress)
                                     : answer(results, request, left->range, entries, factor, progress);
    if (!found) return found.error();
    if (!entries.empty()) sortAlone(found->answers);
    found->text = left->text;
    return found;
}

void writeText(Output& output, const TraceStore& store, const ZeroingAnswer& found, Rational factor)
{
    const CriticalPath& path = *found.path;
    const std::vector<WhatIfAnswer>& answers = found.answers;
    const QString change = factor.numerator == 0 ? tr("cost nothing") : tr("took %1 times as long").arg(toText(factor));
    output.write(store.words()
                     .say(tr("The %1 path, edges %2, is %3 long. What it gains if an entry method %4:"),
                          tr("The %1 path, edges %2, is %3 long. What it gains if a region %4:"))
                     .arg(QLatin1String(name(path.mode)), QLatin1String(name(path.edges)), formatTime(path.length),
                          change)
                 + QLatin1Char('\n'));
    if (!found.text.isEmpty()) output.write(found.text + QLatin1Char('\n'));
    const auto isAsked = [](const WhatIfAnswer& one) { return isSet(one); };
    if (path.profile.size() > answers.size() && std::none_of(answers.begin(), answers.end(), isAsked))
        output.write(tr("Of %1 on the path, the %2 with the most time on it.")
                         .arg(formatCount(std::ssize(path.profile)), formatCount(std::ssize(answers)))
                     + QLatin1Char('\n'));
    output.write(QByteArray("\n"));
    TableData table = whatIfTable(store).only({"entry", "share_ns", "net_ns", "gain_ns"}).data(answers);
    table.columns.front().kind = table.columns.back().kind = CellKind::Text;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        table.rows[i].front() = isSet(answers[i]) ? tr("all of them at once")
                                                  : nameOf(store, answers[i].question.entries.front());
        table.rows[i].back() = gainText(store, answers[i], path);
    }
    writeTable(output, OutputFormat::Text, table, &store);
}

JsonValue zeroingJson(const TraceStore& store, const std::vector<WhatIfAnswer>& answers)
{
    const auto table = whatIfTable(store);
    const auto alone = table.only({"entry", "share_ns", "net_ns", "gain_ns", "next_critical"});
    const auto together = table.only({"entry", "entries", "share_ns", "net_ns", "gain_ns", "next_critical"});
    JsonValue rows = JsonValue::array();
    for (const WhatIfAnswer& answer : answers)
        rows.push_back(rowJson(isSet(answer) ? together : alone, answer, &store));
    return rows;
}

void writeAnswers(Output& output, OutputFormat format, const TraceStore& store, const ZeroingAnswer& found,
                  Rational factor)
{
    if (format == OutputFormat::Text) return writeText(output, store, found, factor);
    if (format == OutputFormat::Json) {
        output.write(dump(zeroingJson(store, found.answers)));
        return;
    }
    writeTable(output, format, whatIfTable(store).only({"entry", "share_ns", "net_ns", "gain_ns", "next_critical"}),
               found.answers, store);
}

ExitCode runZeroing(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    const auto leftOut = leftOutOf(line, request->mode);
    if (!leftOut) return ExitCode::Usage;
    const auto factor = line.has("factor") ? parseRational(line.value("factor")) : Result<Rational>(Rational{0, 1});
    if (!factor) return valueError(line, "factor", factor.error());
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    if (const auto problem = problemWith({request->mode, {}}, *factor, range->length()))
        return valueError(line, "factor", *problem);
    const auto entries = entriesOf(line, *trace->store);
    if (!entries) return valueError(line, "entry", entries.error());
    const auto found = withProgress(tr("Asking what if"), [&](const Progress& progress) {
        return answerWithout(*leftOut, *trace->results, *request, *range, *entries, *factor, progress);
    });
    if (!found) return fail(found.error());
    return deliver(line, [&](Output& output) { writeAnswers(output, *format, *trace->store, *found, *factor); });
}

constexpr CommandOption zeroingOptions[] = {
    {"entry", "E", "this entry method (id or name) instead of those on the path; repeated: these, and all at once"},
    {"factor", "P/Q", "what their time is multiplied by, e.g. 1/2, 0.5, 50% or 2 (default: 0)"},
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

constexpr CommandExample zeroingExamples[] = {
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
order on each PE as they were. --without interrupted takes off what interruptions took of tasks, --without startup
begins where start-up ends, as critical-path does.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = zeroingOptions,
    .examples = zeroingExamples,
    .run = runZeroing,
};

}  // namespace longpole
