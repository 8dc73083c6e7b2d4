// SPDX-License-Identifier: GPL-3.0-or-later
// Reads calls, tasks and messages of all ranks for the search for causes.
#include "analysis/mpi/waitrecords.h"

#include "analysis/base/chunkcursor.h"
#include "analysis/base/chunkscan.h"
#include "analysis/mpi/calls.h"
#include "core/base/parallel.h"
#include "core/base/result.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

constexpr std::uint32_t bit(std::uint32_t column) { return 1u << column; }

constexpr std::uint32_t callColumns = bit(MpiCallColumn::Begin) | bit(MpiCallColumn::Duration)
                                      | bit(MpiCallColumn::Region) | bit(MpiCallColumn::Seq) | bit(MpiCallColumn::Comm)
                                      | bit(MpiCallColumn::Peer) | bit(MpiCallColumn::Pattern)
                                      | bit(MpiCallColumn::Severity) | bit(MpiCallColumn::Culprit)
                                      | bit(MpiCallColumn::CulpritSeq) | bit(MpiCallColumn::Instance)
                                      | bit(MpiCallColumn::Task) | bit(MpiCallColumn::Flags);
constexpr std::uint32_t taskColumns = bit(TaskColumn::Begin) | bit(TaskColumn::Duration) | bit(TaskColumn::Entry);
constexpr std::uint32_t sourceColumns = bit(TaskSourceColumn::Link) | bit(TaskSourceColumn::SourcePe)
                                        | bit(TaskSourceColumn::SourceIndex) | bit(TaskSourceColumn::MessageIndex);
constexpr std::uint32_t mergeColumns = bit(MergeColumn::Task) | bit(MergeColumn::SourcePe)
                                       | bit(MergeColumn::SourceIndex) | bit(MergeColumn::MessageIndex);
constexpr std::int64_t rowsBetweenLooks = 4096;  // at whether to stop

// A message by the tasks before its send and after its receive.
struct TaskMessage {
    std::uint32_t sender = 0;
    std::uint32_t sendTask = 0;
    std::uint32_t receivedIn = 0;  // task
};

template <typename Narrow>
Narrow narrowed(std::int64_t value, Narrow otherwise)
{
    return value >= 0 && value < std::int64_t(std::numeric_limits<Narrow>::max()) ? static_cast<Narrow>(value)
                                                                                  : otherwise;
}

class Reader {
public:
    Reader(const TraceStore& store, const Progress& progress) : m_store(store), m_progress(progress) {}

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

    // Calls visit(rows) for each row of a kind on a track until it is cancelled.
    template <typename Visit>
    Result<> eachRow(ChunkKind kind, TrackId track, std::uint32_t columns, const Visit& visit) const
    {
        ChunkCursor rows(m_store, kind, track, {minTime, maxTime}, columns);
        for (std::int64_t n = 0; n % rowsBetweenLooks != 0 || !m_progress.isCancelled(); ++n) {
            const Result<bool> next = rows.next();
            if (!next) return next.error();
            if (!*next) break;
            visit(rows);
        }
        return Unit{};
    }

    Result<> readCalls(const Processor& processor)
    {
        WaitRank& rank = rankOf(processor);
        const std::vector<TrackId> tracks = mpiTracks(m_store, index(processor.pe));
        std::size_t count = 0;
        for (const TrackId track : tracks)
            for (const ChunkRef& ref : m_store.chunks(ChunkKind::MpiCall, track)) count += ref.rows;
        rank.calls.resize(count);
        for (const TrackId track : tracks) {
            Result<> read = eachRow(ChunkKind::MpiCall, track, callColumns, [&rank](const ChunkCursor& rows) {
                const std::int64_t seq = rows[MpiCallColumn::Seq];
                if (seq >= 0 && seq < static_cast<std::int64_t>(rank.calls.size()))
                    rank.calls[static_cast<std::size_t>(seq)] = callAt(rows);
            });
            if (!read) return read;
        }
        std::uint32_t task = 0;
        for (std::uint32_t call = 0; call < rank.calls.size(); ++call) {
            WaitCall& row = rank.calls[call];
            if (row.severity > 0 && row.pattern != WaitPattern::None) rank.waits.push_back(call);
            // Calls of other threads may lie in none; tasks must ascend to be searched in.
            if (row.task == noWaitCall || row.task < task) row.task = task;
            task = row.task;
        }
        return Unit{};
    }

    static WaitCall callAt(const ChunkCursor& rows)
    {
        WaitCall call;
        call.begin = rows[MpiCallColumn::Begin];
        call.severity = std::clamp<TimeNs>(rows[MpiCallColumn::Severity], 0, rows[MpiCallColumn::Duration]);
        call.culprit = narrowed<std::int32_t>(rows[MpiCallColumn::Culprit], -1);
        call.culpritCall = narrowed(rows[MpiCallColumn::CulpritSeq], noWaitCall);
        call.instance = narrowed<std::int32_t>(rows[MpiCallColumn::Instance], -1);
        call.comm = narrowed<std::int32_t>(rows[MpiCallColumn::Comm], -1);
        call.root = narrowed<std::int32_t>(rows[MpiCallColumn::Peer], -1);
        call.task = narrowed(rows[MpiCallColumn::Task], noWaitCall);
        call.flags = static_cast<std::uint16_t>(rows[MpiCallColumn::Flags]);
        const std::int64_t pattern = rows[MpiCallColumn::Pattern];
        if (pattern > 0 && pattern < std::int64_t(waitPatterns)) call.pattern = static_cast<WaitPattern>(pattern);
        return call;
    }

    // Tasks, and calls without their waits, in order of time.
    Result<> readActivity(const Processor& processor)
    {
        ActivityTimes& activity = rankOf(processor).activity;
        ChunkCursor calls(m_store, ChunkKind::MpiCall, processor.track, {minTime, maxTime}, callColumns);
        Result<bool> hasCall = calls.next();
        const auto addCallsUpTo = [&](TimeNs time) -> Result<> {
            while (hasCall && *hasCall && calls[MpiCallColumn::Begin] <= time) {
                const TimeNs begin = calls[MpiCallColumn::Begin];
                const TimeNs waited = std::clamp<TimeNs>(calls[MpiCallColumn::Severity], 0,
                                                         calls[MpiCallColumn::Duration]);
                activity.add(narrowed<std::uint32_t>(calls[MpiCallColumn::Region], 0),
                             {saturatingAdd(begin, waited), saturatingAdd(begin, calls[MpiCallColumn::Duration])});
                hasCall = calls.next();
            }
            if (!hasCall) return hasCall.error();
            return Unit{};
        };
        std::optional<Error> error;
        Result<> read = eachRow(ChunkKind::Task, processor.track, taskColumns, [&](const ChunkCursor& rows) {
            const TimeNs begin = rows[TaskColumn::Begin];
            if (rows[TaskColumn::Duration] <= 0 || error) return;
            if (Result<> added = addCallsUpTo(begin); !added) error = added.error();
            activity.add(narrowed<std::uint32_t>(rows[TaskColumn::Entry], 0),
                         {begin, saturatingAdd(begin, rows[TaskColumn::Duration])});
        });
        if (!read) return read;
        if (error) return *error;
        if (Result<> added = addCallsUpTo(maxTime); !added) return added;
        activity.close();
        return Unit{};
    }

    void addMessage(std::vector<TaskMessage>& messages, std::int64_t sender, std::int64_t sendTask,
                    std::int64_t task) const
    {
        if (sender < 0 || sender >= static_cast<std::int64_t>(m_records.ranks.size()) || sendTask < 0) return;
        messages.push_back({static_cast<std::uint32_t>(sender), narrowed(sendTask, noWaitCall),
                            narrowed(task, noWaitCall)});
    }

    Result<> readSources(const Processor& processor)
    {
        auto& messages = m_messages[index(processor.pe)];
        return eachRow(ChunkKind::TaskSource, processor.track, sourceColumns, [&](const ChunkCursor& rows) {
            if (rows[TaskSourceColumn::Link] != std::int64_t(Link::Message) || rows[TaskSourceColumn::MessageIndex] < 0)
                return;
            addMessage(messages, rows[TaskSourceColumn::SourcePe], rows[TaskSourceColumn::SourceIndex], rows.number());
        });
    }

    Result<> readMerges(const Processor& processor)
    {
        auto& messages = m_messages[index(processor.pe)];
        return eachRow(ChunkKind::Merge, processor.track, mergeColumns, [&](const ChunkCursor& rows) {
            if (rows[MergeColumn::MessageIndex] < 0) return;
            addMessage(messages, rows[MergeColumn::SourcePe], rows[MergeColumn::SourceIndex], rows[MergeColumn::Task]);
        });
    }

    // The call that begins where the task ends; noWaitCall.
    static std::uint32_t callAfter(const WaitRank& rank, std::uint32_t task)
    {
        const auto found = std::lower_bound(rank.calls.begin(), rank.calls.end(), task,
                                            [](const WaitCall& call, std::uint32_t t) { return call.task < t; });
        return found != rank.calls.end() && found->task == task ? static_cast<std::uint32_t>(found - rank.calls.begin())
                                                                : noWaitCall;
    }

    // The last call before the task.
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
    WaitRecords m_records;
    std::vector<std::vector<TaskMessage>> m_messages;  // by receiver
};

}  // namespace

Result<WaitRecords> waitRecords(const TraceStore& store, const Progress& progress)
{
    auto records = Reader(store, progress).read();
    if (progress.isCancelled()) return cancelledError();
    return records;
}

}  // namespace longpole
