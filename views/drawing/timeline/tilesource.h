// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what a row needs at a resolution: tiles where a pixel covers at least one bin, else the events themselves.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/timeline/rowdata.h"
#include "views/drawing/timeline/rowfilter.h"
#include "views/drawing/timeline/rowslack.h"

#include <list>
#include <map>
#include <memory>
#include <mutex>

namespace longpole {

struct RowRequest {
    TrackId track{};
    std::vector<TrackId> members;  // of a group: summed as bins
    TimeRange range;
    double resolution = 1;               // ns per pixel
    bool tilesOnly = false;              // never decode events: for a first, coarse picture
    SlackLayer slack{};                  // to colour or dim by
    std::optional<TaskFilter> filter{};  // to dim by
};

// Synchronous. Cost: O(pixels) for tiles; for events O(rows of the chunks that overlap), at most about 32 a pixel.
// Of overheads, intervals and marks at most 64 chunks are read; packing below half a pixel is left out, the others are
// merged below a third of a pixel. Damaged chunks are left out and reported in RowData::damaged.
RowData loadRow(const TraceStore& store, const RowRequest& request);

// Sum over tracks in bins of one level, the finest that all of them have and that is not finer than the resolution
// asks for. Tracks without tiles count as empty. Error: the first damaged chunk.
Result<TileLevel> summedTiles(const TraceStore& store, std::span<const TrackId> tracks, TimeRange range,
                              double resolution);

// Utilization of the run for about that many pixels: of a short run from its events, of few processors from their
// tiles, else the store's overview.
Result<TileLevel> overviewTiles(const TraceStore& store, double pixels);

// The tile level of a track that fits a resolution: the coarsest whose bins are not wider than a pixel; -1 if even the
// finest are.
int tileLevelFor(std::span<const int> levels, double resolution);

// loadRow with memory: answers of the same track, range and resolution are kept, the least recently used go first.
// Thread-safe; loads run outside the lock.
class TileSource {
public:
    explicit TileSource(std::shared_ptr<const TraceStore> store, std::size_t rows = 512);

    std::shared_ptr<const RowData> row(const RowRequest& request);

private:
    struct Key {
        TrackId track;
        TimeRange range;
        int resolution;  // in 64ths of a power of two
        bool tilesOnly;
        std::uint64_t slack;  // its version
        TimeRange grain;      // of the filter
        auto operator<=>(const Key&) const = default;
    };
    struct Entry {
        Key key;
        std::shared_ptr<const RowData> data;
    };
    std::shared_ptr<const TraceStore> m_store;
    std::size_t m_most;
    std::mutex m_lock;
    std::list<Entry> m_entries;  // newest first
    std::map<Key, std::list<Entry>::iterator> m_index;
};

}  // namespace longpole
