// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/rowdata.h"

#include "analysis/results/bytesof.h"
#include "core/base/drawnhash.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace longpole {

std::vector<RowSegment> exclusiveSegments(std::vector<RowSegment> pieces)
{
    const auto before = [](const RowSegment& a, const RowSegment& b) {
        return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.range.end > b.range.end;
    };
    if (!std::is_sorted(pieces.begin(), pieces.end(), before)) std::stable_sort(pieces.begin(), pieces.end(), before);

    std::vector<RowSegment> result;
    result.reserve(pieces.size());
    std::vector<RowSegment> open;  // pieces that enclose the next, innermost last, without the time they gave away
    const auto emit = [&result](RowSegment segment) {
        if (segment.range.end > segment.range.begin) result.push_back(segment);
    };
    // Ends the pieces that are over at `time`; those around them go on.
    const auto closeUntil = [&](TimeNs time) {
        while (!open.empty() && open.back().range.end <= time) {
            const RowSegment done = open.back();
            open.pop_back();
            emit(done);
            if (!open.empty()) {
                open.back().range.begin = std::max(open.back().range.begin, done.range.end);
                open.back().startsTask = false;
            }
        }
    };
    for (const RowSegment& piece : pieces) {
        closeUntil(piece.range.begin);
        if (!open.empty()) {
            RowSegment head = open.back();
            head.range.end = std::min(head.range.end, piece.range.begin);
            if (head.range.end > head.range.begin) {
                emit(head);
                open.back().startsTask = false;
            }
            open.back().range.begin = piece.range.begin;
        }
        open.push_back(piece);
    }
    closeUntil(maxTime);
    while (!open.empty()) {
        emit(open.back());
        open.pop_back();
    }
    return result;
}

namespace {

// Calls give(bin, ns) for each bin that a range touches, with its part of the time.
template <typename Give>
void spread(TimeRange range, TileLevel& level, const Give& give)
{
    const auto [first, last] = binsIn(level, range);
    for (std::size_t bin = first; bin < last; ++bin) give(level.bins[bin], overlap(range, binRange(level, bin)));
}

}  // namespace

std::pair<std::size_t, std::size_t> binsIn(const TileLevel& level, TimeRange range)
{
    const auto count = static_cast<std::int64_t>(level.bins.size());
    const std::int64_t first = std::clamp<std::int64_t>((range.begin >> level.level) - level.firstBin, 0, count);
    const std::int64_t last = std::clamp<std::int64_t>(((range.end - 1) >> level.level) - level.firstBin + 1, first,
                                                       count);
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

TileLevel binsOf(std::span<const RowSegment> segments, std::span<const TimeRange> idle, int level, TimeRange range)
{
    TileLevel result{.level = level, .firstBin = range.begin >> level, .bins = {}};
    if (range.isEmpty()) return result;
    result.bins.resize(static_cast<std::size_t>(((range.end - 1) >> level) - result.firstBin + 1));
    // Segments come in time order: of each entry only the bin that it was in last needs to be known.
    struct Held {
        const TileBin* bin = nullptr;
        TimeNs time = 0;
    };
    std::map<EntryId, Held> entries;
    for (const RowSegment& segment : segments) {
        const TimeRange part = intersection(segment.range, range);
        if (part.isEmpty()) continue;
        if (segment.startsTask && segment.range.begin >= range.begin)
            ++result.bins[static_cast<std::size_t>((segment.range.begin >> level) - result.firstBin)].tasks;
        Held& held = entries[segment.entry];
        spread(part, result, [&](TileBin& bin, TimeNs time) {
            if (held.bin != &bin) held = {&bin, 0};
            addSaturating(bin.busy, time);
            addSaturating(held.time, time);
            if (held.time > bin.entryTime) {
                bin.entry = segment.entry;
                bin.entryTime = held.time;
            }
        });
    }
    for (const TimeRange& gap : idle) {
        const TimeRange part = intersection(gap, range);
        if (!part.isEmpty()) spread(part, result, [](TileBin& bin, TimeNs time) { addSaturating(bin.idle, time); });
    }
    return result;
}

namespace {

RowSummary summarizeSegments(const RowData& data, TimeRange range)
{
    RowSummary sum;
    TimeNs longest = 0;
    std::unordered_map<std::uint32_t, TimeNs, DrawnHash> entries;
    for (const RowSegment& segment : overlapping(data.segments, range)) {
        const TimeNs time = overlap(segment.range, range);
        sum.busy += static_cast<double>(time);
        // Of a task's pieces that begin in the range only the task's first counts, so that it counts once.
        if (segment.startsTask || segment.range.begin <= range.begin) sum.tasks += 1;
        if (time > longest) {
            longest = time;
            sum.task = segment.task;
        }
        TimeNs& ofEntry = entries[index(segment.entry)];
        addSaturating(ofEntry, time);
        if (static_cast<double>(ofEntry) > sum.entryTime) {
            sum.entryTime = static_cast<double>(ofEntry);
            sum.entry = segment.entry;
        }
    }
    for (const TimeRange& gap : overlapping(data.idle, range)) sum.idle += static_cast<double>(overlap(gap, range));
    return sum;
}

RowSummary summarizeBins(const TileLevel& level, TimeRange range)
{
    RowSummary sum;
    const double width = static_cast<double>(TimeNs{1} << level.level);
    std::unordered_map<std::uint32_t, double, DrawnHash> entries;
    const auto [first, last] = binsIn(level, range);
    for (std::size_t i = first; i < last; ++i) {
        const TileBin& bin = level.bins[i];
        const double share = static_cast<double>(overlap(range, binRange(level, i))) / width;
        sum.busy += share * static_cast<double>(bin.busy);
        sum.idle += share * static_cast<double>(bin.idle);
        sum.tasks += share * static_cast<double>(bin.tasks);
        if (bin.entry == noEntry) continue;
        const double ofEntry = entries[index(bin.entry)] += share * static_cast<double>(bin.entryTime);
        if (ofEntry > sum.entryTime) {
            sum.entryTime = ofEntry;
            sum.entry = bin.entry;
        }
    }
    return sum;
}

}  // namespace

std::int64_t RowData::bytes() const
{
    return static_cast<std::int64_t>(sizeof(RowData)) + bytesOf(segments) + bytesOf(idle) + bytesOf(calls)
           + bytesOf(bins.bins) + bytesOf(segmentSlack) + bytesOf(binSlack) + bytesOf(segmentPasses)
           + bytesOf(binPasses) + bytesOf(overheads) + bytesOf(intervals) + bytesOf(lacking);
}

RowSummary summarize(const RowData& data, TimeRange range)
{
    if (range.isEmpty()) return {};
    return data.exact ? summarizeSegments(data, range) : summarizeBins(data.bins, range);
}

}  // namespace longpole
