// SPDX-License-Identifier: GPL-3.0-or-later
// longpole try: runs a command with and without a change, in turn, and holds what it gains against the prediction.
#include "analysis/base/cells.h"
#include "analysis/compare/trialfinding.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/scheduling/prioritylist.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/runname.h"
#include "app/common/tracelink.h"
#include "app/output/trialoutput.h"
#include "app/record/timedrun.h"
#include "app/report/reportexport.h"
#include "core/base/namedfile.h"
#include "core/trace/format.h"

#include <QDir>
#include <QFileInfo>

#include <functional>
#include <optional>

namespace longpole {

namespace {

constexpr qint64 mostPriorityBytes = 64 << 20;

// The command without the change and with it.
struct TrialRequest {
    TimedCommand without{};
    TimedCommand with{};
    std::int64_t pairs = 5;
    std::vector<NamedPriority> priorities{};
    QString change{};  // in words
};

// What stands behind "--", before and behind "--versus".
bool readCommands(const CommandLine& line, TrialRequest& request)
{
    const QStringList words = line.arguments.mid(1);
    const qsizetype versus = words.indexOf(QStringLiteral("--versus"));
    request.without.words = versus < 0 ? words : words.first(versus);
    request.with.words = versus < 0 ? words : words.mid(versus + 1);
    if (!request.without.words.isEmpty() && !request.with.words.isEmpty()) return true;
    usageError(line.command, tr("write a whole command before and after --versus"));
    return false;
}

bool readVariables(const CommandLine& line, TrialRequest& request)
{
    for (const QString& text : line.values("with")) {
        const qsizetype at = text.indexOf(QLatin1Char('='));
        if (at <= 0) {
            usageError(line.command, tr("--with takes NAME=VALUE, not '%1'").arg(onOneLine(text)));
            return false;
        }
        request.with.variables.emplace_back(text.left(at), text.mid(at + 1));
    }
    return true;
}

QString changeInWords(const CommandLine& line, const TrialRequest& request)
{
    QStringList changes = line.values("with");
    if (line.has("priorities"))
        changes << tr("the priorities of %1").arg(QFileInfo(line.value("priorities")).fileName());
    if (request.with.words != request.without.words)
        changes << tr("'%1' instead of '%2'")
                       .arg(request.with.words.join(QLatin1Char(' ')), request.without.words.join(QLatin1Char(' ')));
    return changes.join(tr(", "));
}

// Empty after an error, which was printed; then `exit` says how to end.
std::optional<TrialRequest> trialRequestOf(const CommandLine& line, ExitCode& exit)
{
    TrialRequest request;
    exit = ExitCode::Usage;
    const auto pairs = countOption(line, "runs", request.pairs);
    if (!pairs || !readCommands(line, request) || !readVariables(line, request)) return {};
    if (*pairs > mostTrialPairs) {
        usageError(line.command, tr("--runs %1 is more than %2").arg(line.value("runs"), formatCount(mostTrialPairs)));
        return {};
    }
    request.pairs = *pairs;
    if (line.has("in")) {
        request.without.copied = request.with.copied = QDir(line.value("in")).absolutePath();
        if (!QFileInfo(request.with.copied).isDir()) {
            exit = fail({tr("There is no such folder to copy."), line.value("in"), {}});
            return {};
        }
    }
    if (line.has("priorities")) {
        const QString file = line.value("priorities");
        if (QFileInfo(file).exists() && !QFileInfo(file).isFile()) {  // the program reads it once more
            exit = fail({tr("The priorities are no ordinary file."), file, {}});
            return {};
        }
        const Result<QByteArray> bytes = bytesOfNamedFile(file, mostPriorityBytes);
        if (!bytes) {
            exit = fail({tr("The priorities cannot be read: %1.").arg(bytes.error().what), file, {}});
            return {};
        }
        auto priorities = longpole::readPriorities(*bytes, file);
        if (!priorities) {
            exit = fail(priorities.error());
            return {};
        }
        request.priorities = std::move(*priorities);
        request.with.variables.emplace_back(QStringLiteral("LONGPOLE_PRIORITIES"), QFileInfo(file).absoluteFilePath());
    }
    request.change = changeInWords(line, request);
    if (request.change.isEmpty()) {
        usageError(line.command, tr("say what to try: --with NAME=VALUE, --priorities FILE or --versus COMMAND"));
        return {};
    }
    return request;
}

// In turn, and each pair the other way round than the one before: what drifts does so for both. `ended` is told of each
// run; its error ends the trial.
Result<> runAll(const TrialRequest& request, Trial& trial, const std::function<Result<>()>& ended)
{
    std::optional<MeasuredBy> by;
    for (std::int64_t run = 0; run < 2 * request.pairs; ++run) {
        const bool isChanged = (run % 2 == 1) != (run / 2 % 2 == 1);
        const auto timed = withProgress(tr("Run %1 of %2").arg(run + 1).arg(2 * request.pairs),
                                        [&](const Progress& progress) {
                                            return runTimed(isChanged ? request.with : request.without, progress);
                                        });
        if (!timed) return timed.error();
        if (by && *by != timed->by)
            return Error{tr("The runs cannot be compared: some left times of MPI or logs, and some did not."),
                         request.without.words.join(QLatin1Char(' ')),
                         {}};
        if (timed->duration <= 0)
            return Error{tr("A run was too short to be measured."), request.without.words.join(QLatin1Char(' ')), {}};
        by = trial.by = timed->by;
        trial.runs.push_back({isChanged, timed->duration});
        if (const auto told = ended(); !told) return told.error();
    }
    return Unit{};
}

// What the trace says of the change before anything runs: of priorities that a message-driven program could have.
Result<> predictTrial(const CommandTrace& trace, const TrialRequest& request, Trial& trial)
{
    if (request.priorities.empty() || trace.store->info().hasRanks()) return Unit{};
    FoundPriorities found = findPriorities(*trace.store, request.priorities);
    trial.missing.assign(found.missing.begin(), found.missing.end());
    if (found.priorities.entries.empty()) return Unit{};
    const PredictionQuestion question{{.queue = QueueOrder::Priority, .priorities = std::move(found.priorities)}};
    const auto prediction = withProgress(tr("Predicting"), [&](const Progress& progress) {
        return trace.results->ask(question, progress);
    });
    if (!prediction) return prediction.error();
    trial.prediction = **prediction;
    return Unit{};
}

// Runs, and says what was measured: at the end, or with --follow run by run.
ExitCode measureTrial(const CommandLine& line, const TrialRequest& request, OutputFormat format, Trial& trial)
{
    const auto nothing = []() -> Result<> { return Unit{}; };
    const auto ranAll = [](const Result<>& ran) { return ran ? ExitCode::Fine : fail(ran.error()); };
    if (!line.has("follow")) return ranAll(runAll(request, trial, nothing));
    auto output = Output::open({});
    const std::int64_t runs = 2 * request.pairs;
    writeTrialBegin(*output, format, trial, runs);
    if (const auto flushed = output->flush(); !flushed) return fail(flushed.error());
    if (const auto ran = runAll(request, trial,
                                [&] {
                                    writeTrialRun(*output, format, trial, runs);
                                    return output->flush();
                                });
        !ran)
        return fail(ran.error());
    writeTrialEnd(*output, format, trial);
    return ranAll(output->finish());
}

// The expert report of the trace, with what was tried as a section.
ExitCode reportTrial(const CommandLine& line, const CommandTrace& trace, const Trial& trial)
{
    std::optional<Result<QByteArray>> bytes;
    withProgress(tr("Analysing"), [&](const Progress& progress) {
        const auto found = trace.results->ask(AnalysesQuestion{}, progress);
        if (!found) return void(bytes = Result<QByteArray>(found.error()));
        AnalysisResults linked = withLinks(**found, *trace.store, line.arguments.front());
        addTrials(linked.findings, {&trial, 1});
        bytes = reportBytes(*trace.store, linked, line.output.ending, progress);
    });
    if (!*bytes) return fail(bytes->error());
    tellUser(verdictOf(trial));
    return deliver(line, [&](Output& output) { output.write(**bytes); });
}

ExitCode writeMeasured(const CommandLine& line, const CommandTrace& trace, OutputFormat format, const Trial& trial)
{
    if (line.has("follow")) return ExitCode::Fine;  // it is written
    if (reportFormats().contains(line.output.ending) && line.output.ending != QLatin1String("json"))
        return reportTrial(line, trace, trial);
    return deliver(line, [&](Output& output) { writeTrial(output, format, trial); });
}

// A program that is traced writes its logs where it runs, over those of TRACE if they lie there.
void warnOfLogs(const TraceStore& trace, const TrialRequest& request)
{
    if (trace.info().hasRanks() || !request.without.copied.isEmpty()
        || !recordedRunLiesIn(trace.info().source, QDir::currentPath()))
        return;
    tellUser(tr("the logs of TRACE lie where the command runs, which may replace them; --in . runs it in copies"));
}

ExitCode runTry(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    if (line.has("follow") && line.has("o"))
        return usageError(line.command, tr("--follow writes to the standard output, without -o"));
    ExitCode exit{};
    const auto request = trialRequestOf(line, exit);
    if (!request) return exit;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    Trial trial{.change = request->change};
    if (const auto predicted = predictTrial(*trace, *request, trial); !predicted) return fail(predicted.error());
    const QString command = request->without.words.join(QLatin1Char(' '));
    const QString changed = request->with.words.join(QLatin1Char(' '));
    const QString copied = request->with.copied.isEmpty() ? QString()
                                                          : tr(", each in a copy of %1").arg(line.value("in"));
    tellUser(changed == command ? tr("'%1' runs %2 times: %3 without and %3 with %4, in turn%5")
                                      .arg(command, formatCount(2 * request->pairs), formatCount(request->pairs),
                                           onOneLine(request->change), copied)
                                : tr("'%1' and '%2' run %3 times each, in turn%4")
                                      .arg(command, changed, formatCount(request->pairs), copied));
    warnOfLogs(*trace->store, *request);
    if (const ExitCode ran = measureTrial(line, *request, *format, trial); ran != ExitCode::Fine) return ran;
    if (const ExitCode written = writeMeasured(line, *trace, *format, trial); written != ExitCode::Fine) return written;
    return isAsPredicted(trial).value_or(true) ? ExitCode::Fine : ExitCode::ThresholdCrossed;
}

constexpr CommandOption tryOptions[] = {
    {"with", "NAME=VALUE", "a variable of the environment that the changed runs have; may be given several times"},
    {"priorities", "FILE",
     "priorities by 'longpole advise --priorities', for programs that read LONGPOLE_PRIORITIES: their gain is "
     "predicted"},
    {"runs", "N", "run the command N times with the change and N times without (default: 5)"},
    {"in", "DIR", "each run has a copy of this folder of its own, and runs there"},
    {"follow", nullptr, "write each run when it ends; with --json one line for each, and what came of all as the last"},
    jsonOption,
    csvOption,
    {"o", "FILE",
     "write to FILE, by its ending: .txt (default), .json or .csv; .html, .md or .pdf: the expert report of TRACE, "
     "with "
     "what was tried as a section",
     nullptr, "txt json csv html md pdf"},
    symbolsOption,
};

constexpr CommandExample tryExamples[] = {
    {"longpole try run.lprec --with OMP_NUM_THREADS=2 -- mpirun -np 4 ./app",
     "what two threads a rank gain, by five runs with and five without"},
    {"longpole try run.lprec -- mpirun -np 4 ./app --versus mpirun -np 4 --bind-to core ./app",
     "one command line against another"},
    {"longpole try run.sts --priorities prio.json -o run.html -- ./app +p4",
     "what priorities gain beside what was predicted, in the report of the run"},
};

}  // namespace

extern const Command tryCommand;  // commands.cpp lists it
const Command tryCommand{
    .name = "try",
    .arguments = "TRACE -- COMMAND ... [--versus COMMAND ...]",
    .summary = "run a program with and without a change, and compare what it gains with the prediction",
    .description =
        R"(Runs the command as often with a change as without, in turn, and says what the change gains: the median of the
gains of pairs of runs, and between which gains it lies with a probability of nine tenths, whatever the noise is like
(of fewer than five pairs: the least and the largest).
Before the first run it says how often it will run what. Behind --versus may stand another command line, which is the
changed one.

What is measured: of an MPI program the time between MPI_Init and MPI_Finalize, taken by the recorder's library, which
records nothing else; of a program that leaves Projections logs where it runs, that of the run in them; else that of the
whole command. What the program prints is not shown.

TRACE is a recorded run of the program. It predicts what priorities gain (longpole replay); the exit code is then 1 if
the measured gain lies outside the predicted interval. Of other changes, and of MPI programs, it predicts nothing.)",
    .minArguments = 2,
    .maxArguments = anyNumber,
    .drawsPictures = true,
    .endsInCommand = true,
    .isOpenEnded = true,
    .options = tryOptions,
    .examples = tryExamples,
    .run = runTry,
};

}  // namespace longpole
