// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/broadcasts.h"

#include "analysis/base/bigarray.h"
#include "core/base/drawnhash.h"
#include "core/base/result.h"
#include "core/store/rows.h"

#include <algorithm>
#include <unordered_map>

namespace longpole {

namespace {

// A task that ran right after another one that the same message started.
struct Following {
    std::uint32_t task;
    MessageKey message;
};

bool goesOn(const ActivityGraph& graph, std::uint32_t task, std::uint32_t before)
{
    return (graph.flags[task] & ActivityGraph::BlockEdge) != 0 && graph.source[task] == before;
}

// Tasks that wait for more than their message have a turn of their own.
bool waitsForMore(const ActivityGraph& graph, std::uint32_t task)
{
    const auto it = std::lower_bound(graph.merges.begin(), graph.merges.end(), task,
                                     [](const MergeEdge& edge, std::uint32_t t) { return edge.task < t; });
    return it != graph.merges.end() && it->task == task;
}

// The messages that started the tasks in graph.byProcessor[pe], in that order.
Result<std::vector<MessageKey>> messagesOf(const TraceStore& store, const ActivityGraph& graph, std::size_t pe)
{
    const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
    std::vector<MessageKey> messages(tasks.size(), noMessage);
    const Processor* const processor = store.processor(ProcessorId{static_cast<std::uint32_t>(pe)});
    if (processor == nullptr) return messages;
    RowSeeker<TaskSourceRow> sources(store, processor->track, TaskSourceRow::Message);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const Result<const TaskSourceRow*> source = sources.find(graph.taskIndex[tasks[i]]);
        if (!source) return source.error();
        const std::int64_t message = *source != nullptr ? (*source)->messageNumber().value_or(-1) : -1;
        if (message < 0 || message > 0xffffffff) continue;
        messages[i] = static_cast<MessageKey>(index((*source)->creator())) << 32 | static_cast<MessageKey>(message);
    }
    return messages;
}

}  // namespace

void findFollowing(const ActivityGraph& graph, std::size_t pe, std::span<const MessageKey> messages,
                   std::vector<std::uint8_t>& follows)
{
    const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
    std::vector<Following> found;
    std::size_t leader = 0;  // the last task that is no Structured Dagger block going on after another task
    for (std::size_t k = 1; k < tasks.size(); ++k) {
        const std::uint32_t task = tasks[k];
        if (goesOn(graph, task, tasks[k - 1])) continue;
        const std::uint32_t entry = graph.entry[task];
        const bool isFollowing = messages[k] != noMessage && messages[k] == messages[leader]
                                 && entry == graph.entry[tasks[leader]] && graph.source[task] != noTask
                                 && (graph.flags[task] & (ActivityGraph::AfterIdle | ActivityGraph::BlockEdge)) == 0
                                 && !waitsForMore(graph, task);
        leader = k;
        if (isFollowing) found.push_back({task, messages[k]});
    }
    if (found.empty()) return;
    std::unordered_map<MessageKey, std::uint32_t, DrawnHash> turns;  // by message: how often it waited in the queue
    for (const Following& one : found) turns.emplace(one.message, 0);
    std::size_t next = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const bool isFollowing = next < found.size() && found[next].task == tasks[k];
        if (isFollowing) ++next;
        else if (const auto turn = turns.find(messages[k]); turn != turns.end()) ++turn->second;
    }
    for (const Following& one : found)
        if (turns[one.message] == 1) follows[one.task] = 1;
}

Result<MessageTurns> findTurns(const TraceStore& store, const ActivityGraph& graph, const SeeMessages& see,
                               const Progress& progress)
{
    MessageTurns turns{bigArray<std::uint8_t>(graph.size()), bigArray<std::uint32_t>(graph.size())};
    for (std::size_t pe = 0; pe < graph.byProcessor.size(); ++pe) {
        if (progress.isCancelled()) return cancelledError();
        const Result<std::vector<MessageKey>> messages = messagesOf(store, graph, pe);
        if (!messages) return messages.error();
        findFollowing(graph, pe, *messages, turns.follows);
        see(pe, *messages);
        for (std::size_t k = 0; k < messages->size(); ++k)
            if ((*messages)[k] != noMessage)
                turns.numbers[graph.byProcessor[pe][k]] = static_cast<std::uint32_t>((*messages)[k]);
    }
    if (std::find(turns.follows.begin(), turns.follows.end(), 1) == turns.follows.end()) turns.follows.clear();
    return turns;
}

}  // namespace longpole
