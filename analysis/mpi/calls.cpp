// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/calls.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/chunkscan.h"
#include "analysis/base/naming.h"
#include "core/base/drawnhash.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/trackids.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace longpole {

namespace {

constexpr std::uint32_t profileFields = MpiRow::Range | MpiRow::Region | MpiRow::Bytes | MpiRow::WaitBefore
                                        | MpiRow::Execution | MpiRow::WaitAfter | MpiRow::Flags;

// What is summed up: calls of a name, or of a name at a place.
struct CallKey {
    std::uint32_t path = noCallPath;
    std::uint32_t region = 0;
    friend bool operator==(const CallKey&, const CallKey&) = default;
};
struct CallKeyHash {
    std::size_t operator()(CallKey key) const { return DrawnHash()(std::uint64_t{key.path} << 32 | key.region); }
};
using SumsOfCalls = std::unordered_map<CallKey, MpiSums, CallKeyHash>;

MpiCallRow toCall(const MpiRow& row, TrackId track, std::uint32_t rank)
{
    MpiCallRow call;
    call.track = track;
    call.rank = rank;
    call.range = row.range();
    call.region = row.region();
    call.seq = row.seq();
    call.comm = row.communicator().value_or(-1);
    call.peer = row.peer().value_or(-1);
    call.tag = row.tag().value_or(-1);
    call.bytes = row.bytes();
    call.waitBefore = row.waitBefore();
    call.execution = row.execution();
    call.waitAfter = row.waitAfter();
    call.pattern = row.pattern();
    call.severity = row.severity();
    call.culprit = row.culprit().value_or(-1);
    call.culpritSeq = row.culpritSeq().value_or(-1);
    call.instance = row.instance().value_or(-1);
    call.task = row.task();
    call.flags = row.flags();
    return call;
}

// One rank's sums, as far as its calls have been read.
struct RankSums {
    SumsOfCalls byCall;
    TimeNs onOwnTrack = 0;  // time in calls of the rank's own thread, which do not overlap
};

class ProfileReader {
public:
    ProfileReader(const TraceStore& store, TimeRange range, bool bySite)
        : m_store(store), m_bySite(bySite), m_run(store.info().range()), m_range(intersection(m_run, range)),
          m_countsEnd(range.end >= m_run.end)
    {
        for (const Region& region : store.regions())
            if (isStartOrEnd(region.name)) m_startAndEnd.push_back(region.id);
    }

    TimeRange range() const { return m_range; }

    Result<> read(const Processor& processor, const Progress& progress, RankSums& sums) const
    {
        for (const TrackId track : mpiTracks(m_store, index(processor.pe))) {
            auto rows = m_store.rows<MpiRow>(track, profileFields | (m_bySite ? std::uint32_t(MpiRow::Path) : 0u),
                                             {.touching = readRange(), .progress = &progress});
            for (const MpiRow& call : rows) {
                const TimeNs time = add(call, sums.byCall);
                if (track == processor.track) addSaturating(sums.onOwnTrack, time);
            }
            if (const Result<> read = rows.result(); !read) return read;
        }
        return Unit{};
    }

private:
    bool startsOrEnds(RegionId call) const
    {
        return std::find(m_startAndEnd.begin(), m_startAndEnd.end(), call) != m_startAndEnd.end();
    }

    // Calls before the run's begin (of start-up) count at its begin, so a range that begins there reads them, too.
    TimeRange readRange() const
    {
        return {m_range.begin <= m_run.begin ? minTime : m_range.begin, m_countsEnd ? maxTime : m_range.end};
    }

    bool countsBegin(TimeNs begin) const
    {
        const TimeNs counted = std::max(begin, m_run.begin);
        return counted >= m_range.begin && (counted < m_range.end || m_countsEnd);
    }

    // Adds a call to the sums; returns its time in the range.
    TimeNs add(const MpiRow& call, SumsOfCalls& into) const
    {
        const auto [begin, end] = call.range();
        const bool isCounted = countsBegin(begin);
        const TimeNs time = overlap({begin, end}, m_range);
        if (!isCounted && time == 0) return 0;
        const TimeNs beginExecution = saturatingAdd(begin, call.waitBefore());
        const TimeNs beginAfter = saturatingAdd(beginExecution, call.execution());
        MpiSums sums;
        sums.time = time;
        sums.waitBefore = overlap({begin, beginExecution}, m_range);
        sums.execution = overlap({beginExecution, beginAfter}, m_range);
        sums.waitAfter = overlap({beginAfter, end}, m_range);
        const std::uint16_t flags = call.flags();
        if (inImbalance(flags) && !startsOrEnds(call.region())) {
            sums.syncWait = sums.wait();
            sums.syncExecution = sums.execution;
        }
        if (isCounted) {
            sums.calls = 1;
            sums.bytes = call.bytes();
            sums.notSynchronizing = (flags & MpiCallFlag::NotSynchronizing) != 0 ? 1 : 0;
        }
        sumsOf(call, into) += sums;
        return time;
    }

    // Beyond as many as are told apart (limits::callPlaces) a call counts without its place, and then for no region.
    MpiSums& sumsOf(const MpiRow& call, SumsOfCalls& known) const
    {
        const CallKey key{m_bySite ? call.path() : noCallPath, index(call.region())};
        if (const auto found = known.find(key); found != known.end()) return found->second;
        if (m_budget.takes(known.size())) return known[key];
        const CallKey anywhere{noCallPath, key.region};
        const bool isTold = known.contains(anywhere) || m_budget.takes(known.size() / 2);
        return known[isTold ? anywhere : CallKey{noCallPath, noRegion}];
    }

    static constexpr std::uint32_t noRegion = 0xffffffff;

    const TraceStore& m_store;
    mutable CallPlaceBudget m_budget{m_store};
    std::vector<RegionId> m_startAndEnd;  // MPI_Init and MPI_Finalize, in which nobody waits
    bool m_bySite;
    TimeRange m_run;
    TimeRange m_range;
    bool m_countsEnd;  // a call that begins at the very end of the run belongs to the range
};

TimeNs programTime(const Processor& processor, TimeRange range, TimeNs inCalls)
{
    const bool isKnown = processor.lastRecord > processor.firstRecord;
    const TimeRange recorded = isKnown ? TimeRange{processor.firstRecord, processor.lastRecord} : range;
    return std::max<TimeNs>(0, overlap(recorded, range) - inCalls);
}

std::vector<RegionId> callsByTime(const std::vector<RankSums>& ranks)
{
    std::map<std::uint32_t, TimeNs> times;
    for (const RankSums& rank : ranks)
        for (const auto& [call, sums] : rank.byCall) times[call.region] = saturatingAdd(times[call.region], sums.time);
    std::vector<RegionId> calls;
    calls.reserve(times.size());
    for (const auto& [region, time] : times) calls.push_back(static_cast<RegionId>(region));
    std::stable_sort(calls.begin(), calls.end(),
                     [&times](RegionId a, RegionId b) { return times[index(a)] > times[index(b)]; });
    return calls;
}

// `ranks`: by place among the store's processors.
void addUp(MpiProfile& profile, std::span<const Processor> processors, const std::vector<RankSums>& ranks)
{
    profile.calls = callsByTime(ranks);
    std::unordered_map<std::uint32_t, std::size_t, DrawnHash> placeOf;  // by region
    for (const RegionId call : profile.calls) placeOf.emplace(index(call), placeOf.size());
    std::vector<std::vector<MpiProfile::Cell>> cells(profile.calls.size());
    profile.byRank.resize(profile.ranks);
    for (std::size_t place = 0; place < ranks.size(); ++place) {
        const std::uint32_t rank = index(processors[place].pe);
        for (const auto& [call, sums] : ranks[place].byCall) {
            cells[placeOf.at(call.region)].push_back({rank, sums});
            profile.byRank[rank] += sums;
        }
    }
    profile.firstCell.push_back(0);
    for (const std::vector<MpiProfile::Cell>& ofCall : cells) {
        profile.cells.insert(profile.cells.end(), ofCall.begin(), ofCall.end());
        profile.firstCell.push_back(profile.cells.size());
    }
    for (const MpiSums& rank : profile.byRank) profile.total += rank;
}

std::optional<double> quotient(TimeNs part, TimeNs whole)
{
    if (whole <= 0) return {};
    return static_cast<double>(part) / static_cast<double>(whole);
}

// Searches the chunks of a track, then the rows of one, for the call number `seq`.
Result<std::optional<MpiCallRow>> callOnTrack(const TraceStore& store, TrackId track, std::uint32_t rank,
                                              std::int64_t seq)
{
    std::span<const ChunkRef> refs = store.keptChunks(ChunkKind::MpiCall, track);
    while (!refs.empty()) {
        const std::size_t middle = refs.size() / 2;
        const auto rows = store.block<MpiRow>(refs[middle], MpiRow::All, Coverage::Kept);
        if (!rows) return rows.error();
        if (rows->size() == 0 || (*rows)[0].seq() > seq) refs = refs.first(middle);
        else if ((*rows)[rows->size() - 1].seq() < seq) refs = refs.subspan(middle + 1);
        else {
            std::uint32_t low = 0, high = rows->size() - 1;  // the first call from `seq` on lies in [low, high]
            while (low < high) {
                const std::uint32_t half = low + (high - low) / 2;
                if ((*rows)[half].seq() < seq) low = half + 1;
                else high = half;
            }
            const MpiRow found = (*rows)[low];
            if (found.seq() == seq) return std::optional(toCall(found, track, rank));
            refs = {};
        }
    }
    // It may be among those that the trace does not have.
    if (const Result<> there = requireRows(store, ChunkKind::MpiCall, Coverage::Whole); !there) return there.error();
    return std::optional<MpiCallRow>();
}

}  // namespace

Result<> requireRanks(const TraceStore& store)
{
    if (store.info().hasRanks()) return Unit{};
    return Error{tr("The trace holds no MPI calls: it is not of an MPI program."), store.path(),
                 tr("Record one with 'longpole record', or import an OTF2 archive.")};
}

std::vector<TrackId> mpiTracks(const TraceStore& store, std::uint32_t rank)
{
    return tracksOfRank(store, rank, ChunkKind::MpiCall);
}

std::vector<TrackId> tracksOfRank(const TraceStore& store, std::uint32_t rank, ChunkKind kind)
{
    const Processor* const processor = store.processor(ProcessorId{rank});
    std::vector<TrackId> tracks;
    if (processor != nullptr && !store.chunks(kind, processor->track).empty()) tracks.push_back(processor->track);
    // Behind those of all ranks.
    const TrackId first = laneTrack(rankCount(store), 0);
    for (const auto& [pe, track] : store.tracksOf(ProcessorId{rank}))
        if (track >= first && (processor == nullptr || track != processor->track) && !store.chunks(kind, track).empty())
            tracks.push_back(track);
    return tracks;
}

std::uint32_t rankCount(const TraceStore& store)
{
    const auto processors = store.processors();
    return processors.empty() ? 0 : index(processors.back().pe) + 1;
}

Result<std::vector<MpiCallRow>> mpiCalls(const TraceStore& store, std::uint32_t rank, TimeRange range)
{
    if (Result<> ranks = requireRanks(store); !ranks) return ranks.error();
    std::vector<MpiCallRow> calls;
    const std::vector<TrackId> tracks = mpiTracks(store, rank);
    for (const TrackId track : tracks) {
        auto rows = store.rows<MpiRow>(track, MpiRow::All, {.touching = range});
        for (const MpiRow& row : rows) {
            const TimeRange call = row.range();
            if (call.isEmpty() ? range.contains(call.begin) : call.overlaps(range))
                calls.push_back(toCall(row, track, rank));
        }
        if (const Result<> read = rows.result(); !read) return read.error();
    }
    if (tracks.size() > 1)
        std::sort(calls.begin(), calls.end(), [](const MpiCallRow& a, const MpiCallRow& b) {
            return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.seq < b.seq;
        });
    return calls;
}

Result<std::optional<MpiCallRow>> mpiCall(const TraceStore& store, std::uint32_t rank, std::int64_t seq)
{
    if (Result<> ranks = requireRanks(store); !ranks) return ranks.error();
    for (const TrackId track : mpiTracks(store, rank)) {
        auto found = callOnTrack(store, track, rank, seq);
        if (!found || *found) return found;
    }
    return std::optional<MpiCallRow>();
}

MpiSums& MpiSums::operator+=(const MpiSums& other)
{
    addSaturating(calls, other.calls);
    addSaturating(bytes, other.bytes);
    addSaturating(notSynchronizing, other.notSynchronizing);
    for (TimeNs MpiSums::*const part : {&MpiSums::time, &MpiSums::waitBefore, &MpiSums::execution, &MpiSums::waitAfter,
                                        &MpiSums::syncWait, &MpiSums::syncExecution})
        this->*part = saturatingAdd(this->*part, other.*part);
    return *this;
}

Result<MpiProfile> mpiProfile(const TraceStore& store, TimeRange range, const Progress& progress)
{
    if (Result<> ranks = requireRanks(store); !ranks) return ranks.error();
    MpiProfile profile;
    profile.ranks = rankCount(store);
    profile.program.resize(profile.ranks);
    const ProfileReader reader(store, range, false);
    profile.range = reader.range();
    const std::span<const Processor> processors = store.processors();
    std::vector<RankSums> ranks(processors.size());
    const Result<> read = scanProcessors(processorsToScan(store, {}, false), progress,
                                         [&](std::size_t, const Processor& processor) -> Result<> {
                                             RankSums& sums = ranks[std::size_t(&processor - processors.data())];
                                             if (Result<> done = reader.read(processor, progress, sums); !done)
                                                 return done;
                                             profile.program[index(processor.pe)] = programTime(processor,
                                                                                                reader.range(),
                                                                                                sums.onOwnTrack);
                                             return Unit{};
                                         });
    if (!read) return read.error();
    addUp(profile, processors, ranks);
    return profile;
}

MpiProfile profileOfCalls(TimeRange range, std::vector<MpiCallSums> calls)
{
    std::stable_sort(calls.begin(), calls.end(),
                     [](const MpiCallSums& a, const MpiCallSums& b) { return a.sums.time > b.sums.time; });
    MpiProfile profile;
    profile.range = range;
    profile.ranks = 1;
    profile.firstCell = {0};
    for (const MpiCallSums& call : calls) {
        profile.calls.push_back(call.call);
        profile.cells.push_back({0, call.sums});
        profile.firstCell.push_back(profile.cells.size());
        profile.total += call.sums;
    }
    profile.byRank = {profile.total};
    return profile;
}

Result<std::vector<MpiSiteSums>> mpiSites(const TraceStore& store, const Progress& progress)
{
    if (Result<> ranks = requireRanks(store); !ranks) return ranks.error();
    const ProfileReader reader(store, store.info().range(), true);
    const std::span<const Processor> processors = store.processors();
    std::vector<RankSums> ranks(processors.size());
    const Result<> read = scanProcessors(processorsToScan(store, {}, false), progress,
                                         [&](std::size_t, const Processor& processor) {
                                             return reader.read(processor, progress,
                                                                ranks[std::size_t(&processor - processors.data())]);
                                         });
    if (!read) return read.error();
    std::vector<MpiSiteSums> sites;
    for (std::size_t place = 0; place < ranks.size(); ++place)
        for (const auto& [call, sums] : ranks[place].byCall)
            sites.push_back({call.path, static_cast<RegionId>(call.region), index(processors[place].pe), sums});
    std::sort(sites.begin(), sites.end(), [](const MpiSiteSums& a, const MpiSiteSums& b) {
        return std::tuple(a.path, a.call, a.rank) < std::tuple(b.path, b.call, b.rank);
    });
    return sites;
}

bool inImbalance(std::uint16_t flags)
{
    constexpr int excluded = MpiCallFlag::NotSynchronizing | MpiCallFlag::Incomplete | MpiCallFlag::Completes;
    return (flags & MpiCallFlag::Collective) != 0 && (flags & excluded) == 0;
}

MpiImbalance imbalanceOf(TimeNs wait, TimeNs execution, TimeNs program)
{
    return {.ofCall = {},
            .ofProcess = quotient(wait, saturatingAdd(execution, program)),
            .waitExecution = quotient(wait, execution)};
}

MpiImbalance imbalanceOfCall(const MpiCallRow& row)
{
    if (!inImbalance(row.flags)) return {};
    return {.ofCall = quotient(saturatingAdd(row.waitBefore, row.waitAfter), row.execution),
            .ofProcess = {},
            .waitExecution = {}};
}

MpiImbalance imbalanceOfCall(const MpiSums& sums)
{
    return {.ofCall = quotient(sums.syncWait, sums.syncExecution), .ofProcess = {}, .waitExecution = {}};
}

MpiImbalance imbalanceOfProcess(const MpiProfile& profile, std::uint32_t rank)
{
    const MpiSums& sums = profile.byRank[rank];
    return imbalanceOf(sums.syncWait, sums.syncExecution, profile.program[rank]);
}

MpiImbalance imbalanceOfProgram(const MpiProfile& profile)
{
    return imbalanceOf(profile.total.syncWait, profile.total.syncExecution, profile.outside());
}

const MpiSums& MpiProfile::cell(std::size_t call, std::uint32_t rank) const
{
    static const MpiSums none;
    const std::span<const Cell> ofCall = cellsOf(call);
    const auto found = std::lower_bound(ofCall.begin(), ofCall.end(), rank,
                                        [](const Cell& one, std::uint32_t wanted) { return one.rank < wanted; });
    return found != ofCall.end() && found->rank == rank ? found->sums : none;
}

MpiSums MpiProfile::ofCall(std::size_t call) const
{
    MpiSums sums;
    for (const Cell& one : cellsOf(call)) sums += one.sums;
    return sums;
}

TimeNs MpiProfile::outside() const { return std::accumulate(program.begin(), program.end(), TimeNs(0), saturatingAdd); }

bool hasAllRanks(const TraceStore& store)
{
    const std::span<const Processor> ranks = store.processors();
    return std::all_of(ranks.begin(), ranks.end(), [](const Processor& rank) { return rank.hasLog; });
}

}  // namespace longpole
