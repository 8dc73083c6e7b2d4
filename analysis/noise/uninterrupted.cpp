// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/noise/uninterrupted.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/noise/noisequestions.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "core/base/wide.h"

#include <algorithm>
#include <unordered_map>

namespace longpole {

namespace {

// Per graph task that lost time: its duration, and what is left of it.
class Shortened {
public:
    Shortened(const ActivityGraph& graph, const InterruptedTasks& tasks)
    {
        for (const auto& [id, lost] : tasks) {
            const std::uint32_t task = graph.find(id);
            if (task == noTask) continue;
            const TimeNs duration = graph.duration[task];
            Lengths& lengths = m_lengths.try_emplace(task, Lengths{duration, duration}).first->second;
            lengths.left = std::max<TimeNs>(0, lengths.left - std::max<TimeNs>(0, lost));
        }
    }

    // A time inside the task, from its begin.
    TimeNs scaled(std::uint32_t task, TimeNs time) const
    {
        const auto found = m_lengths.find(task);
        if (found == m_lengths.end() || found->second.whole <= 0) return time;
        return static_cast<TimeNs>(Wide{time} * found->second.left / found->second.whole);
    }

private:
    struct Lengths {
        TimeNs whole = 0, left = 0;
    };
    std::unordered_map<std::uint32_t, Lengths> m_lengths;
};

void shorten(std::vector<MergeEdge>& merges, const Shortened& shortened)
{
    for (MergeEdge& merge : merges) merge.offset = shortened.scaled(merge.source, merge.offset);
    std::sort(merges.begin(), merges.end());
}

}  // namespace

InterruptedTasks interruptedTasks(const Noise& noise)
{
    InterruptedTasks tasks;
    for (const StretchedTask& task : noise.worst)
        if (task.isInterrupted) tasks[task.task] = task.lost;
    return tasks;
}

std::shared_ptr<const ActivityGraph> uninterrupted(const ActivityGraph& graph, const InterruptedTasks& tasks)
{
    const Shortened shortened(graph, tasks);
    auto copy = std::make_shared<ActivityGraph>(graph);
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        copy->duration.set(task, shortened.scaled(task, graph.duration[task]));
        if (const std::uint32_t source = graph.source[task]; source != noTask)
            copy->offset.set(task, shortened.scaled(source, graph.offset[task]));
    }
    for (ActivityGraph::Inner& inner : copy->inner) {
        const TimeNs begin = graph.begin[inner.task];
        inner.begin = begin + shortened.scaled(inner.task, inner.begin - begin);
        inner.end = begin + shortened.scaled(inner.task, inner.end - begin);
    }
    shorten(copy->merges, shortened);
    return copy;
}

Dependencies uninterrupted(const ActivityGraph& graph, const Dependencies& edges, const InterruptedTasks& tasks)
{
    std::vector<MergeEdge> merges = edges.merges;
    shorten(merges, Shortened(graph, tasks));
    return {.level = edges.level, .merges = std::move(merges)};
}

Result<std::shared_ptr<const UninterruptedModel>> UninterruptedModelQuestion::compute(Results& results,
                                                                                      const Progress& progress) const
{
    const auto graph = results.ask(graphOf(edges, part), progress);
    if (!graph.ok()) return graph.error();
    const auto noise = results.ask(allNoise(), progress);
    if (!noise.ok()) return noise.error();
    Result<Dependencies> known = pathEdges(results, edges, part, progress);
    if (!known.ok()) return known.error();
    const InterruptedTasks tasks = interruptedTasks(**noise);
    auto model = std::make_shared<UninterruptedModel>();
    model->modelled = {uninterrupted(**graph, tasks), {PathMode::Work, uninterrupted(**graph, *known, tasks)}};
    const ActivityGraph& shortened = *model->modelled.graph;
    model->heads = workHeads(shortened, model->modelled.model.edges, progress);
    if (model->heads.head.size() != shortened.size()) return cancelledError();
    return std::shared_ptr<const UninterruptedModel>(std::move(model));
}

std::int64_t UninterruptedModelQuestion::bytes(const UninterruptedModel& model)
{
    return GraphQuestion::bytes(*model.modelled.graph) + HeadsQuestion::bytes(model.heads)
           + model.modelled.model.edges.merges.bytes();
}

Result<std::shared_ptr<const CriticalPath>> UninterruptedPathQuestion::compute(Results& results,
                                                                               const Progress& progress) const
{
    const auto model = results.ask(UninterruptedModelQuestion{edges, part}, progress);
    if (!model.ok()) return model.error();
    return sharedAnswer(workPath(*(*model)->modelled.graph, (*model)->heads, to));
}

std::int64_t UninterruptedPathQuestion::bytes(const CriticalPath& path) { return PathQuestion::bytes(path); }

}  // namespace longpole
