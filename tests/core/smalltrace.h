// SPDX-License-Identifier: GPL-3.0-or-later
// A trace of two PEs that can be drawn by hand, written through TraceWriter; most tests of core read it.
#pragma once

#include "core/store/tracewriter.h"

#include <QString>

#include <array>
#include <vector>

namespace longpole {

using Row = std::vector<std::int64_t>;

// Task row without what is mostly zero.
inline Row taskRow(TimeNs begin, TimeNs end, std::int64_t entry, TimeNs nested = 0, std::int64_t outer = 0,
                   std::int64_t pieces = 0, std::int64_t element = 0)
{
    return {begin, end - begin, nested, entry, outer, pieces, 64, 0, minTime, -1, element, 0, 0, 0, 0, 0};
}

inline Row messageRow(TimeNs sent, std::int64_t task, TimeNs offset, std::int64_t entry, std::int64_t event)
{
    return {sent, task, offset, entry, 64, 0, 1, 10, event, 0};
}

//            1000      3000      5000      7000      9000
//   PE 0     [main 0.....][main..]....idle..[pass 2 ]       main has two pieces around pass 1
//                 [pass 1]                                  m0 at 1500 from main to PE 1, m1 from pass 1
//   PE 1     ..idle..[pass 0........]......[pass 1 .]
inline void writeSmallEvents(TraceWriter& writer)
{
    const TrackId pe0{10};
    const TrackId pe1{11};
    {
        auto stream = writer.stream(0);
        stream->append(ChunkKind::Task, pe0, taskRow(1000, 5000, 0, 1000, 0, 1));
        stream->append(ChunkKind::Task, pe0, taskRow(2000, 3000, 1, 0, 1, 0, 3));
        stream->append(ChunkKind::Task, pe0, taskRow(7000, 8000, 1, 0, 0, 0, 4));
        stream->append(ChunkKind::Piece, pe0, Row{1000, 1000, 0});
        stream->append(ChunkKind::Piece, pe0, Row{3000, 2000, 0});
        stream->append(ChunkKind::Idle, pe0, Row{5500, 1500});
        stream->append(ChunkKind::Message, pe0, messageRow(1500, 0, 500, 1, 100));
        stream->append(ChunkKind::Message, pe0, messageRow(2500, 1, 500, 1, 101));
        stream->append(ChunkKind::Message, pe0, messageRow(5100, 0, 4000, 1, 102));
        stream->append(ChunkKind::Mark, pe0, Row{2000, 0, 1, 0, 7});
        stream->append(ChunkKind::Overhead, pe0, Row{5100, 100, 0});
        TileBuilder tiles({1000, 9000});
        tiles.busy(1000, 2000, EntryId{0});
        tiles.busy(2000, 3000, EntryId{1});
        tiles.busy(3000, 5000, EntryId{0});
        tiles.idle(5500, 7000);
        tiles.busy(7000, 8000, EntryId{1});
        tiles.pack(5100, 5200);
        for (const TimeNs begin : {1000, 2000, 7000}) tiles.task(begin);
        for (const TimeNs sent : {1500, 2500, 5100}) tiles.message(sent, 64);
        stream->append(pe0, tiles.finish());
        EntryBinBuilder entryBins({1000, 9000});
        for (const auto& [begin, entry] : {std::pair{1000, EntryId{0}}, {2000, EntryId{1}}, {7000, EntryId{1}}})
            entryBins.task(begin, entry);
        entryBins.busy(1000, 2000, EntryId{0});
        entryBins.busy(2000, 3000, EntryId{1});
        entryBins.busy(3000, 5000, EntryId{0});
        entryBins.busy(7000, 8000, EntryId{1});
        stream->append(pe0, entryBins.finish());
    }
    {
        auto stream = writer.stream(1);
        stream->append(ChunkKind::Task, pe1, taskRow(3000, 6000, 1, 0, 0, 0, 5));
        stream->append(ChunkKind::Task, pe1, taskRow(8000, 9000, 1, 0, 0, 0, 6));
        stream->append(ChunkKind::Idle, pe1, Row{1000, 2000});
        TileBuilder tiles({1000, 9000});
        tiles.idle(1000, 3000);
        tiles.busy(3000, 6000, EntryId{1});
        tiles.busy(8000, 9000, EntryId{1});
        for (const TimeNs begin : {3000, 8000}) tiles.task(begin);
        stream->append(pe1, tiles.finish());
    }
    auto matched = writer.stream(2);
    matched->append(ChunkKind::TaskSource, pe0, Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
    matched->append(ChunkKind::TaskSource, pe0, Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
    matched->append(ChunkKind::TaskSource, pe0, Row{std::int64_t(Link::Message), 0, 0, 4000, 1900, 2, 0});
    matched->append(ChunkKind::TaskSource, pe1, Row{std::int64_t(Link::Message), 0, 0, 500, 1500, 0, 0});
    matched->append(ChunkKind::TaskSource, pe1, Row{std::int64_t(Link::Message), 0, 1, 500, 5500, 1, 0});
    for (int i = 0; i < 3; ++i) matched->append(ChunkKind::MessageExecutions, pe0, Row{1});
    matched->append(ChunkKind::Latency, pe0, Row{0, 1900, 1});
    matched->append(ChunkKind::Latency, pe1, Row{0, 1500, 2});
}

inline TraceInfo smallInfo()
{
    TraceInfo info;
    info.format = QStringLiteral("projections");
    info.program = QStringLiteral("ring");
    info.processors = 2;
    info.tasks = 5;
    info.messages = 3;
    info.begin = 1000;
    info.end = 9000;
    info.busy = 9000;
    info.idle = 3500;
    return info;
}

inline void addSmallDefinitions(TraceWriter& writer)
{
    const QString zero = QStringLiteral("PE 0");
    const QString one = QStringLiteral("PE 1");
    writer.add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("ring"), .pe = {}});
    writer.add(Track{.id = TrackId{11}, .parent = TrackId{1}, .name = one, .pe = ProcessorId{1}});
    writer.add(Track{.id = TrackId{10}, .parent = TrackId{1}, .name = zero, .pe = ProcessorId{0}});
    writer.add(Processor{
        .pe = ProcessorId{1}, .track = TrackId{11}, .name = one, .records = 6, .tasks = 2, .busy = 4000, .idle = 2000});
    writer.add(Processor{.pe = ProcessorId{0},
                         .track = TrackId{10},
                         .name = zero,
                         .records = 14,
                         .tasks = 3,
                         .messages = 3,
                         .busy = 5000,
                         .idle = 1500,
                         .pack = 100});
    writer.add(Chare{.id = ChareId{0}, .name = QStringLiteral("Main")});
    writer.add(Chare{.id = ChareId{1}, .name = QStringLiteral("Ring"), .dimensions = 1});
    writer.add(Entry{.id = EntryId{0}, .name = QStringLiteral("Main()"), .chare = QStringLiteral("Main")});
    writer.add(Entry{
        .id = EntryId{1}, .name = QStringLiteral("pass(int)"), .chare = QStringLiteral("Ring"), .chareId = ChareId{1}});
    writer.add(Region{.id = RegionId{1}, .kind = RegionKind::Note, .number = 1, .name = QStringLiteral("notes")});
    writer.addText(7, QStringLiteral("note \u00e4"));
    writer.add(Issue{QStringLiteral("unmatched"), 2, QStringLiteral("ring.1.log, line 3")});
    writer.add(Issue{QStringLiteral("unmatched"), 3, QStringLiteral("ring.1.log, line 3")});
    writer.add(RecordCount{QStringLiteral("BEGIN_PROCESSING"), 6});
    writer.add(ProfileRow{ProcessorId{0}, EntryId{0}, 1, 4000, 3000, 2, 128});
    writer.add(ProfileRow{ProcessorId{0}, EntryId{1}, 2, 2000, 2000, 1, 64});
    writer.add(ProfileRow{ProcessorId{1}, EntryId{1}, 2, 4000, 4000, 0, 0});
    writer.setInfo(smallInfo());
}

inline Result<> writeSmallTrace(const QString& path)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    addSmallDefinitions(**writer);
    writeSmallEvents(**writer);
    return (*writer)->finish(Progress());
}

}  // namespace longpole
