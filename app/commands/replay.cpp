// SPDX-License-Identifier: GPL-3.0-or-later
// longpole replay: runs the recorded tasks and messages again under another queue, network, balance or cost.
#include "analysis/base/entrychoice.h"
#include "analysis/base/naming.h"
#include "analysis/noise/noisequestions.h"
#include "analysis/noise/uninterrupted.h"
#include "analysis/replay/model.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/replay/times.h"
#include "analysis/replay/writtentrace.h"
#include "analysis/scheduling/changewords.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/leftout.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/sourcefiles.h"
#include "app/output/output.h"
#include "app/output/replayoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <optional>

namespace longpole {

namespace {

// An option's "E=value"; the name of an entry method may contain '=', too.
struct Assignment {
    QString entry;
    QString value;
};

std::optional<std::vector<Assignment>> assignments(const CommandLine& line, const char* option, const char* form)
{
    std::vector<Assignment> found;
    for (const QString& text : line.values(option)) {
        const qsizetype at = text.lastIndexOf(QLatin1Char('='));
        if (at <= 0 || at + 1 == text.size()) {
            usageError(line.command,
                       tr("--%1 takes %2, not '%3'").arg(QLatin1String(option), QLatin1String(form), onOneLine(text)));
            return {};
        }
        found.push_back({text.left(at), text.mid(at + 1)});
    }
    return found;
}

// What is asked. `priorities` and `factors` name entry methods, which go into the question when the trace is open.
struct Request {
    ReplayQuestion question{};
    std::vector<Assignment> priorities{};
    std::vector<Assignment> factors{};
};

bool readPriorities(const CommandLine& line, Request& request)
{
    const auto priorities = assignments(line, "priority", "E=N");
    if (!priorities) return false;
    for (const Assignment& assignment : *priorities) {
        bool isNumber = false;
        assignment.value.toInt(&isNumber);
        if (isNumber) continue;
        usageError(line.command, tr("--priority takes a whole number, not '%1'").arg(onOneLine(assignment.value)));
        return false;
    }
    request.priorities = *priorities;
    return true;
}

bool readFactors(const CommandLine& line, Request& request)
{
    const auto factors = assignments(line, "factor", "E=P/Q");
    if (!factors) return false;
    for (const Assignment& assignment : *factors)
        if (const auto factor = parseRational(assignment.value); !factor) {
            valueError(line, "factor", factor.error());
            return false;
        } else if (factor->numerator < 0
                   || static_cast<double>(factor->numerator)
                          > largestFactor * static_cast<double>(factor->denominator)) {
            usageError(line.command, tr("--factor %1: a factor lies between 0 and a million").arg(assignment.value));
            return false;
        }
    request.factors = *factors;
    return true;
}

// Empty after a usage error, which was printed.
std::optional<Request> requestOf(const CommandLine& line)
{
    Request request;
    if (!readPriorities(line, request) || !readFactors(line, request)) return {};
    const QString queue = line.value("queue");
    if (!request.priorities.empty() && line.has("queue") && queue != QLatin1String("prio")) {
        usageError(line.command, tr("--priority goes with --queue prio only"));
        return {};
    }
    ReplayQuestion& question = request.question;
    if (queue == QLatin1String("fifo")) question.queue = QueueOrder::Fifo;
    else if (queue == QLatin1String("lifo")) question.queue = QueueOrder::Lifo;
    else if (queue == QLatin1String("prio") || !request.priorities.empty()) question.queue = QueueOrder::Priority;
    if (line.value("network") == QLatin1String("ideal")) question.network = NetworkModel::Ideal;
    if (line.value("network") == QLatin1String("zero-latency")) question.network = NetworkModel::ZeroLatency;
    question.perfectBalance = line.has("balance");
    if (line.value("balance") == QLatin1String("tenths")) question.balanceParts = 10;
    return request;
}

// Puts the named entry methods into the question; false after a usage error, which was printed.
bool nameEntries(const CommandLine& line, const TraceStore& store, Request& request)
{
    const auto entryOf = [&](const char* option, const QString& name) -> std::optional<EntryId> {
        const auto entry = parseEntry(store, name);
        if (entry) return *entry;
        valueError(line, option, entry.error());
        return {};
    };
    for (const Assignment& assignment : request.priorities) {
        const auto entry = entryOf("priority", assignment.entry);
        if (!entry) return false;
        request.question.priorities.entries.push_back({*entry, assignment.value.toInt()});
    }
    for (const Assignment& assignment : request.factors) {
        const auto entry = entryOf("factor", assignment.entry);
        if (!entry) return false;
        const Rational factor = *parseRational(assignment.value);
        request.question.factors.push_back({{*entry}, factor});
    }
    return true;
}

// Takes off what interruptions took of tasks, if that is asked.
Result<> leaveOut(Results& results, const LeftOut& leftOut, Request& request, const Progress& progress)
{
    if (!leftOut.interrupted) return Unit{};
    const auto noise = results.ask(allNoise(), progress);
    if (!noise) return noise.error();
    const InterruptedTasks tasks = interruptedTasks(**noise);
    request.question.shorter.assign(tasks.begin(), tasks.end());
    return Unit{};
}

// Also writes the predicted run as a trace, unless `file` is empty.
Result<ReplayAnswer> answer(Results& results, const Request& request, const QString& file, const Progress& progress)
{
    const auto model = results.ask(ReplayModelQuestion{}, progress);
    if (!model) return model.error();
    const auto prediction = results.ask(PredictionQuestion{request.question}, progress);
    if (!prediction) return prediction.error();
    const QString change = changeWords(results.store(), request.question);
    if (!file.isEmpty()) {
        const auto run = results.ask(ReplayedRunQuestion{request.question}, progress);
        if (!run) return run.error();
        if (const auto written = writeReplayedTrace(results.store(), **model, **run, change, file, progress); !written)
            return written.error();
    }
    return ReplayAnswer{**prediction, change, (*model)->ordered, (*model)->outOfOrder, (*model)->discipline.order};
}

// The trace that -o asks for; empty if it asks for none.
QString traceFile(const CommandLine& line)
{
    return line.output.ending == QLatin1String("longpole") ? line.output.name : QString();
}

// Prints the answer to stdout, also if -o names the trace to be written.
ExitCode show(const CommandLine& line, const TraceStore& store, const ReplayAnswer& answer)
{
    Result<Output> output = Output::open({});
    if (!output) return fail(output.error());
    writeReplay(*output,
                line.has("json")  ? OutputFormat::Json
                : line.has("csv") ? OutputFormat::Csv
                                  : OutputFormat::Text,
                store, answer);
    const Result<> finished = output->finish();
    return finished ? ExitCode::Fine : fail(finished.error());
}

ExitCode runReplay(const CommandLine& line)
{
    const QString file = traceFile(line);
    const auto format = file.isEmpty() ? outputFormat(line) : std::optional(OutputFormat::Text);
    if (!format) return ExitCode::Usage;
    auto request = requestOf(line);
    if (!request) return ExitCode::Usage;
    const auto leftOut = leftOutOf(line, PathMode::Work);
    if (!leftOut) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    if (!nameEntries(line, *trace->store, *request)) return ExitCode::Usage;
    for (const QString& read : readFilesOf(line))
        if (!file.isEmpty()) writeWithRightsOf(read, file);
    const auto found = withProgress(tr("Replaying"), [&](const Progress& progress) -> Result<ReplayAnswer> {
        const Result<> left = leaveOut(*trace->results, *leftOut, *request, progress);
        if (!left) return left.error();
        return answer(*trace->results, *request, file, progress);
    });
    if (!found) return fail(found.error());
    if (!file.isEmpty()) return show(line, *trace->store, *found);
    return deliver(line, [&](Output& output) { writeReplay(output, *format, *trace->store, *found); });
}

constexpr CommandOption replayOptions[] = {
    {"queue", "ORDER",
     "what waits runs first in, first out, last in, first out, or by priority (default: as the run's queues did)",
     "fifo lifo prio"},
    {"priority", "E=N",
     "messages of this entry method (id or name) at priority N: smaller first (default: 0); replaces the run's own; "
     "repeated"},
    {"network", "KIND", "ideal: messages take no time; zero-latency: only what their size takes", "ideal zero-latency"},
    {"balance", "KIND", "perfect: every PE has the mean of their work; tenths: in each tenth of the run",
     "perfect tenths"},
    {"factor", "E=P/Q", "this entry method's own time multiplied by 1/2, 0.5, 50% or 2; repeated"},
    {"without", "interrupted", "take off what interruptions took of tasks", "interrupted"},
    {"o", "FILE", "write to FILE: .txt (default), .json or .csv; .longpole: the replayed run as a trace", nullptr,
     "txt json csv longpole"},
    jsonOption,
    csvOption,
    symbolsOption,
};

constexpr CommandExample replayExamples[] = {
    {"longpole replay jacobi2d.sts --queue lifo", "how long the run would take if the newest message went first"},
    {"longpole replay jacobi2d.sts --network ideal", "and if messages took no time"},
    {"longpole replay jacobi2d.sts --without interrupted", "and if nothing had interrupted its tasks"},
};

}  // namespace

extern const Command replayCommand;  // commands.cpp lists it
const Command replayCommand{
    .name = "replay",
    .arguments = "TRACE",
    .summary = "what another queue, priorities, network or balance would make of the run",
    .description =
        R"(Runs the recorded tasks and messages again on PEs whose queues start one task after another, and says
how long that takes: as it was (the replay's error), and with what was asked changed. Which entry methods the run
took before others that had come earlier is found from the record and kept, unless --queue or --priority replaces
it. When messages arrived is not in today's logs: the prediction is an interval over what the order of the record
leaves open, widened by a tenth of the gain where arrivals are estimates, and by the error; it is no narrower than
the run's noise. A message that several tasks brought about leaves with the last of them, whichever that is. Tasks
without a known cause keep their times: where those decide the end of the run, nothing is predicted, and the reason
given.)",
    .minArguments = 1,
    .maxArguments = 1,
    .needs = Needs::Queues,
    .instead = "efficiency",
    .options = replayOptions,
    .examples = replayExamples,
    .run = runReplay,
};

}  // namespace longpole
