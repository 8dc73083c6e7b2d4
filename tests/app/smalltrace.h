// SPDX-License-Identifier: GPL-3.0-or-later
// A trace that can be redrawn by hand, written straight into a .longpole file, with names that try to break out.
#pragma once

#include "core/store/tracewriter.h"
#include "core/trace/columns.h"
#include "support/units.h"

#include <QString>

#include <array>

namespace longpole::test {

// One character is 1 us, time zero is 5 ms:
//
//   PE 0   aaaa..bbb.      a = entry 0, b = entry 1; "." is idle
//   PE 1   ...bbbbbb.      begun by the message that 0:0 sends at 2 us
//
// Work path: 2 us of 0:0, then 6 us of 1:0. Duration 10 us, busy 13 us, idle 7 us.
constexpr TimeNs smallZero = 5'000'000;

inline const QString hostileName = QStringLiteral("run<\"Größe\", 'π'> & <script>alert(1)</script>,|x");

namespace detail {

inline void task(EventStream& stream, TrackId pe, TimeNs begin, TimeNs duration, std::int64_t entry,
                 std::array<std::int64_t, 7> source)
{
    std::array<std::int64_t, TaskColumn::Count> row{};
    row[TaskColumn::Begin] = begin;
    row[TaskColumn::Duration] = duration;
    row[TaskColumn::Entry] = entry;
    row[TaskColumn::Received] = minTime;
    row[TaskColumn::Cpu] = -1;
    row[TaskColumn::Index0] = index(pe);
    stream.append(ChunkKind::Task, pe, row);
    stream.append(ChunkKind::TaskSource, pe, source);
}

// Spans are begin, end and entry; entry -1 is idle.
inline void tiles(EventStream& stream, TrackId pe, TimeRange run, std::initializer_list<std::array<TimeNs, 3>> spans)
{
    TileBuilder builder(run);
    for (const auto& [begin, end, entry] : spans) {
        if (entry < 0) {
            builder.idle(begin, end);
            continue;
        }
        builder.task(begin);
        builder.busy(begin, end, EntryId{std::uint32_t(entry)});
    }
    stream.append(pe, builder.finish());
}

}  // namespace detail

// With so many issues more, each at another place.
inline Result<> writeHostileTrace(const QString& path, ProgramKind kind = ProgramKind::MessageDriven,
                                  int moreIssues = 0)
{
    auto created = TraceWriter::create(path);
    if (!created) return created.error();
    TraceWriter& writer = **created;
    const TimeNs z = smallZero;
    const TimeRange run{z, z + 10 * us};
    constexpr TrackId first{0}, second{1};
    using Source = std::array<std::int64_t, 7>;
    const Source none{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0};
    const Source message{std::int64_t(Link::Message), 0, 0, 2 * us, 1 * us, 0, 0};

    auto stream = writer.stream(0);
    detail::task(*stream, first, z, 4 * us, 0, none);
    detail::task(*stream, first, z + 6 * us, 3 * us, 1, none);
    stream->append(ChunkKind::Message, first,
                   std::array<std::int64_t, MessageColumn::Count>{z + 2 * us, 0, 2 * us, 1, 640, 0, 1, 0, 1, 0});
    stream->append(ChunkKind::MessageExecutions, first, std::array<std::int64_t, 1>{1});
    stream->append(ChunkKind::Idle, first, std::array<std::int64_t, 2>{z + 4 * us, 2 * us});
    stream->append(ChunkKind::Idle, first, std::array<std::int64_t, 2>{z + 9 * us, 1 * us});
    detail::tiles(
        *stream, first, run,
        {{z, z + 4 * us, 0}, {z + 4 * us, z + 6 * us, -1}, {z + 6 * us, z + 9 * us, 1}, {z + 9 * us, z + 10 * us, -1}});
    stream->close();
    stream = writer.stream(1);
    detail::task(*stream, second, z + 3 * us, 6 * us, 1, message);
    stream->append(ChunkKind::Latency, second, std::array<std::int64_t, 3>{0, 1 * us, 1});
    stream->append(ChunkKind::Idle, second, std::array<std::int64_t, 2>{z, 3 * us});
    stream->append(ChunkKind::Idle, second, std::array<std::int64_t, 2>{z + 9 * us, 1 * us});
    detail::tiles(*stream, second, run,
                  {{z, z + 3 * us, -1}, {z + 3 * us, z + 9 * us, 1}, {z + 9 * us, z + 10 * us, -1}});
    stream->close();

    for (std::uint32_t pe = 0; pe < 2; ++pe) {
        const QString name = QStringLiteral("PE %1").arg(pe);
        writer.add(Track{TrackId{pe}, noTrack, TrackKind::Pe, name, ProcessorId{pe}});
        Processor processor;
        processor.pe = ProcessorId{pe};
        processor.track = TrackId{pe};
        processor.name = name;
        processor.firstRecord = z;
        processor.lastRecord = run.end;
        processor.records = 8;
        processor.tasks = pe == 0 ? 2 : 1;
        processor.messages = pe == 0 ? 1 : 0;
        processor.busy = pe == 0 ? 7 * us : 6 * us;
        processor.idle = pe == 0 ? 3 * us : 4 * us;
        writer.add(processor);
    }
    writer.add(Chare{ChareId{0}, QStringLiteral("Solver"), 1});
    writer.add(Entry{EntryId{0}, QStringLiteral("start()"), QStringLiteral("Solver"), EntryKind::User, ChareId{0}});
    writer.add(Entry{EntryId{1}, hostileName, QStringLiteral("Solver"), EntryKind::User, ChareId{0}});
    writer.add(ProfileRow{ProcessorId{0}, EntryId{0}, 1, 4 * us, 4 * us, 1, 640});
    writer.add(ProfileRow{ProcessorId{0}, EntryId{1}, 1, 3 * us, 3 * us, 0, 0});
    writer.add(ProfileRow{ProcessorId{1}, EntryId{1}, 1, 6 * us, 6 * us, 0, 0});
    writer.add(Issue{QStringLiteral("unmatched_execution"), 1, QStringLiteral("small.0.log, line 7")});
    for (int i = 0; i < moreIssues; ++i)
        writer.add(Issue{QStringLiteral("malformed_record"), 1, QStringLiteral("small.0.log, line %1").arg(8 + i)});
    writer.add(RecordCount{QStringLiteral("BEGIN_PROCESSING"), 3});

    TraceInfo info;
    info.format = QStringLiteral("projections");
    info.vocabulary = kind;
    info.version = QStringLiteral("11.0");
    info.program = QStringLiteral("small");
    info.commandline = QStringLiteral("./small \"two words\" +p2");
    info.source = QStringLiteral("/traces/small.sts");
    info.fingerprint = QStringLiteral("00");
    info.processors = 2;
    info.tasks = 3;
    info.messages = 1;
    info.messagesMatched = 1;
    info.executionsUnmatched = 1;
    info.records = 16;
    info.begin = run.begin;
    info.end = run.end;
    info.busy = 13 * us;
    info.idle = 7 * us;
    info.startup = 1'000'000;
    info.sourceBytes = 1234;
    writer.setInfo(info);
    return writer.finish(Progress{});
}

}  // namespace longpole::test
