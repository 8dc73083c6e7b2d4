// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/messagearrows.h"

#include <algorithm>

namespace longpole {

namespace {

void add(MessageArrows& arrows, MessageArrow arrow)
{
    if (arrows.arrows.size() < mostArrows) arrows.arrows.push_back(arrow);
    else ++arrows.omitted;
}

MessageArrow arrowTo(const ActivityGraph& graph, std::uint32_t task)
{
    const std::uint32_t source = graph.source[task];
    return {graph.id(source), graph.id(task), graph.begin[source] + graph.offset[task], graph.begin[task],
            (graph.flags[task] & ActivityGraph::Estimated) != 0};
}

// Adds the arrow of the message that started a task, as the store knows it. Returns the message's sender; an invalid id
// if it is not known.
TaskId addIncoming(MessageArrows& arrows, const TraceStore& store, TaskId task)
{
    const Result<TaskDetail> detail = store.task(task);
    if (!detail || !detail->source.isValid()) return {};
    const Result<TaskDetail> from = store.task(detail->source);
    if (!from) return {};
    add(arrows, {detail->source, task, detail->sent.value_or(saturatingAdd(from->range.begin, detail->sourceOffset)),
                 detail->range.begin, detail->receivedEstimated});
    return detail->source;
}

}  // namespace

MessageArrows oneStepArrows(const TraceStore& store, const ActivityGraph* graph, TaskId task)
{
    MessageArrows arrows;
    addIncoming(arrows, store, task);
    if (!graph) return arrows;
    const std::uint32_t node = graph->find(task);
    if (node == noTask) return arrows;
    for (std::uint32_t target = 0; target < graph->size(); ++target)
        if (graph->source[target] == node && (graph->flags[target] & ActivityGraph::BlockEdge) == 0)
            add(arrows, arrowTo(*graph, target));
    return arrows;
}

MessageArrows chainArrows(const TraceStore& store, const ActivityGraph* graph, TaskId task)
{
    MessageArrows arrows;
    if (graph) {
        std::uint32_t node = graph->find(task);
        while (node != noTask && graph->source[node] != noTask) {
            add(arrows, arrowTo(*graph, node));
            node = graph->source[node];
        }
        return arrows;
    }
    // Without the graph each step reads from the file: those beyond the cap are not even counted.
    while (arrows.arrows.size() < mostArrows && task.isValid()) task = addIncoming(arrows, store, task);
    return arrows;
}

MessageArrows culpritArrow(const TraceStore& store, const MpiCallRow& call)
{
    MessageArrows arrows;
    if (call.culprit < 0 || call.culpritSeq < 0) return arrows;
    const auto rank = static_cast<std::uint32_t>(call.culprit);
    const Result<std::optional<MpiCallRow>> culprit = mpiCall(store, rank, call.culpritSeq);
    if (!culprit || !*culprit) return arrows;
    const auto task = [](const MpiCallRow& row) {
        return TaskId{ProcessorId{row.rank}, static_cast<std::uint32_t>(std::max<std::int64_t>(0, row.task))};
    };
    add(arrows, {task(**culprit), task(call), (*culprit)->range.begin, saturatingAdd(call.range.begin, call.waitBefore),
                 false});
    return arrows;
}

}  // namespace longpole
