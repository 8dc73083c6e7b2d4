// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/waitstates.h"

#include "analysis/base/chunkscan.h"
#include "analysis/mpi/culpritwork.h"
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

constexpr std::uint32_t stateFields = MpiRow::Range | MpiRow::Region | MpiRow::Seq | MpiRow::WaitAfter | MpiRow::Pattern
                                      | MpiRow::Severity | MpiRow::Culprit | MpiRow::CulpritSeq | MpiRow::Flags
                                      | MpiRow::Path;

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
    StateSums& operator[](std::size_t kind) { return states[kind]; }
    const StateSums& operator[](std::size_t kind) const { return states[kind]; }
};
using AllTimes = std::array<TimeNs, waitStateKinds>;

// The completion state of calls that, by MPI's standard, no member leaves before all have entered; told by the name,
// also of nonblocking ones such as "MPI_Iallreduce".
std::optional<WaitStateKind> completionOf(const QString& callName)
{
    const QString call = callName.toLower();
    if (call.contains(QLatin1String("barrier"))) return WaitStateKind::BarrierCompletion;
    for (const char* const part : {"allreduce", "allgather", "alltoall", "reduce_scatter"})
        if (call.contains(QLatin1String(part))) return WaitStateKind::NxNCompletion;
    return {};
}

class StateReader {
public:
    StateReader(const TraceStore& store, const WaitChoice& choice, std::size_t mostWorst)
        : m_store(store), m_choice(choice), m_mostWorst(mostWorst)
    {
        for (const Region& region : store.regions()) {
            if (region.kind != RegionKind::MpiCall) continue;
            if (m_completions.size() <= index(region.id)) m_completions.resize(index(region.id) + 1);
            m_completions[index(region.id)] = completionOf(region.name);
            m_unjudged.resize(m_completions.size());
            m_unjudged[index(region.id)] = unjudgedCall(region.name);
        }
    }

    Result<> read(std::uint32_t rank, const Progress& progress, AllSums& sums, AllTimes& times) const
    {
        for (const TrackId track : mpiTracks(m_store, rank)) {
            auto rows = m_store.rows<MpiRow>(track, stateFields, {.touching = m_choice.range(), .progress = &progress});
            for (const MpiRow& call : rows) {
                addSeverity(call, rank, sums, times);
                addCompletion(call, rank, sums, times);
                addUnjudged(call, sums.unjudged);
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
                const auto kind = stateOf(row.pattern());
                if (!kind || row.waited() <= 0) continue;
                WaitInstance instance;
                instance.rank = rank;
                instance.seq = -1;
                instance.wait = row.wait();
                instance.call = row.region();
                instance.culprit = rank;
                instance.track = track;
                instance.culpritTrack = row.culprit() ? static_cast<TrackId>(*row.culprit()) : noTrack;
                add(*kind, instance, sums, times);
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

    void addSeverity(const MpiRow& call, std::uint32_t rank, AllSums& sums, AllTimes& times) const
    {
        const WaitPattern pattern = call.pattern();
        const auto kind = stateOf(pattern);
        if (!kind || call.severity() <= 0) return;
        WaitInstance instance = instanceAt(call, rank, {call.begin(), saturatingAdd(call.begin(), call.severity())});
        instance.culprit = call.culprit().value_or(-1);
        instance.culpritSeq = call.culpritSeq().value_or(-1);
        add(*kind, instance, sums, times);
        for (const auto part : {WaitStateKind::WrongOrderSameSource, WaitStateKind::WrongOrderDifferentSource})
            if (WaitChoice::hasWrongOrder(pattern, call.flags(), part)) add(part, instance, sums, times);
    }

    void addCompletion(const MpiRow& call, std::uint32_t rank, AllSums& sums, AllTimes& times) const
    {
        const TimeNs after = call.waitAfter();
        if (after <= 0 || (call.flags() & MpiCallFlag::Collective) == 0) return;
        const std::size_t region = index(call.region());
        if (region >= m_completions.size() || !m_completions[region]) return;
        add(*m_completions[region], instanceAt(call, rank, {call.end() - after, call.end()}), sums, times);
    }

    void addUnjudged(const MpiRow& call, UnjudgedTime& time) const
    {
        const std::size_t region = index(call.region());
        if (region >= m_unjudged.size() || !m_choice.range().contains(call.begin())) return;
        const TimeNs length = saturatingSubtract(call.end(), call.begin());
        if (m_unjudged[region] == UnjudgedCall::OneSided) time += {.oneSided = length};
        if (m_unjudged[region] == UnjudgedCall::File) time += {.files = length};
    }

    static WaitInstance instanceAt(const MpiRow& call, std::uint32_t rank, TimeRange wait)
    {
        WaitInstance instance;
        instance.rank = rank;
        instance.seq = call.seq();
        instance.wait = wait;
        instance.call = call.region();
        instance.path = call.path();
        return instance;
    }

    const TraceStore& m_store;
    const WaitChoice& m_choice;
    std::size_t m_mostWorst;
    std::vector<std::optional<WaitStateKind>> m_completions;  // completionOf() by region
    std::vector<UnjudgedCall> m_unjudged;                     // likewise
};

// Sets what the culprit did meanwhile.
Result<> nameCause(const TraceStore& store, WaitInstance& instance)
{
    if (instance.track != noTrack) {
        const auto region = mostlyIn(store, instance.culpritTrack, instance.wait);
        if (!region) return region.error();
        instance.during = *region;
        return Unit{};
    }
    if (instance.culprit < 0 || instance.culprit >= rankCount(store)) return Unit{};
    const auto work = culpritWork(store, static_cast<std::uint32_t>(instance.culprit), instance.culpritSeq,
                                  instance.wait);
    if (!work) return work.error();
    instance.delayed = work->task;
    instance.during = work->entry;
    return Unit{};
}

Result<> gather(const TraceStore& store, const std::vector<AllSums>& workers, const std::vector<AllTimes>& times,
                std::size_t mostWorst, WaitStates& result)
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
        std::sort(state.worst.begin(), state.worst.end(), isWorse);
        if (state.worst.size() > mostWorst) state.worst.resize(mostWorst);
        for (WaitInstance& instance : state.worst)
            if (Result<> named = nameCause(store, instance); !named) return named;
        for (const AllTimes& rank : times) {
            state.byRank.push_back(rank[i]);
            state.time = saturatingAdd(state.time, rank[i]);
        }
        result.states.push_back(std::move(state));
    }
    std::stable_sort(result.states.begin(), result.states.end(),
                     [](const WaitState& a, const WaitState& b) { return a.time > b.time; });
    return Unit{};
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

Result<WaitStates> waitStates(const TraceStore& store, const WaitOptions& options, const Progress& progress)
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
    result.totalTime = saturatingMultiply(choice.range().length(),
                                          static_cast<std::int64_t>(processors.size()) + result.threads);
    for (const AllSums& worker : workers) result.unjudged += worker.unjudged;
    if (Result<> done = gather(store, workers, times, options.mostWorst, result); !done) return done.error();
    for (const WaitState& state : result.states)
        if (options.kind || !isPartOfAnother(state.kind)) result.total = saturatingAdd(result.total, state.time);
    result.unexplained = result.total;
    if (!options.withCauses) return result;
    if (Result<> caused = findCauses(store, options, result, progress); !caused) return caused.error();
    return result;
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

Result<WaitStates> waitStates(const TraceStore& store, const Progress& progress, std::size_t mostWorst)
{
    WaitOptions options;
    options.mostWorst = mostWorst;
    return waitStates(store, options, progress);
}

}  // namespace longpole
