// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/tasknavigation.h"

#include "analysis/mpi/calls.h"
#include "core/store/rows.h"

#include <algorithm>

namespace longpole {

std::optional<SelectedPlace> placeOf(const TraceStore& store, const Selection& selection)
{
    if (selection.task.isValid()) {
        const Result<TaskDetail> task = store.task(selection.task);
        if (task) return SelectedPlace{.pe = selection.task.pe, .range = task->range};
    } else if (selection.message.isValid()) {
        const Result<MessageDetail> message = store.message(selection.message);
        const auto end = [](const MessageDetail& m) { return std::max<TimeNs>(1, m.sendDuration); };
        if (message)
            return SelectedPlace{.pe = selection.message.pe,
                                 .range = {message->sent, saturatingAdd(message->sent, end(*message))}};
    } else if (selection.call.isValid()) {
        const Result<std::optional<MpiCallRow>> call = mpiCall(store, selection.call.rank, selection.call.seq);
        if (call && *call)
            return SelectedPlace{.pe = ProcessorId{selection.call.rank},
                                 .track = (*call)->track,
                                 .range = (*call)->range};
    }
    return {};
}

std::optional<MpiCallId> neighbourCall(const TraceStore& store, MpiCallId call, int step)
{
    const MpiCallId other{call.rank, call.seq + step};
    if (!other.isValid()) return {};
    const Result<std::optional<MpiCallRow>> found = mpiCall(store, other.rank, other.seq);
    if (!found || !*found) return {};
    return other;
}

std::optional<MpiCallId> culpritCall(const TraceStore& store, MpiCallId id)
{
    const Result<std::optional<MpiCallRow>> call = mpiCall(store, id.rank, id.seq);
    if (!call || !*call || (*call)->culprit < 0) return {};
    const auto rank = static_cast<std::uint32_t>((*call)->culprit);
    if ((*call)->culpritSeq < 0) return {};
    return MpiCallId{rank, (*call)->culpritSeq};
}

std::optional<TaskId> neighbourOnRow(const TraceStore& store, TaskId task, int step)
{
    const Processor* processor = store.processor(task.pe);
    if (!processor) return {};
    const std::int64_t target = std::int64_t{task.index} + step;
    if (target < 0 || target >= processor->tasks) return {};
    return TaskId{task.pe, static_cast<std::uint32_t>(target)};
}

std::optional<TaskId> neighbourOfEntry(const TraceStore& store, TaskId task, int step)
{
    constexpr int mostChunks = 256;
    const Processor* processor = store.processor(task.pe);
    const Result<TaskDetail> detail = store.task(task);
    if (!processor || !detail) return {};
    const auto refs = store.chunks(ChunkKind::Task, processor->track);
    const auto after = std::partition_point(refs.begin(), refs.end(),
                                            [&](const ChunkRef& ref) { return ref.firstRow <= task.index; });
    if (after == refs.begin()) return {};
    auto at = static_cast<std::ptrdiff_t>(after - refs.begin()) - 1;
    std::int64_t row = std::int64_t{task.index} + step;
    const auto count = static_cast<std::ptrdiff_t>(refs.size());
    for (int looked = 0; looked < mostChunks && at >= 0 && at < count; ++looked, at += step) {
        const ChunkRef& ref = refs[static_cast<std::size_t>(at)];
        const auto tasks = store.block<TaskRow>(ref, TaskRow::Entry);
        if (!tasks) return {};
        const std::int64_t end = ref.firstRow + ref.rows;
        for (row = std::clamp(row, ref.firstRow - 1, end); row >= ref.firstRow && row < end; row += step)
            if (tasks->at(row).entry() == detail->entry) return TaskId{task.pe, static_cast<std::uint32_t>(row)};
    }
    return {};
}

std::optional<TaskId> sourceTask(const TraceStore& store, TaskId task)
{
    const Result<TaskDetail> detail = store.task(task);
    if (!detail || !detail->source.isValid()) return {};
    return detail->source;
}

std::optional<TaskId> startedTask(const ActivityGraph& graph, TaskId task)
{
    const std::uint32_t node = graph.find(task);
    if (node == noTask) return {};
    const auto found = std::find(graph.source.begin(), graph.source.end(), node);
    if (found == graph.source.end()) return {};
    return graph.id(static_cast<std::uint32_t>(found - graph.source.begin()));
}

std::optional<TaskId> pathNeighbour(const CriticalPath& path, TaskId from, TimeNs time, int step)
{
    std::vector<const PathStep*> tasks;  // the first step of each task, in the path's order
    std::optional<std::size_t> at;
    for (const PathStep& each : path.steps) {
        if (each.part != PathPart::Compute) continue;
        if (tasks.empty() || tasks.back()->task != each.task) tasks.push_back(&each);
        if (each.task == from) at = tasks.size() - 1;
    }
    if (tasks.empty()) return {};
    if (!at) {
        const auto next = std::partition_point(tasks.begin(), tasks.end(),
                                               [time](const PathStep* s) { return s->begin < time; });
        if (step > 0) return next == tasks.end() ? std::optional<TaskId>{} : (*next)->task;
        return next == tasks.begin() ? std::optional<TaskId>{} : (*(next - 1))->task;
    }
    if (step > 0) return *at + 1 < tasks.size() ? std::optional(tasks[*at + 1]->task) : std::nullopt;
    return *at > 0 ? std::optional(tasks[*at - 1]->task) : std::nullopt;
}

}  // namespace longpole
