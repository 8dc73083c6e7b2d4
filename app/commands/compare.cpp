// SPDX-License-Identifier: GPL-3.0-or-later
// longpole compare: what changed from one run to another, or what a program's own trials of priorities measured and a
// trace of it predicts.
#include "analysis/compare/comparison.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/commandline/thresholdsoption.h"
#include "app/commandline/tracepair.h"
#include "app/common/runname.h"
#include "app/output/comparisonoutput.h"
#include "app/output/decisionoutput.h"
#include "app/record/autodecisions.h"
#include "app/record/predicteddecisions.h"
#include "core/base/translate.h"

namespace longpole {

namespace {

ExitCode compareDecisions(const CommandLine& line, OutputFormat format, const Thresholds& thresholds)
{
    const auto decisions = readAutoDecisions(line.arguments[1]);
    if (!decisions) return fail(decisions.error());
    const auto trace = openTrace(line, line.arguments[0]);
    if (!trace) return fail(trace.error());
    const auto predicted = withProgress(tr("Replaying the run with priorities"), [&](const Progress& progress) {
        return predictDecisions(*trace->results, *decisions, thresholds, progress);
    });
    if (!predicted) return fail(predicted.error());
    return deliver(line, [&](Output& output) { writeDecisions(output, format, *decisions, &*predicted); });
}

ExitCode runCompare(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const QString &first = line.arguments[0], &second = line.arguments[1];
    const auto thresholds = thresholdsOf(line);
    if (!thresholds) return ExitCode::BadInput;
    if (second.endsWith(QStringLiteral(".jsonl"))) return compareDecisions(line, *format, *thresholds);
    const auto comparison = comparisonOf(line, first, second, *thresholds);
    if (!comparison) return fail(comparison.error());
    return deliver(line, [&](Output& output) {
        const auto [a, b] = runNames(first, second);
        writeComparison(output, *format, **comparison, {a, b});
    });
}

constexpr CommandOption withoutInAdvice{withoutOption.name, withoutOption.value,
                                        "of advice only: leave out parts with interrupted tasks, the start-up, or both",
                                        withoutOption.choices};

constexpr CommandOption compareOptions[] = {thresholdsOption, withoutInAdvice, jsonOption,
                                            csvOption,        fileOption,      symbolsOption};

constexpr CommandExample compareExamples[] = {
    {"longpole compare before.longpole after.longpole", "what a change of the program made faster and slower"},
    {"longpole compare jacobi2d.sts longpole-auto.jsonl",
     "what a program's own trials of priorities gained, and what a trace of it predicts"},
};

}  // namespace

extern const Command compareCommand;  // commands.cpp lists it
const Command compareCommand{
    .name = "compare",
    .arguments = "A B",
    .summary = "what changed from one run to another, or what a run's own trials gained",
    .description =
        R"(Compares two traces: duration, critical paths, usage, messages, entry methods by change of their time, what entered
and left the elapsed critical path, and how long critical tasks waited. Where the critical paths of both repeat the
same sequence six times, iterations are compared by median and spread (median absolute deviation), else the tenths
of both runs. Entry methods are the same when chare and name are. Different programs or numbers of PEs are
said first; sums over PEs are then compared as means of one. What the expert advises on A is held against
what B gained. --csv lists every value of both.

B may be the longpole-auto.jsonl of a Charm++ program that ran with +longpole-auto: then the gain of each of its trials
is held against what a replay of A with the same priorities predicts, and against what the expert would prefer.)",
    .minArguments = 2,
    .maxArguments = 2,
    .options = compareOptions,
    .examples = compareExamples,
    .run = runCompare,
};

}  // namespace longpole
