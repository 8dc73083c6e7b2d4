// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/culpritwork.h"

#include "analysis/mpi/calls.h"
#include "core/store/rows.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

constexpr std::size_t mostChunks = 32;
constexpr int mostSteps = 16;

struct Work {
    TimeNs time = 0;
    TimeNs longest = 0;
    std::uint32_t task = 0;
};

Result<std::map<EntryId, Work>> workDuring(const TraceStore& store, TrackId track, TimeRange wait)
{
    std::vector<const ChunkRef*> refs;
    for (const ChunkRef& ref : store.chunks(ChunkKind::Task, track))
        if (ref.firstBegin < wait.end && ref.maxEnd > wait.begin) refs.push_back(&ref);
    if (refs.size() > mostChunks) refs.erase(refs.begin(), refs.end() - static_cast<std::ptrdiff_t>(mostChunks));
    std::map<EntryId, Work> found;
    for (const ChunkRef* ref : refs) {
        const auto tasks = store.block<TaskRow>(*ref, TaskRow::Range | TaskRow::Entry);
        if (!tasks) return tasks.error();
        for (const TaskRow& task : *tasks) {
            const TimeNs inside = intersection(task.range(), wait).length();
            if (inside <= 0) continue;
            Work& work = found[task.entry()];
            work.time += inside;
            if (inside <= work.longest) continue;
            work.longest = inside;
            work.task = task.index();
        }
    }
    return found;
}

// The task at whose end the call began, or the last one before that took any time.
Result<CulpritWork> workBefore(const TraceStore& store, std::uint32_t rank, std::int64_t call)
{
    CulpritWork work;
    const auto late = mpiCall(store, rank, call);
    if (!late) return late.error();
    if (!*late || (*late)->task < 0) return work;
    for (std::int64_t row = (*late)->task, step = 0; row >= 0 && step < mostSteps; --row, ++step) {
        const auto task = store.task({ProcessorId{rank}, static_cast<std::uint32_t>(row)});
        if (!task) break;  // the task is not in the trace, which has been reduced
        if (step > 0 && task->range.isEmpty()) continue;
        work = {task->entry, task->id};
        if (!task->range.isEmpty()) break;
    }
    return work;
}

}  // namespace

Result<CulpritWork> culpritWork(const TraceStore& store, std::uint32_t rank, std::int64_t call, TimeRange wait)
{
    const Processor* processor = store.processor(ProcessorId{rank});
    if (processor == nullptr) return CulpritWork{};
    const auto found = workDuring(store, processor->track, wait);
    if (!found) return found.error();
    const auto most = std::max_element(found->begin(), found->end(),
                                       [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
    if (most != found->end()) return CulpritWork{most->first, {ProcessorId{rank}, most->second.task}};
    return call < 0 ? CulpritWork{} : workBefore(store, rank, call);
}

}  // namespace longpole
