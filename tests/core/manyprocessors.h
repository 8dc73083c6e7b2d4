// SPDX-License-Identifier: GPL-3.0-or-later
// A trace of many PEs of which only tiles are drawn: by chance, some short, some late, some without any.
#pragma once

#include "core/store/tracewriter.h"

#include <QString>

#include <cstdint>
#include <random>

namespace longpole {

// Every `commThreads`-th is a communication thread; 0: none is.
inline Result<> writeManyProcessors(const QString& path, std::uint32_t count, std::uint32_t commThreads,
                                    std::uint32_t seed)
{
    constexpr TimeNs end = 3'000'000;
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    std::mt19937 random(seed);
    (*writer)->add(Track{TrackId{0x70000000}, noTrack, TrackKind::Root, QStringLiteral("run"), std::nullopt});
    for (std::uint32_t pe = 0; pe < count; ++pe) {
        const bool isComm = commThreads != 0 && pe % commThreads == commThreads - 1;
        const TrackKind kind = isComm ? TrackKind::CommThread : TrackKind::Pe;
        const TrackId track{pe + 7};
        (*writer)->add(Track{track, TrackId{0x70000000}, kind, QStringLiteral("PE %1").arg(pe), ProcessorId{pe}});
        Processor processor{.pe = ProcessorId{pe}, .track = track, .kind = kind, .name = {}};
        processor.firstRecord = 0;
        processor.lastRecord = end;
        (*writer)->add(processor);
        const auto stream = (*writer)->stream(pe);
        TileBuilder tiles({0, end});
        const auto pieces = static_cast<std::uint32_t>(random() % 8 == 0
                                                           ? 0
                                                           : 1 + random() % (random() % 4 == 0 ? 400 : 20));
        const auto length = static_cast<TimeNs>(100 + random() % 5000);
        auto at = static_cast<TimeNs>(random() % 1'000'000);
        for (std::uint32_t i = 0; i < pieces; ++i, at += length + 50) {
            tiles.busy(at, at + length, EntryId{static_cast<std::uint32_t>(random() % 5)});
            tiles.idle(at + length, at + length + 30);
            tiles.task(at);
            tiles.message(at + length / 2, static_cast<std::int64_t>(random() % 100));
            tiles.pack(at + length + 30, at + length + 50);
        }
        stream->append(track, tiles.finish());
    }
    for (std::uint32_t entry = 0; entry < 5; ++entry)
        (*writer)->add(Entry{.id = EntryId{entry}, .name = QStringLiteral("e%1").arg(entry), .chare = {}});
    TraceInfo info;
    info.format = QStringLiteral("projections");
    info.program = QStringLiteral("many");
    info.processors = count;
    info.begin = 0;
    info.end = end;
    (*writer)->setInfo(info);
    return (*writer)->finish(Progress());
}

}  // namespace longpole
