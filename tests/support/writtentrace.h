// SPDX-License-Identifier: GPL-3.0-or-later
// Executions and messages of a few PEs, written to a store as an importer would after matching.
#pragma once

#include "core/smalltrace.h"
#include "core/store/tracestore.h"

#include <QString>

#include <algorithm>
#include <memory>
#include <vector>

namespace longpole {

struct Sent {
    std::uint32_t task = 0;  // index of the execution on the PE that sent it
    TimeNs offset = 0;       // from that execution's begin
};

struct Executed {
    TimeNs begin = 0;
    TimeNs duration = 0;
    std::uint32_t outer = 0;  // how many rows before this one the outermost execution around it is; 0: none is
    TaskId source{};          // invalid if it has none
    TimeNs offset = 0;        // from the source's begin to the send
    std::int64_t message = -1;
    std::uint32_t entry = 0;
    TaskId merged{};  // the task that it merged with at its end; invalid: none
};

// The executions and creations of each PE, as they are written to a store.
struct Written {
    std::vector<std::vector<Executed>> tasks;
    std::vector<std::vector<Sent>> messages;

    void send(TaskId from, TimeNs offset) { messages[index(from.pe)].push_back({from.index, offset}); }
    // Says that `task` was started by the newest message of the PE of `from`.
    void start(TaskId task, TaskId from)
    {
        Executed& started = tasks[index(task.pe)][task.index];
        started.source = from;
        started.message = static_cast<std::int64_t>(messages[index(from.pe)].size()) - 1;
        started.offset = messages[index(from.pe)].back().offset;
    }
};

inline TaskId task(std::uint32_t pe, std::uint32_t row) { return {ProcessorId{pe}, row}; }

inline void writeProcessor(EventStream& stream, const Written& written, std::uint32_t pe)
{
    const TrackId track{10 + pe};
    for (const Executed& t : written.tasks[pe])
        stream.append(ChunkKind::Task, track, taskRow(t.begin, t.begin + t.duration, t.entry, 0, t.outer));
    std::int64_t event = 0;
    for (const Sent& message : written.messages[pe])
        stream.append(ChunkKind::Message, track,
                      messageRow(written.tasks[pe][message.task].begin + message.offset, message.task, message.offset,
                                 0, event++));
    for (const Executed& t : written.tasks[pe])
        stream.append(ChunkKind::TaskSource, track,
                      t.source.isValid() ? Row{std::int64_t(Link::Message), index(t.source.pe), t.source.index,
                                               t.offset, 0, t.message, index(t.source.pe)}
                                         : Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
    for (std::size_t row = 0; row < written.tasks[pe].size(); ++row)
        if (const TaskId merged = written.tasks[pe][row].merged; merged.isValid())
            stream.append(ChunkKind::Merge, track,
                          Row{std::int64_t(row), index(merged.pe), merged.index,
                              written.tasks[index(merged.pe)][merged.index].duration, -1, std::int64_t(Link::Message)});
}

inline std::shared_ptr<const TraceStore> store(const Written& written, const QString& path)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return nullptr;
    TraceInfo info;
    info.processors = static_cast<std::int64_t>(written.tasks.size());
    (*writer)->add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
    (*writer)->add(Entry{.id = EntryId{0}, .name = QStringLiteral("work()"), .chare = QStringLiteral("Main")});
    std::uint32_t lastEntry = 0;
    for (const auto& tasks : written.tasks)
        for (const Executed& t : tasks) lastEntry = std::max(lastEntry, t.entry);
    for (std::uint32_t id = 1; id <= lastEntry; ++id)
        (*writer)->add(Entry{.id = EntryId{id},
                             .name = QStringLiteral("work%1()").arg(id),
                             .chare = QStringLiteral("Main")});
    for (std::uint32_t pe = 0; pe < written.tasks.size(); ++pe) {
        const QString name = QStringLiteral("PE %1").arg(pe);
        (*writer)->add(Track{.id = TrackId{10 + pe}, .parent = TrackId{1}, .name = name, .pe = ProcessorId{pe}});
        (*writer)->add(Processor{.pe = ProcessorId{pe}, .track = TrackId{10 + pe}, .name = name});
        for (const Executed& t : written.tasks[pe]) info.end = std::max(info.end, t.begin + t.duration);
        writeProcessor(*(*writer)->stream(pe), written, pe);
    }
    (*writer)->setInfo(info);
    if (!(*writer)->finish(Progress{})) return nullptr;
    const auto opened = TraceStore::open(path);
    return opened ? *opened : nullptr;
}

}  // namespace longpole
