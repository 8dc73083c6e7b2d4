// SPDX-License-Identifier: GPL-3.0-or-later
// All of them come from the graph and, for the work path, from its heads.
#include "analysis/paths/slackquestions.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

namespace longpole {

namespace {

// Those of the work path; the elapsed path needs none.
Result<std::shared_ptr<const WorkHeads>> headsOf(Results& results, const PathModel& model, const Progress& progress)
{
    if (model.mode == PathMode::Work) return results.ask(HeadsQuestion{model.edges, model.part}, progress);
    return std::make_shared<const WorkHeads>();
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
