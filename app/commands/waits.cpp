// SPDX-License-Identifier: GPL-3.0-or-later
// longpole waits: the wait states of an MPI program, what caused them, and the imbalance of its calls.
#include "analysis/mpi/mpiquestions.h"
#include "analysis/noise/noisequestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/leftout.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/output.h"
#include "app/output/waitoutput.h"
#include "core/trace/format.h"

#include <QStringList>

#include <optional>

namespace longpole {

namespace {

QStringList allPatterns()
{
    QStringList names;
    for (std::size_t i = 0; i < waitStateKinds; ++i) names << QLatin1String(name(static_cast<WaitStateKind>(i)));
    return names;
}

// Empty after a usage error, which was printed.
std::optional<WaitOptions> waitOptions(const CommandLine& line)
{
    WaitOptions options;
    if (line.has("pattern")) {
        options.kind = waitStateNamed(line.value("pattern"));
        if (!options.kind) {
            const QString near = suggestion(line.value("pattern"), allPatterns());
            usageError(line.command,
                       tr("--pattern: there is no wait state '%1'").arg(line.value("pattern"))
                           + (near.isEmpty() ? tr("; there are %1").arg(allPatterns().join(tr(", "))) : near));
            return {};
        }
    }
    constexpr std::int64_t usualWorst = 5;
    const auto worst = countOption(line, "worst", usualWorst);
    if (!worst) return {};
    options.mostWorst = static_cast<std::size_t>(*worst);
    options.withCauses = line.has("causes");
    if (options.withCauses && line.has("worst")) {
        usageError(line.command, tr("--worst is about wait states, not about --causes"));
        return {};
    }
    if (!line.has("imbalance")) return options;
    for (const char* option : {"causes", "pattern", "rank", "worst", "without"})
        if (line.has(option)) {
            usageError(line.command, tr("--%1 is about wait states, not about --imbalance").arg(QLatin1String(option)));
            return {};
        }
    return options;
}

// Reads --rank. False after a usage error, which was printed: it names no rank of the trace.
bool readRank(const CommandLine& line, const TraceStore& store, WaitOptions& options)
{
    if (!line.has("rank")) return true;
    bool isNumber = false;
    const std::uint32_t rank = line.value("rank").toUInt(&isNumber);
    if (isNumber && rank < rankCount(store)) {
        options.rank = rank;
        return true;
    }
    usageError(line.command, tr("--rank %1: this run has ranks 0 to %2.")
                                 .arg(line.value("rank"), QString::number(rankCount(store) - 1)));
    return false;
}

ExitCode runImbalance(const CommandLine& line, OutputFormat format, Results& results, TimeRange range)
{
    const TraceStore& store = results.store();
    const auto profile = withProgress(tr("Adding up MPI calls"), [&](const Progress& progress) {
        return results.ask(MpiProfileQuestion::of(store, range), progress);
    });
    if (!profile) return fail(profile.error());
    return deliver(line, [&](Output& output) { writeImbalance(output, format, store, **profile); });
}

// What to say where nothing was found: which waits there are none of, and what the whole run has.
Result<QString> noneText(Results& results, const WaitOptions& options)
{
    const TraceStore& store = results.store();
    const TimeRange run = store.info().range();
    const bool isPart = options.range && *options.range != run;
    if (!isPart && !options.kind && !options.rank && options.without.empty()) return tr("No rank waited for another.");
    const auto all = results.ask(WaitsQuestion::of(store, {.withCauses = false}), Progress{});
    if (!all) return all.error();
    if ((*all)->total == 0) return tr("No rank waited for another.");
    const QString who = options.rank ? tr("Rank %1").arg(*options.rank) : tr("The run");
    const QString what = options.kind ? tr("no waits of kind \"%1\"").arg(title(*options.kind).toLower())
                                      : tr("no waits");
    const QString when = isPart ? tr(" from %1 to %2")
                                      .arg(formatTime(options.range->begin - run.begin),
                                           formatTime(options.range->end - run.begin))
                                : QString();
    return tr("%1 has %2%3. The whole run has %4 of waiting.").arg(who, what, when, formatTime((*all)->total));
}

// Takes what --without names out of what is asked, and says so.
Result<> leaveOut(Results& results, const LeftOut& leftOut, WaitOptions& options, QString& said,
                  const Progress& progress)
{
    if (!leftOut.any()) return Unit{};
    const auto noise = results.ask(allNoise(), progress);
    if (!noise) return noise.error();
    if (leftOut.interrupted) options.without = interruptedTimes(**noise);
    said = leftOutOfWaitsText(leftOut, interruptedTasks(**noise));
    return Unit{};
}

ExitCode runWaits(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    auto options = waitOptions(line);
    if (!options) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    if (const Result<> ranks = requireRanks(store); !ranks) return fail(ranks.error());
    const auto range = rangeOf(line, *request, store.info().range());
    if (!range) return ExitCode::Usage;
    if (line.has("imbalance")) return runImbalance(line, *format, *trace->results, *range);
    options->range = *range;
    if (!readRank(line, store, *options)) return ExitCode::Usage;
    const auto leftOut = leftOutOf(line, PathMode::Work);
    if (!leftOut) return ExitCode::Usage;
    QString said, none;
    std::optional<Result<std::shared_ptr<const WaitStates>>> found;
    withProgress(tr("Looking at waits"), [&](const Progress& progress) {
        const Result<> left = leaveOut(*trace->results, *leftOut, *options, said, progress);
        if (!left) found = left.error();
        else found = trace->results->ask(WaitsQuestion::of(store, *options), progress);
    });
    if (!*found) return fail(found->error());
    if ((**found)->states.empty()) {
        const Result<QString> text = noneText(*trace->results, *options);
        if (!text) return fail(text.error());
        none = *text;
    }
    return deliver(line, [&](Output& output) {
        if (*format == OutputFormat::Text && !said.isEmpty()) output.write(said + QLatin1Char('\n'));
        if (options->withCauses) writeCauses(output, *format, store, ***found, none);
        else writeWaits(output, *format, store, withWorst(***found, options->mostWorst), none);
    });
}

constexpr CommandOption waitsOptions[] = {
    {"pattern", "P", "only this wait state: late_sender, wait_at_barrier ..., as --json names them"},
    {"rank", "R", "only what this rank waited"},
    withoutWaitsOption,
    {"worst", "N", "number of longest waits of each state (default: 5)"},
    {"causes", nullptr, "the code that others waited for, directly and by way of others, instead"},
    {"imbalance", nullptr, "execution and wait of collective calls by rank and by call, and their ratios, instead"},
    fromOption,
    untilOption,
    rangeOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample waitsExamples[] = {
    {"longpole waits ring.longpole", "late senders, late receivers, waits at barriers, and the worst of each"},
    {"longpole waits ring.longpole --causes", "the code that made others wait"},
};

}  // namespace

extern const Command waitsCommand;  // commands.cpp lists it
const Command waitsCommand{
    .name = "waits",
    .arguments = "TRACE",
    .summary = "MPI programs: what ranks waited for, whom, in which code, and who caused it",
    .description =
        R"(Lists Scalasca's wait states with their times and the longest of each: where it was, the rank and the call that was
waited for, the code that this rank ran longest meanwhile, for how long, and how long it waited itself. Waits that
begin between --from and --until count, whole. Wrong order is a part of late sender. --csv has a row per wait that is
shown. Calls are numbered on each rank: the first MPI call that it made is 0.

--causes puts each wait down to code, as Boehme et al. do: what the other rank did more than the one that waited
since both last met, and what it waited itself meanwhile, which is put down in turn ("by way of others"). The sum
of all causes and what has none is the time waited, exactly.

--imbalance shows the ratios of Korkhov et al. of collective calls: wait / (execution + time outside MPI) as their
text defines it, and wait / execution, as their table prints it. Calls that some left before all had come are left
out.

--without interrupted leaves out waits during which a task of any rank was interrupted. Start-up and shut-down of MPI
are no waits in any case.)",
    .minArguments = 1,
    .maxArguments = 1,
    .needs = Needs::Ranks,
    .instead = "tree",
    .options = waitsOptions,
    .examples = waitsExamples,
    .run = runWaits,
};

}  // namespace longpole
