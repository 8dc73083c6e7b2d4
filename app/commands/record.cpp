// SPDX-License-Identifier: GPL-3.0-or-later
// longpole record: runs an MPI program under the recorder, passes its exit code on, and says how to open the recording.
#include "analysis/base/naming.h"
#include "analysis/base/rational.h"
#include "app/commands/commands.h"
#include "app/common/shellword.h"
#include "app/common/tracecache.h"
#include "app/output/output.h"
#include "app/record/lostcores.h"
#include "app/record/mpilaunch.h"
#include "app/record/mpiprogram.h"
#include "app/record/onlinesamples.h"
#include "app/record/process.h"
#include "app/record/recordingfolder.h"
#include "core/base/memory.h"
#include "core/trace/format.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <sys/wait.h>

namespace longpole {

namespace {

Error notFound(const MpiLaunch& launch)
{
    if (launch.missing.isEmpty())
        return {tr("There is no program behind the launcher."), launch.words.join(QLatin1Char(' ')),
                tr("Write the whole command after --, as in: longpole record -o run.lprec -- mpirun -np 4 ./app")};
    return {tr("There is no such program, or it cannot be executed."), launch.missing, {}};
}

// The command's options as LONGPOLE_... variables. Options that are not given set none, so that those of the shell and
// of a configuration file hold.
Variables variablesFor(const CommandLine& line, const QString& folder, const QString& library)
{
    const QString preloaded = qEnvironmentVariable("LD_PRELOAD");
    Variables variables{{QStringLiteral("LD_PRELOAD"),
                         preloaded.isEmpty() ? library : QString(library + QLatin1Char(':') + preloaded)},
                        {QStringLiteral("LONGPOLE_OUTPUT"), folder}};
    const std::pair<const char*, const char*> options[] = {{"threshold", "LONGPOLE_THRESHOLD"},
                                                           {"compression", "LONGPOLE_COMPRESSION"},
                                                           {"clock", "LONGPOLE_CLOCK"},
                                                           {"stack", "LONGPOLE_STACK"},
                                                           {"buffer", "LONGPOLE_BUFFER"},
                                                           {"online", "LONGPOLE_ONLINE"},
                                                           {"procedures", "LONGPOLE_PROCEDURES"},
                                                           {"sample", "LONGPOLE_SAMPLE"},
                                                           {"online-from", "LONGPOLE_ONLINE_FROM"},
                                                           {"online-until", "LONGPOLE_ONLINE_UNTIL"},
                                                           {"online-clock", "LONGPOLE_ONLINE_CLOCK"},
                                                           {"top-share", "LONGPOLE_TOP_SHARE"}};
    for (const auto& [option, name] : options)
        if (line.has(option)) variables.emplace_back(QLatin1String(name), line.value(option));
    if (line.has("config"))
        variables.emplace_back(QStringLiteral("LONGPOLE_CONFIG"), QFileInfo(line.value("config")).absoluteFilePath());
    if (line.has("calls"))
        variables.emplace_back(QStringLiteral("LONGPOLE_CALLS"), QFileInfo(line.value("calls")).absoluteFilePath());
    if (line.has("no-trace")) variables.emplace_back(QStringLiteral("LONGPOLE_TRACE"), QStringLiteral("0"));
    if (line.has("inclusive")) variables.emplace_back(QStringLiteral("LONGPOLE_INCLUSIVE"), QStringLiteral("1"));
    if (const auto factor = parseRational(line.value("factor")); line.has("factor") && factor)
        variables.emplace_back(QStringLiteral("LONGPOLE_FACTOR"), toText(*factor));
    if (line.has("zeroing")) variables.emplace_back(QStringLiteral("LONGPOLE_ZEROING"), QStringLiteral("1"));
    if (line.has("summary")) variables.emplace_back(QStringLiteral("LONGPOLE_SUMMARY"), QStringLiteral("1"));
    return variables;
}

// The program that runs, and the signal that was to end this one.
std::atomic<pid_t> programPid = 0;
std::atomic<int> endingSignal = 0;

void handOn(int signal)
{
    endingSignal = signal;
    if (programPid > 0) kill(programPid, signal);
}

// Returns the program's exit code, or 128 and the signal that was handed on to it. Leaves Ctrl+C to the program, which
// the terminal tells; SIGTERM and SIGHUP come to this process alone.
Result<int> runProgram(const MpiLaunch& launch, const Variables& variables)
{
    const bool inherits = launch.launcher == MpiLauncher::None || launch.launcher == MpiLauncher::Environment;
    // A handler that does nothing, as the program would inherit SIG_IGN.
    const auto before = std::signal(SIGINT, [](int) {});
    constexpr std::array handedOn{SIGTERM, SIGHUP};
    std::array<void (*)(int), handedOn.size()> usual{};
    for (std::size_t i = 0; i < handedOn.size(); ++i) {
        usual[i] = std::signal(handedOn[i], handOn);
        if (usual[i] == SIG_IGN) std::signal(handedOn[i], SIG_IGN);
    }
    const Result<pid_t> process = startProcess({.words = withVariables(launch, variables),
                                                .variables = inherits ? variables : Variables{}});
    if (process) {
        programPid = *process;
        if (endingSignal != 0) kill(*process, endingSignal);  // which came while it was started
        siginfo_t ended{};
        while (waitid(P_PID, static_cast<id_t>(*process), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
        programPid = 0;  // before its number can be another process's
    }
    int status = 0;
    if (process)
        while (waitpid(*process, &status, 0) < 0 && errno == EINTR) {}
    for (std::size_t i = 0; i < handedOn.size(); ++i) std::signal(handedOn[i], usual[i]);
    std::signal(SIGINT, before);
    if (!process) return process.error();
    return endingSignal != 0 ? 128 + endingSignal : exitCodeOf(status);
}

Error nothingRecorded(const MpiProgram& program, const QStringList& command, const QString& folder, int code)
{
    // The launcher, or the program, has said why.
    if (code != 0) return {tr("Nothing was recorded: the command ended before MPI_Init."), program.path, {}};
    constexpr QLatin1String preload("LD_PRELOAD=");
    if (std::any_of(command.begin(), command.end(), [&](const QString& word) { return word.contains(preload); }))
        return {
            tr("Nothing was recorded: the command sets LD_PRELOAD, which takes the place of the recorder's library."),
            program.path, tr("Set it for 'longpole record': it hands both on.")};
    if (program.mpi == MpiKind::Unknown)
        return {tr("Nothing was recorded: the program called no MPI_Init."), program.path,
                tr("It is not linked to MPI. If it loads MPI itself, preload the recorder's library: 'man longpole'.")};
    return {tr("Nothing was recorded: the program never came to MPI_Init, or its ranks could not write."), folder,
            tr("The folder must be one that all ranks see.")};
}

ExitCode openInWindow(const CommandLine& line, const QString& folder)
{
    const Command* open = findCommand(QStringLiteral("open"));
    return open->run({*open, {folder}, line.options});
}

void sayRecorded(const CommandLine& line, const RecordedFolder& recorded, const QString& folder, const QString& records)
{
    if (line.has("no-trace")) {
        const QString ranks = counted("%1 ranks", "%1 rank", recorded.ranks);
        tellUser(tr("followed the critical path of %1 into %2; 'longpole online %3' shows it")
                     .arg(ranks, folder, quotedForShell(folder)));
        if (!recorded.hasIndex) tellUser(tr("the program did not come to MPI_Finalize: its last samples are missing"));
        return;
    }
    tellUser(tr("recorded %1%2 into %3 (%4); 'longpole %5' opens it")
                 .arg(counted("%1 ranks", "%1 rank", recorded.ranks), records, folder, formatBytes(recorded.bytes),
                      quotedForShell(folder)));
    if (!recorded.hasIndex)
        tellUser(tr("the program did not come to MPI_Finalize: what it recorded until then is there"));
    if (const LostCores lost = lostCores(folder); lost.ranks > 0) {
        const QString ranks = counted("%1 ranks", "%1 rank", lost.ranks), worst = QString::number(lost.worst);
        if (lost.share > 0)
            tellUser(tr("%1 could have run and had no core for more than 5 % of the time (rank %2: %3), so calls and "
                        "code seem longer")
                         .arg(ranks, worst, formatShare(lost.share)));
        else
            tellUser(
                tr("cores were taken from %1 more than 10 times a second (rank %2: %3 times), so calls and code seem "
                   "longer")
                    .arg(ranks, worst, formatCount(static_cast<std::int64_t>(lost.aSecond))));
        if (lost.yields()) tellUser(tr("a core that is taken that often is mostly yielded, by an MPI that waits"));
    }
}

// Imports a recording, so that it opens at once, and says what was recorded. Returns the program's exit code, or ours
// if that is 0.
int importRecorded(const CommandLine& line, const QString& folder, int code)
{
    const RecordedFolder recorded = recordedFolder(folder);
    QString records;
    if (!line.has("no-import") && !line.has("no-trace") && endingSignal == 0) {
        limitMemory(halfOfMemory());  // the program, which had none, has ended
        const auto trace = withProgress(tr("Importing %1").arg(QFileInfo(folder).fileName()),
                                        [&](const Progress& progress) {
                                            return openTrace(folder, ImportOptions{}, progress);
                                        });
        if (!trace) {
            fail(trace.error());
            return code != 0 ? code : static_cast<int>(ExitCode::BadInput);
        }
        records = QStringLiteral(", ") + counted("%1 records", "%1 record", trace->report.records);
    }
    sayRecorded(line, recorded, folder, records);
    return code;
}

// Says what the two ways did not have in common, and how often nobody looked. Returns whether they differed.
bool didCarriersDiffer(const QString& folder)
{
    auto samples = OnlineSamples::open(folder);
    const auto all = samples ? samples->read() : Result<std::vector<OnlineSample>>(samples.error());
    if (!all || all->empty()) return false;
    const OnlineSample& last = all->back();
    if (const std::int64_t left = last.notCompared.value_or(0); left > 0)
        tellUser(tr("the two ways to find the path while the program runs were compared %1 times, and %2 times not, "
                    "since one of them was in doubt")
                     .arg(formatCount(last.compared.value_or(0)), formatCount(left)));
    if (last.differences > 0) tellUser(tr("the two ways to find the path while the program runs gave different paths"));
    return last.differences > 0;
}

// `before`: what recordingsBeside said before the command ran.
int finish(const CommandLine& line, const MpiProgram& program, const QString& folder, bool isRecorded,
           const QStringList& before, int code)
{
    if (!isRecorded) {
        fail(nothingRecorded(program, line.arguments, folder, code));
        return code != 0 ? code : static_cast<int>(ExitCode::BadInput);
    }
    if (line.value("online") == QLatin1String("both") && didCarriersDiffer(folder) && code == 0)
        code = static_cast<int>(ExitCode::ThresholdCrossed);
    code = importRecorded(line, folder, code);
    for (const QString& beside : recordingsBeside(folder))
        if (!before.contains(beside)) code = importRecorded(line, beside, code);
    if (!line.has("open") || code != 0) return code;
    const WithoutMemoryLimit ofTheWindow;
    return static_cast<int>(openInWindow(line, folder));
}

QString folderOf(const CommandLine& line, const MpiLaunch& launch)
{
    if (line.has("o")) return QDir::cleanPath(line.value("o"));
    return QFileInfo(launch.words[launch.programs.front()]).fileName() + QStringLiteral(".lprec");
}

// A number with one of the units, as the recorder's library reads it; without its unit it counts in the first one.
std::optional<double> measured(const QString& text, std::initializer_list<std::pair<const char*, double>> units)
{
    static const QRegularExpression form(QStringLiteral(R"(^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$)"));
    const QRegularExpressionMatch match = form.match(text.trimmed());
    if (!match.hasMatch()) return {};
    for (const auto& [unit, factor] : units)
        if (match.captured(2).compare(QLatin1String(unit), Qt::CaseInsensitive) == 0)
            return match.captured(1).toDouble() * factor;
    return {};
}

// The recorder replaces a table of calls only, and says so when the program has ended.
Result<> checkCalls(const CommandLine& line)
{
    QFile table(line.value("calls"));
    QStringList read = line.arguments;
    if (line.has("config")) read << line.value("config");
    if (const auto writable = checkWritable(table.fileName(), read); !writable) return writable;
    if (!table.exists() || table.size() == 0) return Unit{};
    if (table.open(QIODevice::ReadOnly) && table.read(64).startsWith("rank,seq,call,")) return Unit{};
    return Error{tr("This is no table of calls; it is left as it is."), table.fileName(), tr("Name another file.")};
}

// What the library would leave out with a warning in the middle of the program's output. Empty if all is well.
std::optional<ExitCode> refused(const CommandLine& line)
{
    if (line.has("no-import") && line.has("open"))
        return usageError(line.command, tr("--no-import and --open exclude each other"));
    for (const char* needsPath : {"procedures", "zeroing", "factor", "inclusive", "sample", "no-trace", "online-clock",
                                  "online-from", "online-until", "top-share"})
        if (line.has(needsPath) && !line.has("online"))
            return usageError(line.command, tr("--%1 is of --online").arg(QLatin1String(needsPath)));
    for (const char* needsTrace : {"open", "calls", "summary", "stack", "threshold"})
        if (line.has(needsTrace) && line.has("no-trace"))
            return usageError(line.command,
                              tr("--%1 needs a trace, which --no-trace leaves out").arg(QLatin1String(needsTrace)));
    const std::pair<const char*, const char*> times[] = {{"sample", "10s"},
                                                         {"online-from", "60s"},
                                                         {"online-until", "120s"},
                                                         {"threshold", "50us"}};
    for (const auto& [option, example] : times)
        if (line.has(option)
            && !measured(line.value(option), {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}))
            return usageError(line.command,
                              tr("--%1 takes a time such as %2, not '%3'")
                                  .arg(QLatin1String(option), QLatin1String(example), line.value(option)));
    constexpr uint leastShares = 2, mostShares = 64;
    bool isCount = true;
    if (const uint shares = line.value("top-share").toUInt(&isCount);
        line.has("top-share") && (!isCount || shares < leastShares || shares > mostShares))
        return usageError(line.command, tr("--top-share takes a number from %1 to %2, not '%3'")
                                            .arg(leastShares)
                                            .arg(mostShares)
                                            .arg(line.value("top-share")));
    if (line.has("top-share") && line.value("online") == QLatin1String("carry"))
        return usageError(line.command, tr("--top-share is of --online=meet and both: what is carried knows only the "
                                           "parts of --procedures"));
    if (line.has("inclusive") && line.value("online") == QLatin1String("carry"))
        return usageError(line.command, tr("--inclusive is of --online=meet and both: what is carried knows one part "
                                           "of each procedure"));
    if (line.has("factor")) {
        constexpr std::int64_t largest = 1000;
        const auto factor = parseRational(line.value("factor"));
        if (!factor || factor->numerator > largest || factor->denominator > largest)
            return usageError(line.command, tr("--factor takes a fraction such as 1/2 of numbers up to %1, not '%2'")
                                                .arg(largest)
                                                .arg(line.value("factor")));
    }
    if (const QString names = line.value("procedures"); line.has("procedures")) {
        constexpr qsizetype mostLanes = 64, mostText = 1023;
        if (names.count(QLatin1Char(',')) >= mostLanes || names.toUtf8().size() > mostText)
            return usageError(line.command, tr("--procedures takes at most %1 names").arg(mostLanes));
        if (names.split(QLatin1Char(',')).contains(QString()))
            return usageError(line.command,
                              tr("--procedures takes names with commas between them, not '%1'").arg(names));
    }
    constexpr int deepest = 128;
    bool isNumber = true;
    if (line.has("stack") && (line.value("stack").toUInt(&isNumber) > deepest || !isNumber))
        return usageError(
            line.command,
            tr("--stack takes a number of functions from 0 to %1, not '%2'").arg(deepest).arg(line.value("stack")));
    if (line.has("buffer")) {
        constexpr double k = 1024, m = k * k, least = 64 * k, most = 64 * m;
        const auto bytes = measured(line.value("buffer"),
                                    {{"", 1}, {"K", k}, {"KiB", k}, {"KB", k}, {"M", m}, {"MiB", m}, {"MB", m}});
        if (!bytes || *bytes < least || *bytes > most)
            return usageError(line.command,
                              tr("--buffer takes a size from 64K to 64M, not '%1'").arg(line.value("buffer")));
    }
    if (line.has("config") && !QFileInfo(line.value("config")).isFile())
        return fail({tr("The file of settings cannot be read."), line.value("config"), {}});
    if (line.has("calls"))
        if (const auto writable = checkCalls(line); !writable) return fail(writable.error());
    return {};
}

ExitCode runRecord(const CommandLine& line)
{
    if (const auto exit = refused(line)) return *exit;
    const MpiLaunch launch = readLaunch(line.arguments);
    if (launch.programs.empty()) return fail(notFound(launch));
    const MpiProgram program = inspectProgram(programPath(launch.words[launch.programs.front()]));
    const auto kind = mpiOf(launch, program);
    if (!kind) return fail(kind.error());
    const auto library = recorderLibrary(*kind, program.library);
    if (!library) return fail(library.error());
    const QString preloaded = qEnvironmentVariable("LD_PRELOAD");
    QStringList tools = program.tools + wrappingTools(preloaded.split(QLatin1Char(':')));
    tools.removeDuplicates();
    if (!tools.isEmpty())
        tellUser(
            tr("the program already uses a tool that wraps MPI calls (%1): only the one that is loaded first sees them "
               "for certain")
                .arg(tools.join(QStringLiteral(", "))));
    if (line.has("zeroing") && !line.has("procedures") && !line.has("top-share"))
        tellUser(
            tr("what the run were without a procedure is said of those that --procedures or --top-share chooses, or a "
               "line 'procedures A,B' in the recording's online.control: so far of none"));
    const QString folder = folderOf(line, launch);
    const bool isThere = QFileInfo::exists(folder);
    auto held = makeRecordingFolder(folder, line.has("force"));
    if (!held) return fail(held.error());
    const QStringList before = recordingsBeside(folder);
    const auto code = runProgram(launch, variablesFor(line, QFileInfo(folder).absoluteFilePath(), *library));
    const bool isRecorded = code && recordedFolder(held->path()).holdsEvents();
    if (held->isOpen()) settleEarlier(held->path());  // else nothing was set aside
    const int exit = code ? finish(line, program, folder, isRecorded, before, *code)
                          : static_cast<int>(fail(code.error()));
    held->letGo();
    if (!isThere) QDir().rmdir(folder);  // nothing was recorded, if it can be
    return static_cast<ExitCode>(exit);
}

constexpr CommandOption recordOptions[] = {
    {"o", "FOLDER", "the recording, by custom named .lprec (default: PROGRAM.lprec)"},
    {"force", nullptr, "replace an earlier recording there"},
    {"threshold", "T",
     "mark calls that begin less than this after the one before as joined to it (e.g. 50us; default: off)"},
    {"compression", "HOW", "off, min: columns, zstd level 1 (default), max: zstd level 9", "off min max"},
    {"clock", "HOW",
     "how clocks are aligned: auto (default; ranks of one host share a clock), rtt: fastest round trips, "
     "barrier: times after barriers, none",
     "auto rtt barrier none"},
    {"summary", nullptr, "statistics on standard error when the program calls MPI_Finalize"},
    {"online", "HOW",
     "find the critical path while the program runs: online.jsonl, and its profile at the end. meet (default): all "
     "ranks "
     "replay it where they meet; carry: messages beside the program's take it along, of --procedures only; both: and "
     "compare",
     "meet carry both", nullptr, "meet"},
    {"no-trace", nullptr, "with --online: record nothing else, so that a run may be of any length"},
    {"procedures", "A,B", "with --online: regions, or code such as \"MPI_Recv to MPI_Send\", to follow by themselves"},
    {"zeroing", nullptr, "with --online: how long the path were if each of --procedures cost nothing"},
    {"factor", "P/Q", "with --zeroing or --top-share: at this part of its time, such as 1/2 or 2 (default: 0)"},
    {"inclusive", nullptr, "with --online=meet or both: regions with all that they call, on the path and in gains"},
    {"top-share", "M",
     "with --online=meet or both: likewise of the code with more than 1/M of the path, as it is found"},
    {"online-from", "T", "with --online: leave out of the path what came before"},
    {"online-until", "T", "with --online: leave out of the path what comes after"},
    {"online-clock", "WHICH", "with --online: wall (default), or cpu: of CPU time, for more ranks than cores",
     "wall cpu"},
    {"sample", "T", "with --online: write down the path so far at most every T (default: 10s)"},
    {"stack", "DEPTH", "functions of each MPI call's stack that are kept, up to 128 (default: 32); 0: no stacks"},
    {"calls", "FILE", "then also write a table with one row per call, CSV, which Longpole opens"},
    {"buffer", "SIZE", "of each thread, 64K to 64M (default: 256K)"},
    {"config", "FILE",
     "settings, one \"key = value\" a line: threshold, compression, clock, stack, summary, calls, buffer, online, "
     "procedures, zeroing, factor, inclusive, sample, top_share, online_clock, online_from, online_until, "
     "online_memory, online_spill, trace"},
    {"no-import", nullptr, "leave the recording as it is; it is imported when it is opened"},
    {"open", nullptr, "open the recording in the desktop program if the program succeeded"},
};

constexpr CommandExample recordExamples[] = {
    {"longpole record -o ring.lprec -- mpirun -np 4 ./ring", "records the run of an MPI program and imports it"},
    {"longpole record --online -o ring.lprec -- mpirun -np 4 ./ring", "and says at its end what its critical path was"},
    {"longpole record --online --no-trace -o ring.lprec -- mpirun -np 4 ./ring",
     "only the critical path, of runs that no disk has room for"},
};

}  // namespace

extern const Command recordCommand;  // commands.cpp lists it
const Command recordCommand{
    .name = "record",
    .arguments = "COMMAND ...",
    .summary = "run an MPI program and record its calls",
    .description =
        R"(Runs a command that starts an MPI program, records every MPI call of all its ranks into a folder, and imports
that into the cache. The program stays as it is: the recorder's library is loaded before it. Which MPI it uses is
found by itself: Open MPI or MPICH, from C, C++ and Fortran.

    longpole record -o run.lprec -- mpirun -np 4 ./app --its-options

The exit code is the program's. 2 and 3 without a word of the program come from this command: nothing was run.
What a program recorded before it was killed is there, and opens. SIGTERM and SIGHUP are handed on to the command, and
nothing is imported then. If the command starts MPI more than once, each run
has its own folder: run.lprec, run-2.lprec, and so on. A new folder is for you alone; make it before, if others are to
read it. Launchers that are neither Open MPI's nor
MPICH's (srun) get the library by the environment.

With --online the ranks find the critical path while the program runs: where all of them meet, in a barrier or an
MPI_Allreduce, they now and then replay together what each noted of its work and messages. online.jsonl in the folder
has a line per sample; at the end a table says which code the path consists of. Its length is that of
'longpole critical-path --edges data' of the recording. Code between calls is named by them, as in profiles.
While the program runs, the file online.control in the folder says what is to be done from the next time on when all
meet and a second is over: "stop", "start", "procedures A,B", a line each.)",
    .minArguments = 1,
    .maxArguments = anyNumber,
    .isOpenEnded = true,
    .options = recordOptions,
    .examples = recordExamples,
    .run = runRecord,
};

}  // namespace longpole
