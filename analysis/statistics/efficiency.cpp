// SPDX-License-Identifier: GPL-3.0-or-later
// Efficiencies from the graph of a run: useful time per rank, and the work path as run time on an ideal network.
#include "analysis/statistics/efficiency.h"

#include "analysis/base/chunkscan.h"
#include "analysis/base/naming.h"
#include "analysis/graph/executionparts.h"
#include "analysis/mpi/calls.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/drawnhash.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

namespace longpole {

namespace {

// Adds up the time that is inside executions, each moment once, for each of some ranges.
class UsefulTime : public ExecutionVisitor {
public:
    explicit UsefulTime(std::span<const TimeRange> ranges) : m_ranges(ranges), m_sums(ranges.size(), 0) {}
    Result<> tasks(const RowBlock<TaskRow>& /*rows*/) override { return Unit{}; }
    void part(TimeNs begin, TimeNs end, EntryId /*innermost*/, bool /*passes*/) override
    {
        for (std::size_t i = 0; i < m_ranges.size(); ++i) addSaturating(m_sums[i], overlap(m_ranges[i], {begin, end}));
    }
    const std::vector<TimeNs>& sums() const { return m_sums; }

private:
    std::span<const TimeRange> m_ranges;
    std::vector<TimeNs> m_sums;
};

// By range; all of them lie in `all`, and are looked at together.
Result<std::vector<TimeNs>> usefulTime(const TraceStore& store, const Processor& processor, TimeRange all,
                                       std::span<const TimeRange> ranges, const Progress& progress)
{
    UsefulTime time(ranges);
    if (all.isEmpty()) return time.sums();
    if (Result<> seen = ExecutionParts(store, processor.track, all).visit(0, true, time, progress); !seen)
        return seen.error();
    return time.sums();
}

// What the rank of two steps that follow each other on it waited in between, in barriers of its threads and for
// devices: no network makes that shorter.
Result<TimeNs> threadWaitsOn(const TraceStore& store, const CriticalPath& path, const Progress& progress)
{
    TimeNs sum = 0;
    if (store.chunks(ChunkKind::ThreadWait).empty()) return sum;
    std::unordered_map<std::uint32_t, std::vector<TimeRange>> gaps;  // by rank, in order of time
    for (std::size_t i = 1; i < path.steps.size(); ++i) {
        const PathStep& step = path.steps[i];
        if (step.pe == path.steps[i - 1].pe && step.begin > path.steps[i - 1].end)
            gaps[index(step.pe)].push_back({path.steps[i - 1].end, step.begin});
    }
    for (const auto& [pe, ranges] : gaps) {
        const Processor* const processor = store.processor(ProcessorId{pe});
        if (processor == nullptr) continue;
        auto gap = ranges.begin();
        auto rows = store.rows<ThreadWaitRow>(processor->track, ThreadWaitRow::All, {.progress = &progress});
        for (const ThreadWaitRow& row : rows) {
            while (gap != ranges.end() && gap->end <= row.begin()) ++gap;
            if (gap != ranges.end()) sum = saturatingAdd(sum, intersection(*gap, row.range()).length());
        }
        if (const Result<> read = rows.result(); !read) return read.error();
    }
    return sum;
}

// A global synchronization point.
struct Meeting {
    TimeNs latest = minTime;  // when its last rank arrives
    std::int64_t instance = -1;
    RegionId call{};
};

// Start-up and end of MPI bound the run and do not cut it.
bool isLifetime(const Region* region)
{
    if (region == nullptr) return false;
    const QString name = region->name.toLower();
    return name.contains(QLatin1String("mpi_init")) || name.contains(QLatin1String("mpi_finalize"));
}

using Meetings = std::unordered_map<std::int64_t, Meeting, DrawnHash>;  // by instance

Result<> readMeetings(const TraceStore& store, std::uint32_t rank, const Progress& progress, Meetings& meetings)
{
    for (const TrackId track : mpiTracks(store, rank)) {
        auto calls = store.rows<MpiRow>(track, MpiRow::Begin | MpiRow::Region | MpiRow::Instance | MpiRow::Flags,
                                        {.progress = &progress});
        for (const MpiRow& call : calls) {
            const std::optional<std::int64_t> instance = call.instance();
            if ((call.flags() & MpiCallFlag::Synchronization) == 0 || !instance) continue;
            Meeting& meeting = meetings[*instance];
            meeting.latest = std::max(meeting.latest, call.begin());
            meeting.instance = *instance;
            meeting.call = call.region();
        }
        if (const Result<> read = calls.result(); !read) return read;
    }
    return Unit{};
}

// Those that cut the run, in order of time.
Result<std::vector<Meeting>> meetingsOf(const TraceStore& store, TimeRange run, const Progress& progress)
{
    const std::vector<const Processor*> ranks = processorsToScan(store, {}, false);
    std::vector<Meetings> byWorker(scanWorkers(ranks.size()));
    const Result<> read = scanProcessors(ranks, progress, [&](std::size_t worker, const Processor& rank) {
        return readMeetings(store, index(rank.pe), progress, byWorker[worker]);
    });
    if (!read) return read.error();
    Meetings all;
    for (const Meetings& some : byWorker) {
        for (const auto& [instance, meeting] : some) {
            Meeting& known = all.try_emplace(instance, meeting).first->second;
            known.latest = std::max(known.latest, meeting.latest);
        }
    }
    std::vector<Meeting> meetings;
    for (const auto& [instance, meeting] : all) {
        const bool isInside = meeting.latest > run.begin && meeting.latest < run.end;
        if (isInside && !isLifetime(store.region(meeting.call))) meetings.push_back(meeting);
    }
    std::sort(meetings.begin(), meetings.end(), [](const Meeting& a, const Meeting& b) {
        return a.latest != b.latest ? a.latest < b.latest : a.instance < b.instance;
    });
    return meetings;
}

// All of them, or of more than `most` those nearest to where `most` + 1 equal parts of the run meet.
std::vector<Meeting> spread(const std::vector<Meeting>& meetings, TimeRange run, std::size_t most)
{
    const auto isEarlier = [](const Meeting& meeting, TimeNs time) { return meeting.latest < time; };
    std::vector<Meeting> chosen;
    const auto add = [&chosen](const Meeting& meeting) {
        if (chosen.empty() || chosen.back().latest < meeting.latest) chosen.push_back(meeting);
    };
    if (meetings.size() <= most) {
        for (const Meeting& meeting : meetings) add(meeting);
        return chosen;
    }
    for (std::size_t i = 1; i <= most; ++i) {
        const auto share = static_cast<double>(i) / static_cast<double>(most + 1);
        const TimeNs wanted = run.begin + static_cast<TimeNs>(share * static_cast<double>(run.length()));
        auto nearest = std::lower_bound(meetings.begin(), meetings.end(), wanted, isEarlier);
        const bool isLast = nearest == meetings.end();
        const bool hasEarlier = nearest != meetings.begin();
        if (hasEarlier && (isLast || nearest->latest - wanted > wanted - (nearest - 1)->latest)) --nearest;
        add(*nearest);
    }
    return chosen;
}

// Where a phase ends and the next one begins.
struct Cut {
    TimeNs time = 0;
    QString name;
};

std::vector<Cut> cutsAt(const TraceStore& store, const std::vector<Meeting>& meetings, TimeRange run)
{
    std::vector<Cut> cuts{{run.begin, tr("begin")}};
    for (const Meeting& meeting : meetings) {
        const Region* region = store.region(meeting.call);
        const QString call = region != nullptr ? region->name : tr("collective call");
        cuts.push_back({meeting.latest, QStringLiteral("%1 %2").arg(call, QString::number(meeting.instance))});
    }
    cuts.push_back({run.end, tr("end")});
    return cuts;
}

std::vector<Cut> equalCuts(TimeRange run, std::size_t parts)
{
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i <= parts; ++i) {
        const auto number = static_cast<TimeNs>(i);
        const auto count = static_cast<TimeNs>(parts);
        const TimeNs length = run.length();
        const TimeNs after = length / count * number + length % count * number / count;
        cuts.push_back({run.begin + after, formatTime(after)});
    }
    return cuts;
}

// T_ideal of a range. `store`: may be null.
Result<TimeNs> idealTime(const TraceStore& store, const ActivityGraph& graph, TimeRange range, const Progress& progress)
{
    const Result<CriticalPath> path = workPath(graph, dependencies(graph, EdgeLevel::Order), range, std::nullopt,
                                               progress);
    if (!path) return path.error();
    const auto waited = threadWaitsOn(store, *path, progress);
    if (!waited) return waited.error();
    return saturatingAdd(path->length, *waited);
}

}  // namespace

Result<UsefulTimes> usefulTimes(const TraceStore& store, std::size_t count, TimeRange range, Startup startup,
                                const Progress& progress)
{
    UsefulTimes useful{.byProcessor = std::vector<TimeNs>(count, 0)};
    for (const Processor& processor : store.processors()) {
        if (index(processor.pe) >= count || processor.kind == TrackKind::CommThread) continue;
        const TimeRange active = startup == Startup::Counted ? range : intersection(range, processor.active());
        const std::array<TimeRange, 3> parts = {active, TimeRange{range.begin, std::min(active.begin, range.end)},
                                                TimeRange{std::max(active.end, range.begin), range.end}};
        const auto busy = usefulTime(store, processor, range, parts, progress);
        if (!busy) return busy.error();
        useful.byProcessor[index(processor.pe)] = busy->front();
        for (std::size_t i = 1; i < parts.size(); ++i) {
            if (parts[i].isEmpty()) continue;
            useful.leftOut = saturatingAdd(useful.leftOut, parts[i].length());
            useful.leftOutBusy = saturatingAdd(useful.leftOutBusy, (*busy)[i]);
        }
    }
    return useful;
}

TimeRange activeTime(const TraceStore& store)
{
    const TimeRange run = store.info().range();
    TimeRange active{maxTime, minTime};
    for (const Processor& processor : store.processors()) {
        if (processor.kind == TrackKind::CommThread || !processor.hasLog) continue;
        active.begin = std::min(active.begin, processor.started);
        active.end = std::max(active.end, processor.stopping);
    }
    if (active.begin == maxTime) return run;
    return {std::clamp(active.begin, run.begin, run.end), std::clamp(active.end, run.begin, run.end)};
}

std::vector<bool> countedProcessors(const TraceStore& store, std::size_t count)
{
    std::vector<bool> isCounted(count, false);
    for (const Processor& processor : store.processors()) {
        if (processor.kind != TrackKind::CommThread && processor.hasLog && index(processor.pe) < count)
            isCounted[index(processor.pe)] = true;
    }
    return isCounted;
}

Efficiency efficiencyOf(UsefulTimes useful, const std::vector<bool>& isCounted, TimeRange range, TimeNs ideal)
{
    Efficiency result;
    result.range = range;
    result.ideal = ideal;
    result.useful = std::move(useful.byProcessor);
    result.leftOut = useful.leftOut;
    result.leftOutBusy = useful.leftOutBusy;
    double sum = 0;
    for (std::size_t pe = 0; pe < result.useful.size(); ++pe) {
        if (pe < isCounted.size() && !isCounted[pe]) continue;
        ++result.counted;
        sum += static_cast<double>(result.useful[pe]);
        result.usefulMax = std::max(result.usefulMax, result.useful[pe]);
    }
    result.usefulAverage = ratio(sum, static_cast<double>(result.counted));
    const auto length = static_cast<double>(result.range.length());
    const auto most = static_cast<double>(result.usefulMax);
    const auto onIdeal = static_cast<double>(result.ideal);
    result.parallel = ratio(result.usefulAverage, length);
    result.loadBalance = ratio(result.usefulAverage, most);
    result.communication = ratio(most, length);
    result.serialization = ratio(most, onIdeal);
    result.transfer = ratio(onIdeal, length);
    return result;
}

Result<Efficiency> efficiency(const TraceStore& store, const ActivityGraph& graph, TimeRange range, Startup startup,
                              const Progress& progress)
{
    const std::size_t count = graph.byProcessor.size();
    const TimeRange asked = intersection(graph.run, range);
    auto useful = usefulTimes(store, count, asked, startup, progress);
    if (!useful) return useful.error();
    const TimeRange inside = startup == Startup::Counted ? asked : intersection(asked, activeTime(store));
    const Result<TimeNs> ideal = idealTime(store, graph, inside, progress);
    if (!ideal) return ideal.error();
    return efficiencyOf(std::move(*useful), countedProcessors(store, count), inside, *ideal);
}

Result<std::vector<EfficiencyPhase>> efficiencyPhases(const TraceStore& store, const ActivityGraph& graph,
                                                      std::size_t most, Startup startup, const Progress& progress)
{
    const TimeRange run = startup == Startup::Counted ? graph.run : activeTime(store);
    most = std::max<std::size_t>(most, 1);
    std::vector<Meeting> meetings;
    if (store.info().hasRanks()) {
        auto found = meetingsOf(store, run, progress);
        if (!found) return found.error();
        meetings = spread(*found, run, most - 1);
    }
    const std::vector<Cut> cuts = meetings.empty() ? equalCuts(run, most) : cutsAt(store, meetings, run);
    std::vector<EfficiencyPhase> phases;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const TimeRange range{cuts[i].time, cuts[i + 1].time};
        auto figures = efficiency(store, graph, range, startup, progress);
        if (!figures) return figures.error();
        const QString name = tr("%1: %2 to %3").arg(QString::number(phases.size()), cuts[i].name, cuts[i + 1].name);
        phases.push_back({range, name, std::move(*figures)});
        progress.report(static_cast<double>(i + 1) / static_cast<double>(cuts.size()));
    }
    return phases;
}

}  // namespace longpole
