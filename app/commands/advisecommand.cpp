// longpole advise: which entry methods to run first, what that is predicted to gain, and the priorities as a file.
#include "analysis/prioritylist.h"
#include "analysis/runpaths.h"
#include "analysis/schedulingadvice.h"
#include "app/commands/commands.h"
#include "app/commands/commandtrace.h"
#include "app/output/adviceoutput.h"

#include <QSaveFile>

#include <optional>

namespace longpole {

namespace {

struct AdviceAnswer {
    SchedulingAnalysis scheduling{};
    std::vector<Advice> advice{};
};

Result<AdviceAnswer> advise(const TraceStore& store, const Thresholds& thresholds, const Progress& progress)
{
    const Result<RunPaths> paths = runPaths(store, progress);
    if (!paths) return paths.error();
    if (!store.hasEvents()) {
        AdviceAnswer nothing;
        nothing.scheduling.notEvaluated = requireEvents(store).error().what;
        return nothing;
    }
    const auto model = replayModel(store, paths->graph, paths->merges, progress);
    if (!model) return model.error();
    const auto idle = processorIdle(store, progress);
    if (!idle) return idle.error();
    auto found = schedulingAdvice(store, paths->graph, paths->workAtMerges, *idle, **model, thresholds, progress);
    if (!found) return found.error();
    std::vector<Advice> advice = found->advice;
    return AdviceAnswer{std::move(*found), std::move(advice)};
}

Result<> writePriorities(const PriorityList& list, const QString& fileName)
{
    const Result<QByteArray> text = priorityFile(list, fileName);
    if (!text) return text.error();
    QSaveFile file(fileName);
    if (!file.open(QIODevice::WriteOnly) || file.write(*text) != text->size() || !file.commit())
        return Error{file.errorString(), fileName, QString()};
    return Unit{};
}

}  // namespace

ExitCode runAdvise(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const QString priorities = line.value("priorities");
    const bool allEntries = line.has("all-path-entries");
    if (line.has("priorities"))
        if (const auto known = priorityFile({}, priorities); !known) return usageError(line.command, toText(known.error()));
    if (allEntries && !line.has("priorities"))
        return usageError(line.command, tr("--all-path-entries is about the file of --priorities"));
    Thresholds thresholds;
    if (line.has("thresholds")) {
        const Result<Thresholds> read = readThresholds(line.value("thresholds"));
        if (!read) return fail(read.error());
        thresholds = *read;
    }
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    std::optional<Result<AdviceAnswer>> answer;
    withProgress(tr("Replaying the run with priorities"), [&](const Progress& progress) {
        answer = advise(*trace->store, thresholds, progress);
    });
    if (!*answer) return fail(answer->error());
    if (line.has("priorities")) {
        const auto which = allEntries ? ListedEntries::OnThePath : ListedEntries::Advised;
        const Result<> written = writePriorities(priorityList(*trace->store, (*answer)->scheduling, which), priorities);
        if (!written) return fail(written.error());
    }
    return deliver(line, [&](Output& output) {
        writeAdvice(output, *format, *trace->store, (*answer)->advice, (*answer)->scheduling);
    });
}

}  // namespace longpole
