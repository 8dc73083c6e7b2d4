// SPDX-License-Identifier: GPL-3.0-or-later
// longpole reduce: writes the original logs again, with some processors or a part of the time only.
#include "importers/projections/reduce.h"
#include "analysis/base/json.h"
#include "analysis/base/naming.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/runname.h"
#include "app/common/sourcefiles.h"
#include "app/output/output.h"
#include "core/base/mayneverend.h"
#include "core/trace/format.h"

#include <algorithm>
#include <optional>

namespace longpole {

namespace {

struct ReduceRequest {
    PathRequest path;
    bool keepsCritical = false;
    bool writesPath = false;
    TimeRange range;  // the part of the trace that is kept

    bool needsPath() const { return keepsCritical || writesPath; }
};

// Reads the options that need no trace. Empty after a usage error, which was printed.
std::optional<ReduceRequest> reduceRequest(const CommandLine& line)
{
    const auto wrong = [&line](const QString& text) {
        usageError(line.command, text);
        return std::nullopt;
    };
    if (!line.has("o") || line.value("o").isEmpty()) return wrong(tr("-o DIR is missing"));
    if (!line.has("keep") && !line.has("pes") && !line.has("range"))
        return wrong(tr("nothing says what to keep: --keep critical, --pes PES or --range A..B"));
    if (line.has("keep") && line.has("pes")) return wrong(tr("--keep and --pes exclude each other"));
    ReduceRequest request;
    request.keepsCritical = line.has("keep");
    request.writesPath = line.has("with-path");
    for (const char* option : {"mode", "edges"})
        if (line.has(option) && !request.needsPath())
            return wrong(tr("--%1 needs a path: --keep critical or --with-path").arg(QLatin1String(option)));
    // A malformed range is a usage error whatever the trace is.
    if (line.has("range"))
        if (const auto range = parseRange(line.value("range"), {0, maxTime}); !range)
            return valueError(line, "range", range.error()), std::nullopt;
    const auto path = pathRequest(line);
    if (!path) return {};
    request.path = *path;
    return request;
}

// Reads --range and --pes. False after a usage error, which was printed.
bool chooseRangeAndProcessors(const CommandLine& line, const TraceStore& trace, ReduceRequest& request,
                              ProjectionsReduction& wanted)
{
    const TimeRange run = trace.info().range();
    request.range = run;
    if (line.has("range")) {
        const auto range = parseRange(line.value("range"), run);
        if (!range) return valueError(line, "range", range.error()) == ExitCode::Fine;
        if (!range->overlaps(run))
            return usageError(line.command, tr("--range %1: the run lasts %2 only.")
                                                .arg(line.value("range"), formatTime(run.length())))
                   == ExitCode::Fine;
        wanted.range = *range;
        request.range = intersection(run, reducedRange(trace.info(), *range));
    }
    if (line.has("pes")) {
        const auto pes = processorsOf(line, "pes", std::int64_t(trace.processors().size()), trace.words());
        if (!pes) return false;
        for (const ProcessorId pe : *pes) wanted.pes.push_back(index(pe));
    }
    return true;
}

Result<std::shared_ptr<const CriticalPath>> pathOf(Results& results, const ReduceRequest& request)
{
    return withProgress(tr("Finding the path"), [&](const Progress& progress) {
        return results.ask(questionOf(request.path, results.store(), request.range), progress);
    });
}

// Finds the path, whose tasks are to be kept, to be written as a list, or both.
Result<> usePath(Results& results, const ReduceRequest& request, ProjectionsReduction& wanted)
{
    const auto path = pathOf(results, request);
    if (!path) return path.error();
    std::vector<PathInterval> steps;
    for (const PathStep& step : (*path)->steps)
        if (step.part == PathPart::Compute) steps.push_back({index(step.pe), step.begin, step.end});
    if (steps.empty())
        return Error{tr("No task lies on a critical path in this part of the run."), results.store().path(),
                     tr("Choose another --range, or PEs with --pes.")};
    if (request.keepsCritical) {
        for (const PathInterval& step : steps) wanted.pes.push_back(step.pe);
        std::sort(wanted.pes.begin(), wanted.pes.end());
        wanted.pes.erase(std::unique(wanted.pes.begin(), wanted.pes.end()), wanted.pes.end());
    }
    if (request.writesPath) wanted.path = std::move(steps);
    return Unit{};
}

QString processorsText(const std::vector<std::uint32_t>& pes)
{
    std::vector<ProcessorId> ids;
    ids.reserve(pes.size());
    for (const std::uint32_t pe : pes) ids.push_back(ProcessorId{pe});
    return formatProcessors(ids);
}

QString sizeText(const ReductionReport& report)
{
    const QString after = formatBytes(report.bytesAfter);
    const QString before = formatBytes(report.bytesBefore);
    const double smaller = 1 - double(report.bytesAfter) / double(std::max<std::int64_t>(report.bytesBefore, 1));
    if (smaller < 0.001) return tr("%1, the original has %2").arg(after, before);
    return tr("%1 instead of %2: %3 smaller").arg(after, before, formatShare(smaller));
}

QString reportText(const CommandLine& line, const TraceInfo& run, const ReduceRequest& request,
                   const ReductionReport& report)
{
    const QString processors = formatCount(std::int64_t(report.pes.size()));
    QString text = counted("Wrote %1 files into %2\n", "Wrote %1 file into %2\n", report.files.size())
                       .arg(line.value("o"))
                   + tr("PEs         %1 (%2)\n").arg(processorsText(report.pes), processors);
    if (line.has("range"))
        text += tr("Range       %1 to %2 of the run, in whole microseconds\n")
                    .arg(formatTimeAt(request.range.begin - run.begin, 1000),
                         formatTimeAt(request.range.end - run.begin, 1000));
    text += tr("Size        %1\n").arg(sizeText(report));
    if (request.writesPath)
        text += counted("Path        %1 steps as user event \"Critical Path\"\n",
                        "Path        %1 step as user event \"Critical Path\"\n", report.pathSteps);
    if (!report.withoutLog.empty())
        text += tr("The original has no log of PEs %1.\n").arg(processorsText(report.withoutLog));
    if (!report.hasSymbols)
        text += tr(
            "The run's .sts names no entry methods, so Projections cannot open either trace; with --symbols\n"
            "the reduced one gets the names of another run.\n");
    return text;
}

ExitCode print(const CommandLine& line, const TraceInfo& run, const ReduceRequest& request,
               const ReductionReport& report)
{
    auto output = Output::open({});
    if (line.has("json")) {
        output->write(dump({{"files", report.files},
                            {"bytes_before", report.bytesBefore},
                            {"bytes_after", report.bytesAfter},
                            {"pes", report.pes}}));
    } else {
        output->write(reportText(line, run, request, report));
    }
    const Result<> finished = output->finish();
    return finished ? ExitCode::Fine : fail(finished.error());
}

ExitCode runReduce(const CommandLine& line)
{
    auto request = reduceRequest(line);
    if (!request) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    if (const Result<> there = requireEvents(store); !there) return fail(there.error());
    ProjectionsReduction wanted;
    wanted.folder = line.value("o");
    if (!chooseRangeAndProcessors(line, store, *request, wanted)) return ExitCode::Usage;

    // The logs that the user named: the cached trace may have been imported from a copy elsewhere. A .longpole file
    // says where its logs were, and is believed if that is beside it: it may be a stranger's.
    const QString& named = line.arguments.front();
    const bool isFile = isLongpoleFile(named);
    const auto isBeside = [&named](const QString& logs) {
        return recordedRunLiesUnder(logs, QFileInfo(named).absolutePath()) && mayFollow(logs, named);
    };
    if (isFile && !isBeside(store.info().source))
        return fail({.what = tr("A trace is reduced from its logs, and those of this file are not beside it."),
                     .where = named,
                     .hint = tr("Name the logs: it says that it was made from %1.").arg(store.info().source)});
    const auto source = projectionsSource(store, isFile ? store.info().source : named);
    if (!source) return fail(source.error());
    if (request->needsPath())
        if (const auto used = usePath(*trace->results, *request, wanted); !used) return fail(used.error());

    for (const QString& read : readFilesOf(line) + QStringList{source->files.source()})
        writeWithRightsOf(read, wanted.folder);
    const auto report = withProgress(tr("Reducing the trace"), [&](const Progress& progress) {
        return reduceProjections(store, *source, wanted, progress);
    });
    if (!report) return fail(report.error());
    return print(line, store.info(), *request, *report);
}

constexpr CommandOption reduceOptions[] = {
    {"keep", "WHAT", "critical: the PEs on the critical path", "critical"},
    {"pes", "PES", "these PEs"},
    {"range", "A..B", "this part of the run"},
    {"o", "DIR", "the folder to write the reduced trace into"},
    {"with-path", nullptr, "write the critical path too, as intervals of the user event \"Critical Path\""},
    {"mode", "MODE", "which path: work (default), elapsed or sweep, as of critical-path", "work elapsed sweep"},
    edgesOption,
    jsonOption,
    symbolsOption,
};

constexpr CommandExample reduceExamples[] = {
    {"longpole reduce jacobi2d.sts --keep critical -o critical", "the logs of the PEs on the critical path"},
};

}  // namespace

extern const Command reduceCommand;  // commands.cpp lists it
const Command reduceCommand{
    .name = "reduce",
    .arguments = "TRACE",
    .summary = "the original logs of some PEs, or of a part of the run, as a smaller trace",
    .description =
        R"(Writes a Projections trace that Projections and Longpole open: the logs of the PEs on the critical path
or of those that --pes names, of the whole run or of --range, which goes with both. Without a range the logs are
copied as they are. In a range, what is open at its begin begins there and what is open at its end ends there;
its ends move outward to whole microseconds, and the clock stays the original's. Binary logs become text.
With a range the path is that of the range. --with-path replaces a path that Charm++ recorded itself.
The original logs are read where they were imported from and never changed. DIR must have no trace of this name.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = reduceOptions,
    .examples = reduceExamples,
    .run = runReduce,
};

}  // namespace longpole
