// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/waitrecords.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/chunkscan.h"
#include "analysis/mpi/calls.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/store/rows.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

constexpr std::uint32_t callFields = MpiRow::Range | MpiRow::Region | MpiRow::Seq | MpiRow::Communicator | MpiRow::Peer
                                     | MpiRow::Pattern | MpiRow::Severity | MpiRow::Culprit | MpiRow::CulpritSeq
                                     | MpiRow::Instance | MpiRow::Task | MpiRow::Flags;

// A message, named by the task before the call that sent it and the task after the call that received it.
struct TaskMessage {
    std::uint32_t sender = 0;
    std::uint32_t sendTask = 0;
    std::uint32_t receivedIn = 0;  // task
};

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
    Reader(const TraceStore& store, const Progress& progress, WaitCodes codes)
        : m_store(store), m_progress(progress), m_codes(codes)
    {
    }

    Result<WaitRecords> read()
    {
        m_records.ranks.resize(rankCount(m_store));
        m_messages.resize(m_records.ranks.size());
        Result<> done = scanProcessors(processorsToScan(m_store, {}, false), Progress{},
                                       [this](std::size_t, const Processor& processor) -> Result<> {
                                           if (m_progress.isCancelled()) return Unit{};
                                           if (Result<> calls = readCalls(processor); !calls) return calls;
                                           if (Result<> tasks = readActivity(processor); !tasks) return tasks;
                                           if (Result<> sources = readSources(processor); !sources) return sources;
                                           return readMerges(processor);
                                       });
        if (!done) return done.error();
        joinMessages();
        return std::move(m_records);
    }

private:
    WaitRank& rankOf(const Processor& processor) { return m_records.ranks[index(processor.pe)]; }

    Result<> readCalls(const Processor& processor)
    {
        WaitRank& rank = rankOf(processor);
        const std::vector<TrackId> tracks = mpiTracks(m_store, index(processor.pe));
        std::size_t count = 0;
        for (const TrackId track : tracks)
            for (const ChunkRef& ref : m_store.chunks(ChunkKind::MpiCall, track)) count += ref.rows;
        rank.calls.resize(count);
        for (const TrackId track : tracks) {
            auto calls = m_store.rows<MpiRow>(track, callFields, {.progress = &m_progress});
            for (const MpiRow& call : calls)
                if (call.seq() >= 0 && call.seq() < static_cast<std::int64_t>(rank.calls.size()))
                    rank.calls[static_cast<std::size_t>(call.seq())] = toWaitCall(call);
            if (const Result<> read = calls.result(); !read) return read;
        }
        std::uint32_t task = 0;
        for (std::uint32_t call = 0; call < rank.calls.size(); ++call) {
            WaitCall& row = rank.calls[call];
            if (row.severity > 0 && row.pattern != WaitPattern::None) rank.waits.push_back(call);
            // A call of another thread may lie after no task; it gets that of the call before, so that tasks ascend.
            if (row.task == noWaitCall || row.task < task) row.task = task;
            task = row.task;
        }
        return Unit{};
    }

    static WaitCall toWaitCall(const MpiRow& row)
    {
        WaitCall call;
        call.begin = row.begin();
        call.severity = std::clamp<TimeNs>(row.severity(), 0, row.duration());
        call.culprit = narrowed<std::int32_t>(row.culprit(), -1);
        call.culpritCall = narrowed(row.culpritSeq(), noWaitCall);
        call.instance = narrowed<std::int32_t>(row.instance(), -1);
        call.comm = narrowed<std::int32_t>(row.communicator(), -1);
        call.root = narrowed<std::int32_t>(row.peer(), -1);
        call.task = narrowed(std::optional(row.task()), noWaitCall);
        call.flags = row.flags();
        call.pattern = row.pattern();
        return call;
    }

    // Adds tasks, calls without their waits, and barriers of threads, in order of time.
    Result<> readActivity(const Processor& processor)
    {
        ActivityTimes& activity = rankOf(processor).activity;
        const bool byPath = m_codes == WaitCodes::CallPaths;
        const Result<RankPaths> paths = byPath ? RankPaths::read(m_store, index(processor.pe)) : RankPaths();
        if (!paths) return paths.error();
        auto calls = m_store.rows<MpiRow>(processor.track, callFields | (byPath ? std::uint32_t(MpiRow::Path) : 0u));
        const MpiRow* call = calls.next();
        auto barriers = m_store.rows<ThreadWaitRow>(processor.track, ThreadWaitRow::All);
        const ThreadWaitRow* barrier = barriers.next();
        const auto addBarriersUpTo = [&](TimeNs time) {
            for (; barrier != nullptr && barrier->begin() <= time; barrier = barriers.next())
                activity.add(byPath ? noCallPath : numberOf(barrier->region()), barrier->range());
        };
        const auto addCallsUpTo = [&](TimeNs time) -> Result<> {
            for (; call != nullptr && call->begin() <= time; call = calls.next()) {
                addBarriersUpTo(call->begin());
                const TimeNs waited = std::clamp<TimeNs>(call->severity(), 0, call->duration());
                activity.add(byPath ? call->path() : numberOf(call->region()),
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
            activity.add(byPath ? paths->ofTask(task.index()) : numberOf(task.entry()), task.range());
        }
        if (Result<> read = tasks.result(); !read) return read;
        if (Result<> added = addCallsUpTo(maxTime); !added) return added;
        activity.close();
        return Unit{};
    }

    void addMessage(std::vector<TaskMessage>& messages, ProcessorId sender, std::int64_t sendTask,
                    std::int64_t task) const
    {
        if (index(sender) >= m_records.ranks.size() || sendTask < 0) return;
        messages.push_back({index(sender), narrowed<std::uint32_t>(sendTask, noWaitCall),
                            narrowed<std::uint32_t>(task, noWaitCall)});
    }

    Result<> readSources(const Processor& processor)
    {
        auto& messages = m_messages[index(processor.pe)];
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
        auto& messages = m_messages[index(processor.pe)];
        auto merges = m_store.rows<MergeRow>(processor.track, MergeRow::All, {.progress = &m_progress});
        for (const MergeRow& merge : merges)
            if (merge.messageNumber()) addMessage(messages, merge.sourcePe(), merge.sourceNumber(), merge.task());
        return merges.result();
    }

    // The call that begins where the task ends; noWaitCall if there is none.
    static std::uint32_t callAfter(const WaitRank& rank, std::uint32_t task)
    {
        const auto found = std::lower_bound(rank.calls.begin(), rank.calls.end(), task,
                                            [](const WaitCall& call, std::uint32_t t) { return call.task < t; });
        return found != rank.calls.end() && found->task == task ? static_cast<std::uint32_t>(found - rank.calls.begin())
                                                                : noWaitCall;
    }

    // The last call before the task; noWaitCall if there is none.
    static std::uint32_t callBefore(const WaitRank& rank, std::uint32_t task)
    {
        const auto found = std::lower_bound(rank.calls.begin(), rank.calls.end(), task,
                                            [](const WaitCall& call, std::uint32_t t) { return call.task < t; });
        return found != rank.calls.begin() ? static_cast<std::uint32_t>(found - rank.calls.begin()) - 1 : noWaitCall;
    }

    void joinMessages()
    {
        for (std::uint32_t receiver = 0; receiver < m_messages.size(); ++receiver) {
            for (const TaskMessage& message : m_messages[receiver]) {
                const std::uint32_t receive = callBefore(m_records.ranks[receiver], message.receivedIn);
                const std::uint32_t send = callAfter(m_records.ranks[message.sender], message.sendTask);
                if (receive == noWaitCall || send == noWaitCall) continue;
                m_records.ranks[receiver].messages.push_back({message.sender, receive, send});
                m_records.ranks[message.sender].messages.push_back({receiver, send, receive});
            }
            std::vector<TaskMessage>().swap(m_messages[receiver]);
        }
        parallelFor(m_records.ranks.size(), [this](std::size_t rank) {
            auto& messages = m_records.ranks[rank].messages;
            std::stable_sort(messages.begin(), messages.end(),
                             [](const WaitMessage& a, const WaitMessage& b) { return a.own < b.own; });
        });
    }

    const TraceStore& m_store;
    const Progress& m_progress;
    WaitCodes m_codes;
    WaitRecords m_records;
    std::vector<std::vector<TaskMessage>> m_messages;  // by receiver
};

}  // namespace

Result<WaitRecords> waitRecords(const TraceStore& store, const Progress& progress, WaitCodes codes)
{
    auto records = Reader(store, progress, codes).read();
    if (progress.isCancelled()) return cancelledError();
    return records;
}

}  // namespace longpole
