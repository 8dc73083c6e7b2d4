// SPDX-License-Identifier: GPL-3.0-or-later
// Finds heads and paths from the graph and the merges that others may have asked for.
#include "analysis/paths/pathquestions.h"

#include "analysis/base/naming.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/paths/elapsedsteps.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "analysis/results/storedresults.h"
#include "core/base/drawnhash.h"

#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

Result<WorkHeads> computedHeads(Results& results, EdgeLevel edges, TimeRange part, const Progress& progress)
{
    const auto graph = results.ask(graphOf(edges, part), progress);
    if (!graph.ok()) return graph.error();
    Result<Dependencies> known = pathEdges(results, edges, part, progress);
    if (!known.ok()) return known.error();
    WorkHeads heads = workHeads(**graph, std::move(*known), progress);
    if (heads.head.size() != (*graph)->size()) return cancelledError();
    return heads;
}

// Heads of processor order serve slack and steps along the path too, and those of a chosen end serve the next one; else
// nobody asks for them again as a rule, and they are as large as all that the path's own steps take.
bool keepsHeads(const PathQuestion& question) { return keepsOrder(question.edges) || question.to; }

Result<CriticalPath> wholePath(const PathQuestion& question, const ActivityGraph& graph, Results& results,
                               const Progress& progress)
{
    if (question.mode == PathMode::Sweep) return sweepPath(graph);
    if (question.mode == PathMode::Elapsed) return elapsedPath(graph, question.to, progress);
    const HeadsQuestion asked{question.edges, question.part};
    if (!keepsHeads(question) && !results.peek(asked)) {
        const Result<WorkHeads> heads = computedHeads(results, question.edges, question.part, progress);
        if (!heads.ok()) return heads.error();
        return workPath(graph, *heads, question.to);
    }
    const auto heads = results.ask(asked, progress);
    if (!heads.ok()) return heads.error();
    return workPath(graph, **heads, question.to);
}

Result<CriticalPath> pathOfRange(const PathQuestion& question, const ActivityGraph& graph, Results& results,
                                 const Progress& progress)
{
    if (question.mode == PathMode::Sweep) return sweepPath(graph, question.range);
    if (question.mode == PathMode::Elapsed) return elapsedPath(graph, question.range, question.to, progress);
    const Result<Dependencies> edges = pathEdges(results, question.edges, question.part, progress);
    if (!edges.ok()) return edges.error();
    return workPath(graph, *edges, question.range, question.to, progress);
}

// Whether this path is computed for a trace while it has all events: those of the whole run that others refer to. The
// elapsed path has no level, and that of ranks is the same at all levels but Data.
bool isKept(const PathQuestion& question, const TraceStore& store)
{
    const bool isOrder = question.edges == EdgeLevel::Order || question.edges == EdgeLevel::Merges
                         || (store.info().hasRanks() && question.edges != EdgeLevel::Data);
    const bool isUsual = question.mode == PathMode::Elapsed || (question.mode == PathMode::Work && isOrder);
    return isUsual && question == PathQuestion{.mode = question.mode, .edges = question.edges};
}

// The path that was computed when the trace had all events.
Result<CriticalPath> pathOfParts(const TraceStore& store, const PathQuestion& question)
{
    const bool isElapsed = question.mode == PathMode::Elapsed;
    const bool isMerged = !isElapsed && !store.info().hasRanks() && question.edges == EdgeLevel::Merges;
    const Result<StoredPath> stored = isElapsed  ? storedElapsedPath(store)
                                      : isMerged ? storedMergedPath(store)
                                                 : storedPath(store);
    if (!stored) return stored.error();
    const bool isOrder = isElapsed || store.info().hasRanks();
    return pathOfStored(store, *stored, question.mode, isOrder ? EdgeLevel::Order : question.edges);
}

}  // namespace

CriticalPath pathOfStored(const TraceStore& store, const StoredPath& stored, PathMode mode, EdgeLevel edges)
{
    CriticalPath path;
    path.mode = mode;
    path.edges = edges;
    path.to = stored.to;
    path.length = stored.length;
    path.duration = store.info().range().length();
    for (const StoredPath::Step& step : stored.steps) {
        const auto part = static_cast<PathPart>(step.part);
        path.steps.push_back({.task = step.task,
                              .pe = step.task.pe,
                              .entry = step.entry,
                              .begin = step.begin,
                              .end = step.end,
                              .part = part,
                              .edge = static_cast<PathEdge>(step.edge),
                              .doubtful = step.isDoubtful});
        TimeNs& sum = partOf(path.parts, part);
        sum = saturatingAdd(sum, step.end - step.begin);
        if (step.isDoubtful) path.doubtfulWeight = saturatingAdd(path.doubtfulWeight, step.end - step.begin);
    }
    if (mode == PathMode::Elapsed && path.steps.empty()) {  // nothing ran
        path.parts.unexplained = path.duration;
        path.length = path.duration;
    }
    TimeNs busy = 0;
    std::unordered_map<std::uint32_t, TimeNs, DrawnHash> busyOf;
    for (const ProfileRow& row : store.profile()) {
        TimeNs& own = busyOf[index(row.entry)];
        own = saturatingAdd(own, row.exclusive);
        busy = saturatingAdd(busy, row.exclusive);
    }
    TimeNs inProfile = 0;
    for (const StoredPath::Row& row : stored.profile) inProfile = saturatingAdd(inProfile, row.time);
    for (const StoredPath::Row& row : stored.profile) {
        const auto own = busyOf.find(index(row.entry));
        path.profile.push_back({.entry = row.entry,
                                .count = row.tasks,
                                .time = row.time,
                                .share = ratio(row.time, inProfile),
                                .busyShare = own != busyOf.end() ? ratio(own->second, busy) : 0});
    }
    return path;
}

Result<Dependencies> pathEdges(Results& results, EdgeLevel level, TimeRange part, const Progress& progress)
{
    const auto graph = results.ask(graphOf(level, part), progress);
    if (!graph.ok()) return graph.error();
    if (level != EdgeLevel::Merges) return dependencies(**graph, level);
    const auto inferred = results.ask(MergesQuestion{part}, progress);
    if (!inferred.ok()) return inferred.error();
    return dependencies(**graph, level, std::shared_ptr<const std::vector<MergeEdge>>(*inferred, &(*inferred)->edges));
}

Result<std::shared_ptr<const WorkHeads>> HeadsQuestion::compute(Results& results, const Progress& progress) const
{
    return sharedAnswer(computedHeads(results, edges, part, progress));
}

std::int64_t HeadsQuestion::bytes(const WorkHeads& heads) { return bytesOf(heads.head) + heads.edges.merges.bytes(); }

Result<std::shared_ptr<const CriticalPath>> PathQuestion::compute(Results& results, const Progress& progress) const
{
    if (results.store().info().isPart() && isKept(*this, results.store()))
        return sharedAnswer(pathOfParts(results.store(), *this));
    const auto graph = results.ask(graphOf(mode == PathMode::Work ? edges : EdgeLevel::Order, part), progress);
    if (!graph.ok()) return graph.error();
    Result<CriticalPath> path = range.isEmpty() ? wholePath(*this, **graph, results, progress)
                                                : pathOfRange(*this, **graph, results, progress);
    if (progress.isCancelled()) return cancelledError();
    return sharedAnswer(std::move(path));
}

std::int64_t PathQuestion::bytes(const CriticalPath& path)
{
    return static_cast<std::int64_t>(sizeof(path)) + bytesOf(path.steps) + bytesOf(path.profile);
}

PathModel modelOf(const PathQuestion& question)
{
    if (question.mode == PathMode::Elapsed)
        return {.mode = PathMode::Elapsed, .edges = EdgeLevel::Order, .part = question.part};
    return {.mode = PathMode::Work, .edges = question.edges, .part = question.part};
}

Result<ModelledGraph> modelledGraph(Results& results, const PathModel& model, const Progress& progress)
{
    const EdgeLevel level = model.mode == PathMode::Work ? model.edges : EdgeLevel::Order;
    const auto graph = results.ask(graphOf(level, model.part), progress);
    if (!graph.ok()) return graph.error();
    Result<Dependencies> edges = pathEdges(results, level, model.part, progress);
    if (!edges.ok()) return edges.error();
    return ModelledGraph{*graph, {model.mode, std::move(*edges)}};
}

}  // namespace longpole
