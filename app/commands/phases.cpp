// SPDX-License-Identifier: GPL-3.0-or-later
// longpole phases: what repeats along the critical path, or in any text.
#include "analysis/noise/uninterrupted.h"
#include "analysis/phases/phasequestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/leftout.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/pathoutput.h"
#include "app/output/phaseoutput.h"
#include "core/base/namedfile.h"
#include "core/trace/format.h"

#include <QStringDecoder>

namespace longpole {

namespace {

// A file's characters, or its bytes if it is not UTF-8, without a line break at its end. Errors: the file cannot be
// read.
Result<std::vector<std::uint32_t>> textSymbols(const QString& name)
{
    constexpr qint64 bytesPerCharacter = 4;
    const Result<QByteArray> read = bytesOfNamedFile(name, bytesPerCharacter * longestPhaseString);
    if (!read) return Error{tr("The text cannot be read: %1.").arg(read.error().what), name, QString()};
    QByteArray bytes = *read;
    if (bytes.endsWith('\n')) bytes.chop(bytes.endsWith("\r\n") ? 2 : 1);
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    QString text = decoder(bytes);
    if (decoder.hasError()) text = QString::fromLatin1(bytes);
    const QList<uint> characters = text.toUcs4();
    return std::vector<std::uint32_t>(characters.begin(), characters.end());
}

Result<PhaseAnswer> phasesOfText(const std::vector<std::uint32_t>& symbols, const PhaseQuestion& question,
                                 const Progress& progress)
{
    PhaseAnswer answer;
    answer.found.searched = question.collapse ? collapsed(symbols) : everySymbol(symbols);
    auto found = phases(answer.found.searched.symbols, question.options, progress);
    if (!found) return found.error();
    answer.found.phases = std::move(found->phases);
    answer.found.isComplete = found->isComplete;
    return answer;
}

Result<PathPhases> withoutInterruptions(Results& results, const PathQuestion& path, const PhaseQuestion& question,
                                        const Progress& progress)
{
    const auto left = results.ask(UninterruptedPathQuestion{path.edges, {}, path.part}, progress);
    if (!left) return left.error();
    return phasesAlong(results, **left, path.part, question, progress);
}

Result<PhaseAnswer> phasesOfPath(Results& results, const PathRequest& request, const LeftOut& leftOut, TimeRange range,
                                 const PhaseQuestion& question, const Progress& progress)
{
    const Result<PathsLeft> left = pathsLeft(results, leftOut, range, progress);
    if (!left) return left.error();
    const PathQuestion path = questionOf(request, results.store(), left->range);
    PhaseAnswer answer{&results.store(),
                       tr("Repeated phases of the critical path: %1, edges %2")
                           .arg(QLatin1String(name(request.mode)), QLatin1String(name(request.edges))),
                       {},
                       left->text};
    if (leftOut.interrupted) {
        Result<PathPhases> found = withoutInterruptions(results, path, question, progress);
        if (!found) return found.error();
        answer.found = std::move(*found);
    } else {
        const auto found = results.ask(PathPhasesQuestion{path, question}, progress);
        if (!found) return found.error();
        answer.found = **found;
    }
    const Result<std::optional<CallLoop>> loop = programLoop(results.store(), path.part, progress);
    if (!loop) return loop.error();
    answer.loop = *loop;
    return answer;
}

ExitCode deliverPhases(const CommandLine& line, OutputFormat format, const Result<PhaseAnswer>& answer,
                       const PhaseOptions& options)
{
    if (!answer) return fail(answer.error());
    return deliver(line, [&](Output& output) { writePhases(output, format, *answer, options); });
}

ExitCode runText(const CommandLine& line, OutputFormat format, const PhaseQuestion& question)
{
    if (!line.arguments.isEmpty()) return usageError(line.command, tr("--text reads a file instead of a TRACE"));
    for (const char* option : {"mode", "edges", "from", "until", "without"})
        if (line.has(option))
            return usageError(line.command, tr("--%1 is about a TRACE, not about --text").arg(QLatin1String(option)));
    const QString name = line.value("text");
    const auto symbols = textSymbols(name);
    if (!symbols) return fail(symbols.error());
    const auto answer = withProgress(tr("Looking for repeated phases"), [&](const Progress& progress) {
        Result<PhaseAnswer> found = phasesOfText(*symbols, question, progress);
        if (found) found->title = tr("Repeated phases of %1").arg(name);
        return found;
    });
    return deliverPhases(line, format, answer, question.options);
}

ExitCode runTrace(const CommandLine& line, OutputFormat format, const PhaseQuestion& question)
{
    if (line.arguments.isEmpty()) return missingArgument(line.command, 0);
    const auto request = iterationRequest(line);
    if (!request) return ExitCode::Usage;
    const auto leftOut = leftOutOf(line, request->mode);
    if (!leftOut) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    const auto answer = withProgress(tr("Looking for repeated phases"), [&](const Progress& progress) {
        return phasesOfPath(*trace->results, *request, *leftOut, *range, question, progress);
    });
    return deliverPhases(line, format, answer, question.options);
}

ExitCode runPhases(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    PhaseOptions options{.overlapping = line.has("overlapping")};
    const auto support = countOption(line, "support", options.support);
    if (!support) return ExitCode::Usage;
    if (*support < 2)
        return usageError(line.command, tr("--support takes at least 2: what occurs once repeats nothing"));
    const auto count = countOption(line, "k", std::int64_t(options.count));
    if (!count) return ExitCode::Usage;
    options.support = *support;
    options.count = static_cast<std::size_t>(*count);
    if (line.has("prove")) options.budget = unlimitedBudget;
    const bool isText = line.has("text");
    const PhaseQuestion question{options, isText ? line.has("collapse") : !line.has("keep-runs")};
    return isText ? runText(line, *format, question) : runTrace(line, *format, question);
}

constexpr CommandOption phasesOptions[] = {
    {"support", "N", "least number of occurrences of a phase (default: 6)"},
    {"collapse", nullptr,
     "of --text: a run of one symbol counts as one, however long it is; of a TRACE it always does"},
    {"keep-runs", nullptr, "of a TRACE: a run of one entry method is as many symbols as tasks, not one"},
    {"overlapping", nullptr, "count occurrences that overlap too"},
    {"k", "N", "number of phases (default: 5)"},
    {"prove", nullptr, "search until every answer is certain, however long it takes"},
    {"text", "FILE", "of a text, whose characters are the symbols, instead of a TRACE"},
    {"mode", "MODE", "the path: work (default), elapsed or sweep", "work elapsed sweep"},
    iterationEdgesOption,
    fromOption,
    untilOption,
    rangeOption,
    withoutPathOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample phasesExamples[] = {
    {"longpole phases jacobi2d.sts", "the iterations of the run: how many, how long, and which were slow"},
};

}  // namespace

extern const Command phasesCommand;  // commands.cpp lists it
const Command phasesCommand{
    .name = "phases",
    .arguments = "[TRACE]",
    .summary = "what repeats along the critical path",
    .description =
        R"(Finds the sequence of entry methods along the critical path that covers most of it again and again: the one with
the largest instances x length squared, then the next one in what that leaves. With its root, the shortest
sequence that it repeats itself, the time of each instance, and the slow ones among them. The iterations of a phase
are counted by what every object runs once in each, also where the path ends before the last one or takes a way
around one. Of MPI runs that were recorded with call stacks they are counted by the calls from one place of the
outermost loop, which every rank that comes there makes once in each. Only where there is no such entry method or
place they are counted by the path alone. --csv lists the instances. --without interrupted looks at the path with what
interruptions took of tasks taken off, --without startup at the run behind its start-up. --text FILE finds what
repeats in any text.)",
    .minArguments = 0,
    .maxArguments = 1,
    .options = phasesOptions,
    .examples = phasesExamples,
    .run = runPhases,
};

}  // namespace longpole
