// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of one row in a range of time: the tasks as exact segments, or as bins where a pixel holds many.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tiles.h"
#include "core/trace/kinds.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace longpole {

constexpr std::uint32_t noTaskIndex = 0xffffffffu;

// A piece of time in which a task runs and none of those that it calls.
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

// An MPI call; its range is the wait before, the execution and the wait after, in this order.
struct RowCall {
    TimeRange range;
    TimeNs before = 0;
    TimeNs after = 0;
    RegionId region{};
    std::int64_t seq = 0;  // its number on its rank; -1: it stands for several calls of a pixel
    TimeRange waitBefore() const { return {range.begin, saturatingAdd(range.begin, before)}; }
    TimeRange execution() const { return {saturatingAdd(range.begin, before), saturatingSubtract(range.end, after)}; }
    TimeRange waitAfter() const { return {saturatingSubtract(range.end, after), range.end}; }
    friend bool operator==(const RowCall&, const RowCall&) = default;
};

struct RowData {
    TimeRange range;                   // what the data covers
    double resolution = 1;             // ns per pixel it was made for
    bool exact = true;                 // has segments, idle and calls; else bins
    bool isKept = true;                // else the trace lacks events of this row here, and bins stand for all
    std::vector<TimeRange> lacking;    // where it does, in time order
    bool damaged = false;              // a chunk could not be read, so that something is missing
    Error damage;                      // of the first such chunk
    bool thinned = false;              // calls, overheads, intervals or marks were merged or left out
    std::vector<RowSegment> segments;  // disjoint, in time order
    std::vector<TimeRange> idle;       // disjoint, in time order
    bool hasCalls =
        false;  // of an MPI rank or its thread: idle time is waits, what is neither idle nor busy executes MPI
    std::vector<RowCall> calls;  // disjoint, in time order
    TileLevel bins;
    // The least slack of each segment or bin, maxTime where there is no task; empty if it was not asked for
    // (rowslack.h).
    std::vector<TimeNs> segmentSlack;
    std::vector<TimeNs> binSlack;
    std::uint64_t slackVersion = 0;
    // Whether the task of each segment, or a task of each bin, passes the filter of `grain`; empty without a filter
    // (rowfilter.h).
    TimeRange grain;
    std::vector<std::uint8_t> segmentPasses;
    std::vector<std::uint8_t> binPasses;
    int members = 1;  // processors that the bins sum up
    std::vector<RowOverhead> overheads;
    std::vector<RowInterval> intervals;
    int lanes = 0;  // of the intervals: the deepest one's depth + 1

    std::int64_t bytes() const;  // that it holds, roughly
};

// The time of a level's i-th bin.
inline TimeRange binRange(const TileLevel& level, std::size_t i)
{
    const std::int64_t number = level.firstBin + static_cast<std::int64_t>(i);
    return {number << level.level, (number + 1) << level.level};
}

// The bins [first, last) of a level that touch a range that is not empty.
std::pair<std::size_t, std::size_t> binsIn(const TileLevel& level, TimeRange range);

// Those that overlap `range` of segments, calls or times that are disjoint and in time order. O(log pieces).
template <typename Piece>
std::span<const Piece> overlapping(const std::vector<Piece>& pieces, TimeRange range)
{
    const auto rangeOf = [](const Piece& piece) -> const TimeRange& {
        if constexpr (std::is_same_v<Piece, TimeRange>) return piece;
        else return piece.range;
    };
    const auto first = std::partition_point(pieces.begin(), pieces.end(),
                                            [&](const Piece& piece) { return rangeOf(piece).end <= range.begin; });
    const auto last = std::partition_point(first, pieces.end(),
                                           [&](const Piece& piece) { return rangeOf(piece).begin < range.end; });
    return {first, last};
}

// Of pieces that may nest or overlap, in any order: which has the time when. Where several do, the one that began last.
std::vector<RowSegment> exclusiveSegments(std::vector<RowSegment> pieces);

// Sums of segments and idle time in bins of 2^level ns, as tiles have them.
TileLevel binsOf(std::span<const RowSegment> segments, std::span<const TimeRange> idle, int level, TimeRange range);

// The sums over a range of a row. Bins that the range cuts count in proportion.
struct RowSummary {
    double busy = 0;  // ns
    double idle = 0;
    double tasks = 0;         // that touch the range, or of bins begin in it
    EntryId entry = noEntry;  // the one with most time
    double entryTime = 0;
    std::uint32_t task = noTaskIndex;  // the one with the longest piece in the range; of exact data
};
RowSummary summarize(const RowData& data, TimeRange range);

}  // namespace longpole
