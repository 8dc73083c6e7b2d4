// SPDX-License-Identifier: GPL-3.0-or-later
// What a trace holds, as lines: its rows, by what is stored of them, and its definitions.
#pragma once

#include "core/store/tracestore.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>

namespace longpole::tests {

// The chunks of the processors that are asked for: what is stored of them, down to the byte.
inline QStringList chunksOf(const TraceStore& store, const std::function<bool(std::uint32_t)>& isAskedFor)
{
    QStringList lines;
    for (const Track& track : store.tracks()) {
        if (!track.pe || !isAskedFor(index(*track.pe))) continue;
        for (int kind = 0; kind < 64; ++kind)
            for (int level = 0; level < 64; ++level)
                for (const ChunkRef& ref : store.chunks(static_cast<ChunkKind>(kind), track.id, level))
                    lines << QStringLiteral("track %1 kind %2 level %3 row %4: %5 rows, %6")
                                 .arg(index(track.id))
                                 .arg(kind)
                                 .arg(ref.level)
                                 .arg(ref.firstRow)
                                 .arg(ref.rows)
                                 .arg(ref.hash, 0, 16);
    }
    return lines;
}

inline QStringList definitionsOf(const TraceStore& store)
{
    const TraceInfo& info = store.info();
    QStringList lines{info.format,  info.version,  info.program,   info.commandline,
                      info.machine, info.hostname, info.timestamp, info.source};
    QString totals;
    for (const std::int64_t value : {info.processors, info.tasks, info.messages, info.messagesMatched,
                                     info.executionsUnmatched, info.records, info.begin, info.end, info.busy, info.idle,
                                     info.startup, info.shutdown, info.before, info.sourceBytes, info.interval})
        totals += QString::number(value) + u' ';
    lines << totals;
    for (const Processor& one : store.processors()) {
        QString line = one.name;
        for (const std::int64_t value :
             {std::int64_t{index(one.pe)}, std::int64_t{index(one.track)}, std::int64_t{one.node},
              std::int64_t{one.process}, std::int64_t{one.hasLog}, one.records, one.tasks, one.messages,
              one.firstRecord, one.lastRecord, one.busy, one.idle, one.flush, one.started, one.stopping})
            line += QStringLiteral(" %1").arg(value);
        lines << line;
    }
    for (const Track& track : store.tracks())
        lines << QStringLiteral("track %1 in %2: %3").arg(index(track.id)).arg(index(track.parent)).arg(track.name);
    for (const Entry& entry : store.entries())
        lines << QStringLiteral("entry %1: %2 of %3").arg(index(entry.id)).arg(entry.name, entry.chare);
    for (const Region& region : store.regions())
        lines << QStringLiteral("region %1: %2 %3").arg(index(region.id)).arg(region.name).arg(region.number);
    for (const RecordCount& count : store.counts())
        lines << QStringLiteral("count %1: %2").arg(count.kind).arg(count.count);
    for (const Issue& issue : store.issues())
        lines << QStringLiteral("issue %1: %2, %3").arg(issue.kind).arg(issue.count).arg(issue.place);
    for (const ProfileRow& row : store.profile())
        lines << QStringLiteral("profile %1 %2: %3 %4 %5 %6")
                     .arg(index(row.pe))
                     .arg(index(row.entry))
                     .arg(row.count)
                     .arg(row.exclusive)
                     .arg(row.messages)
                     .arg(row.bytes);
    return lines;
}

}  // namespace longpole::tests
