// SPDX-License-Identifier: GPL-3.0-or-later
// longpole check: judges, for CI, whether a run keeps limits, most of which are relative to a baseline.
#include "analysis/compare/limits.h"
#include "app/commandline/sharedoptions.h"
#include "app/commandline/tracepair.h"
#include "app/common/runname.h"
#include "app/output/checkoutput.h"
#include "app/output/comparisonoutput.h"
#include "core/trace/format.h"

#include <QFileInfo>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <tuple>

namespace longpole {

namespace {

// The format that --format or else the ending of -o says. Empty after a usage error, which was printed.
std::optional<CheckFormat> formatOf(const CommandLine& line)
{
    const char* const flag = line.has("json") ? "json" : "csv";
    const QString asked = line.has(flag) ? QLatin1String(flag) : line.value("format");
    if (line.has("json") && line.has("csv")) {
        usageError(line.command, tr("--json and --csv exclude each other"));
        return {};
    }
    if (line.has("format") && line.value("format") != asked) {
        usageError(line.command,
                   tr("--%1 and --format %2 exclude each other").arg(QLatin1String(flag), line.value("format")));
        return {};
    }
    const auto named = [](const QString& name) -> std::optional<CheckFormat> {
        if (name == QLatin1String("text") || name == QLatin1String("txt")) return CheckFormat::Text;
        if (name == QLatin1String("json")) return CheckFormat::Json;
        if (name == QLatin1String("csv")) return CheckFormat::Csv;
        if (name == QLatin1String("markdown") || name == QLatin1String("md")) return CheckFormat::Markdown;
        if (name == QLatin1String("junit") || name == QLatin1String("xml")) return CheckFormat::Junit;
        return {};
    };
    if (const auto format = named(asked)) return format;
    return named(line.output.ending).value_or(CheckFormat::Text);
}

// Empty after a usage error, which was printed.
std::optional<std::vector<FigureLimit>> limitsOf(const CommandLine& line)
{
    std::vector<FigureLimit> limits;
    for (const LimitSpec& spec : limitSpecs)
        for (const QString& text : line.values(spec.option)) {
            const auto limit = parseLimit(spec.figure, text);
            if (!limit) {
                usageError(line.command, tr("--%1: %2. %3")
                                             .arg(QLatin1String(spec.option), limit.error().what, limit.error().hint)
                                             .trimmed());
                return {};
            }
            limits.push_back(*limit);
        }
    return limits.empty() ? defaultLimits() : limits;
}

Result<CheckAnswer> answerOf(const CommandLine& line, const std::vector<FigureLimit>& limits)
{
    const QString &path = line.arguments.front(), baseline = line.value("baseline");
    CheckAnswer answer{.run = runName(path)};
    if (!line.has("baseline")) {
        const auto run = figuresOfTrace(line, path);
        if (!run) return run.error();
        answer.program = (*run)->info.program;
        answer.words = (*run)->info.vocabulary;
        answer.limits = judge(**run, limits);
        answer.isRunCut = (*run)->cutLogs > 0;
        if (answer.isRunCut)
            answer.notes << tr(
                "The run is not whole: logs are missing, damaged or end too early. Its figures are too "
                "small.");
        return answer;
    }
    const auto found = comparisonOf(line, baseline, path, {}, {.a = tr("The baseline"), .b = tr("the run")});
    if (!found) return found.error();
    const Comparison& comparison = **found;
    std::tie(answer.run, answer.baseline) = runNames(path, baseline);
    answer.program = comparison.b.info.program;
    answer.words = comparison.b.info.vocabulary;
    answer.notes = comparison.notes;
    answer.limits = judge(comparison, limits);
    answer.isRunCut = comparison.b.cutLogs > 0 || comparison.a.cutLogs > 0;
    return answer;
}

// On stderr, so that a pipeline's log says it whatever the answer was written as: why nothing can be said, and with -o
// what came out.
void sayOutcome(const CommandLine& line, const CheckAnswer& answer)
{
    QStringList reasons;
    for (const JudgedLimit& judged : answer.limits)
        if (judged.verdict == LimitVerdict::NotJudged && judged.limit.isAsked) reasons << judged.note;
    reasons.removeDuplicates();
    if (answer.isRunCut) reasons << tr("logs are missing or cut, so that keeping a limit proves nothing");
    if (line.output.name.isEmpty() && reasons.isEmpty()) return;
    QString text = headline(answer);
    if (!reasons.isEmpty()) text += tr(": %1").arg(reasons.join(tr("; ")));
    if (QFileInfo(line.output.name).isFile() && !line.output.endingAdded)
        text += tr(". Wrote %1").arg(line.output.name);
    std::fprintf(stderr, "longpole: %s\n", qUtf8Printable(onOneLine(text)));
}

ExitCode runCheck(const CommandLine& line)
{
    const auto format = formatOf(line);
    if (!format) return ExitCode::Usage;
    const auto limits = limitsOf(line);
    if (!limits) return ExitCode::Usage;
    const bool needsBaseline = std::any_of(limits->begin(), limits->end(), [](const FigureLimit& limit) {
        return limit.needsBaseline() || limit.figure == LimitedFigure::Iteration;
    });
    if (needsBaseline && !line.has("baseline"))
        return usageError(line.command, tr("--baseline BASE missing: only limits without + or - and %, such as "
                                           "--max-duration 200ms, do without one"));
    const auto answer = answerOf(line, *limits);
    if (!answer) return fail(answer.error());
    const ExitCode delivered = deliver(line, [&](Output& output) { writeCheck(output, *format, *answer); });
    if (delivered != ExitCode::Fine) return delivered;
    sayOutcome(line, *answer);
    if (answer->count(LimitVerdict::Crossed) > 0) return ExitCode::ThresholdCrossed;
    return answer->unjudgedOfAsked() > 0 || answer->isRunCut ? ExitCode::BadInput : ExitCode::Fine;
}

// An option for each figure that can have a limit, and all other options.
constexpr auto checkOptions = [] {
    constexpr std::array others{
        CommandOption{"format", "FORMAT",
                      "text (default), json, csv, markdown (a table for a pull request) or junit (XML)",
                      "text json csv markdown junit"},
        jsonOption,
        csvOption,
        CommandOption{"o", "FILE", "write to FILE, by its ending: .txt (default), .json, .csv, .md or .xml", nullptr,
                      "txt json csv md xml"},
        symbolsOption,
    };
    std::array<CommandOption, 1 + limitSpecs.size() + others.size()> all{
        CommandOption{"baseline", "BASE", "the trace to compare with; only limits such as 200ms do without"}};
    std::size_t next = 1;
    for (const LimitSpec& spec : limitSpecs) all[next++] = {spec.option, spec.value, spec.help};
    for (const CommandOption& option : others) all[next++] = option;
    return all;
}();

constexpr CommandExample checkExamples[] = {
    {"longpole check after.longpole --baseline before.longpole --max-duration +5%",
     "fails a pipeline when the run takes more than 5 % longer than the baseline"},
};

}  // namespace

extern const Command checkCommand;  // commands.cpp lists it
const Command checkCommand{
    .name = "check",
    .arguments = "RUN --baseline BASE",
    .summary = "fail when a run is worse than a baseline by more than a limit, for CI",
    .description =
        R"(Ends with 1 when a limit is crossed, 0 when all are kept, and 3 when one that was asked for cannot be judged, or a
trace is not whole (logs missing or cut). A LIMIT is +3% or 3%: at most that much more than the baseline; -5%: at
least that much less; +10ms or +100 (messages, bytes): at most so much more; 200ms or 5000, without a sign: at most
that, whatever the baseline. Figures are exact integers or quotients of them, and so is the comparison: what is just
at the limit keeps it. Any part of a baseline of zero is zero. Without any limit: --max-duration +5%
--max-critical-path +5%.)",
    .minArguments = 1,
    .maxArguments = 1,
    .saysHealth = true,
    .options = checkOptions,
    .examples = checkExamples,
    .run = runCheck,
};

}  // namespace longpole
