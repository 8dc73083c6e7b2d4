// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the MPI calls that a row draws.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/timeline/rowdata.h"

#include <optional>
#include <vector>

namespace longpole {

struct CallsOfRow {
    std::vector<RowCall> calls;   // in time order
    bool thinned = false;         // calls below the resolution were merged, or some were left out
    std::optional<Error> damage;  // the first chunk that could not be read
};

// The calls of a track that overlap the range. A thread has no tiles to fall back on: of its calls at most 64 chunks
// are read, and those shorter than a third of a pixel are merged. O(rows of the chunks read).
CallsOfRow callsOfRow(const TraceStore& store, TrackId track, TimeRange range, double resolution);

// The call that has most of the pixel's time; null where there is no call.
struct CallInPixel {
    const RowCall* call = nullptr;
    TimeNs time = 0;         // of the pixel that is the call's
    std::int64_t count = 0;  // of all calls that touch the pixel
};
CallInPixel callIn(const RowData& data, TimeRange pixel);

}  // namespace longpole
