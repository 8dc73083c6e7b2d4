// SPDX-License-Identifier: GPL-3.0-or-later
// longpole tree: the decision tree of a run, and the file of its thresholds.
#include "analysis/expert/decisiontree.h"
#include "analysis/expert/expert.h"
#include "analysis/paths/runpaths.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/thresholdsoption.h"
#include "app/commands/commands.h"
#include "app/output/treeoutput.h"

#include <optional>

namespace longpole {

namespace {

// A summary has no executions for the branches: the upper nodes are judged, the others say what they miss.
Result<DecisionTree> treeOfSums(const TraceStore& store, const Thresholds& thresholds, const Progress& progress)
{
    const auto idle = processorIdle(store, progress);
    if (!idle) return idle.error();
    const RunPaths none;
    return decisionTree({store, ActivityGraph{}, none.merges, none.workAtMessages, none.workAtMerges, none.elapsed,
                         *idle, SchedulingAnalysis{}, SharedAccess{}, thresholds},
                        progress);
}

Result<DecisionTree> treeOf(const TraceStore& store, const Thresholds& thresholds, const Progress& progress)
{
    if (!store.hasEvents()) return treeOfSums(store, thresholds, progress);
    const auto found = expert(store, thresholds, progress);
    if (!found) return found.error();
    return (*found)->tree;
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
    const auto thresholds = thresholdsOf(line);
    if (!thresholds) return ExitCode::BadInput;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    std::optional<Result<DecisionTree>> tree;
    withProgress(tr("Going down the decision tree"),
                 [&](const Progress& progress) { tree = treeOf(*trace->store, *thresholds, progress); });
    if (!*tree) return fail(tree->error());
    return deliver(line, [&](Output& output) { writeTree(output, *format, *trace->store, **tree); });
}

}  // namespace longpole
