// SPDX-License-Identifier: GPL-3.0-or-later
// The level-of-detail pyramid of a track: bins of 2^level ns counted from time 0, each level 4 x coarser, every bin the
// exact sum of its four children. Draws any range at any zoom in time proportional to the pixels.
#pragma once

#include "core/base/drawnhash.h"
#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole {

struct TileBin {
    TimeNs busy = 0;
    TimeNs idle = 0;
    std::int64_t tasks = 0;
    std::int64_t messages = 0;
    EntryId entry = noEntry;  // most exclusive time (among the children's dominant ones above the base level)
    TimeNs entryTime = 0;
    std::int64_t bytes = 0;  // of the messages
    TimeNs pack = 0;         // packing and unpacking outside tasks
    friend bool operator==(const TileBin&, const TileBin&) = default;
};

// Which fields of bins to read, a bit each, in the order of the stored columns.
namespace TileField {
enum : std::uint32_t {
    Busy = 1,
    Idle = 2,
    Tasks = 4,
    Messages = 8,
    Entry = 16,
    EntryTime = 32,
    Bytes = 64,
    Pack = 128
};
}
constexpr std::uint32_t allTileColumns = 0xff;

struct TileLevel {
    int level = 0;              // log2 of the bin width in ns; even
    std::int64_t firstBin = 0;  // bin b covers [b << level, (b + 1) << level)
    std::vector<TileBin> bins;
};

// Finest level first; each next level is 4 x coarser; the last has at most 4 bins.
struct TilePyramid {
    std::vector<TileLevel> levels;
};

// Fed in time order with the exclusive pieces of one track; widens its bins as it goes so that a bin holds at least 32
// events on average (or there are no more than 512 bins); packing is no event. Memory: at most events / 32 + `spare`
// bins, or 2048 where fewer than 256 calls feed it. Times are clipped to `run`; tasks and messages outside of it count
// in its first or last bin. Amortised O(1) a call and bin touched.
class TileBuilder {
public:
    static constexpr int finestLevel = 8;
    // While it grows, so that a dense end finds narrow bins.
    static constexpr std::int64_t spareBins = 65536;

    // run.end may be maxTime while it is not known. No bin is narrower than 2^finest ns; finest is even.
    explicit TileBuilder(TimeRange run, int finest = finestLevel, std::int64_t spare = spareBins);

    void busy(TimeNs begin, TimeNs end, EntryId innermost);  // disjoint, in time order
    void idle(TimeNs begin, TimeNs end);
    void task(TimeNs begin);
    void message(TimeNs sent, std::int64_t bytes);
    void pack(TimeNs begin, TimeNs end);  // outside tasks; packing and unpacking may overlap and then count twice

    // Gives spare bins back, as finish() would; more may be fed afterwards, with less detail.
    void shrink();

    // Adds what a trace knows of an interval only as sums, spread over its bins in proportion to time
    // (core/base/shares.h): busy, idle, tasks, messages, bytes, pack. Returns what lies in the run and was counted;
    // counts of an interval outside of it go to the first or last bin.
    TileBin share(TimeRange interval, const TileBin& sums);
    // Adds the time of entry methods in an interval, which decides the bins' dominant ones; after all share(), in time
    // order.
    void shareEntries(TimeRange interval, std::span<const std::pair<EntryId, TimeNs>> times);

    // No levels if nothing was fed. Call it once.
    TilePyramid finish();

private:
    // One call.
    struct Fed {
        enum class Kind : std::uint8_t { Busy, Idle, Pack, Task, Message } kind;
        TimeRange range;
        EntryId entry = noEntry;
        std::int64_t bytes = 0;
    };
    void feed(const Fed& fed);
    void settle(std::int64_t spare);
    void add(const Fed& fed);
    TimeNs clamped(TimeNs time) const;
    std::size_t binAt(TimeNs time);
    template <typename Add>
    void spread(TimeRange part, Add add);
    void openBin(std::int64_t position, const std::vector<TileBin>& bins);
    void openBin(std::size_t position);
    void addEntry(EntryId entry, TimeNs time);
    void closeOpenBin();
    void widen();

    TimeRange m_run;
    int m_level;
    std::int64_t m_mostSpare;  // m_spare where many calls feed it
    std::int64_t m_firstBin = 0;
    std::int64_t m_events = 0;
    std::int64_t m_spare = 0;    // bins that there may be before events ask for more; 0 while calls wait
    std::vector<Fed> m_waiting;  // the first calls: where no others come, few bins do
    std::vector<TileBin> m_bins;
    // Exclusive time per entry in the bin that was fed last, until another one is.
    std::int64_t m_openBin = -1;
    std::vector<std::pair<EntryId, TimeNs>> m_openEntries;
    std::unordered_map<EntryId, std::size_t, DrawnHash> m_placeOfEntry;  // in m_openEntries, if these are many
};

TileLevel coarser(const TileLevel& level);

// Bin by bin sum of two pyramids' coarse levels (for "all processors"); levels up to `bins` bins only. Times and counts
// are exact; the dominant entry is the larger of the two.
void addInto(TilePyramid& sum, const TilePyramid& part, std::size_t bins);

}  // namespace longpole
