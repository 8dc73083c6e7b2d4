// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/waitrecords.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/chunkscan.h"
#include "analysis/base/filebytes.h"
#include "analysis/mpi/calls.h"
#include "core/base/limits.h"
#include "core/base/nearsearch.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/store/rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace longpole {

namespace {

constexpr std::uint32_t callFields = MpiRow::Range | MpiRow::Region | MpiRow::Seq | MpiRow::Communicator | MpiRow::Peer
                                     | MpiRow::Pattern | MpiRow::Severity | MpiRow::Culprit | MpiRow::CulpritSeq
                                     | MpiRow::Instance | MpiRow::Task | MpiRow::Flags;

template <typename Narrow>
Narrow narrowed(std::optional<std::int64_t> value, Narrow otherwise)
{
    const bool fits = value && *value >= 0 && *value < std::int64_t(std::numeric_limits<Narrow>::max());
    return fits ? static_cast<Narrow>(*value) : otherwise;
}

// The code of an entry method or a call; 0 if there is none.
template <typename Id>
std::uint32_t numberOf(Id id)
{
    return index(id) < std::numeric_limits<std::uint32_t>::max() ? index(id) : 0;
}

class Reader {
public:
    Reader(const TraceStore& store, std::uint32_t first, std::uint32_t last, const Progress& progress, WaitCodes codes)
        : m_store(store), m_callers(store), m_progress(progress), m_codes(codes), m_allRanks(rankCount(store))
    {
        m_own.first = first;
        m_own.ranks.resize(last - first);
        m_own.tasks.resize(m_own.ranks.size());
        m_own.received.resize(m_own.ranks.size());
    }

    Result<OwnWaitRecords> read()
    {
        std::vector<const Processor*> processors = processorsToScan(m_store, {}, false);
        std::erase_if(processors, [this](const Processor* processor) {
            return index(processor->pe) < m_own.first || placeOf(*processor) >= m_own.ranks.size();
        });
        Result<> done = scanProcessors(processors, Progress{},
                                       [this](std::size_t, const Processor& processor) -> Result<> {
                                           if (m_progress.isCancelled()) return Unit{};
                                           if (Result<> calls = readCalls(processor); !calls) return calls;
                                           if (Result<> sources = readSources(processor); !sources) return sources;
                                           const Result<> merges = readMerges(processor);
                                           m_own.received[placeOf(processor)].shrink_to_fit();
                                           return merges;
                                       });
        if (!done) return done.error();
        return std::move(m_own);
    }

private:
    std::size_t placeOf(const Processor& processor) const { return index(processor.pe) - m_own.first; }
    WaitRank& rankOf(const Processor& processor) { return m_own.ranks[placeOf(processor)]; }

    // The calls of the rank's own thread are read with what it did between them.
    Result<> readCalls(const Processor& processor)
    {
        WaitRank& rank = rankOf(processor);
        CallTasks& tasks = m_own.tasks[placeOf(processor)];
        const std::vector<TrackId> tracks = mpiTracks(m_store, index(processor.pe));
        std::size_t count = 0;
        for (const TrackId track : tracks) count += rowsOf(ChunkKind::MpiCall, track);
        count = std::min<std::size_t>(count, noWaitCall);
        rank.calls.resize(count);
        tasks.assign(count, noWaitCall);
        for (const TrackId track : tracks) {
            if (track == processor.track) continue;
            auto calls = m_store.rows<MpiRow>(track, callFields, {.progress = &m_progress});
            for (const MpiRow& call : calls) addCall(rank, tasks, call);
            if (const Result<> read = calls.result(); !read) return read;
        }
        if (Result<> activity = readActivity(processor, rank, tasks); !activity) return activity;
        finishCalls(rank);
        // A call of another thread may lie after no task; it gets that of the call before, so that tasks ascend.
        std::uint32_t last = 0;
        for (std::uint32_t& task : tasks) {
            if (task == noWaitCall || task < last) task = last;
            last = task;
        }
        return Unit{};
    }

    std::size_t rowsOf(ChunkKind kind, TrackId track) const
    {
        std::size_t count = 0;
        for (const ChunkRef& ref : m_store.chunks(kind, track)) count += static_cast<std::size_t>(ref.rows);
        return count;
    }

    static void addCall(WaitRank& rank, CallTasks& tasks, const MpiRow& row)
    {
        if (row.seq() < 0 || row.seq() >= static_cast<std::int64_t>(tasks.size())) return;
        const auto number = static_cast<std::uint32_t>(row.seq());
        tasks[number] = narrowed(std::optional(row.task()), noWaitCall);
        const TimeNs waited = std::clamp<TimeNs>(row.severity(), 0, row.duration());
        rank.calls.set(number, row.begin(), waited);
        if (waited > 0 && row.pattern() != WaitPattern::None)
            rank.waits.push_back({number, narrowed<std::int32_t>(row.culprit(), -1),
                                  narrowed(row.culpritSeq(), noWaitCall), row.flags(), row.pattern()});
        if (const auto instance = narrowed<std::int32_t>(row.instance(), -1); instance >= 0)
            rank.collectives.push_back({instance, narrowed<std::int32_t>(row.communicator(), -1),
                                        narrowed<std::int32_t>(row.peer(), -1), number});
    }

    // The rows of several threads did not come by number.
    static void finishCalls(WaitRank& rank)
    {
        rank.calls.close();
        const auto byCall = [](auto& rows) {
            const auto isBefore = [](const auto& a, const auto& b) { return a.call < b.call; };
            if (!std::is_sorted(rows.begin(), rows.end(), isBefore)) std::sort(rows.begin(), rows.end(), isBefore);
            rows.shrink_to_fit();
        };
        byCall(rank.waits);
        byCall(rank.collectives);
    }

    // Adds tasks, calls without their waits, and barriers of threads, in order of time; and these calls.
    Result<> readActivity(const Processor& processor, WaitRank& rank, CallTasks& callTasks)
    {
        ActivityTimes& activity = rank.activity;
        const bool byPath = m_codes == WaitCodes::CallPaths;
        const bool hasPaths = !m_store.callPaths().empty();
        const Result<RankPaths> paths = hasPaths ? RankPaths::read(m_store, m_callers, index(processor.pe))
                                                 : RankPaths();
        if (!paths) return paths.error();
        const auto add = [&](std::uint32_t code, std::uint32_t path, TimeRange range) {
            if (byPath) activity.add(path, range);
            else activity.add(code, range, path);
        };
        activity.reserve(rowsOf(ChunkKind::Task, processor.track) + rowsOf(ChunkKind::MpiCall, processor.track));
        auto calls = m_store.rows<MpiRow>(processor.track, callFields | (hasPaths ? std::uint32_t(MpiRow::Path) : 0u),
                                          {.progress = &m_progress});
        const MpiRow* call = calls.next();
        auto barriers = m_store.rows<ThreadWaitRow>(processor.track, ThreadWaitRow::All);
        const ThreadWaitRow* barrier = barriers.next();
        const auto addBarriersUpTo = [&](TimeNs time) {
            for (; barrier != nullptr && barrier->begin() <= time; barrier = barriers.next())
                add(numberOf(barrier->region()), noCallPath, barrier->range());
        };
        const auto addCallsUpTo = [&](TimeNs time) -> Result<> {
            for (; call != nullptr && call->begin() <= time; call = calls.next()) {
                addCall(rank, callTasks, *call);
                addBarriersUpTo(call->begin());
                const TimeNs waited = std::clamp<TimeNs>(call->severity(), 0, call->duration());
                add(numberOf(call->region()), hasPaths ? call->path() : noCallPath,
                    {saturatingAdd(call->begin(), waited), call->end()});
            }
            addBarriersUpTo(time);
            if (const Result<> read = calls.result(); !read) return read;
            return barriers.result();
        };
        auto tasks = m_store.rows<TaskRow>(processor.track, TaskRow::Range | TaskRow::Entry, {.progress = &m_progress});
        for (const TaskRow& task : tasks) {
            if (task.duration() <= 0) continue;
            if (Result<> added = addCallsUpTo(task.begin()); !added) return added;
            add(numberOf(task.entry()), hasPaths ? paths->ofTask(task.index()) : noCallPath, task.range());
        }
        if (Result<> read = tasks.result(); !read) return read;
        if (Result<> added = addCallsUpTo(maxTime); !added) return added;
        activity.close();
        return Unit{};
    }

    void addMessage(std::vector<TaskMessage>& messages, ProcessorId sender, std::int64_t sendTask,
                    std::int64_t task) const
    {
        if (index(sender) >= m_allRanks || sendTask < 0) return;
        messages.push_back({index(sender), narrowed<std::uint32_t>(sendTask, noWaitCall),
                            narrowed<std::uint32_t>(task, noWaitCall)});
    }

    Result<> readSources(const Processor& processor)
    {
        auto& messages = m_own.received[placeOf(processor)];
        auto sources = m_store.rows<TaskSourceRow>(processor.track,
                                                   TaskSourceRow::Link | TaskSourceRow::Source
                                                       | TaskSourceRow::HasMessage,
                                                   {.progress = &m_progress});
        for (const TaskSourceRow& source : sources)
            if (source.link() == Link::Message && source.hasMessage())
                addMessage(messages, source.sourcePe(), source.sourceNumber(), source.number());
        return sources.result();
    }

    Result<> readMerges(const Processor& processor)
    {
        auto& messages = m_own.received[placeOf(processor)];
        auto merges = m_store.rows<MergeRow>(processor.track, MergeRow::All, {.progress = &m_progress});
        for (const MergeRow& merge : merges)
            if (merge.messageNumber()) addMessage(messages, merge.sourcePe(), merge.sourceNumber(), merge.task());
        return merges.result();
    }

    const TraceStore& m_store;
    const CommonCallers m_callers;
    const Progress& m_progress;
    WaitCodes m_codes;
    std::uint32_t m_allRanks;
    OwnWaitRecords m_own;
};

std::size_t firstFrom(const CallTasks& tasks, std::uint32_t task, std::size_t near)
{
    const auto start = tasks.begin() + static_cast<std::ptrdiff_t>(std::min(near, tasks.size()));
    return static_cast<std::size_t>(lowerBoundNear(tasks.begin(), tasks.end(), start, task) - tasks.begin());
}

// Calls of ranks take the place of tasks in the messages that a rank received; those of which one is not known go.
void nameCalls(OwnWaitRecords& all, std::uint32_t receiver)
{
    std::size_t kept = 0;
    std::vector<TaskMessage>& messages = all.received[receiver];
    std::size_t lastReceive = 0;
    std::array<std::size_t, 64> lastSends{};  // each of many senders
    for (const TaskMessage& message : messages) {
        const std::uint32_t receive = callBefore(all.tasks[receiver], message.receivedIn, lastReceive);
        const std::uint32_t send = callAfter(all.tasks[message.sender], message.sendTask,
                                             lastSends[message.sender % lastSends.size()]);
        if (receive != noWaitCall && send != noWaitCall) messages[kept++] = {message.sender, send, receive};
    }
    messages.resize(kept);
}

// Of all ranks.
void joinMessages(OwnWaitRecords& all)
{
    parallelFor(all.ranks.size(),
                [&all](std::size_t receiver) { nameCalls(all, static_cast<std::uint32_t>(receiver)); });
    std::vector<CallTasks>().swap(all.tasks);
    std::vector<std::size_t> counts(all.ranks.size(), 0);
    for (std::size_t receiver = 0; receiver < all.received.size(); ++receiver) {
        counts[receiver] += all.received[receiver].size();
        for (const TaskMessage& message : all.received[receiver]) ++counts[message.sender];
    }
    for (std::size_t rank = 0; rank < counts.size(); ++rank) all.ranks[rank].messages.reserve(counts[rank]);
    for (std::uint32_t receiver = 0; receiver < all.received.size(); ++receiver) {
        for (const TaskMessage& message : all.received[receiver]) {
            all.ranks[receiver].messages.push_back({message.sender, message.receivedIn, message.sendTask});
            all.ranks[message.sender].messages.push_back({receiver, message.sendTask, message.receivedIn});
        }
        std::vector<TaskMessage>().swap(all.received[receiver]);
    }
    parallelFor(all.ranks.size(), [&all](std::size_t rank) {
        auto& messages = all.ranks[rank].messages;
        std::stable_sort(messages.begin(), messages.end(),
                         [](const WaitMessage& a, const WaitMessage& b) { return a.own < b.own; });
    });
}

}  // namespace

void CallTimes::resize(std::size_t calls)
{
    m_begins.assign(calls, minTime);
    m_waited.assign(calls, 0);
}

void CallTimes::set(std::uint32_t call, TimeNs begin, TimeNs waited)
{
    m_begins[call] = begin;
    m_waited[call] = static_cast<std::uint32_t>(std::min<TimeNs>(waited, tooLong));
    if (waited >= TimeNs{tooLong}) m_long.emplace_back(call, waited);
}

void CallTimes::close() { std::sort(m_long.begin(), m_long.end()); }

TimeNs CallTimes::longWait(std::uint32_t call) const
{
    return std::lower_bound(m_long.begin(), m_long.end(), std::pair(call, TimeNs{0}))->second;
}

std::uint32_t callAfter(const CallTasks& tasks, std::uint32_t task, std::size_t& near)
{
    near = firstFrom(tasks, task, near);
    return near < tasks.size() && tasks[near] == task ? static_cast<std::uint32_t>(near) : noWaitCall;
}

std::uint32_t callBefore(const CallTasks& tasks, std::uint32_t task, std::size_t& near)
{
    near = firstFrom(tasks, task, near);
    return near > 0 ? static_cast<std::uint32_t>(near) - 1 : noWaitCall;
}

Result<OwnWaitRecords> ownWaitRecords(const TraceStore& store, std::uint32_t first, std::uint32_t last,
                                      const Progress& progress, WaitCodes codes)
{
    auto records = Reader(store, first, last, progress, codes).read();
    if (progress.isCancelled()) return cancelledError();
    return records;
}

Result<WaitRecords> waitRecords(const TraceStore& store, const Progress& progress, WaitCodes codes)
{
    auto all = ownWaitRecords(store, 0, rankCount(store), progress, codes);
    if (!all) return all.error();
    joinMessages(*all);
    return WaitRecords{std::move(all->ranks), limits::fileWaitCauses.of(fileBytes(store))};
}

}  // namespace longpole
