// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of one row over one range of time: exact segments, or bins where a pixel holds many tasks.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tiles.h"
#include "core/trace/kinds.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

constexpr std::uint32_t noTaskIndex = 0xffffffffu;

// Time that belongs to the innermost execution.
struct RowSegment {
    TimeRange range;
    EntryId entry = noEntry;
    std::uint32_t task = noTaskIndex;  // TaskId::index on the row's processor
    bool startsTask = true;            // false: its task began in an earlier segment
    friend bool operator==(const RowSegment&, const RowSegment&) = default;
};

struct RowOverhead {
    TimeRange range;
    OverheadKind kind{};
    friend bool operator==(const RowOverhead&, const RowOverhead&) = default;
};

// An interval (end > begin) or a mark (end == begin) with its region.
struct RowInterval {
    TimeRange range;
    RegionId region{};
    int depth = 0;
    friend bool operator==(const RowInterval&, const RowInterval&) = default;
};

// An MPI call: wait before, execution and wait after follow each other and add up to its range.
struct RowCall {
    TimeRange range;
    TimeNs before = 0;
    TimeNs after = 0;
    RegionId region{};
    std::int64_t seq = 0;  // on its rank; -1: several calls of a pixel stand as one
    TimeRange waitBefore() const { return {range.begin, range.begin + before}; }
    TimeRange execution() const { return {range.begin + before, range.end - after}; }
    TimeRange waitAfter() const { return {range.end - after, range.end}; }
    friend bool operator==(const RowCall&, const RowCall&) = default;
};

struct RowData {
    TimeRange range;                   // what the data covers
    double resolution = 1;             // ns per pixel it was made for
    bool exact = true;                 // segments and idle; else bins
    bool damaged = false;              // a chunk could not be read: something is missing
    Error damage;                      // the first that could not, when damaged
    bool thinned = false;              // overheads, intervals or marks below the resolution were merged or left out
    std::vector<RowSegment> segments;  // disjoint, in time order
    std::vector<TimeRange> idle;       // disjoint, in time order
    bool hasCalls = false;       // of an MPI rank or a thread of one: idle time is waits, and what is left executes MPI
    std::vector<RowCall> calls;  // disjoint, in time order; exact data only
    TileLevel bins;
    // Least slack of each segment, or bin: maxTime without tasks; empty while it is not asked for. See rowslack.h.
    std::vector<TimeNs> segmentSlack;
    std::vector<TimeNs> binSlack;
    std::uint64_t slackVersion = 0;
    // Whether a task of each segment, or bin, passes the filter of `grain`; empty while there is none. See rowfilter.h.
    TimeRange grain;
    std::vector<std::uint8_t> segmentPasses;
    std::vector<std::uint8_t> binPasses;
    int members = 1;  // processors that the bins sum up
    std::vector<RowOverhead> overheads;
    std::vector<RowInterval> intervals;
    int lanes = 0;  // deepest interval + 1
};

// Innermost executions of pieces that may nest or overlap: the one that began last has the time. Input in any order.
std::vector<RowSegment> exclusiveSegments(std::vector<RowSegment> pieces);

// Sums of segments and idle in bins of 2^level ns over `range`, like the ones of the pyramid.
TileLevel binsOf(std::span<const RowSegment> segments, std::span<const TimeRange> idle, int level, TimeRange range);

// What lies in `range` of a row: for a readout and for tests. Bins count with the share that overlaps.
struct RowSummary {
    double busy = 0;  // ns
    double idle = 0;
    double tasks = 0;         // begun in the range (exact: touching it)
    EntryId entry = noEntry;  // the one with the most time
    double entryTime = 0;
    std::uint32_t task = noTaskIndex;  // of the longest piece in the range; exact data only
};
RowSummary summarize(const RowData& data, TimeRange range);

}  // namespace longpole
