// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/regioncalls.h"

#include "core/base/drawnhash.h"
#include "core/store/rows.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace longpole {

namespace {

using CallsOfRegion = std::map<RegionId, RegionCalls>;

Result<> addFunctions(const TraceStore& store, TrackId track, const Progress& progress, CallsOfRegion& regions)
{
    const TimeRange run = store.info().range();
    std::vector<RegionId> open;  // by depth
    std::unordered_map<RegionId, std::size_t, DrawnHash> timesInOpen;
    auto intervals = store.rows<IntervalRow>(track, IntervalRow::All, {.progress = &progress});
    for (const IntervalRow& interval : intervals) {
        const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(interval.depth(), 0));
        for (; open.size() > depth; open.pop_back()) --timesInOpen[open.back()];
        RegionCalls& region = regions[interval.region()];
        ++region.calls;
        if (timesInOpen[interval.region()]++ == 0)
            region.inclusive = saturatingAdd(region.inclusive, intersection(interval.range(), run).length());
        open.push_back(interval.region());
    }
    return intervals.result();
}

Result<> addMpiCalls(const TraceStore& store, const Progress& progress, CallsOfRegion& regions)
{
    const TimeRange run = store.info().range();
    auto calls = store.rows<MpiRow>(MpiRow::Range | MpiRow::Region, {.progress = &progress});
    for (const MpiRow& call : calls) {
        RegionCalls& region = regions[call.region()];
        ++region.calls;
        region.isMpi = true;
        region.inclusive = saturatingAdd(region.inclusive, intersection(call.range(), run).length());
    }
    return calls.result();
}

Result<> addThreadWaits(const TraceStore& store, TrackId track, const Progress& progress, CallsOfRegion& regions)
{
    const TimeRange run = store.info().range();
    auto waits = store.rows<ThreadWaitRow>(track, ThreadWaitRow::All, {.progress = &progress});
    for (const ThreadWaitRow& wait : waits) {
        TimeNs& held = regions[wait.region()].held;
        held = saturatingAdd(held, intersection(wait.range(), run).length());
    }
    return waits.result();
}

}  // namespace

Result<CallsOfRegion> regionCalls(const TraceStore& store, const Progress& progress)
{
    CallsOfRegion regions;
    for (const Processor& processor : store.processors()) {
        if (Result<> added = addFunctions(store, processor.track, progress, regions); !added) return added.error();
        if (Result<> added = addThreadWaits(store, processor.track, progress, regions); !added) return added.error();
    }
    if (Result<> added = addMpiCalls(store, progress, regions); !added) return added.error();
    return regions;
}

}  // namespace longpole
