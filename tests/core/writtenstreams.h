// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that do not compress, for a writer's streams, and the names of what it leaves in a folder.
#pragma once

#include "core/store/tracewriter.h"

#include <QDir>
#include <QStringList>
#include <QTemporaryDir>

#include <cstdint>
#include <random>

namespace longpole {

inline QStringList filesIn(const QTemporaryDir& folder)
{
    return QDir(folder.path()).entryList(QDir::Files | QDir::Hidden, QDir::Name);
}

// About three chunks of rows that do not compress, on a track that two streams share, and one of its own. `restsAfter`:
// the stream rests after so many rows, again and again; 0: never.
inline void fill(EventStream& stream, std::uint32_t ordinal, int restsAfter = 0)
{
    std::mt19937_64 random(ordinal);
    for (int i = 0; i < 12000; ++i) {
        const auto value = static_cast<std::int64_t>(random() >> 8);
        stream.append(ChunkKind::Interval, TrackId{ordinal / 2}, Row{i * 10, 5, 0, 0, 1, value});
        stream.append(ChunkKind::Idle, TrackId{1000 + ordinal}, Row{i * 20, value % 20});
        if (restsAfter > 0 && i % restsAfter == 0) stream.rest();
    }
}

}  // namespace longpole
