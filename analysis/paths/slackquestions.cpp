// SPDX-License-Identifier: GPL-3.0-or-later
// All of them come from the graph and, for the work path, from its heads.
#include "analysis/paths/slackquestions.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/paths/countedpath.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "analysis/results/storedresults.h"
#include "core/base/drawnhash.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

// Those of the work path; the elapsed path needs none.
Result<std::shared_ptr<const WorkHeads>> headsOf(Results& results, const PathModel& model, const Progress& progress)
{
    if (model.mode == PathMode::Work) return results.ask(HeadsQuestion{model.edges, model.part}, progress);
    return std::make_shared<const WorkHeads>();
}

// The profile of a work path whose tasks hold no others.
std::vector<StoredPath::Row> profileOf(const std::vector<StoredPath::Step>& steps)
{
    std::unordered_map<std::uint32_t, StoredPath::Row, DrawnHash> sums;
    for (const StoredPath::Step& step : steps) {
        StoredPath::Row& row = sums[index(step.entry)];
        row.entry = step.entry;
        ++row.tasks;
        row.time = saturatingAdd(row.time, step.end - step.begin);
    }
    std::vector<StoredPath::Row> rows;
    rows.reserve(sums.size());
    for (const auto& [entry, row] : sums) rows.push_back(row);
    std::sort(rows.begin(), rows.end(), [](const StoredPath::Row& a, const StoredPath::Row& b) {
        return std::tie(b.time, a.entry) < std::tie(a.time, b.entry);
    });
    return rows;
}

NearCriticalPath nearPathOf(const TraceStore& store, StoredNear::Path stored)
{
    StoredPath steps{.steps = std::move(stored.steps)};
    if (!steps.steps.empty()) steps.to = steps.steps.back().task;
    for (const StoredPath::Step& step : steps.steps) steps.length = saturatingAdd(steps.length, step.end - step.begin);
    steps.profile = profileOf(steps.steps);
    auto path = std::make_shared<const CriticalPath>(pathOfStored(store, steps, PathMode::Work, EdgeLevel::Order));
    const std::int64_t processors = processorsOn(*path);
    return {std::move(path), stored.slack, stored.distinct, processors};
}

// As they were found when the trace had all events: as usual, or as longestOther if there are no usual ones.
Result<std::vector<NearCriticalPath>> nearPathsOfParts(const TraceStore& store, const NearCriticalOptions& options)
{
    Result<StoredNear> stored = storedNear(store);
    if (!stored) return stored.error();
    const NearCriticalOptions usual{.count = options.count};
    const bool isAlone = std::none_of(stored->paths.begin(), stored->paths.end(),
                                      [](const StoredNear::Path& path) { return path.isListed; });
    const std::size_t listed = 1 + (isAlone ? 0 : stored->paths.size());
    const bool isListed = options == usual && (options.count <= listed || listed < usualNearPaths);
    if (!isListed && !(isAlone && options == longestOther)) return requireEvents(store).error();
    const Result<StoredPath> work = storedPath(store);
    if (!work) return work.error();
    std::vector<NearCriticalPath> paths;
    if (options.count == 0 || work->steps.empty()) return paths;
    auto first = std::make_shared<const CriticalPath>(pathOfStored(store, *work, PathMode::Work, EdgeLevel::Order));
    const TimeNs length = first->length;
    const std::int64_t processors = processorsOn(*first);
    paths.push_back({std::move(first), 0, length, processors});
    for (StoredNear::Path& path : stored->paths)
        if (paths.size() < options.count && path.isListed != (options == longestOther))
            paths.push_back(nearPathOf(store, std::move(path)));
    return paths;
}

}  // namespace

Result<std::shared_ptr<const Slack>> SlackQuestion::compute(Results& results, const Progress& progress) const
{
    const auto modelled = modelledGraph(results, model, progress);
    if (!modelled.ok()) return modelled.error();
    const auto heads = headsOf(results, model, progress);
    if (!heads.ok()) return heads.error();
    results.makeRoomFor(25 * static_cast<std::int64_t>(modelled->graph->size()));
    return slackOfTasks(*modelled->graph, modelled->model, model.mode == PathMode::Work ? heads->get() : nullptr,
                        progress);
}

std::int64_t SlackQuestion::bytes(const Slack& slack)
{
    return bytesOf(slack.slack) + slack.model.edges.merges.bytes();
}

Result<std::shared_ptr<const SlackPyramid>> SlackPyramidQuestion::compute(Results& results,
                                                                          const Progress& progress) const
{
    const auto graph = results.ask(graphOf(model.mode == PathMode::Work ? model.edges : EdgeLevel::Order, model.part),
                                   progress);
    if (!graph.ok()) return graph.error();
    const auto slack = results.ask(SlackQuestion{model}, progress);
    if (!slack.ok()) return slack.error();
    return std::make_shared<const SlackPyramid>(*graph, *slack);
}

Result<std::shared_ptr<const NearCriticalQuestion::Answer>> NearCriticalQuestion::compute(
    Results& results, const Progress& progress) const
{
    if (results.store().info().isPart() && model == PathModel{})
        return sharedAnswer(nearPathsOfParts(results.store(), options));
    const auto modelled = modelledGraph(results, model, progress);
    if (!modelled.ok()) return modelled.error();
    const auto heads = headsOf(results, model, progress);
    if (!heads.ok()) return heads.error();
    const auto slack = results.ask(SlackQuestion{model}, progress);
    if (!slack.ok()) return slack.error();
    results.makeRoomFor(25 * static_cast<std::int64_t>(modelled->graph->size()));
    Result<Answer> paths = nearCriticalPaths(*modelled->graph, modelled->model, **slack, **heads, options, progress);
    // The first is known already as a rule, and a tenth of all that a large trace's window holds.
    const auto known = results.peek(PathQuestion{.mode = model.mode, .edges = model.edges, .part = model.part});
    if (paths.ok() && known && !paths->empty() && known->steps == paths->front().path->steps)
        paths->front().path = known;
    return sharedAnswer(std::move(paths));
}

std::int64_t NearCriticalQuestion::bytes(const Answer& paths)
{
    return bytesOfAll(paths, [](const NearCriticalPath& near) {
        const bool isShared = near.path.use_count() > 1;  // counts as an answer of its own
        return isShared ? 0 : PathQuestion::bytes(*near.path);
    });
}

}  // namespace longpole
