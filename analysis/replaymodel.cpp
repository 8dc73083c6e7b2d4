#include "analysis/replaymodel.h"

#include "analysis/bigarray.h"
#include "analysis/elapseddelays.h"
#include "analysis/pathend.h"
#include "analysis/reductionmerges.h"
#include "analysis/replayarrivals.h"
#include "analysis/taskobjects.h"

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

constexpr std::uint32_t mostEntries = 1u << 22;

// What each task's messages start, in the order in which they leave.
void listSends(ReplayModel& model)
{
    const ActivityGraph& graph = *model.graph;
    const auto isSent = [&](std::uint32_t task) {
        return graph.source[task] != noTask && !model.is(task, ReplayModel::Joined);
    };
    model.firstSend = bigArray<std::uint32_t>(graph.size() + 1);
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        if (isSent(task)) ++model.firstSend[graph.source[task] + 1];
    std::partial_sum(model.firstSend.begin(), model.firstSend.end(), model.firstSend.begin());
    model.sends = bigArray<std::uint32_t>(model.firstSend.back());
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        if (isSent(task)) model.sends[model.firstSend[graph.source[task]]++] = task;
    for (std::size_t task = graph.size(); task > 0; --task) model.firstSend[task] = model.firstSend[task - 1];
    model.firstSend[0] = 0;
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        std::stable_sort(model.sends.begin() + model.firstSend[task], model.sends.begin() + model.firstSend[task + 1],
                         [&](std::uint32_t a, std::uint32_t b) { return graph.offset[a] < graph.offset[b]; });
}

void takeJoins(ReplayModel& model, ReplayJoins joins)
{
    model.joins = std::move(joins);
    for (const std::uint32_t task : model.joins.members) model.traits[task] |= ReplayModel::Member;
    for (const std::uint32_t task : model.joins.targets) model.traits[task] |= ReplayModel::Joined;
}

void takeMerges(ReplayModel& model, const std::vector<MergeEdge>& recorded)
{
    for (const MergeEdge& edge : recorded) {
        model.traits[edge.task] |= ReplayModel::Merged;
        model.traits[edge.source] |= ReplayModel::MergeSource;
        if (model.merged.empty() || model.merged.back() != edge.task) {
            model.merged.push_back(edge.task);
            model.mergesLeft.push_back(0);
        }
        ++model.mergesLeft.back();
    }
    model.merges = recorded;
    std::sort(model.merges.begin(), model.merges.end(), [](const MergeEdge& a, const MergeEdge& b) {
        return std::tie(a.source, a.task, a.offset) < std::tie(b.source, b.task, b.offset);
    });
}

std::shared_ptr<const ReplayModel> makeModel(std::shared_ptr<const ActivityGraph> graph, ReplayJoins joins,
                                             const ReplayFacts& facts)
{
    auto model = std::make_shared<ReplayModel>();
    model->graph = std::move(graph);
    model->afterLastEnd = delayAfterLastEnd(*model->graph);
    findArrivals(*model, facts);
    takeJoins(*model, std::move(joins));
    takeMerges(*model, model->graph->merges);
    listSends(*model);
    return model;
}

// Reductions are passed on in expedited messages.
bool isReduction(const Entry& entry)
{
    return entry.chare.contains(QLatin1String("ReductionMgr")) && entry.name.startsWith(QLatin1String("RecvMsg"));
}

ReplayFacts factsOf(const TraceStore& store)
{
    ReplayFacts facts;
    for (const Entry& entry : store.entries()) {
        const std::size_t id = index(entry.id);
        if (id >= mostEntries) continue;
        if (id >= facts.isSystem.size()) {
            facts.isSystem.resize(id + 1, 0);
            facts.isExpedited.resize(id + 1, 0);
        }
        facts.isSystem[id] = entry.kind == EntryKind::System;
        facts.isExpedited[id] = isReduction(entry);
    }
    for (const Processor& processor : store.processors()) {
        const std::size_t pe = index(processor.pe);
        if (pe >= mostEntries) continue;
        if (pe >= facts.nodeOf.size()) facts.nodeOf.resize(pe + 1, 0);
        facts.nodeOf[pe] = processor.process;
    }
    return facts;
}

}  // namespace

Result<std::shared_ptr<const ReplayModel>> replayModel(const TraceStore& store,
                                                       std::shared_ptr<const ActivityGraph> graph,
                                                       const MergeInference& merges, const Progress& progress)
{
    const Result<TaskObjects> objects = taskObjects(store, *graph, progress);
    if (!objects) return objects.error();
    const Reductions reductions = findReductions(*graph, *objects, store.entries(), {});
    if (progress.isCancelled()) return cancelledError();
    ReplayJoins joins = findJoins(*graph, merges.edges, {&*objects, &reductions});
    if (progress.isCancelled()) return cancelledError();
    return makeModel(std::move(graph), std::move(joins), factsOf(store));
}

std::shared_ptr<const ReplayModel> replayModel(std::shared_ptr<const ActivityGraph> graph,
                                               const std::vector<MergeEdge>& inferred)
{
    ReplayJoins joins = findJoins(*graph, inferred, {});
    return makeModel(std::move(graph), std::move(joins), {});
}

}  // namespace longpole
