// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/culpritwork.h"

#include "analysis/base/cells.h"
#include "analysis/mpi/calls.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <map>
#include <optional>

namespace longpole {

namespace {

constexpr std::size_t mostChunks = 32;
constexpr int mostSteps = 16;

struct Work {
    TimeNs time = 0;
    TimeNs longest = 0;
    std::uint32_t task = 0;
};

using ChunkRefs = std::vector<const ChunkRef*>;

// The last chunks of that kind with rows in the range; the range is cut to what they cover.
ChunkRefs lastChunks(const TraceStore& store, ChunkKind kind, TrackId track, TimeRange& range)
{
    ChunkRefs refs;
    for (const ChunkRef& ref : store.chunks(kind, track))
        if (ref.firstBegin < range.end && ref.maxEnd > range.begin) refs.push_back(&ref);
    if (refs.size() <= mostChunks) return refs;
    refs.erase(refs.begin(), refs.end() - static_cast<std::ptrdiff_t>(mostChunks));
    range.begin = std::max(range.begin, refs.front()->firstBegin);
    return refs;
}

Result<std::map<EntryId, Work>> workDuring(const TraceStore& store, const ChunkRefs& refs, TimeRange wait)
{
    std::map<EntryId, Work> found;
    for (const ChunkRef* ref : refs) {
        const auto tasks = store.block<TaskRow>(*ref, TaskRow::Range | TaskRow::Entry);
        if (!tasks) return tasks.error();
        for (const TaskRow& task : *tasks) {
            const TimeNs inside = intersection(task.range(), wait).length();
            if (inside <= 0) continue;
            Work& work = found[task.entry()];
            addSaturating(work.time, inside);
            if (inside <= work.longest) continue;
            work.longest = inside;
            work.task = task.index();
        }
    }
    return found;
}

Result<TimeNs> waitedDuring(const TraceStore& store, const ChunkRefs& refs, TimeRange wait)
{
    TimeNs waited = 0;
    for (const ChunkRef* ref : refs) {
        const auto idle = store.block<IdleRow>(*ref, IdleRow::All);
        if (!idle) return idle.error();
        for (const IdleRow& row : *idle) addSaturating(waited, intersection(row.range(), wait).length());
    }
    return waited;
}

// The task at whose end the call began, or the last one before that took any time.
CulpritWork workBefore(const TraceStore& store, std::uint32_t rank, const MpiCallRow& call)
{
    CulpritWork work;
    for (std::int64_t row = call.task, step = 0; row >= 0 && step < mostSteps; --row, ++step) {
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
    std::optional<MpiCallRow> late;
    if (call >= 0) {
        const auto read = mpiCall(store, rank, call);
        if (!read) return read.error();
        late = *read;
    }
    // Of another thread of the rank: what its main thread ran meanwhile made nobody late.
    if (late && late->track != processor->track) return CulpritWork{};
    const ChunkRefs tasks = lastChunks(store, ChunkKind::Task, processor->track, wait);
    const ChunkRefs idle = lastChunks(store, ChunkKind::Idle, processor->track, wait);
    const auto waited = waitedDuring(store, idle, wait);
    if (!waited) return waited.error();
    const auto found = workDuring(store, tasks, wait);
    if (!found) return found.error();
    const auto most = std::max_element(found->begin(), found->end(),
                                       [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
    CulpritWork work;
    if (most != found->end()) {
        work = {.entry = most->first, .task = {ProcessorId{rank}, most->second.task}, .ran = most->second.time};
    } else if (late) {
        work = workBefore(store, rank, *late);
    }
    work.waited = *waited;
    work.within = wait.length();
    return work;
}

QString culpritText(const TraceStore& store, const CulpritWork& work)
{
    const bool isWaiting = work.waited > 0 && work.waited >= work.within / 2;
    const QString waited = formatTime(work.waited);
    if (work.entry == noEntry) return isWaiting ? tr("which itself waited %1 meanwhile").arg(waited) : QString();
    const QString code = codeInWords(store, work.entry);
    if (work.ran > work.within / 2) return tr("in %1").arg(code);
    if (work.ran == 0)
        return isWaiting ? tr("which itself waited %1 meanwhile, after %2").arg(waited, code)
                         : tr("after %1").arg(code);
    const QString ran = formatTime(work.ran);
    return isWaiting ? tr("which itself waited %1 meanwhile and ran %2 for %3").arg(waited, code, ran)
                     : tr("which ran %1 for %2 meanwhile").arg(code, ran);
}

}  // namespace longpole
