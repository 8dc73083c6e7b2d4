// SPDX-License-Identifier: GPL-3.0-or-later
// Computes and keeps them.
#include "views/state/pathresults.h"

namespace longpole {

PathResults::PathResults(std::shared_ptr<const TraceStore> store, std::shared_ptr<const ActivityGraph> graph)
    : m_store(std::move(store)), m_graph(std::move(graph))
{
}

Result<Dependencies> PathResults::edges(EdgeLevel level, const Progress& progress)
{
    if (level != EdgeLevel::Merges) return dependencies(*m_graph, level);
    const Result<std::shared_ptr<const MergeInference>> inferred = merges(progress);
    if (!inferred.ok()) return inferred.error();
    return dependencies(*m_graph, level, (*inferred)->edges);
}

Result<std::shared_ptr<const MergeInference>> PathResults::merges(const Progress& progress)
{
    return m_inferred.get(progress, [&]() -> Result<std::shared_ptr<const MergeInference>> {
        Result<MergeInference> inferred = inferMerges(*m_store, *m_graph, progress);
        if (!inferred.ok()) return inferred.error();
        return std::make_shared<const MergeInference>(std::move(*inferred));
    });
}

Result<std::shared_ptr<const WorkHeads>> PathResults::heads(EdgeLevel level, const Progress& progress)
{
    return m_heads[at(level)].get(progress, [&]() -> Result<std::shared_ptr<const WorkHeads>> {
        Result<Dependencies> known = edges(level, progress);
        if (!known.ok()) return known.error();
        auto heads = std::make_shared<const WorkHeads>(workHeads(*m_graph, std::move(*known), progress));
        if (heads->head.size() != m_graph->size()) return cancelledError();
        return heads;
    });
}

Result<std::shared_ptr<const SlackPyramid>> PathResults::slack(const PathModel& model, const Progress& progress)
{
    using Answer = Result<std::shared_ptr<const SlackPyramid>>;
    const bool elapsed = model.mode == PathMode::Elapsed;
    ComputedOnce<SlackPyramid>& wanted = m_slack[elapsed ? m_slack.size() - 1 : at(model.edges)];
    return wanted.get(progress, [&]() -> Answer {
        for (ComputedOnce<SlackPyramid>& other : m_slack)
            if (&other != &wanted) other.forget();
        std::shared_ptr<const WorkHeads> known;
        if (!elapsed) {
            Result<std::shared_ptr<const WorkHeads>> computed = heads(model.edges, progress);
            if (!computed.ok()) return computed.error();
            known = *computed;
        }
        const WhatIfModel whatIf{.mode = model.mode,
                                 .edges = known ? known->edges : dependencies(*m_graph, EdgeLevel::Order)};
        const Result<std::shared_ptr<const Slack>> slack = slackOfTasks(*m_graph, whatIf, known.get(), progress);
        if (!slack.ok()) return slack.error();
        return std::make_shared<const SlackPyramid>(m_graph, *slack);
    });
}

Result<std::vector<NearCriticalPath>> PathResults::nearCritical(const PathModel& model, const Progress& progress)
{
    const Result<std::shared_ptr<const SlackPyramid>> known = slack(model, progress);
    if (!known.ok()) return known.error();
    const Slack& slack = (*known)->slack();
    if (model.mode == PathMode::Elapsed)
        return nearCriticalPaths(*m_graph, slack.model, slack, WorkHeads{}, NearCriticalOptions{}, progress);
    const Result<std::shared_ptr<const WorkHeads>> computed = heads(model.edges, progress);
    if (!computed.ok()) return computed.error();
    return nearCriticalPaths(*m_graph, slack.model, slack, **computed, NearCriticalOptions{}, progress);
}

Result<std::shared_ptr<const CriticalPath>> PathResults::path(const PathQuestion& question, const Progress& progress)
{
    const bool whole = question.range.isEmpty();
    Result<CriticalPath> path = [&]() -> Result<CriticalPath> {
        if (question.mode == PathMode::Sweep) return whole ? sweepPath(*m_graph) : sweepPath(*m_graph, question.range);
        if (question.mode == PathMode::Elapsed)
            return whole ? elapsedPath(*m_graph, question.to) : elapsedPath(*m_graph, question.range, question.to);
        if (whole) {
            const Result<std::shared_ptr<const WorkHeads>> known = heads(question.edges, progress);
            if (!known.ok()) return known.error();
            return workPath(*m_graph, **known, question.to);
        }
        const Result<Dependencies> known = edges(question.edges, progress);
        if (!known.ok()) return known.error();
        return workPath(*m_graph, *known, question.range, question.to);
    }();
    if (progress.isCancelled()) return cancelledError();
    if (!path.ok()) return path.error();
    return std::make_shared<const CriticalPath>(std::move(*path));
}

Result<std::vector<PathShare>> PathResults::shares(const CriticalPath& path, ProfileBy by, TimeRange range,
                                                   const Progress& progress)
{
    const auto sum = [&]() -> Result<std::shared_ptr<const BusyTimes>> {
        Result<BusyTimes> busy = busyTimes(*m_store, *m_graph, range, by, progress);
        if (!busy.ok()) return busy.error();
        return std::make_shared<const BusyTimes>(std::move(*busy));
    };
    const Result<std::shared_ptr<const BusyTimes>> busy = range.isEmpty()
                                                              ? m_busy[static_cast<std::size_t>(by)].get(progress, sum)
                                                              : sum();
    if (!busy.ok()) return busy.error();
    return pathShares(*m_store, *m_graph, path, by, **busy, progress);
}

Result<std::vector<ExposingTask>> PathResults::exposing(EdgeLevel level, const Progress& progress)
{
    constexpr std::size_t most = 10;
    const Result<Dependencies> known = edges(level, progress);
    if (!known.ok()) return known.error();
    return exposingTasks(*m_graph, *known, most, progress);
}

Result<TimeNs> PathResults::length(EdgeLevel level, const Progress& progress)
{
    std::shared_ptr<const WorkHeads> heads = headsIfThere(level);
    if (!heads) {
        Result<Dependencies> known = edges(level, progress);
        if (!known.ok()) return known.error();
        heads = std::make_shared<const WorkHeads>(workHeads(*m_graph, std::move(*known), progress));
    }
    if (heads->head.size() != m_graph->size()) return cancelledError();
    const std::uint32_t last = farthestEnd(*m_graph, *heads);
    return last == noTask ? TimeNs{0} : heads->head[last] + m_graph->duration[last];
}

}  // namespace longpole
