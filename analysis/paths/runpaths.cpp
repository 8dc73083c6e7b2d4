// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/paths/runpaths.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/paths/pathquestions.h"

#include <utility>

namespace longpole {

namespace {

// The work path at one edge level; the heads' memory serves the next level.
Result<CriticalPath> pathAt(const ActivityGraph& graph, Dependencies edges, WorkHeads& heads, const Progress& progress)
{
    heads = workHeads(graph, std::move(edges), progress, std::move(heads));
    return workPath(graph, heads);
}

}  // namespace

Result<RunPaths> runPaths(const TraceStore& store, const Progress& progress)
{
    Result<std::shared_ptr<const ActivityGraph>> graph = store.hasEvents() ? loadActivityGraph(store, progress)
                                                                           : std::make_shared<const ActivityGraph>();
    if (!graph) return graph.error();
    return runPaths(store, std::move(*graph), progress);
}

Result<RunPaths> runPaths(const TraceStore& store, std::shared_ptr<const ActivityGraph> graph, const Progress& progress)
{
    RunPaths paths;
    paths.graph = std::move(graph);
    Result<MergeInference> merges = inferMerges(store, *paths.graph, progress);
    if (!merges) return merges.error();
    paths.merges = std::move(*merges);
    WorkHeads heads;
    const std::pair<EdgeLevel, CriticalPath*> levels[] = {{EdgeLevel::Messages, &paths.workAtMessages},
                                                          {EdgeLevel::Merges, &paths.workAtMerges},
                                                          {EdgeLevel::Order, &paths.workAtOrder}};
    for (const auto& [level, path] : levels) {
        const bool takesInferred = level == EdgeLevel::Merges;
        Result<CriticalPath> found = pathAt(*paths.graph,
                                            takesInferred ? dependencies(*paths.graph, level, paths.merges.edges)
                                                          : dependencies(*paths.graph, level),
                                            heads, progress);
        if (!found) return found.error();
        *path = std::move(*found);
    }
    Result<CriticalPath> elapsed = elapsedPath(*paths.graph);
    if (!elapsed) return elapsed.error();
    paths.elapsed = std::move(*elapsed);
    return paths;
}

Result<std::shared_ptr<const RunPaths>> RunPathsQuestion::compute(Results& results, const Progress& progress) const
{
    auto paths = std::make_shared<RunPaths>();
    if (!results.store().hasEvents()) {
        Result<RunPaths> empty = runPaths(results.store(), std::make_shared<const ActivityGraph>(), progress);
        if (!empty.ok()) return empty.error();
        return std::make_shared<const RunPaths>(std::move(*empty));
    }
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    paths->graph = *graph;
    const auto merges = results.ask(MergesQuestion{}, progress);
    if (!merges.ok()) return merges.error();
    paths->merges = **merges;
    const std::pair<PathQuestion, CriticalPath*> wanted[] = {
        {{.edges = EdgeLevel::Messages}, &paths->workAtMessages},
        {{.edges = EdgeLevel::Merges}, &paths->workAtMerges},
        {{.edges = EdgeLevel::Order}, &paths->workAtOrder},
        {{.mode = PathMode::Elapsed}, &paths->elapsed},
    };
    for (const auto& [question, path] : wanted) {
        const auto found = results.ask(question, progress);
        if (!found.ok()) return found.error();
        *path = **found;
    }
    return std::shared_ptr<const RunPaths>(std::move(paths));
}

std::int64_t RunPathsQuestion::bytes(const RunPaths& paths)
{
    return MergesQuestion::bytes(paths.merges) + PathQuestion::bytes(paths.workAtMessages)
           + PathQuestion::bytes(paths.workAtMerges) + PathQuestion::bytes(paths.workAtOrder)
           + PathQuestion::bytes(paths.elapsed);
}

}  // namespace longpole
