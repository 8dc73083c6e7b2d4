// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the MPI calls of a row as it draws them.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/timeline/rowdata.h"

#include <optional>
#include <vector>

namespace longpole {

struct CallsOfRow {
    std::vector<RowCall> calls;   // in time order
    bool thinned = false;         // neighbours below the resolution stand as one, or some were left out
    std::optional<Error> damage;  // the first chunk that could not be read
};

// The calls of a track that overlap the range; empty where the track has none. Of a thread, which has no tiles to fall
// back on, at most 64 chunks are read and calls below a third of a pixel are merged. O(rows of the chunks read).
CallsOfRow callsOfRow(const TraceStore& store, TrackId track, TimeRange range, double resolution);

// The call of a row's data that has most of the pixel, and how much of it; nothing where no call is.
struct CallInPixel {
    const RowCall* call = nullptr;
    TimeNs time = 0;
    std::int64_t count = 0;  // of calls that touch it
};
CallInPixel callIn(const RowData& data, TimeRange pixel);

}  // namespace longpole
