// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/selectionquestions.h"

#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "views/state/mpicallwords.h"

#include <algorithm>

namespace longpole {

Result<std::vector<CreatedExecution>> createdBy(const TraceStore& store, const ActivityGraph* graph, TaskId task,
                                                std::size_t limit, const Progress& progress)
{
    Result<std::vector<MessageDetail>> messages = store.messagesOf(task, progress);
    if (!messages.ok()) return messages.error();
    constexpr std::uint32_t looksEvery = 0xfff;  // whether to stop; a task may have sent a million messages
    std::vector<CreatedExecution> rows;
    if (graph) {
        // The graph's edges start at the outermost execution; the store knows which of its nested ones sent a message.
        const std::uint32_t node = graph->find(task);
        for (std::uint32_t other = 0; node != noTask && other < graph->size() && rows.size() < limit; ++other) {
            if ((other & looksEvery) == 0 && progress.isCancelled()) return cancelledError();
            if (graph->source[other] != node) continue;
            if (progress.isCancelled()) return cancelledError();
            const Result<TaskDetail> detail = store.task(graph->id(other));
            if (!detail.ok()) return detail.error();
            if (detail->source != task || !detail->message.isValid()) continue;
            CreatedExecution row;
            row.message.id = detail->message;
            row.task = detail->id;
            row.begin = detail->range.begin;
            rows.push_back(row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CreatedExecution& a, const CreatedExecution& b) { return a.message.id < b.message.id; });
    std::vector<CreatedExecution> all;
    all.reserve(messages->size());
    for (const MessageDetail& message : *messages) {
        if ((all.size() & looksEvery) == 0 && progress.isCancelled()) return cancelledError();
        auto row = std::lower_bound(rows.begin(), rows.end(), message.id,
                                    [](const CreatedExecution& one, MessageId id) { return one.message.id < id; });
        if (row == rows.end() || row->message.id != message.id) all.push_back({message, {}, 0});
        for (; row != rows.end() && row->message.id == message.id; ++row)
            all.push_back({message, row->task, row->begin});
    }
    return all;
}

Result<std::shared_ptr<const SelectedFacts>> SelectedFactsQuestion::compute(Results& results, const Progress&) const
{
    const TraceStore& store = results.store();
    SelectedFacts facts;
    const auto take = [](auto found, auto& value, std::optional<Error>& error) {
        if (found) value = std::move(*found);
        else error = found.error();
    };
    if (selection.task.isValid()) {
        take(store.task(selection.task), facts.task, facts.error);
        if (facts.task && facts.task->message.isValid())
            take(store.message(facts.task->message), facts.message, facts.messageError);
    } else if (selection.message.isValid()) {
        take(store.message(selection.message), facts.message, facts.error);
    } else if (selection.call.isValid()) {
        take(mpiCall(store, selection.call.rank, selection.call.seq), facts.call, facts.error);
    }
    return std::make_shared<const SelectedFacts>(std::move(facts));
}

std::int64_t SelectedFactsQuestion::bytes(const SelectedFacts& facts)
{
    return static_cast<std::int64_t>(sizeof(facts)) + (facts.task ? bytesOf(facts.task->pieces) : 0);
}

Result<std::shared_ptr<const CreatedQuestion::Answer>> CreatedQuestion::compute(Results& results,
                                                                                const Progress& progress) const
{
    return sharedAnswer(createdBy(results.store(), graph.get(), task, limit, progress));
}

std::int64_t CreatedQuestion::bytes(const Answer& rows) { return bytesOf(rows); }

Result<std::shared_ptr<const CallMembersQuestion::Answer>> CallMembersQuestion::compute(Results& results,
                                                                                        const Progress& progress) const
{
    const Result<std::optional<MpiCallRow>> row = mpiCall(results.store(), call.rank, call.seq);
    if (!row) return row.error();
    if (!*row || (*row)->instance < 0) return std::make_shared<const Answer>();
    return sharedAnswer(membersOf(results.store(), **row, progress));
}

std::int64_t CallMembersQuestion::bytes(const Answer& rows) { return bytesOf(rows); }

}  // namespace longpole
