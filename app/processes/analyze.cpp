// SPDX-License-Identifier: GPL-3.0-or-later
// longpole analyze, and longpole-mpi analyze: the answers about a recording, or a folder of Charm++ logs, that several
// processes read together, in place, and its trace if that is wanted.
#include "analysis/base/callpaths.h"
#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "analysis/expert/storedinputs.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/paths/countedpath.h"
#include "analysis/report/experttables.h"
#include "analysis/report/pathtables.h"
#include "analysis/report/tracetables.h"
#include "analysis/report/whatiftables.h"
#include "analysis/results/storedresults.h"
#include "analysis/whatif/storedgains.h"
#include "app/commandline/outputfile.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/sourcefiles.h"
#include "app/output/adviceoutput.h"
#include "app/output/nearoutput.h"
#include "app/output/pathoutput.h"
#include "app/output/phaseoutput.h"
#include "app/output/tableoutput.h"
#include "app/output/treeoutput.h"
#include "app/output/waitoutput.h"
#include "app/processes/allanswers.h"
#include "app/processes/analyzedrun.h"
#include "app/processes/processes.h"
#include "core/trace/format.h"
#include "distributed/answers/keptwishes.h"
#include "distributed/recording/wholetrace.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace longpole {

namespace {

// What process 0 has to say afterwards.
struct Answers : AllAnswers {
    std::optional<HostedTrace> trace;
};

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

std::vector<StoredPath::Step> storedSteps(const HostedPath& found)
{
    std::vector<StoredPath::Step> steps;
    for (std::size_t i = 0; i < found.path.steps.size(); ++i) {
        const PathStep& step = found.path.steps[i];
        steps.push_back({.task = step.task,
                         .entry = step.entry,
                         .begin = step.begin,
                         .end = step.end,
                         .edge = static_cast<std::uint8_t>(step.edge),
                         .isDoubtful = step.doubtful,
                         .function = i < found.functions.size() ? found.functions[i] : noCallPath,
                         .part = static_cast<std::uint8_t>(step.part)});
    }
    return steps;
}

StoredPath stored(const HostedPath& found)
{
    StoredPath path{.to = found.path.to, .length = found.path.length, .steps = storedSteps(found)};
    for (const PathProfileRow& row : found.path.profile) path.profile.push_back({row.entry, row.count, row.time});
    return path;
}

StoredNear stored(const HostedNear& found)
{
    StoredNear near;
    const auto add = [&near](const HostedNearPath& path, bool isListed) {
        near.paths.push_back({isListed, path.slack, path.distinct, storedSteps(path.path)});
    };
    for (const HostedNearPath& path : found.paths) add(path, true);
    if (found.longest) add(*found.longest, false);
    return near;
}

StoredAnswers stored(const AllAnswers& answers, const TraceStore& store)
{
    StoredAnswers all;
    storeWaits(all, answers.waits);
    storePath(all, stored(answers.path));
    storeElapsedPath(all, stored(answers.elapsed));
    StoredSlack slack{.length = answers.slack.length, .tasks = answers.slack.tasks, .without = answers.slack.without};
    for (const HostedTaskSlack& task : answers.slack.least)
        slack.least.push_back({task.task, task.entry, task.begin, task.end, task.slack});
    storeSlack(all, slack);
    storeNear(all, stored(answers.near));
    storeGains(all, answers.gains);
    if (answers.loop) {
        const CallLoop& loop = answers.loop->loop;
        storeLoop(all, {.path = loop.path,
                        .call = loop.call,
                        .range = loop.range,
                        .isMarkLast = loop.isMarkLast,
                        .marks = answers.loop->marks});
    }
    std::vector<std::uint32_t> places;
    for (const Advice& advice : answers.advice.expert->advice) places.push_back(advice.place.value_or(noCallPath));
    storeInputs(all, store, answers.advice.inputs, static_cast<std::int64_t>(Thresholds{}.tree.stages), places);
    const Efficiency& efficiency = answers.efficiency;
    storeEfficiency(all, store,
                    {.range = efficiency.range,
                     .ideal = efficiency.ideal,
                     .leftOut = efficiency.leftOut,
                     .leftOutBusy = efficiency.leftOutBusy,
                     .useful = efficiency.useful,
                     .counted = countedProcessors(store, efficiency.useful.size())});
    return all;
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
            kept.answers = stored(answers, *trace.store);
        } else {
            transport.fail(request.error());
        }
    }
    return writeKeptTrace(transport, trace, kept, wanted.file, progress).ok();
}

void analyze(Transport& transport, const QString& path, const HostingOptions& options, const WantedTrace& wanted,
             const Progress& progress, Answers& answers)
{
    Result<HostedTrace> trace = hostRun(transport, path, options, wanted.bytes.has_value(), progress);
    if (!trace) return transport.fail(trace.error());
    const std::size_t worst = wanted.bytes ? WaitsQuestion::usualWorst : worstWaitsShown;
    const bool isAnswered = trace->store->info().hasRanks() ? answerAll(
                                transport, *trace, progress, answers, [](const char*) {}, worst)
                                                            : answerFolder(transport, *trace, progress, answers);
    if (!isAnswered) return;
    if (!wanted.file.isEmpty() && !writeTrace(transport, *trace, wanted, answers, progress)) return;
    if (!transport.isRoot()) return;
    answers.waits = withWorst(std::move(answers.waits), worstWaitsShown);
    answers.trace.emplace(std::move(*trace));
}

QString noWaits() { return tr("No rank waited for another."); }

// Of the processes' traces each holds the calls of its own ranks only: where steps ran came with them.
PathNotes notesOf(const Answers& answers, const std::vector<const HostedPath*>& paths)
{
    auto functions = std::make_shared<std::map<TaskId, std::uint32_t>>();
    for (const HostedPath* const path : paths)
        for (std::size_t i = 0; i < path->functions.size(); ++i)
            functions->emplace(path->path.steps[i].task, path->functions[i]);
    PathNotes notes;
    notes.placeOf = [store = answers.trace->store, functions](TaskId task) {
        const auto found = functions->find(task);
        return found != functions->end() ? pathText(*store, found->second) : QString();
    };
    return notes;
}

// As longpole near-critical finds them.
NearAnswer nearAnswer(const AllAnswers& answers)
{
    const HostedNear& found = answers.near;
    const auto nearPath = [](const CriticalPath& path, TimeNs slack, TimeNs distinct) {
        return NearCriticalPath{std::make_shared<const CriticalPath>(path), slack, distinct, processorsOn(path)};
    };
    auto paths = std::make_shared<NearPaths>();
    const CriticalPath& work = answers.path.path;
    if (!work.steps.empty()) paths->push_back(nearPath(work, 0, work.length));
    for (const HostedNearPath& one : found.paths) paths->push_back(nearPath(one.path.path, one.slack, one.distinct));
    NearAnswer answer{.paths = paths};
    if (paths->size() != 1) return answer;
    auto longest = std::make_shared<NearPaths>(*paths);
    if (found.longest)
        longest->push_back(nearPath(found.longest->path.path, found.longest->slack, found.longest->distinct));
    answer.longest = std::move(longest);
    return answer;
}

PathNotes notesOfNear(const Answers& answers)
{
    std::vector<const HostedPath*> paths{&answers.path};
    for (const HostedNearPath& one : answers.near.paths) paths.push_back(&one.path);
    return notesOf(answers, paths);
}

std::vector<TaskSlack> slackRows(const HostedSlack& slack)
{
    std::vector<TaskSlack> rows;
    rows.reserve(slack.least.size());
    for (const HostedTaskSlack& task : slack.least)
        rows.push_back({task.task, task.entry, task.begin, task.end, task.slack});
    return rows;
}

constexpr const char* answerFiles[] = {"info.json",          "waits.json",         "wait-causes.json",
                                       "efficiency.json",    "critical-path.json", "phases.json",
                                       "elapsed-path.json",  "zeroing.json",       "slack.json",
                                       "near-critical.json", "advise.json",        "tree.json"};

// What repeats along the path, if it could be searched.
PhaseAnswer phaseAnswer(const Answers& answers)
{
    return {.store = answers.trace->store.get(),
            .title = tr("Repeated phases of the critical path: %1, edges %2")
                         .arg(QLatin1String(name(PathMode::Work)), QLatin1String(name(EdgeLevel::Order))),
            .found = answers.phases.value_or(PathPhases{}),
            .loop = answers.loop ? std::optional(answers.loop->loop) : std::nullopt};
}

// Whether the files of the folder that --answers names may be written, as -o may.
Result<> checkDocuments(const QString& folder, const QString& run)
{
    // With a slash behind its name a link is what it leads to.
    if (const QFileInfo info(QDir::cleanPath(folder)); !folder.isEmpty() && info.isSymLink())
        return Error{tr("This is a link; it is left as it is."), folder,
                     tr("Name the folder itself: %1.").arg(info.symLinkTarget())};
    if (folder.isEmpty() || !QFileInfo::exists(folder)) return Unit{};
    for (const char* name : answerFiles)
        if (const Result<> writable = checkWritable(QDir(folder).filePath(QLatin1String(name)), {run}); !writable)
            return writable;
    return Unit{};
}

// One document of the folder that --answers names. False after an error, which was printed.
bool writeDocument(const QString& file, const std::function<void(Output&)>& write)
{
    auto output = Output::open(file);
    if (output) write(*output);
    const Result<> finished = output ? output->finish() : Result<>(output.error());
    if (!finished) fail(finished.error());
    return finished.ok();
}

ExitCode writeDocuments(const QString& folder, const Answers& answers)
{
    const TraceStore& store = *answers.trace->store;
    const bool isOfRanks = store.info().hasRanks();
    if (!QDir().mkpath(folder)) return fail({tr("The folder cannot be made."), folder, {}});
    const auto file = [&folder](const char* name) { return QDir(folder).filePath(QLatin1String(name)); };
    const auto writeOnePath = [&](const char* name, const HostedPath& path) {
        return writeDocument(file(name), [&](Output& output) {
            writePath(output, OutputFormat::Json, store, path.path, notesOf(answers, {&path}));
        });
    };
    const bool isWritten =
        writeDocument(file("info.json"),
                      [&](Output& output) { output.write(dump(rowJson(traceTable(store), store, &store))); })
        && (!isOfRanks
            || writeDocument(file("waits.json"),
                             [&](Output& output) {
                                 writeWaits(output, OutputFormat::Json, store, answers.waits, noWaits());
                             }))
        && (!isOfRanks
            || writeDocument(file("wait-causes.json"),
                             [&](Output& output) {
                                 writeCauses(output, OutputFormat::Json, store, answers.waits, noWaits());
                             }))
        && writeOnePath("critical-path.json", answers.path) && writeOnePath("elapsed-path.json", answers.elapsed)
        && (!answers.phases
            || writeDocument(file("phases.json"),
                             [&](Output& output) {
                                 writePhases(output, OutputFormat::Json, phaseAnswer(answers), PhaseOptions{});
                             }))
        && writeDocument(file("near-critical.json"),
                         [&](Output& output) {
                             writeNear(output, OutputFormat::Json, store, nearAnswer(answers), notesOfNear(answers));
                         })
        && (!isOfRanks
            || (writeDocument(file("advise.json"),
                              [&](Output& output) {
                                  writeAdvice(output, OutputFormat::Json, store, *answers.advice.expert);
                              })
                && writeDocument(file("tree.json"),
                                 [&](Output& output) {
                                     writeTree(output, OutputFormat::Json, store, answers.advice.expert->tree);
                                 })))
        && writeDocument(file("slack.json"),
                         [&](Output& output) {
                             writeTable(output, OutputFormat::Json, slackTable(store), slackRows(answers.slack), store);
                         })
        && writeDocument(
            file("zeroing.json"),
            [&](Output& output) {
                const auto table = whatIfTable(store).only({"entry", "share_ns", "net_ns", "gain_ns", "next_critical"});
                output.write(dump(rowsJson(table, answers.gains, &store)));
            })
        && writeDocument(file("efficiency.json"), [&](Output& output) {
               const EfficiencyPhase whole{answers.efficiency.range, tr("all"), answers.efficiency};
               JsonValue all = rowJson(efficiencyTable(store), whole, &store);
               all.erase("name");
               output.write(dump(all));
           });
    return isWritten ? ExitCode::Fine : ExitCode::BadInput;
}

void writeWaitsText(Output& output, const Answers& answers)
{
    const TraceStore& store = *answers.trace->store;
    writeWaits(output, OutputFormat::Text, store, answers.waits, noWaits());
    if (answers.waits.total > 0) {
        output.write(QString(QLatin1Char('\n') + tr("The code that others waited for:") + QLatin1Char('\n')));
        writeCauseRows(output, store, answers.waits);
    }
    output.write(QByteArray("\n"));
}

void writeText(Output& output, const Answers& answers)
{
    const TraceStore& store = *answers.trace->store;
    const TraceInfo& info = store.info();
    const auto line = [&](const QString& name, const QString& value) {
        output.write(QString(name.leftJustified(15) + value + QLatin1Char('\n')));
    };
    line(tr("Program"), onOneLine(info.program));
    line(tr("Duration"), formatTime(info.duration()));
    const Vocabulary words = store.words();
    line(words.say(tr("PEs"), tr("Ranks")), formatCount(info.processors));
    line(tr("Tasks"), formatCount(info.tasks));
    line(tr("Messages"), words.say(tr("%1, %2 of them seen executed"), tr("%1, %2 of them seen received"))
                             .arg(formatCount(info.messages), formatCount(info.messagesMatched)));
    line(tr("Records"), formatCount(info.records));
    line(tr("Busy"), formatTime(info.busy));
    line(tr("Idle"), formatTime(info.idle));
    line(tr("Overhead"), formatTime(info.overhead()));
    line(tr("Work path"), tr("%1, %2 of the duration")
                              .arg(formatTime(answers.path.path.length),
                                   formatShare(ratio(double(answers.path.path.length), double(info.duration())))));
    line(tr("Efficiency"),
         tr("%1 parallel: %2 load balance, %3 serialization, %4 transfer")
             .arg(formatShare(answers.efficiency.parallel), formatShare(answers.efficiency.loadBalance),
                  formatShare(answers.efficiency.serialization), formatShare(answers.efficiency.transfer)));
    output.write(QByteArray("\n"));
    if (store.issues().empty()) {
        line(tr("Health"), tr("nothing was skipped or repaired"));
    } else {
        writeTable(output, OutputFormat::Text, issueTable(store), store.issues(), store);
    }
    output.write(QByteArray("\n"));
    if (info.hasRanks()) writeWaitsText(output, answers);
    writePath(output, OutputFormat::Text, store, answers.path.path, notesOf(answers, {&answers.path}));
    if (answers.phases) {
        output.write(QByteArray("\n"));
        writePhases(output, OutputFormat::Text, phaseAnswer(answers), PhaseOptions{});
    }
    output.write(QString(QLatin1Char('\n') + tr("What the elapsed path spends the duration on:") + QLatin1Char('\n')));
    writeTable(output, OutputFormat::Text, pathPartTable(store, answers.elapsed.path.length),
               spoken(answers.elapsed.path.parts, store.words()), store);
    output.write(QString(QLatin1Char('\n')
                         + words.say(tr("What the path gains if an entry method costs nothing:"),
                                     tr("What the path gains if a region costs nothing:"))
                         + QLatin1Char('\n')));
    if (answers.path.path.profile.size() > answers.gains.size())
        output.write(tr("Of %1 on the path, the %2 with the most time on it.")
                         .arg(formatCount(std::ssize(answers.path.path.profile)),
                              formatCount(std::ssize(answers.gains)))
                     + QLatin1Char('\n'));
    output.write(QByteArray("\n"));
    writeTable(output, OutputFormat::Text,
               whatIfTable(store, answers.path.path.length)
                   .only({"entry", "share_ns", "net_ns", "gain_ns", "gain", "next_critical"}),
               answers.gains, store);
    output.write(QByteArray("\n"));
    line(tr("Slack"),
         tr("%1 of %2 tasks have none").arg(formatCount(answers.slack.without), formatCount(answers.slack.tasks)));
    line(tr("Next path"), takeoverText(nearAnswer(answers)));
    output.write(QByteArray("\n"));
    if (info.hasRanks()) return writeAdvice(output, OutputFormat::Text, store, *answers.advice.expert);
    output.write(tr("Phases and advice are not looked for here: they ask for all PEs at once. Import the logs.")
                 + QLatin1Char('\n'));
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

ExitCode runAnalyze(const CommandLine& line)
{
    HostingOptions options;
    options.scratch = line.value("scratch");
    // Of longpole-mpi each process may see another disk: there it is an error of the analysis, told to all.
    if (!line.transport && !options.scratch.isEmpty() && !QFileInfo(options.scratch).isDir())
        return usageError(line.command, tr("--scratch: there is no folder '%1'").arg(options.scratch));
    Answers answers;
    const QString path = line.arguments.front();
    const std::optional<WantedTrace> wanted = wantedTrace(line);
    if (!wanted) return ExitCode::Usage;
    const QString& file = wanted->file;
    options.isForTrace = !file.isEmpty();
    const auto body = [&](Transport& transport, const Progress& progress) {
        if (transport.isRoot()) {  // before anything is read
            Result<> writable = checkDocuments(line.value("answers"), path);
            if (writable && !file.isEmpty()) writable = checkWritable(file, {path});
            if (!writable) return transport.fail(writable.error());
            if (!file.isEmpty()) writeWithRightsOf(path);
        }
        analyze(transport, path, options, *wanted, progress, answers);
    };
    if (const auto failed = runOnProcesses(line, body)) return *failed;
    if (!isRoot(line)) return ExitCode::Fine;
    if (line.has("answers"))
        if (const ExitCode code = writeDocuments(line.value("answers"), answers); code != ExitCode::Fine) return code;
    CommandLine shown = line;
    shown.output = {};  // the text
    return deliver(shown, [&](Output& output) { writeText(output, answers); });
}

constexpr CommandOption analyzeOptions[] = {
    processesOption,
    {"answers", "FOLDER",
     "also write info.json, waits.json, efficiency.json, critical-path.json, phases.json, zeroing.json, slack.json, "
     "near-critical.json, advise.json and tree.json there, as the commands of these names print them, wait-causes.json "
     "(waits --causes) and elapsed-path.json (critical-path --mode elapsed)"},
    {"o", "FILE", "also write the trace of the whole run, as import does, which gets the ending .longpole", nullptr,
     "longpole"},
    {"keep", "SIZE",
     "with -o: only events of about this size, such as 500M (1G for --keep-ranks and --keep-range alone): those near "
     "the path and the worst waits, then ranks with most time on the path; and all totals and answers"},
    {"keep-ranks", "SET", "with -o: of these ranks all events, before any others"},
    {"keep-range", "A..B", "with -o: all events that touch this time, of all ranks or of those of --keep-ranks"},
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
};

}  // namespace

extern const Command analyzeCommand;  // commands.cpp lists it
const Command analyzeCommand{
    .name = "analyze",
    .arguments = "RUN",
    .summary = "totals, waits, efficiencies and the path of a run that several processes read together, in place",
    .description =
        R"(Reads a recording with several processes, each some of its ranks, and says what other commands say of its import,
figure for figure: longpole info, waits, waits --causes, efficiency, critical-path, critical-path --mode elapsed,
phases, zeroing, slack --limit 10000, near-critical, advise and tree. The processes tell each other whom their messages
were for, who met in collective calls, values along the paths, and who waited for whom. Nothing else of the recording
leaves them but the steps of the paths, sums, when ranks work, and durations by code. Ranks are dealt out in blocks of
about equal bytes. Of longpole the processes are threads, of longpole-mpi those that the cluster's mpirun starts beside
the recording: mpirun -n 4 longpole-mpi analyze run.lprec.

With -o process 0 also puts the trace together from what each process has made of its ranks: the file that longpole
import writes, byte for byte, for the timeline and all else. What interruptions took of a wait is not looked for
here (interrupted_ns is null).

With --keep the trace of a run that is too large for one machine has all totals and all that the timeline draws from
afar, and these answers as tables, but events of parts of the run only, which table kept names: what --keep-ranks and
--keep-range ask for; what lies around each step of the path, and around the twenty worst waits of each kind at both
ranks, as long as they last or a millisecond; then whole ranks, those with most time on the path first, until SIZE is
used. Commands that ask for these answers give them; commands that need events end with an error. If all events have
room, it is the whole trace.

RUN may also be a folder of Charm++ logs, its .sts or one of the logs: each process reads some of the PEs. There are no
waits then, which are an MPI program's, no phases, and no --keep.

A missing, cut or foreign file of a rank or PE is counted as the import counts it.)",
    .minArguments = 1,
    .maxArguments = 1,
    .runsOnProcesses = true,
    .options = analyzeOptions,
    .examples = analyzeExamples,
    .run = runAnalyze,
};

}  // namespace longpole
