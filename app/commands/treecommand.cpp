// longpole tree: the decision tree of a run, and the file of its thresholds.
#include "analysis/decisiontree.h"
#include "analysis/replay.h"
#include "analysis/runpaths.h"
#include "app/commands/commands.h"
#include "app/commands/commandtrace.h"
#include "app/output/treeoutput.h"

#include <optional>

namespace longpole {

namespace {

// Branches C, E and H, which have analyses of their own; a summary has nothing for them.
struct Branches {
    SchedulingAnalysis scheduling{};
    SharedAccess shared{};
};

Result<Branches> branches(const TraceStore& store, const RunPaths& paths, const ProcessorIdle& idle,
                          const Thresholds& thresholds, const Progress& progress)
{
    if (!store.hasEvents()) return Branches{};
    const auto model = replayModel(store, paths.graph, paths.merges, progress);
    if (!model) return model.error();
    auto scheduling = schedulingAdvice(store, paths.graph, paths.workAtMerges, idle, **model, thresholds, progress);
    if (!scheduling) return scheduling.error();
    auto shared = sharedAccess(store, thresholds, progress);
    if (!shared) return shared.error();
    return Branches{std::move(*scheduling), std::move(*shared)};
}

Result<DecisionTree> treeOf(const TraceStore& store, const Thresholds& thresholds, const Progress& progress)
{
    const Result<RunPaths> paths = runPaths(store, progress);
    if (!paths) return paths.error();
    const auto idle = processorIdle(store, progress);
    if (!idle) return idle.error();
    const Result<Branches> found = branches(store, *paths, *idle, thresholds, progress);
    if (!found) return found.error();
    const ActivityGraph empty;
    return decisionTree({store, paths->graph ? *paths->graph : empty, paths->merges, paths->workAtMessages,
                         paths->workAtMerges, paths->elapsed, *idle, found->scheduling, found->shared, thresholds},
                        progress);
}

}  // namespace

ExitCode runTree(const CommandLine& line)
{
    if (line.has("default-thresholds")) {
        if (!line.arguments.isEmpty() || line.has("thresholds") || line.has("json") || line.has("csv"))
            return usageError(line.command, tr("--default-thresholds stands alone"));
        return deliver(line, [](Output& output) { output.write(defaultThresholdsFile()); });
    }
    if (line.arguments.isEmpty()) return usageError(line.command, tr("TRACE missing"));
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    Thresholds thresholds;
    if (line.has("thresholds")) {
        const Result<Thresholds> read = readThresholds(line.value("thresholds"));
        if (!read) return fail(read.error());
        thresholds = *read;
    }
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    std::optional<Result<DecisionTree>> tree;
    withProgress(tr("Going down the decision tree"),
                 [&](const Progress& progress) { tree = treeOf(*trace->store, thresholds, progress); });
    if (!*tree) return fail(tree->error());
    return deliver(line, [&](Output& output) { writeTree(output, *format, *trace->store, **tree); });
}

}  // namespace longpole
