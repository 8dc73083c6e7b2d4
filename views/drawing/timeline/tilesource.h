// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a row's data at a resolution: tiles where a pixel covers at least one bin, else the events themselves.
#pragma once

#include "analysis/results/results.h"
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
    std::vector<TrackId> members{};  // of a group, summed as bins; empty: the row is a track's
    TimeRange range;
    double resolution = 1;               // ns per pixel
    bool tilesOnly = false;              // decodes no events, for a first, coarse picture
    SlackLayer slack{};                  // to be added to the data
    std::optional<TaskFilter> filter{};  // whose marks are to be added
    std::size_t beside = 1;              // rows that are shown together, this one among them
    std::uint64_t key = 0;               // tells rows apart that begin with the same track, for whoever keeps the data
};

// Tiles cost O(pixels), events O(rows of the chunks that overlap), at most about 32 a pixel. Of overheads, intervals
// and marks at most 64 chunks are read each; packing shorter than half a pixel is left out, the others are merged where
// they are shorter than a third of a pixel. Damaged chunks are left out, which RowData::damaged says.
RowData loadRow(const TraceStore& store, const RowRequest& request);

// The sum over tracks, in bins of the finest level that all of them have and that is not finer than the resolution; of
// blocks of processors that the trace has added up it is not added up again.
// Tracks without tiles count as empty. Error: of the first damaged chunk.
Result<TileLevel> summedTiles(const TraceStore& store, std::span<const TrackId> tracks, TimeRange range,
                              double resolution);

// The sum over all processors and the run, in about as many bins as `pixels`: of a short run counted from its events,
// of few processors from their tiles; else the store's overview, which may be coarser.
Result<TileLevel> overviewTiles(const TraceStore& store, double pixels);

// Of a track's tile levels the coarsest whose bins are not wider than a pixel; -1 if all are wider.
int tileLevelFor(std::span<const int> levels, double resolution);

// loadRow with a cache of `rows` answers and so many bytes, of which the least recently used go first; `results` counts
// all that are alive. Thread-safe; loads run outside the lock.
class TileSource {
public:
    explicit TileSource(Results& results, std::size_t rows = 512, std::int64_t bytes = std::int64_t{128} << 20);

    std::shared_ptr<const RowData> row(const RowRequest& request);

private:
    struct Key {
        TrackId track;
        std::uint64_t row;  // the request's key
        TimeRange range;
        int resolution;  // its binary logarithm in 64ths
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
    std::shared_ptr<Holding> m_holding;
    std::size_t m_most;
    std::int64_t m_mostBytes;
    std::int64_t m_bytes = 0;
    std::mutex m_lock;
    std::list<Entry> m_entries;  // newest first
    std::map<Key, std::list<Entry>::iterator> m_index;
};

}  // namespace longpole
