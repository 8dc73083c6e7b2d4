// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandtrace.h"

#include "analysis/expert/plausibility.h"
#include "app/commandline/pathrequest.h"
#include "app/common/shellword.h"
#include "app/common/userfolders.h"
#include "app/output/output.h"
#include "core/trace/format.h"

#include <QFileInfo>

#include <cstdio>
#include <optional>

namespace longpole {

namespace {

// Large, since a command ends soon, and its questions rest on the same graph.
constexpr std::int64_t capacity = std::int64_t{4} << 30;

constexpr std::int64_t nameableProcessors = std::int64_t{1} << 32;  // that numbers can name

// "--pes 0-15: this run has PEs 0 to 7."
void sayProcessors(const CommandLine& line, const char* option, std::int64_t count, Vocabulary words)
{
    const QString has = count == 0   ? words.say(tr("this run has no PEs."), tr("this run has no ranks."))
                        : count == 1 ? words.say(tr("this run has PE 0 only."), tr("this run has rank 0 only."))
                                     : words.say(tr("this run has PEs 0 to %1."), tr("this run has ranks 0 to %1."))
                                           .arg(count - 1);
    usageError(line.command, tr("--%1 %2: %3").arg(QLatin1String(option), line.value(option), has));
}

// An error if the command is about the other kind of program: "'waits' needs an MPI trace; ...".
Result<> checkKind(const Command& command, const TraceStore& store, const QString& path)
{
    const bool isMpi = store.info().hasRanks();
    if (command.needs == Needs::AnyTrace || isMpi == (command.needs == Needs::Ranks)) return Unit{};
    const QString what = isMpi ? tr("'%1' needs a Charm++ trace; %2 is MPI.")
                               : tr("'%1' needs an MPI trace; %2 is Charm++.");
    const QString name = QFileInfo(path).fileName();
    return Error{what.arg(QLatin1String(command.name), name.isEmpty() ? path : name),
                 {},
                 tr("Try: longpole %1 %2").arg(QLatin1String(command.instead), quotedForShell(path))};
}

// Who reads figures is told which checks their trace fails.
void sayFailedChecks(const CommandLine& line, const TraceStore& store, const QString& path)
{
    if (line.command.saysHealth) return;
    const bool isOneOfSeveral = line.arguments.size() > 1;
    for (const Check& check : failedAtOnce(store))
        tellWithAnswer(isOneOfSeveral ? tr("%1: %2").arg(QFileInfo(path).fileName(), check.says) : check.says);
}

}  // namespace

ImportOptions importOptions(const CommandLine& line)
{
    ImportOptions options;
    if (line.has("symbols")) options.symbols = line.value("symbols");
    return options;
}

QStringList readFilesOf(const CommandLine& line)
{
    QStringList files{line.arguments.front()};
    if (line.has("symbols")) files << line.value("symbols");
    return files;
}

Result<CommandTrace> openTrace(const CommandLine& line) { return openTrace(line, line.arguments.front()); }

Result<CommandTrace> openTrace(const CommandLine& line, const QString& path)
{
    if (line.has("symbols") && !QFileInfo(line.value("symbols")).isFile())
        return Error{tr("The file of symbols cannot be read."), line.value("symbols"),
                     tr("--symbols takes the .sts of another run of the same program.")};
    auto trace = withProgress(tr("Importing %1").arg(QFileInfo(path).fileName()),
                              [&](const Progress& progress) { return openTrace(path, importOptions(line), progress); });
    if (!trace.ok()) return trace.error();
    if (!trace->fromCache) std::fputs(cacheNotice().toUtf8().constData(), stderr);
    const std::shared_ptr<const TraceStore> store = trace->store;
    nameInErrors(store->path(), path);
    if (const Result<> kind = checkKind(line.command, *store, path); !kind) return kind.error();
    sayFailedChecks(line, *store, path);
    return CommandTrace{std::move(*trace), std::make_shared<Results>(store, capacity)};
}

std::optional<TimeRange> chosenRange(const CommandLine& line, const TraceInfo& info)
{
    if (line.takes("from") && (line.has("from") || line.has("until"))) {
        if (line.has("range")) {
            usageError(line.command, tr("--range excludes --from and --until, which it stands for"));
            return {};
        }
        const auto request = pathRequest(line);
        const auto between = request ? rangeOf(line, *request, info.range()) : std::nullopt;
        return between == info.range() ? TimeRange{} : between;
    }
    if (!line.has("range")) return TimeRange{};
    const auto range = parseRange(line.value("range"), info.range());
    if (range && !range->overlaps(info.range())) {
        usageError(line.command,
                   tr("--range %1: the run lasts %2 only.").arg(line.value("range"), formatTime(info.duration())));
        return {};
    }
    // A range that covers the run is the whole run, in which creations before its begin count, too.
    if (range && range->begin <= info.begin && range->end >= info.end) return TimeRange{};
    if (range) return *range;
    valueError(line, "range", range.error());
    return {};
}

std::optional<std::vector<ProcessorId>> chosenProcessors(const CommandLine& line, const TraceInfo& info)
{
    if (!line.has("pes")) return std::vector<ProcessorId>();
    return processorsOf(line, "pes", info.processors, info.vocabulary);
}

std::optional<std::vector<ProcessorId>> processorsOf(const CommandLine& line, const char* option, std::int64_t count,
                                                     Vocabulary words)
{
    const QString typed = line.value(option);
    const auto pes = parseProcessors(typed, count);
    if (pes) return *pes;
    if (parseProcessors(typed, nameableProcessors)) sayProcessors(line, option, count, words);
    else valueError(line, option, pes.error());
    return {};
}

bool hasTask(const CommandLine& line, const TraceStore& store, TaskId task)
{
    if (!store.hasEvents()) return true;  // the command says why it has none
    const auto pes = store.processors();
    const std::size_t pe = index(task.pe);
    if (pe >= pes.size()) {
        sayProcessors(line, "to", std::int64_t(pes.size()), store.words());
        return false;
    }
    if (task.index < pes[pe].tasks) return true;
    usageError(line.command, pes[pe].tasks == 0 ? tr("--to %1: %2 has no tasks.").arg(line.value("to"), pes[pe].name)
                                                : tr("--to %1: %2 has tasks %3:0 to %3:%4.")
                                                      .arg(line.value("to"), pes[pe].name, QString::number(pe),
                                                           QString::number(pes[pe].tasks - 1)));
    return false;
}

}  // namespace longpole
