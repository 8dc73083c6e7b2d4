// SPDX-License-Identifier: GPL-3.0-or-later
// longpole analyze, and longpole-mpi analyze: the answers about a recording, or a folder of Charm++ logs, that several
// processes read together, in place, and its trace if that is wanted.
#include "analysis/base/rational.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/whatif/questioncheck.h"
#include "app/commandline/outputfile.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/sourcefiles.h"
#include "app/processes/analyzedrun.h"
#include "app/processes/answerdocuments.h"
#include "app/processes/answerplan.h"
#include "app/processes/folderanswers.h"
#include "app/processes/processes.h"
#include "app/processes/storedanswers.h"
#include "core/base/endsatonce.h"
#include "core/base/parallel.h"
#include "core/trace/format.h"
#include "distributed/answers/keptwishes.h"
#include "distributed/recording/wholetrace.h"

#include <QFileInfo>

#include <algorithm>
#include <optional>

namespace longpole {

namespace {

// The trace that is wanted besides the answers, as the command line names it.
struct WantedTrace {
    QString file;                       // empty: none
    std::optional<std::int64_t> bytes;  // of events; nothing: all
    QString ranks, range;               // to be kept in any case; may be empty
};

// Ranks and range as they are in this run.
Result<KeepRequest> keepRequest(const WantedTrace& wanted, const TraceStore& store)
{
    KeepRequest request{.bytes = *wanted.bytes};
    if (!wanted.ranks.isEmpty()) {
        const auto ranks = parseProcessors(wanted.ranks, store.info().processors);
        if (!ranks) return ranks.error();
        request.ranks = *ranks;
    }
    if (!wanted.range.isEmpty()) {
        const auto range = parseRange(wanted.range, store.info().range());
        if (!range) return range.error();
        request.range = *range;
    }
    return request;
}

// All processes call it. False after a failure.
bool writeTrace(Transport& transport, const HostedTrace& trace, const WantedTrace& wanted, const AllAnswers& answers,
                const Progress& progress)
{
    if (!wanted.bytes) return writeWholeTrace(transport, trace, wanted.file, progress).ok();
    KeptTrace kept;
    if (transport.isRoot()) {
        const Result<KeepRequest> request = keepRequest(wanted, *trace.store);
        if (request) {
            kept = keptWishes(*request, *trace.store, answers.path.path, answers.waits);
            kept.answers = storedAnswers(answers, *trace.store);
        } else {
            transport.fail(request.error());
        }
    }
    return writeKeptTrace(transport, trace, kept, wanted.file, progress).ok();
}

void analyze(Transport& transport, const QString& path, const HostingOptions& options, const AnswerWishes& wishes,
             const WantedTrace& wanted, const Progress& progress, RunAnswers& answers)
{
    AnswerPlan plan(transport, wishes);
    Result<HostedTrace> trace = hostRun(transport, path, options, progress);
    if (!trace) return transport.fail(trace.error());
    const std::size_t worst = wanted.bytes ? WaitsQuestion::usualWorst : worstWaitsShown;
    const bool isAnswered = trace->store->info().hasRanks()
                                ? answerAll(
                                    plan, transport, *trace, progress, answers, [](const char*) {}, worst)
                                : answerFolder(plan, transport, *trace, options.scratch, progress, answers);
    if (!isAnswered) return;
    if (transport.isRoot()) {
        answers.leftOut = plan.leftOut();
        answers.late = plan.leftOutByDeadline();
        answers.factor = wishes.factor;
    }
    if (!wanted.file.isEmpty() && !writeTrace(transport, *trace, wanted, answers, progress)) return;
    if (!transport.isRoot()) return;
    answers.waits = withWorst(std::move(answers.waits), worstWaitsShown);
    answers.trace.emplace(std::move(*trace));
}

// Of "500M", "1G" or a number; as --memory takes it.
std::optional<std::int64_t> byteSize(const QString& text)
{
    constexpr QLatin1String units("KMGT");
    QString digits = text;
    const qsizetype unit = text.isEmpty() ? -1 : units.indexOf(text.back().toUpper());
    if (unit >= 0) digits.chop(1);
    const auto shift = static_cast<int>(10 * (unit + 1));
    bool isNumber = false;
    const qlonglong number = digits.toLongLong(&isNumber);
    if (!isNumber || !digits.back().isDigit() || number < 0 || number > (std::int64_t{1} << 60 >> shift)) return {};
    return std::int64_t{number} << shift;
}

// What --keep, --keep-ranks and --keep-range say. Nothing after a usage error, which was printed.
std::optional<WantedTrace> wantedTrace(const CommandLine& line)
{
    WantedTrace wanted{.file = line.output.name,
                       .bytes = {},
                       .ranks = line.value("keep-ranks"),
                       .range = line.value("keep-range")};
    if (!line.has("keep") && !line.has("keep-ranks") && !line.has("keep-range")) return wanted;
    if (wanted.file.isEmpty()) {
        usageError(line.command, tr("--keep, --keep-ranks and --keep-range say what is in the trace that -o names"));
        return {};
    }
    wanted.bytes = KeepRequest{}.bytes;
    if (line.has("keep")) {
        wanted.bytes = byteSize(line.value("keep"));
        if (!wanted.bytes) {
            usageError(line.command, tr("--keep takes a size, such as 500M or 1G, not '%1'").arg(line.value("keep")));
            return {};
        }
    }
    constexpr TimeRange anyTime{0, TimeNs{1} << 60};
    // What does not fit the run is noticed when that is known.
    if (const auto range = parseRange(wanted.range, anyTime); !wanted.range.isEmpty() && !range) {
        valueError(line, "keep-range", range.error());
        return {};
    }
    return wanted;
}

// What --no, --deadline, --zeroing and --factor say. Nothing after a usage error, which was printed.
std::optional<AnswerWishes> answerWishes(const CommandLine& line)
{
    AnswerWishes wishes{.writesTrace = !line.output.name.isEmpty()};
    if (line.has("no")) {
        const auto parts = answerPartsOf(line.value("no"));
        if (!parts) {
            usageError(line.command, tr("--no takes some of %1, not '%2'")
                                         .arg(answerPartNames().join(QLatin1Char(',')), line.value("no")));
            return {};
        }
        wishes.leftOut = *parts;
    }
    if (line.has("deadline")) {
        const Result<TimeNs> deadline = parseTime(line.value("deadline"));
        if (!deadline) {
            valueError(line, "deadline", deadline.error());
            return {};
        }
        wishes.deadline = std::chrono::nanoseconds(*deadline);
    }
    const auto zeroed = countOption(line, "zeroing", wishes.zeroed);
    if (!zeroed) return {};
    if (*zeroed > limits::zeroedEntries.free) {
        usageError(line.command,
                   tr("%1 takes at most %2").arg(QStringLiteral("--zeroing"), formatCount(limits::zeroedEntries.free)));
        return {};
    }
    wishes.zeroed = *zeroed;
    if (line.has("factor")) {
        const Result<Rational> factor = parseRational(line.value("factor"));
        const std::optional<Error> problem = factor ? problemWith({}, *factor, 0)
                                                    : std::optional(factor.error());  // of any run
        if (problem) {
            valueError(line, "factor", *problem);
            return {};
        }
        wishes.factor = *factor;
    }
    return wishes;
}

ExitCode runAnalyze(const CommandLine& line)
{
    HostingOptions options;
    options.scratch = line.value("scratch");
    // Of longpole-mpi each process may see another disk: there it is an error of the analysis, told to all.
    if (!line.transport && !options.scratch.isEmpty() && !QFileInfo(options.scratch).isDir())
        return usageError(line.command, tr("--scratch: there is no folder '%1'").arg(options.scratch));
    RunAnswers answers;
    const QString path = line.arguments.front();
    const std::optional<WantedTrace> wanted = wantedTrace(line);
    if (!wanted) return ExitCode::Usage;
    const std::optional<AnswerWishes> wishes = answerWishes(line);
    if (!wishes) return ExitCode::Usage;
    const QString& file = wanted->file;
    options.isForTrace = !file.isEmpty();
    const auto body = [&](Transport& transport, const Progress& progress) {
        HostingOptions own = options;
        // Those of longpole-mpi have the cores of the cluster among them; threads may be fewer than there are cores.
        if (line.transport == nullptr)
            own.threads = std::max(1u, defaultThreads() / static_cast<unsigned>(transport.processes()));
        if (transport.isRoot()) {  // before anything is read
            Result<> writable = checkDocuments(line.value("answers"), path);
            if (writable && !file.isEmpty()) writable = checkWritable(file, {path});
            if (!writable) return transport.fail(writable.error());
            if (!file.isEmpty()) writeWithRightsOf(path, file);
        }
        analyze(transport, path, own, *wishes, *wanted, progress, answers);
    };
    std::optional<EndsAtOnce> nothingWritten;
    if (line.transport == nullptr && !line.has("answers") && file.isEmpty()) nothingWritten.emplace();
    if (const auto failed = runOnProcesses(line, body)) return *failed;
    nothingWritten.reset();
    if (!isRoot(line)) return ExitCode::Fine;
    if (line.has("answers"))
        if (const ExitCode code = writeDocuments(line.value("answers"), path, answers); code != ExitCode::Fine)
            return code;
    CommandLine shown = line;
    shown.output = {};  // the text
    return deliver(shown, [&](Output& output) { writeAnswers(output, answers); });
}

constexpr CommandOption analyzeOptions[] = {
    processesOption,
    {"answers", "FOLDER",
     "also write info.json, profile.json, waits.json, efficiency.json, critical-path.json, phases.json, zeroing.json, "
     "slack.json, near-critical.json, advise.json and tree.json there, as the commands of these names print them, "
     "wait-causes.json (waits --causes) and elapsed-path.json (critical-path --mode elapsed)"},
    {"o", "FILE", "also write the trace of the whole run, as import does, which gets the ending .longpole", nullptr,
     "longpole"},
    {"keep", "SIZE",
     "with -o: only events of about this size, such as 500M (1G for --keep-ranks and --keep-range alone): those near "
     "the path and the worst waits, then ranks with most time on the path; and all totals and answers"},
    {"keep-ranks", "SET", "with -o: of these ranks, or PEs, all events, before any others"},
    {"keep-range", "A..B", "with -o: all events that touch this time, of all ranks or PEs or of those of --keep-ranks"},
    {"no", "PARTS",
     "leave out some of causes (and with them advice), slack, near-critical, zeroing, phases, advice, with commas"},
    {"deadline", "T",
     "leave out what would hardly be done T after the start, such as 10m: near-critical first, then causes and advice, "
     "slack, zeroing, phases"},
    {"zeroing", "N", "ask what the path gains without the N regions with most of it (default and most: 1024)"},
    {"factor", "P/Q", "for zeroing: what their time is multiplied by, such as 1/2 or 2 (default: 0)"},
    {"scratch", "FOLDER", "where each process keeps the rows of its ranks meanwhile (default: TMPDIR, or /tmp)"},
};

constexpr CommandExample analyzeExamples[] = {
    {"longpole analyze run.lprec --processes 4",
     "totals, waits, efficiencies, the critical path and its gains, advice, of a recording read by four threads"},
    {"longpole analyze run.lprec --processes 4 --answers run.answers", "the same, and as JSON"},
    {"longpole analyze run.lprec --processes 4 -o run.longpole", "and the whole trace, to be opened anywhere"},
    {"longpole analyze jacobi2d.sts --processes 4 --answers run.answers", "the same of a folder of Charm++ logs"},
    {"longpole analyze run.lprec --processes 4 -o run.longpole --keep 500M",
     "and a trace with totals, answers, and half a gigabyte of events near the path and the worst waits"},
    {"longpole analyze run.lprec --processes 4 --deadline 10m -o run.longpole --keep 500M",
     "the same at the end of a job that has ten minutes left"},
    {"longpole analyze run.lprec --processes 4 --no near-critical,causes --factor 1/2",
     "without the parts that take longest, and what-if for regions that were twice as fast"},
};

}  // namespace

extern const Command analyzeCommand;  // commands.cpp lists it
const Command analyzeCommand{
    .name = "analyze",
    .arguments = "RUN",
    .summary = "totals, waits, efficiencies and the path of a run that several processes read together, in place",
    .description =
        R"(Reads a recording with several processes, each some of its ranks, and says what other commands say of its import,
figure for figure: longpole info, profile, waits, waits --causes, efficiency, critical-path, critical-path --mode
elapsed, phases, zeroing, slack --limit 10000, near-critical, advise and tree. The processes tell each other whom their
messages were for, who met in collective calls, values along the paths, and who waited for whom. Nothing else of the
recording leaves them but the steps of the paths, sums, when ranks work, and durations by code. Ranks are dealt out in
blocks of about equal bytes. Of longpole the processes are threads, of longpole-mpi those that the cluster's mpirun
starts beside the recording: mpirun -n 4 longpole-mpi analyze run.lprec.

With -o process 0 also puts the trace together from what each process has made of its ranks: the file that longpole
import writes, byte for byte, for the timeline and all else. What interruptions took of a wait is not looked for
here (interrupted_ns is null).

With --keep the trace of a run that is too large for one machine has all totals and all that the timeline draws from
afar, and these answers as tables, but events of parts of the run only, which table kept names: what --keep-ranks and
--keep-range ask for; what lies around each step of the path, and around the twenty worst waits of each kind at both
ranks, as long as they last or a millisecond; then whole ranks, those with most time on the path first, until SIZE is
used. Commands that ask for these answers give them, and report writes them; commands that need events end with an
error. If all events have room, it is the whole trace.

RUN may also be a folder of Charm++ logs, its .sts or one of the logs: each process reads some of the PEs. There are no
waits then, which are an MPI program's. Phases and advice look at all PEs at once: process 0 puts their events together
for these, of runs of up to 20 million tasks. Of the trace of --keep advise and tree cannot be asked again.

What --no or --deadline leave out is said at the end and not written to the folder of --answers. The trace of --keep
says that it lacks it; that of -o alone has all events, so that commands find it. Both paths, profile, waits and
efficiencies are always found.

A missing, cut or foreign file of a rank or PE is counted as the import counts it.)",
    .minArguments = 1,
    .maxArguments = 1,
    .runsOnProcesses = true,
    .options = analyzeOptions,
    .examples = analyzeExamples,
    .run = runAnalyze,
};

}  // namespace longpole
