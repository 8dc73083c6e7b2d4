// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/waitstates.h"

#include "analysis/base/chunkscan.h"
#include "analysis/mpi/callwaits.h"
#include "analysis/mpi/delaycosts.h"
#include "analysis/mpi/threadcosts.h"
#include "analysis/mpi/waitchoice.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace longpole {

namespace {

constexpr std::uint32_t stateFields = CallWaits::fields | MpiRow::WaitBefore;

bool isWorse(const WaitInstance& a, const WaitInstance& b)
{
    return std::tuple(-a.wait.length(), a.wait.begin, a.rank, a.seq, a.track)
           < std::tuple(-b.wait.length(), b.wait.begin, b.rank, b.seq, b.track);
}

// Keeps the `most` worst instances as a heap whose first element is the least bad.
void keepWorst(std::vector<WaitInstance>& worst, const WaitInstance& instance, std::size_t most)
{
    if (worst.size() >= most) {
        if (most == 0 || !isWorse(instance, worst.front())) return;
        std::pop_heap(worst.begin(), worst.end(), isWorse);
        worst.back() = instance;
    } else {
        worst.push_back(instance);
    }
    std::push_heap(worst.begin(), worst.end(), isWorse);
}

struct StateSums {
    std::int64_t count = 0;
    TimeNs onRanks = 0;
    std::vector<WaitInstance> worst;
};
struct AllSums {
    std::array<StateSums, waitStateKinds> states;
    UnjudgedTime unjudged;
    IdleParts idle;
    StateSums& operator[](std::size_t kind) { return states[kind]; }
    const StateSums& operator[](std::size_t kind) const { return states[kind]; }
};
using AllTimes = std::array<TimeNs, waitStateKinds>;

class StateReader {
public:
    StateReader(const TraceStore& store, const WaitChoice& choice, std::size_t mostWorst)
        : m_store(store), m_choice(choice), m_mostWorst(mostWorst), m_waits(store)
    {
        for (const Region& region : store.regions()) {
            if (region.kind != RegionKind::MpiCall || index(region.id) >= mostIds) continue;
            if (m_unjudged.size() <= index(region.id)) m_unjudged.resize(index(region.id) + 1);
            m_unjudged[index(region.id)] = unjudgedCall(region.name);
        }
    }

    Result<> read(std::uint32_t rank, const Progress& progress, AllSums& sums, AllTimes& times) const
    {
        const Processor* const processor = m_store.processor(ProcessorId{rank});
        for (const TrackId track : mpiTracks(m_store, rank)) {
            const bool isOwn = processor != nullptr && processor->track == track;
            auto rows = m_store.rows<MpiRow>(track, stateFields, {.touching = m_choice.range(), .progress = &progress});
            for (const MpiRow& call : rows) {
                TimeNs waited = 0;
                m_waits.of(call, rank, [&](WaitStateKind kind, const WaitInstance& instance) {
                    add(kind, instance, sums, times);
                    if (!isPartOfAnother(kind)) waited = saturatingAdd(waited, instance.wait.length());
                });
                addUnjudged(call, sums.unjudged);
                addIdle(call, waited, isOwn, sums.idle);
            }
            if (const Result<> read = rows.result(); !read) return read;
        }
        return readThreads(rank, progress, sums, times);
    }

private:
    Result<> readThreads(std::uint32_t rank, const Progress& progress, AllSums& sums, AllTimes& times) const
    {
        for (const TrackId track : threadWaitTracks(m_store, rank)) {
            auto rows = m_store.rows<ThreadWaitRow>(track, ThreadWaitRow::All,
                                                    {.touching = m_choice.range(), .progress = &progress});
            for (const ThreadWaitRow& row : rows) {
                const auto wait = CallWaits::ofThread(row, rank, track);
                if (!wait) continue;
                add(wait->first, wait->second, sums, times);
                if (!m_choice.range().contains(wait->second.wait.begin)) continue;
                const Processor* const processor = m_store.processor(ProcessorId{rank});
                const bool isOwn = processor != nullptr && processor->track == track;
                TimeNs& sum = isOwn ? sums.idle.inStates : sums.idle.elsewhere;
                sum = saturatingAdd(sum, wait->second.wait.length());
            }
            if (const Result<> read = rows.result(); !read) return read;
        }
        return Unit{};
    }

    void add(WaitStateKind kind, const WaitInstance& instance, AllSums& sums, AllTimes& times) const
    {
        if (!m_choice.takes(kind, instance.wait)) return;
        StateSums& state = sums[static_cast<std::size_t>(kind)];
        ++state.count;
        TimeNs& time = times[static_cast<std::size_t>(kind)];
        time = saturatingAdd(time, instance.wait.length());
        const Processor* const processor = m_store.processor(ProcessorId{instance.rank});
        const bool isOwn = instance.track == noTrack || (processor != nullptr && processor->track == instance.track);
        if (isOwn) state.onRanks = saturatingAdd(state.onRanks, instance.wait.length());
        keepWorst(state.worst, instance, m_mostWorst);
    }

    void addIdle(const MpiRow& call, TimeNs waited, bool isOwn, IdleParts& idle) const
    {
        if (!m_choice.range().contains(call.begin())) return;
        if (isOwn) idle.add(call, waited);
        else idle.elsewhere = saturatingAdd(idle.elsewhere, waited);
    }

    void addUnjudged(const MpiRow& call, UnjudgedTime& time) const
    {
        const std::size_t region = index(call.region());
        if (region >= m_unjudged.size() || !m_choice.range().contains(call.begin())) return;
        const TimeNs length = saturatingSubtract(call.end(), call.begin());
        const bool isJudged = (call.flags() & MpiCallFlag::Judged) != 0;
        if (m_unjudged[region] == UnjudgedCall::OneSided && !isJudged)
            time += {.oneSided = saturatingSubtract(length, call.severity())};
        if (m_unjudged[region] == UnjudgedCall::File) time += {.files = length};
    }

    const TraceStore& m_store;
    const WaitChoice& m_choice;
    std::size_t m_mostWorst;
    CallWaits m_waits;
    std::vector<UnjudgedCall> m_unjudged;  // by region
};

void keepMostWorst(std::vector<WaitInstance>& worst, std::size_t most)
{
    std::sort(worst.begin(), worst.end(), isWorse);
    if (worst.size() > most) worst.resize(most);
}

void sortByTime(std::vector<WaitState>& states)
{
    std::stable_sort(states.begin(), states.end(),
                     [](const WaitState& a, const WaitState& b) { return a.time > b.time; });
}

// What follows from the states and the number of threads.
void sumUp(const WaitOptions& options, const TraceStore& store, std::int64_t processors, WaitStates& result)
{
    const TimeRange run = store.info().range();
    const TimeRange range = WaitChoice(options, run).range();
    result.isOfPart = range != run;
    result.totalTime = saturatingMultiply(range.length(), processors + result.threads);
    for (const WaitState& state : result.states)
        if (options.kind || !isPartOfAnother(state.kind)) result.total = saturatingAdd(result.total, state.time);
    result.unexplained = result.total;
}

void gather(const std::vector<AllSums>& workers, const std::vector<AllTimes>& times, std::size_t mostWorst,
            WaitStates& result)
{
    for (std::size_t i = 0; i < waitStateKinds; ++i) {
        WaitState state;
        state.kind = static_cast<WaitStateKind>(i);
        for (const AllSums& worker : workers) {
            state.count += worker[i].count;
            state.onRanks = saturatingAdd(state.onRanks, worker[i].onRanks);
            state.worst.insert(state.worst.end(), worker[i].worst.begin(), worker[i].worst.end());
        }
        if (state.count == 0) continue;
        keepMostWorst(state.worst, mostWorst);
        for (const AllTimes& rank : times) {
            state.byRank.push_back(rank[i]);
            state.time = saturatingAdd(state.time, rank[i]);
        }
        result.states.push_back(std::move(state));
    }
    sortByTime(result.states);
}

// How many threads of a rank, besides its own, have calls of MPI, barriers, or synchronizations with devices.
std::int64_t threadsThatWait(const TraceStore& store, const Processor& processor)
{
    std::set<TrackId> tracks;
    for (const TrackId track : threadWaitTracks(store, index(processor.pe))) tracks.insert(track);
    for (const TrackId track : mpiTracks(store, index(processor.pe))) tracks.insert(track);
    tracks.erase(processor.track);
    return static_cast<std::int64_t>(tracks.size());
}

}  // namespace

Result<> nameCause(const TraceStore& store, WaitInstance& instance)
{
    if (instance.track != noTrack) {
        const auto region = mostlyIn(store, instance.culpritTrack, instance.wait);
        if (!region) return region.error();
        instance.meanwhile.entry = *region;
        return Unit{};
    }
    if (instance.culprit < 0 || instance.culprit >= rankCount(store)) return Unit{};
    const auto work = culpritWork(store, static_cast<std::uint32_t>(instance.culprit), instance.culpritSeq,
                                  instance.wait);
    if (!work) return work.error();
    instance.meanwhile = *work;
    return Unit{};
}

Result<WaitStates> waitStatesOfPart(const TraceStore& store, const WaitOptions& options, const Progress& progress)
{
    if (Result<> ranks = requireRanks(store); !ranks) return ranks.error();
    const WaitChoice choice(options, store.info().range());
    const StateReader reader(store, choice, options.mostWorst);
    const std::vector<const Processor*> processors = processorsToScan(store, {}, false);
    std::vector<AllSums> workers(scanWorkers(processors.size()));
    std::vector<AllTimes> times(rankCount(store), AllTimes{});
    const Result<> read = scanProcessors(processors, progress, [&](std::size_t worker, const Processor& processor) {
        const std::uint32_t rank = index(processor.pe);
        return choice.takes(rank) ? reader.read(rank, progress, workers[worker], times[rank]) : Result<>(Unit{});
    });
    if (!read) return read.error();
    WaitStates result;
    for (const Processor* processor : processors) result.threads += threadsThatWait(store, *processor);
    for (const AllSums& worker : workers) {
        result.unjudged += worker.unjudged;
        result.idle += worker.idle;
    }
    gather(workers, times, options.mostWorst, result);
    sumUp(options, store, static_cast<std::int64_t>(processors.size()), result);
    return result;
}

WaitStates joinWaitStates(std::vector<WaitStates>&& parts, const TraceStore& store, const WaitOptions& options)
{
    WaitStates result;
    for (std::size_t i = 0; i < waitStateKinds; ++i) {
        WaitState state;
        state.kind = static_cast<WaitStateKind>(i);
        state.byRank.resize(rankCount(store));
        for (WaitStates& part : parts) {
            for (WaitState& other : part.states) {
                if (other.kind != state.kind) continue;
                state.count += other.count;
                state.time = saturatingAdd(state.time, other.time);
                state.onRanks = saturatingAdd(state.onRanks, other.onRanks);
                state.worst.insert(state.worst.end(), other.worst.begin(), other.worst.end());
                for (std::size_t rank = 0; rank < std::min(state.byRank.size(), other.byRank.size()); ++rank)
                    state.byRank[rank] = saturatingAdd(state.byRank[rank], other.byRank[rank]);
            }
        }
        if (state.count == 0) continue;
        keepMostWorst(state.worst, options.mostWorst);
        result.states.push_back(std::move(state));
    }
    sortByTime(result.states);
    for (const WaitStates& part : parts) {
        result.threads += part.threads;
        result.unjudged += part.unjudged;
        result.idle += part.idle;
    }
    sumUp(options, store, static_cast<std::int64_t>(processorsToScan(store, {}, false).size()), result);
    return result;
}

Result<WaitStates> waitStates(const TraceStore& store, const WaitOptions& options, const Progress& progress)
{
    Result<WaitStates> found = waitStatesOfPart(store, options, progress);
    if (!found) return found.error();
    for (WaitState& state : found->states)
        for (WaitInstance& instance : state.worst)
            if (const Result<> named = nameCause(store, instance); !named) return named.error();
    if (!options.withCauses) return found;
    if (Result<> caused = findCauses(store, options, *found, progress); !caused) return caused.error();
    return found;
}

Result<> findCauses(const TraceStore& store, const WaitOptions& options, WaitStates& waits, const Progress& progress)
{
    const WaitChoice choice(options, store.info().range());
    auto costs = delayCosts(store, choice, progress);
    if (!costs) return costs.error();
    if (Result<> added = addThreadCosts(store, choice, *costs, progress); !added) return added.error();
    waits.causes = std::move(costs->byEntry);
    waits.causesByRank = std::move(costs->byRank);
    for (const DelayCost& cause : waits.causes) waits.unexplained -= cause.sum();
    return Unit{};
}

const DelayCost* mostOnOneRank(const WaitStates& found, EntryId entry)
{
    const auto there = std::find_if(found.causesByRank.begin(), found.causesByRank.end(),
                                    [entry](const DelayCost& cost) { return cost.entry == entry; });
    return there == found.causesByRank.end() ? nullptr : &*there;
}

}  // namespace longpole
