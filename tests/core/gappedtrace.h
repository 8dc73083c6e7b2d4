// SPDX-License-Identifier: GPL-3.0-or-later
// A trace of PEs 0 and 3, the first on track 0: numbers that no processor has, and arrays by number that are too short.
#pragma once

#include "core/store/tracewriter.h"

#include <QString>

#include <array>
#include <functional>

namespace longpole {

// `fill` appends the rows of each PE, which lie on the track of the same number. The run lasts from 0 to `end`.
inline Result<> writeGappedTrace(const QString& path, TimeNs end,
                                 const std::function<void(EventStream& stream, std::uint32_t pe)>& fill)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    (*writer)->add(Track{.id = TrackId{9}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
    (*writer)->add(Entry{.id = EntryId{0}, .name = QStringLiteral("work()"), .chare = QStringLiteral("Main")});
    constexpr std::array pes{0u, 3u};
    for (std::uint32_t number = 0; number < pes.size(); ++number) {
        const std::uint32_t pe = pes[number];
        const QString name = QStringLiteral("PE %1").arg(pe);
        (*writer)->add(Track{.id = TrackId{pe}, .parent = TrackId{9}, .name = name, .pe = ProcessorId{pe}});
        (*writer)->add(Processor{.pe = ProcessorId{pe}, .track = TrackId{pe}, .name = name});
        const auto stream = (*writer)->stream(number);
        fill(*stream, pe);
    }
    TraceInfo info;
    info.processors = pes.size();
    info.end = end;
    (*writer)->setInfo(info);
    return (*writer)->finish(Progress());
}

}  // namespace longpole
