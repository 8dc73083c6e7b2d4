// SPDX-License-Identifier: GPL-3.0-or-later
// What each entry method did on a PE over time, coarsely: exclusive time and tasks begun, per entry method and bin of
// 2^level ns, counted from time 0. For stage x processor views of single entry methods.
#pragma once

#include "core/base/ids.h"
#include "core/base/pagedarray.h"
#include "core/base/timerange.h"

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace longpole {

constexpr std::int64_t mostEntryBins = 1024;

// Struct of arrays: a row for each entry method that did something in a bin, by bin, then entry.
struct EntryBins {
    int level = 0;                   // log2 of the bin width in ns
    std::int64_t firstBin = 0;       // the first row's
    std::vector<std::uint32_t> bin;  // row r lies in [binOf(r) << level, (binOf(r) + 1) << level); below mostEntryBins
    std::vector<EntryId> entry;
    std::vector<TimeNs> time;         // exclusive, ns
    std::vector<std::int64_t> tasks;  // begun in the bin

    std::size_t rows() const { return bin.size(); }
    std::int64_t binOf(std::size_t row) const { return firstBin + bin[row]; }
    void add(std::uint32_t inBin, EntryId entryId, TimeNs exclusive, std::int64_t begun);
};

// Takes the exclusive pieces and the tasks of one track, each about in time order. It widens its bins as it goes, so
// that there are at most 1024, and in the end no more rows than 4096 or an eighth of the tasks. Times are clipped to
// `run`; tasks outside of it count in its first or last bin: the sums over bins are ProfileRow::exclusive and ::count.
// Memory: at most half a million rows (16 MB) and 32 bytes an entry id. Amortised O(1) a call and bin touched.
class EntryBinBuilder {
public:
    // run.end may be maxTime while it is not known. No bin is narrower than 2^finest ns.
    explicit EntryBinBuilder(TimeRange run, int finest = 8);

    void busy(TimeNs begin, TimeNs end, EntryId innermost);
    void task(TimeNs begin, EntryId entry);
    // Adds what is known of an interval only as sums, spread over its bins in proportion to time. All of it counts:
    // what lies outside of the run goes to the interval's bins inside, or to the first or last bin if there are none.
    void share(TimeRange interval, EntryId entry, TimeNs time, std::int64_t tasks);

    // No rows if nothing was fed. Call it once.
    EntryBins finish();

private:
    struct Row {
        std::int64_t bin;
        EntryId entry;
        TimeNs time;
        std::int64_t tasks;
    };
    // What an entry method did in the bin that it was fed last, until it is fed another one.
    struct Open {
        std::int64_t bin = 0;
        std::int64_t sum = 0;
    };
    struct OpenEntry {
        Open time;
        Open tasks;
    };

    std::int64_t binAt(TimeNs time);
    OpenEntry& openOf(EntryId entry);
    void addTime(OpenEntry& open, std::int64_t bin, EntryId entry, TimeNs time);
    void addTasks(OpenEntry& open, std::int64_t bin, EntryId entry, std::int64_t tasks);
    void closeAll();
    void mergeRows();
    void compact(std::size_t most);
    void widen();

    TimeRange m_run;
    int m_level;
    std::int64_t m_tasks = 0;
    std::size_t m_compactAt = 4096;
    std::vector<Row> m_rows;       // of closed bins; a bin and entry may have several until compact()
    PagedArray<OpenEntry> m_open;  // by entry
    std::map<std::uint32_t, OpenEntry> m_openFarAway;  // of huge ids
};

}  // namespace longpole
