// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/callrounds.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/chunkscan.h"
#include "analysis/results/storedresults.h"
#include "core/base/drawnhash.h"
#include "core/base/timerange.h"
#include "core/base/wide.h"
#include "core/store/rows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

constexpr std::int64_t fewestIterations = 3;
constexpr std::int64_t leastShare = 100;  // of a loop: a hundredth of all time

std::uint64_t keyOf(std::uint32_t path, std::uint32_t of) { return (std::uint64_t{path} << 32) | of; }

using Places = std::unordered_map<std::uint64_t, CallPlace, DrawnHash>;
struct PlacesOfRank {
    Places calls;   // by path and region
    Places visits;  // by place and the path of the first call
};

auto orderOf(const CallPlace& place) { return std::tie(place.path, place.call, place.entry); }
bool isBefore(const CallPlace& a, const CallPlace& b) { return orderOf(a) < orderOf(b); }

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

// Calls visit(call) for those that begin an iteration of a loop or a candidate, in the rank's own thread.
template <typename Loop, typename Visit>
Result<> eachMark(const TraceStore& store, const PlaceEntries& entries, const Processor& processor, TimeRange range,
                  const Loop& loop, const Progress& progress, Visit visit)
{
    if (loop.call != anyCall)
        return eachCall(store, processor, range, progress, [&](const MpiRow& call) {
            if (call.path() == loop.path && index(call.region()) == loop.call) visit(call);
        });
    std::uint32_t before = noCallPath;
    return eachCall(store, processor, range, progress, [&](const MpiRow& call) {
        const std::uint32_t from = std::exchange(before, call.path());
        if (call.path() != loop.entry) return;
        entries.entered(from, call.path(), [&](std::uint32_t place) {
            if (place == loop.path) visit(call);
        });
    });
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

// Whether it has as many hundredths of the time of loops of as many iterations or more that go on at the same time, its
// own included, as the one with most time has more iterations, up to ten.
bool isMoreThanNowAndThen(const std::vector<LoopCandidate>& loops, const std::vector<Wide>& times, std::size_t outer)
{
    const LoopCandidate& loop = loops[outer];
    Wide all = 0, most = -1;
    std::int64_t iterations = 0;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (loops[i].count < loop.count || loops[i].begin >= loop.end || loops[i].end <= loop.begin) continue;
        all += times[i];
        if (times[i] <= most) continue;
        most = times[i];
        iterations = loops[i].count;
    }
    return 100 * times[outer] >= std::min<std::int64_t>(10, iterations / loop.count) * all;
}

// Whether each of its iterations takes the place of one of a second loop within a third, which is the loop then. Of
// calls it cannot be said: two and three in each iteration of an outer loop are as many, too.
bool isInsteadOfAnother(const std::vector<LoopCandidate>& loops, const std::vector<std::size_t>& large,
                        const LoopCandidate& loop)
{
    const auto isMeanwhile = [&](const LoopCandidate& other) {
        return other.call == anyCall && other.count > loop.count && other.begin < loop.end && other.end > loop.begin;
    };
    for (const std::size_t i : large)
        for (const std::size_t k : large)
            if (isMeanwhile(loops[i]) && isMeanwhile(loops[k]) && loops[i].count + loop.count == loops[k].count)
                return true;
    return false;
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

// A visit's last call is that which is made last from there.
void endVisits(PlacesOfRank& places, const PlaceEntries& entries)
{
    std::unordered_map<std::uint32_t, TimeNs, DrawnHash> ends;
    for (const auto& [key, place] : places.calls)
        entries.around(place.path, [&ends, last = place.last](std::uint32_t path) {
            TimeNs& end = ends.try_emplace(path, last).first->second;
            end = std::max(end, last);
        });
    for (auto& [key, visit] : places.visits) visit.last = ends[visit.path];
}

// Places that may be loops, and the time of each: calls count for what has the fewest visits of all around them.
class LoopTimes {
public:
    LoopTimes(const std::vector<CallPlace>& places, const PlaceEntries& entries)
    {
        for (const CallPlace& place : places) {
            if (place.call != anyCall || !isRepeated(place)) continue;
            const CallPlace*& known = m_visits.try_emplace(place.path, &place).first->second;
            if (place.count > known->count) known = &place;
        }
        for (const CallPlace& place : places) {
            if (place.call == anyCall) continue;
            m_all += place.time;
            const CallPlace* owner = isRepeated(place) ? &place : nullptr;
            entries.around(place.path, [&](std::uint32_t path) {
                const auto found = m_visits.find(path);
                if (found != m_visits.end() && (owner == nullptr || found->second->count < owner->count))
                    owner = found->second;
            });
            if (owner != nullptr) m_times[owner] += place.time;
        }
    }
    Wide all() const { return m_all; }
    Wide of(const CallPlace& place) const
    {
        const auto found = m_times.find(&place);
        return found != m_times.end() ? found->second : Wide{0};
    }
    // Of a place that is visited in several ways the most frequent one.
    bool isLoop(const CallPlace& place) const
    {
        if (place.call != anyCall) return isRepeated(place);
        const auto found = m_visits.find(place.path);
        return found != m_visits.end() && found->second == &place;
    }

private:
    static bool isRepeated(const CallPlace& place) { return place.isEven && place.count >= fewestIterations; }

    Wide m_all = 0;
    std::unordered_map<std::uint32_t, const CallPlace*, DrawnHash> m_visits;  // by place
    std::unordered_map<const CallPlace*, Wide> m_times;
};

// The even places, those of the fewest first.
std::vector<const CallPlace*> loopPlaces(const std::vector<CallPlace>& places, const LoopTimes& times)
{
    std::vector<const CallPlace*> found;
    for (const CallPlace& place : places)
        if (times.isLoop(place)) found.push_back(&place);
    const auto order = [](const CallPlace* place) {
        return std::tuple(place->count, place->first, place->call == anyCall, place->path, place->call);
    };
    std::sort(found.begin(), found.end(),
              [&order](const CallPlace* a, const CallPlace* b) { return order(a) < order(b); });
    return found;
}

}  // namespace

Result<std::vector<CallPlace>> callPlaces(const TraceStore& store, TimeRange range, const Progress& progress)
{
    const PlaceEntries entries(store);
    CallPlaceBudget budget(store);
    std::mutex mutex;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, CallPlace> all;
    const Result<> read = scanProcessors(
        processorsToScan(store, {}, false), progress, [&](std::size_t, const Processor& processor) {
            PlacesOfRank places;
            const auto isKnown = [&budget](const Places& some, std::uint64_t key) {
                return some.contains(key) || budget.takes(some.size());
            };
            TimeNs before = maxTime;  // end of the call before
            std::uint32_t from = noCallPath;
            const Result<> rank = eachCall(store, processor, range, progress, [&](const MpiRow& call) {
                if (call.path() != from)
                    entries.entered(from, call.path(), [&](std::uint32_t path) {
                        if (!isKnown(places.visits, keyOf(path, call.path()))) return;
                        CallPlace& visits = places.visits
                                                .try_emplace(keyOf(path, call.path()),
                                                             CallPlace{path, anyCall, call.path()})
                                                .first->second;
                        ++visits.count;
                        visits.first = std::min(visits.first, call.begin());
                    });
                from = call.path();
                const std::uint32_t region = index(call.region());
                const TimeNs spent = saturatingSubtract(call.end(), std::min(before, call.begin()));
                before = call.end();
                if (!isKnown(places.calls, keyOf(call.path(), region))) return;
                CallPlace& place = places.calls.try_emplace(keyOf(call.path(), region), CallPlace{call.path(), region})
                                       .first->second;
                ++place.count;
                place.first = std::min(place.first, call.begin());
                place.last = std::max(place.last, call.end());
                place.time = saturatingAdd(place.time, std::max<TimeNs>(0, spent));
            });
            endVisits(places, entries);
            const std::lock_guard lock(mutex);  // in any order: they add up to the same
            for (const Places* const some : {&places.calls, &places.visits})
                for (const auto& [key, place] : *some) {
                    const auto [known, isNew] = all.try_emplace(orderOf(place), place);
                    if (!isNew) known->second = sumOf(known->second, place);
                }
            return rank;
        });
    if (!read) return read.error();
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
        const bool isSame = !all.empty() && orderOf(all.back()) == orderOf(place);
        if (isSame) all.back() = sumOf(all.back(), place);
        else all.push_back(place);
    }
    return all;
}

std::optional<LoopCandidates> loopCandidates(const std::vector<CallPlace>& places, const PlaceEntries& entries)
{
    const LoopTimes loopTimes(places, entries);
    LoopCandidates found{.base = {}, .loops = {}};
    std::vector<Wide> times;
    for (const CallPlace* place : loopPlaces(places, loopTimes)) {
        LoopCandidate* const loop = found.loops.empty() ? nullptr : &found.loops.back();
        if (loop == nullptr || loop->count != place->count || loop->end <= place->first) {
            found.loops.push_back({place->path, place->call, place->entry, place->count, place->first, place->last,
                                   place->first, place->last});
            times.push_back(loopTimes.of(*place));
        } else {
            loop->end = std::max(loop->end, place->last);
            times.back() += loopTimes.of(*place);
        }
    }
    if (std::all_of(times.begin(), times.end(), [](const Wide& time) { return time == 0; })) return {};
    std::size_t base = static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
    Wide most = 0;
    std::vector<std::size_t> large;  // at most leastShare, since times are not negative
    for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i] > 0 && leastShare * times[i] >= loopTimes.all()) large.push_back(i);
    std::erase_if(large, [&, all = large](std::size_t i) {
        return !isMoreThanNowAndThen(found.loops, times, i) || isInsteadOfAnother(found.loops, all, found.loops[i]);
    });
    for (const std::size_t i : large) {
        const Wide time = timeWithin(found.loops, times, i);
        if (time <= most) continue;
        base = i;
        most = time;
    }
    found.base = found.loops[base];
    std::vector<LoopCandidate> kept;
    for (const std::size_t i : large)
        if (found.loops[i].count < 2 * found.base.count) kept.push_back(found.loops[i]);
    found.loops = std::move(kept);
    return found;
}

Result<std::vector<std::int64_t>> callsOutside(const TraceStore& store, TimeRange range,
                                               const LoopCandidates& candidates, const Progress& progress)
{
    std::vector<std::int64_t> most(candidates.loops.size(), 0);
    const PlaceEntries entries(store);
    for (const Processor& processor : store.processors()) {
        if (progress.isCancelled()) return cancelledError();
        std::vector<TimeNs> marks;
        const Result<> read = eachMark(store, entries, processor, range, candidates.base, progress,
                                       [&](const MpiRow& call) { marks.push_back(call.begin()); });
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
    const std::vector<LoopCandidate>& loops = candidates.loops;
    const auto holdsBase = [&](std::size_t i) {
        return 2 * Wide{outside[i]} * loops[i].count <= 3 * Wide{candidates.base.count};
    };
    std::size_t fewest = 0;
    while (fewest < loops.size() && (loops[fewest].count > candidates.base.count || !holdsBase(fewest))) ++fewest;
    if (fewest == loops.size()) return {};
    std::size_t chosen = fewest;
    const TimeNs center = loops[fewest].begin + saturatingSubtract(loops[fewest].end, loops[fewest].begin) / 2;
    for (std::size_t i = fewest + 1; i < loops.size() && 2 * Wide{loops[i].count} < 3 * Wide{loops[fewest].count}; ++i)
        if (loops[i].begin <= center && loops[i].end > center && holdsBase(i)) chosen = i;
    const LoopCandidate& outer = loops[chosen];
    CallLoop loop{.path = outer.path,
                  .call = outer.call,
                  .entry = outer.entry,
                  .count = outer.count,
                  .range = {outer.begin, outer.end}};
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
    const PlaceEntries entries(store);
    std::vector<TimeNs> marks;
    for (const Processor& processor : store.processors()) {
        if (progress.isCancelled()) return cancelledError();
        std::vector<TimeNs> own;
        const Result<> read = eachMark(store, entries, processor, range, loop, progress, [&](const MpiRow& call) {
            if (std::ssize(own) < loop.count) own.push_back(call.begin());
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
    const std::optional<LoopCandidates> candidates = loopCandidates(*places, PlaceEntries(store));
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
