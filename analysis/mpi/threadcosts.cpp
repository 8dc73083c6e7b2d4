// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/threadcosts.h"

#include "analysis/base/filebytes.h"
#include "analysis/mpi/activitytimes.h"
#include "analysis/mpi/calls.h"
#include "core/base/drawnhash.h"
#include "core/store/rows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

// Nested regions in the order in which they were entered, as pieces of the innermost one.
class InnermostRegions {
public:
    explicit InnermostRegions(ActivityTimes& into) : m_into(into) {}

    void enter(const IntervalRow& interval)
    {
        const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(interval.depth(), 0));
        while (m_open.size() > depth) leave();
        addUntil(interval.begin());
        m_open.push_back({index(interval.region()), interval.end()});
    }
    void finish()
    {
        while (!m_open.empty()) leave();
        m_into.close();
    }

private:
    struct Open {
        std::uint32_t region;
        TimeNs end;
    };
    void addUntil(TimeNs time)
    {
        if (!m_open.empty() && m_at < time) m_into.add(m_open.back().region, {m_at, time});
        m_at = std::max(m_at, time);
    }
    void leave()
    {
        addUntil(m_open.back().end);
        m_open.pop_back();
    }

    ActivityTimes& m_into;
    std::vector<Open> m_open;
    TimeNs m_at = minTime;
};

Result<ActivityTimes> regionTimes(const TraceStore& store, TrackId track, std::optional<TimeRange> range,
                                  const Progress& progress)
{
    ActivityTimes times;
    InnermostRegions regions(times);
    auto intervals = range ? store.rows<IntervalRow>(track, IntervalRow::All, {.touching = *range})
                           : store.rows<IntervalRow>(track, IntervalRow::All, {.progress = &progress});
    for (const IntervalRow& interval : intervals)
        if (!range || interval.range().overlaps(*range)) regions.enter(interval);
    regions.finish();
    if (const Result<> read = intervals.result(); !read) return read.error();
    return times;
}

using Costs = std::map<std::pair<EntryId, std::uint32_t>, DelayCost>;

// The regions of each track that was waited for, read when it is first asked about.
class ThreadRegions {
public:
    ThreadRegions(const TraceStore& store, const Progress& progress) : m_store(store), m_progress(progress) {}

    Result<const ActivityTimes*> of(TrackId track)
    {
        const auto known = m_times.find(track);
        if (known != m_times.end()) return &known->second;
        auto times = regionTimes(m_store, track, {}, m_progress);
        if (!times) return times.error();
        return &m_times.emplace(track, std::move(*times)).first->second;
    }

private:
    const TraceStore& m_store;
    const Progress& m_progress;
    std::map<TrackId, ActivityTimes> m_times;
};

// `left`: how many codes waits may still be divided among; those beyond it have no cause.
Result<> addCostsOf(const TraceStore& store, std::uint32_t rank, const WaitChoice& choice, ThreadRegions& regions,
                    std::int64_t& left, Costs& costs, bool& isCut, const Progress& progress)
{
    std::vector<CodeTime> codes;
    std::unordered_map<std::uint32_t, TimeNs, DrawnHash> sums;
    for (const TrackId track : threadWaitTracks(store, rank)) {
        auto waits = store.rows<ThreadWaitRow>(track, ThreadWaitRow::All,
                                               {.touching = choice.range(), .progress = &progress});
        for (const ThreadWaitRow& wait : waits) {
            const auto kind = stateOf(wait.pattern());
            if (!kind || !choice.takes(*kind, wait.wait()) || !wait.culprit()) continue;
            const auto times = regions.of(static_cast<TrackId>(*wait.culprit()));
            if (!times) return times.error();
            const auto effort = static_cast<std::int64_t>((*times)->effort(wait.wait()));
            if (effort > left) {
                isCut = true;
                continue;
            }
            left -= effort;
            (*times)->times(wait.wait(), codes);
            for (const CodeTime& code : codes) {
                TimeNs& sum = sums[code.code];
                sum = saturatingAdd(sum, code.time);
            }
        }
        if (const Result<> read = waits.result(); !read) return read.error();
    }
    for (const auto& [code, time] : sums) {
        DelayCost& cost = costs[{EntryId{code}, rank}];
        cost.entry = EntryId{code};
        cost.rank = rank;
        cost.direct = saturatingAdd(cost.direct, time);
    }
    return Unit{};
}

bool costsMore(const DelayCost& a, const DelayCost& b) { return a.sum() > b.sum(); }

}  // namespace

std::vector<TrackId> threadWaitTracks(const TraceStore& store, std::uint32_t rank)
{
    return tracksOfRank(store, rank, ChunkKind::ThreadWait);
}

Result<EntryId> mostlyIn(const TraceStore& store, TrackId track, TimeRange range)
{
    if (track == noTrack || range.isEmpty()) return noEntry;
    // What a wait ends with says enough; a file may have it as long as the run, and many of them.
    constexpr std::size_t mostChunks = 32;
    std::vector<const ChunkRef*> refs;
    for (const ChunkRef& ref : store.chunks(ChunkKind::Interval, track))
        if (ref.firstBegin < range.end && ref.maxEnd > range.begin) refs.push_back(&ref);
    if (refs.size() > mostChunks) range.begin = std::max(range.begin, refs[refs.size() - mostChunks]->firstBegin);
    const auto times = regionTimes(store, track, range, Progress{});
    if (!times) return times.error();
    std::vector<CodeTime> codes;
    times->times(range, codes);
    const auto most = std::max_element(codes.begin(), codes.end(),
                                       [](const CodeTime& a, const CodeTime& b) { return a.time < b.time; });
    return most == codes.end() ? noEntry : EntryId{most->code};
}

std::int64_t threadWaits(const TraceStore& store, std::uint32_t first, std::uint32_t last)
{
    std::int64_t rows = 0;
    for (const Processor& processor : store.processors()) {
        const std::uint32_t rank = index(processor.pe);
        if (rank < first || rank >= last) continue;
        for (const TrackId track : threadWaitTracks(store, rank))
            for (const ChunkRef& ref : store.chunks(ChunkKind::ThreadWait, track)) rows += ref.rows;
    }
    return rows;
}

Result<ThreadCosts> threadCosts(const TraceStore& store, std::uint32_t first, std::uint32_t last,
                                const WaitChoice& choice, std::int64_t& left, const Progress& progress)
{
    ThreadCosts found;
    Costs all;
    ThreadRegions regions(store, progress);
    for (const Processor& processor : store.processors()) {
        const std::uint32_t rank = index(processor.pe);
        if (rank < first || rank >= last || !choice.takes(rank)) continue;
        if (Result<> added = addCostsOf(store, rank, choice, regions, left, all, found.isCut, progress); !added)
            return added.error();
    }
    for (const auto& [key, cost] : all) found.costs.push_back(cost);
    return found;
}

void joinThreadCosts(const std::vector<DelayCost>& ofThreads, DelayCosts& costs)
{
    Costs all;
    std::map<EntryId, std::uint32_t> places;
    for (const DelayCost& cost : costs.byEntry) places[cost.entry] = cost.path;
    for (const DelayCost& cost : costs.byRank) all[{cost.entry, cost.rank}] = cost;
    for (const DelayCost& cost : ofThreads) {
        DelayCost& sum = all[{cost.entry, cost.rank}];
        sum.entry = cost.entry;
        sum.rank = cost.rank;
        sum.direct = saturatingAdd(sum.direct, cost.direct);
    }
    costs = {};
    for (const auto& [key, cost] : all) {
        costs.byRank.push_back(cost);
        if (costs.byEntry.empty() || costs.byEntry.back().entry != cost.entry)
            costs.byEntry.push_back({.entry = cost.entry});
        DelayCost& sum = costs.byEntry.back();
        if (const auto place = places.find(cost.entry); place != places.end()) sum.path = place->second;
        sum.direct = saturatingAdd(sum.direct, cost.direct);
        sum.propagated = saturatingAdd(sum.propagated, cost.propagated);
    }
    std::stable_sort(costs.byEntry.begin(), costs.byEntry.end(), costsMore);
    std::stable_sort(costs.byRank.begin(), costs.byRank.end(), costsMore);
}

Result<> addThreadCosts(const TraceStore& store, const WaitChoice& choice, DelayCosts& costs, const Progress& progress,
                        const Limit& most)
{
    if (store.chunks(ChunkKind::ThreadWait).empty()) return Unit{};
    constexpr std::uint32_t all = std::numeric_limits<std::uint32_t>::max();
    std::int64_t left = std::min(most.of(threadWaits(store, 0, all)), limits::fileWaitCauses.of(fileBytes(store)));
    const auto ofThreads = threadCosts(store, 0, all, choice, left, progress);
    if (!ofThreads) return ofThreads.error();
    joinThreadCosts(ofThreads->costs, costs);
    return Unit{};
}

}  // namespace longpole
