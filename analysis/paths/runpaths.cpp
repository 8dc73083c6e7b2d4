// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/paths/runpaths.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/paths/pathquestions.h"

#include <utility>

namespace longpole {

Result<std::shared_ptr<const RunPaths>> RunPathsQuestion::compute(Results& results, const Progress& progress) const
{
    auto paths = std::make_shared<RunPaths>();
    if (results.store().info().isSummary()) {
        const auto pathAt = [](EdgeLevel edges) {
            CriticalPath path;
            path.edges = edges;
            return std::make_shared<const CriticalPath>(std::move(path));
        };
        paths->graph = std::make_shared<const ActivityGraph>();
        paths->workAtMessages = pathAt(EdgeLevel::Messages);
        paths->workAtMerges = pathAt(EdgeLevel::Merges);
        paths->workAtOrder = pathAt(EdgeLevel::Order);
        paths->elapsed = std::make_shared<const CriticalPath>(*elapsedPath(*paths->graph));
        return std::shared_ptr<const RunPaths>(std::move(paths));
    }
    if (results.store().info().isPart() && results.store().info().hasRanks()) {
        paths->graph = std::make_shared<const ActivityGraph>();
    } else {
        const auto graph = results.ask(GraphQuestion{}, progress);
        if (!graph.ok()) return graph.error();
        paths->graph = *graph;
    }
    const std::pair<PathQuestion, std::shared_ptr<const CriticalPath>*> wanted[] = {
        {{.edges = EdgeLevel::Messages}, &paths->workAtMessages},
        {{.edges = EdgeLevel::Merges}, &paths->workAtMerges},
        {{.edges = EdgeLevel::Order}, &paths->workAtOrder},
        {{.mode = PathMode::Elapsed}, &paths->elapsed},
    };
    for (const auto& [question, path] : wanted) {
        const auto found = results.ask(question, progress);
        if (!found.ok()) return found.error();
        *path = *found;
    }
    return std::shared_ptr<const RunPaths>(std::move(paths));
}

std::int64_t RunPathsQuestion::bytes(const RunPaths&) { return 0; }

}  // namespace longpole
