// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/rowcalls.h"

#include "core/base/timerange.h"
#include "core/store/rows.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostChunks = 64;
constexpr std::uint32_t callFields = MpiRow::Range | MpiRow::Region | MpiRow::Seq | MpiRow::WaitBefore
                                     | MpiRow::WaitAfter;

// Whether two calls are so short and so near that one box can stand for both.
bool canMerge(const RowCall& before, const RowCall& call, TimeNs nearby)
{
    return call.range.begin - before.range.end <= nearby && call.range.length() <= nearby
           && before.range.length() <= 2 * nearby;
}

void merge(RowCall& into, const RowCall& call)
{
    into.range.end = std::max(into.range.end, call.range.end);
    addSaturating(into.before, call.before);
    addSaturating(into.after, call.after);
    into.seq = -1;
}

// Takes what a call before it has from a call's begin: a rank is in one call at a time. False if nothing is left.
bool beginsAfter(RowCall& call, TimeNs end)
{
    if (call.range.begin >= end) return true;
    if (call.range.end <= end) return false;
    call.before = std::max<TimeNs>(0, call.before - (end - call.range.begin));
    call.range.begin = end;
    call.after = std::min(call.after, call.range.length() - call.before);
    return true;
}

RowCall callOf(const MpiRow& row)
{
    const TimeNs length = std::max<TimeNs>(0, row.duration());
    RowCall call{.range = {row.begin(), saturatingAdd(row.begin(), length)}, .region = row.region(), .seq = row.seq()};
    call.before = std::clamp<TimeNs>(row.waitBefore(), 0, length);
    call.after = std::clamp<TimeNs>(row.waitAfter(), 0, length - call.before);
    return call;
}

}  // namespace

CallsOfRow callsOfRow(const TraceStore& store, TrackId track, TimeRange range, double resolution)
{
    CallsOfRow found;
    std::vector<const ChunkRef*> refs;
    for (const ChunkRef& ref : store.keptChunks(ChunkKind::MpiCall, track))
        if (ref.firstBegin < range.end && ref.maxEnd >= range.begin) refs.push_back(&ref);
    const bool merges = store.tileLevels(track).empty();
    const auto nearby = static_cast<TimeNs>(resolution / 3);
    const std::size_t every = merges ? (refs.size() + mostChunks - 1) / mostChunks : 1;
    found.thinned = every > 1;
    for (std::size_t i = 0; i < refs.size(); i += std::max<std::size_t>(1, every)) {
        const auto rows = store.block<MpiRow>(*refs[i], callFields, Coverage::Kept);
        if (!rows) {
            if (!found.damage) found.damage = rows.error();
            continue;
        }
        for (const MpiRow& row : *rows) {
            RowCall call = callOf(row);
            if (!call.range.overlaps(range)) continue;
            if (!found.calls.empty() && !beginsAfter(call, found.calls.back().range.end)) continue;
            if (merges && !found.calls.empty() && canMerge(found.calls.back(), call, nearby)) {
                merge(found.calls.back(), call);
                found.thinned = true;
            } else {
                found.calls.push_back(call);
            }
        }
    }
    return found;
}

CallInPixel callIn(const RowData& data, TimeRange pixel)
{
    CallInPixel found;
    for (const RowCall& call : overlapping(data.calls, pixel)) {
        const TimeNs time = overlap(call.range, pixel);
        ++found.count;
        if (time <= found.time) continue;
        found.time = time;
        found.call = &call;
    }
    return found;
}

}  // namespace longpole
