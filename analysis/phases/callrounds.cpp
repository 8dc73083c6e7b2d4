// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/callrounds.h"

#include "analysis/base/chunkscan.h"
#include "analysis/results/storedresults.h"
#include "core/base/drawnhash.h"
#include "core/base/timerange.h"
#include "core/base/wide.h"
#include "core/store/rows.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

constexpr std::int64_t fewestIterations = 3;
constexpr std::int64_t leastShare = 100;  // of a loop: a hundredth of the time, or it may be what is done now and then

std::uint64_t keyOf(std::uint32_t path, std::uint32_t call) { return (std::uint64_t{path} << 32) | call; }

using PlacesOfRank = std::unordered_map<std::uint64_t, CallPlace, DrawnHash>;

bool isBefore(const CallPlace& a, const CallPlace& b) { return std::tie(a.path, a.call) < std::tie(b.path, b.call); }

// Calls visit(call) for the calls of a rank's own thread whose place is known and that begin in the range.
template <typename Visit>
Result<> eachCall(const TraceStore& store, const Processor& processor, TimeRange range, const Progress& progress,
                  Visit visit)
{
    auto calls = store.rows<MpiRow>(processor.track, MpiRow::Range | MpiRow::Region | MpiRow::Path,
                                    {.progress = &progress});
    for (const MpiRow& call : calls)
        if (call.path() != noCallPath && (range.isEmpty() || range.contains(call.begin()))) visit(call);
    return calls.result();
}

// What was found of the whole run when the trace had all events answers for it.
bool isStored(const TraceStore& store, TimeRange range) { return range.isEmpty() && store.answers().isThere(); }

Result<std::vector<TimeNs>> marksOf(const TraceStore& store, TimeRange range, const CallLoop& loop,
                                    const Progress& progress)
{
    if (!isStored(store, range)) return loopMarks(store, range, loop, progress);
    Result<std::optional<StoredLoop>> stored = storedLoop(store);
    if (!stored) return stored.error();
    return *stored ? std::move((*stored)->marks) : std::vector<TimeNs>();
}

// Of a loop and those of as many iterations or more that lie within it, give or take one of its iterations.
Wide timeWithin(const std::vector<LoopCandidate>& loops, const std::vector<Wide>& times, std::size_t outer)
{
    const LoopCandidate& loop = loops[outer];
    const TimeNs iteration = saturatingSubtract(loop.end, loop.begin) / loop.count;
    const TimeNs begin = saturatingSubtract(loop.begin, iteration), end = saturatingAdd(loop.end, iteration);
    Wide time = 0;
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (loops[i].count >= loop.count && loops[i].begin >= begin && loops[i].end <= end) time += times[i];
    return time;
}

CallPlace sumOf(const CallPlace& a, const CallPlace& b)
{
    CallPlace sum = a;
    sum.isEven = a.isEven && b.isEven && a.count == b.count;
    sum.count = std::max(a.count, b.count);
    sum.first = std::min(a.first, b.first);
    sum.last = std::max(a.last, b.last);
    sum.time = saturatingAdd(a.time, b.time);
    return sum;
}

}  // namespace

Result<std::vector<CallPlace>> callPlaces(const TraceStore& store, TimeRange range, const Progress& progress)
{
    const std::span<const Processor> processors = store.processors();
    std::vector<PlacesOfRank> ranks(processors.size());
    const Result<> read = scanProcessors(
        processorsToScan(store, {}, false), progress, [&](std::size_t, const Processor& processor) {
            PlacesOfRank& places = ranks[static_cast<std::size_t>(&processor - processors.data())];
            TimeNs before = maxTime;  // end of the call before
            return eachCall(store, processor, range, progress, [&](const MpiRow& call) {
                const std::uint32_t region = index(call.region());
                CallPlace& place = places.try_emplace(keyOf(call.path(), region), CallPlace{call.path(), region})
                                       .first->second;
                ++place.count;
                place.first = std::min(place.first, call.begin());
                place.last = std::max(place.last, call.end());
                const TimeNs spent = saturatingSubtract(call.end(), std::min(before, call.begin()));
                place.time = saturatingAdd(place.time, std::max<TimeNs>(0, spent));
                before = call.end();
            });
        });
    if (!read) return read.error();
    std::map<std::uint64_t, CallPlace> all;
    for (const PlacesOfRank& rank : ranks)
        for (const auto& [key, place] : rank) {
            const auto [known, isNew] = all.try_emplace(key, place);
            if (!isNew) known->second = sumOf(known->second, place);
        }
    std::vector<CallPlace> places;
    places.reserve(all.size());
    for (const auto& [key, place] : all) places.push_back(place);
    return places;
}

std::vector<CallPlace> joined(const std::vector<CallPlace>& a, const std::vector<CallPlace>& b)
{
    std::vector<CallPlace> both, all;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both), isBefore);
    for (const CallPlace& place : both) {
        const bool isSame = !all.empty() && all.back().path == place.path && all.back().call == place.call;
        if (isSame) all.back() = sumOf(all.back(), place);
        else all.push_back(place);
    }
    return all;
}

std::optional<LoopCandidates> loopCandidates(const std::vector<CallPlace>& places)
{
    Wide all = 0;
    std::vector<const CallPlace*> even;
    for (const CallPlace& place : places) {
        all += place.time;
        if (place.isEven && place.count >= fewestIterations) even.push_back(&place);
    }
    std::stable_sort(even.begin(), even.end(), [](const CallPlace* a, const CallPlace* b) {
        return std::tie(a->count, a->first) < std::tie(b->count, b->first);
    });
    LoopCandidates found{.base = {}, .loops = {}};
    std::vector<Wide> times;
    for (const CallPlace* place : even) {
        LoopCandidate* const loop = found.loops.empty() ? nullptr : &found.loops.back();
        if (loop == nullptr || loop->count != place->count || loop->end <= place->first) {
            found.loops.push_back({place->path, place->call, place->count, place->first, place->last, place->first,
                                   place->last});
            times.push_back(place->time);
        } else {
            loop->end = std::max(loop->end, place->last);
            times.back() += place->time;
        }
    }
    if (std::all_of(times.begin(), times.end(), [](const Wide& time) { return time == 0; })) return {};
    const auto isLarge = [&](std::size_t i) { return times[i] > 0 && leastShare * times[i] >= all; };
    std::size_t base = static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
    Wide most = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {  // at most leastShare are large, since times are not negative
        const Wide time = isLarge(i) ? timeWithin(found.loops, times, i) : Wide{0};
        if (time <= most) continue;
        base = i;
        most = time;
    }
    found.base = found.loops[base];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (isLarge(i) && found.loops[i].count <= found.base.count) found.loops[kept++] = found.loops[i];
    found.loops.resize(kept);
    return found;
}

Result<std::vector<std::int64_t>> callsOutside(const TraceStore& store, TimeRange range,
                                               const LoopCandidates& candidates, const Progress& progress)
{
    std::vector<std::int64_t> most(candidates.loops.size(), 0);
    for (const Processor& processor : store.processors()) {
        if (progress.isCancelled()) return cancelledError();
        std::vector<TimeNs> marks;
        const Result<> read = eachCall(store, processor, range, progress, [&](const MpiRow& call) {
            const bool isMark = call.path() == candidates.base.path && index(call.region()) == candidates.base.call;
            if (isMark) marks.push_back(call.begin());
        });
        if (!read) return read.error();
        for (std::size_t i = 0; i < most.size(); ++i) {
            const auto first = std::lower_bound(marks.begin(), marks.end(), candidates.loops[i].begin);
            const auto last = std::lower_bound(first, marks.end(), candidates.loops[i].end);
            most[i] = std::max<std::int64_t>(most[i], std::ssize(marks) - (last - first));
        }
    }
    return most;
}

std::optional<CallLoop> outermostLoop(const std::vector<CallPlace>& places, const LoopCandidates& candidates,
                                      const std::vector<std::int64_t>& outside)
{
    std::size_t chosen = 0;
    while (chosen < candidates.loops.size()
           && 2 * Wide{outside[chosen]} * candidates.loops[chosen].count > 3 * Wide{candidates.base.count})
        ++chosen;
    if (chosen == candidates.loops.size()) return {};
    const LoopCandidate& outer = candidates.loops[chosen];
    CallLoop loop{.path = outer.path, .call = outer.call, .count = outer.count, .range = {outer.begin, outer.end}};
    // Loops within it go on in both of its halves.
    const TimeNs middle = outer.begin + loop.range.length() / 2;
    TimeRange within{maxTime, minTime};
    for (const CallPlace& place : places)
        if (place.isEven && place.count > outer.count && place.first < middle && place.last > middle)
            within = {std::min(within.begin, place.first), std::max(within.end, place.last)};
    loop.isMarkLast = within.begin < outer.markBegin && within.end <= outer.markEnd;
    loop.range = {std::min(loop.range.begin, within.begin), std::max(loop.range.end, within.end)};
    return loop;
}

Result<std::vector<TimeNs>> loopMarks(const TraceStore& store, TimeRange range, const CallLoop& loop,
                                      const Progress& progress)
{
    std::vector<TimeNs> marks;
    for (const Processor& processor : store.processors()) {
        if (progress.isCancelled()) return cancelledError();
        std::vector<TimeNs> own;
        const Result<> read = eachCall(store, processor, range, progress, [&](const MpiRow& call) {
            const bool isMark = call.path() == loop.path && index(call.region()) == loop.call;
            if (isMark && static_cast<std::int64_t>(own.size()) < loop.count) own.push_back(call.begin());
        });
        if (!read) return read.error();
        marks = firstOfBoth(marks, own);
    }
    return marks;
}

std::vector<TimeNs> firstOfBoth(const std::vector<TimeNs>& a, const std::vector<TimeNs>& b)
{
    std::vector<TimeNs> first = a.size() < b.size() ? b : a;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) first[k] = std::min(a[k], b[k]);
    return first;
}

void setLoop(PathPhases& phases, const CallLoop& loop, const std::vector<TimeNs>& marks)
{
    if (marks.empty()) return;
    std::vector<TimeNs> edges = marks;
    if (loop.isMarkLast) edges.insert(edges.begin(), std::min(loop.range.begin, marks.front()));
    else edges.push_back(std::max(loop.range.end, marks.back()));
    std::vector<TimeRange> rounds;
    for (std::size_t k = 0; k + 1 < edges.size(); ++k) rounds.push_back({edges[k], edges[k + 1]});
    const TimeRange whole{edges.front(), edges.back()};
    for (Phase& phase : phases.phases) {
        const auto inside = std::count_if(phase.begins.begin(), phase.begins.end(), [&](std::size_t begin) {
            return whole.contains(phases.rangeOf(begin, begin + 1).begin);
        });
        if (2 * static_cast<std::size_t>(inside) >= phase.begins.size()) phase.rounds = rounds;
    }
}

Result<std::optional<CallLoop>> programLoop(const TraceStore& store, TimeRange range, const Progress& progress)
{
    if (!store.info().hasRanks()) return std::optional<CallLoop>();
    if (isStored(store, range)) {
        const Result<std::optional<StoredLoop>> stored = storedLoop(store);
        if (!stored) return stored.error();
        if (!*stored) return std::optional<CallLoop>();
        const StoredLoop& loop = **stored;
        return std::optional(CallLoop{.path = loop.path,
                                      .call = loop.call,
                                      .count = std::ssize(loop.marks),
                                      .range = loop.range,
                                      .isMarkLast = loop.isMarkLast});
    }
    if (store.callPaths().empty()) return std::optional<CallLoop>();
    const Result<std::vector<CallPlace>> places = callPlaces(store, range, progress);
    if (!places) return places.error();
    const std::optional<LoopCandidates> candidates = loopCandidates(*places);
    if (!candidates) return std::optional<CallLoop>();
    const Result<std::vector<std::int64_t>> outside = callsOutside(store, range, *candidates, progress);
    if (!outside) return outside.error();
    return outermostLoop(*places, *candidates, *outside);
}

Result<> findCallRounds(const TraceStore& store, TimeRange range, PathPhases& phases, const Progress& progress)
{
    if (phases.phases.empty() && !isStored(store, range)) return Unit{};
    const Result<std::optional<CallLoop>> loop = programLoop(store, range, progress);
    if (!loop) return loop.error();
    if (!*loop) return Unit{};
    const Result<std::vector<TimeNs>> marks = marksOf(store, range, **loop, progress);
    if (!marks) return marks.error();
    setLoop(phases, **loop, *marks);
    return Unit{};
}

}  // namespace longpole
