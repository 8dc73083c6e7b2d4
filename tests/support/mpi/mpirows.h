// SPDX-License-Identifier: GPL-3.0-or-later
// MPI calls and the code between them, written to a store row by row as an importer would after matching.
#pragma once

#include "core/smalltrace.h"
#include "core/store/tracestore.h"

#include <QString>

#include <algorithm>
#include <memory>
#include <vector>

namespace longpole {

// A row of MpiCall. Its number follows from the order of the rank's calls.
struct WrittenCall {
    TimeNs begin = 0;
    TimeNs end = 0;
    std::int64_t region = 0;
    TimeNs waitBefore = 0;
    TimeNs waitAfter = 0;
    WaitPattern pattern = WaitPattern::None;
    TimeNs severity = 0;
    std::int64_t culprit = -1;
    std::int64_t culpritSeq = -1;
    std::int64_t instance = -1;
    std::int64_t comm = -1;
    std::int64_t peer = -1;
    std::int64_t bytes = 0;
    std::int64_t tag = -1;
    int flags = 0;
    std::int64_t task = -1;
};

struct CodeRow {  // a task; the source fields are about the message that it needed
    TimeNs begin = 0;
    TimeNs end = 0;
    std::int64_t entry = 0;
    std::int64_t sourceRank = -1;
    std::int64_t sourceTask = -1;
    std::int64_t message = -1;
    TimeNs sourceLength = 0;  // length of the task at whose end the message was sent
    TimeNs sent = 0;
    std::vector<std::vector<std::int64_t>> merges{};  // further messages: {source rank, source task, message}
};

struct RankRows {
    std::vector<CodeRow> code;
    std::vector<WrittenCall> calls;
    std::vector<WrittenCall> threadCalls;   // of a second thread
    std::vector<std::int64_t> sendingTask;  // by message: the task before the call that sent it
};

struct MpiRows {
    std::vector<RankRows> ranks;
    std::vector<QString> regions;  // by id: calls and entries
    std::size_t calls = 0;         // the first so many regions are calls
    std::vector<Issue> issues{};
};

inline Row callRow(const WrittenCall& call, std::int64_t seq)
{
    const TimeNs length = call.end - call.begin;
    return {call.begin,      length,
            call.region,     seq,
            call.comm,       call.peer,
            call.tag,        call.bytes,
            call.waitBefore, length - call.waitBefore - call.waitAfter,
            call.waitAfter,  std::int64_t(call.pattern),
            call.severity,   call.culprit,
            call.culpritSeq, call.instance,
            call.task,       call.flags,
            noCallPath,      0};
}

inline void writeRank(EventStream& stream, const RankRows& rows, std::uint32_t rank)
{
    const TrackId track{10 + 2 * rank};
    const TrackId thread{11 + 2 * rank};
    for (std::size_t i = 0; i < rows.code.size(); ++i) {
        const CodeRow& code = rows.code[i];
        stream.append(ChunkKind::Task, track, taskRow(code.begin, code.end, code.entry));
        const bool hasSource = code.sourceTask >= 0;
        stream.append(ChunkKind::TaskSource, track,
                      Row{std::int64_t(hasSource ? Link::Message : Link::None),
                          std::max<std::int64_t>(0, code.sourceRank), std::max<std::int64_t>(0, code.sourceTask),
                          code.sourceLength, hasSource ? code.begin - code.sent : 0, code.message,
                          std::max<std::int64_t>(0, code.sourceRank)});
        for (const auto& merge : code.merges)
            stream.append(ChunkKind::Merge, track,
                          Row{std::int64_t(i), merge[0], merge[1], 0, merge[2], std::int64_t(Link::Message)});
    }
    for (std::size_t i = 0; i < rows.sendingTask.size(); ++i)
        stream.append(ChunkKind::Message, track,
                      messageRow(rows.code[std::size_t(rows.sendingTask[i])].end, rows.sendingTask[i], 0, 0,
                                 std::int64_t(i)));
    for (const WrittenCall& call : rows.calls) {
        if (call.waitBefore > 0) stream.append(ChunkKind::Idle, track, Row{call.begin, call.waitBefore});
        if (call.waitAfter > 0) stream.append(ChunkKind::Idle, track, Row{call.end - call.waitAfter, call.waitAfter});
    }
    // Calls of both threads are numbered together, in begin order.
    std::int64_t seq = 0;
    std::size_t other = 0;
    for (const WrittenCall& call : rows.calls) {
        for (; other < rows.threadCalls.size() && rows.threadCalls[other].begin < call.begin; ++other)
            stream.append(ChunkKind::MpiCall, thread, callRow(rows.threadCalls[other], seq++));
        stream.append(ChunkKind::MpiCall, track, callRow(call, seq++));
    }
    for (; other < rows.threadCalls.size(); ++other)
        stream.append(ChunkKind::MpiCall, thread, callRow(rows.threadCalls[other], seq++));
}

inline std::shared_ptr<const TraceStore> store(const MpiRows& run, const QString& path, TimeNs begin = 0)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return nullptr;
    TraceInfo info;
    info.format = recordingFormat;
    info.vocabulary = ProgramKind::Mpi;
    info.processors = static_cast<std::int64_t>(run.ranks.size());
    info.begin = begin;
    (*writer)->add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
    for (std::uint32_t id = 0; id < run.regions.size(); ++id) {
        const bool isCall = id < run.calls;
        if (isCall) (*writer)->add(Region{RegionId{id}, RegionKind::MpiCall, 0, run.regions[id]});
        else (*writer)->add(Entry{.id = EntryId{id}, .name = run.regions[id], .chare = {}});
    }
    for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
        const QString name = QStringLiteral("rank %1").arg(rank);
        const TrackId track{10 + 2 * rank};
        const ProcessorId pe{rank};
        (*writer)->add(Track{.id = track, .parent = TrackId{1}, .kind = TrackKind::Rank, .name = name, .pe = pe});
        (*writer)->add(
            Track{.id = TrackId{11 + 2 * rank}, .parent = track, .kind = TrackKind::Thread, .name = name, .pe = pe});
        (*writer)->add(Processor{.pe = pe, .track = track, .kind = TrackKind::Rank, .name = name});
        for (const CodeRow& code : run.ranks[rank].code) info.end = std::max(info.end, code.end);
        for (const WrittenCall& call : run.ranks[rank].calls) info.end = std::max(info.end, call.end);
        writeRank(*(*writer)->stream(rank), run.ranks[rank], rank);
        info.messages += static_cast<std::int64_t>(run.ranks[rank].sendingTask.size());
        for (std::uint32_t id = 0; id < run.regions.size(); ++id) {
            ProfileRow row{.pe = pe, .entry = EntryId{id}};
            for (const CodeRow& code : run.ranks[rank].code) {
                if (code.entry != id) continue;
                ++row.count;
                row.time += code.end - code.begin;
            }
            row.exclusive = row.time;
            if (row.count > 0) (*writer)->add(row);
        }
    }
    for (const Issue& issue : run.issues) (*writer)->add(issue);
    (*writer)->setInfo(info);
    if (!(*writer)->finish(Progress{})) return nullptr;
    const auto opened = TraceStore::open(path);
    return opened ? *opened : nullptr;
}

}  // namespace longpole
