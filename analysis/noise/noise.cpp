// SPDX-License-Identifier: GPL-3.0-or-later
// Which entry methods have stretched tasks, then which tasks these are.
#include "analysis/noise/noisesteps.h"

#include "analysis/base/chunkscan.h"
#include "core/base/drawnhash.h"
#include "core/store/rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

namespace longpole {

namespace {

bool isWorse(const StretchedTask& a, const StretchedTask& b)
{
    return a.lost != b.lost ? a.lost > b.lost : a.task < b.task;
}

std::size_t baseOf(const EntryNoise& entry, const NoiseRequest& request)
{
    const double usual = request.usualShare * static_cast<double>(entry.count);
    for (std::size_t i = entry.clusters.size(); i-- > 0;)
        if (static_cast<double>(entry.clusters[i].count) >= usual) return i;
    const auto most = std::max_element(entry.clusters.begin(), entry.clusters.end(),
                                       [](const auto& a, const auto& b) { return a.count < b.count; });
    return static_cast<std::size_t>(most - entry.clusters.begin());
}

bool isWorseCandidate(const NoiseCandidate& a, const NoiseCandidate& b) { return isWorse(a.task, b.task); }

class Search {
public:
    Search(const TraceStore& store, const NoiseRequest& request, const ProcessorTime& cpu,
           const std::vector<StretchThreshold>& thresholds)
        : m_store(store), m_request(request), m_cpu(cpu), m_thresholds(thresholds)
    {
    }

    Result<> search(const Processor& processor, NoiseFound& found, const Progress& progress) const
    {
        std::vector<TimeNs> begins;
        std::map<EntryId, StretchedSums> here;
        const ScanRequest scan{.fields = TaskRow::Begin | TaskRow::Exclusive | TaskRow::Entry | TaskRow::Cpu,
                               .range = m_request.range};
        const Result<> scanned = scanRows<TaskRow>(m_store, processor.track, scan, progress,
                                                   [&](const ScannedRows<TaskRow>& chunk) {
                                                       for (const TaskRow& task : chunk.rows)
                                                           if (chunk.counts(task))
                                                               look(processor.pe, task, begins, here, found.worst);
                                                       keepWorst(found.worst);
                                                   });
        if (!scanned) return scanned.error();
        for (auto& [entry, sums] : here) {
            sums.mostOnOnePe = sums.stretched;
            found.entries[entry].add(sums);
        }
        double regular = 0;
        if (const TimeNs period = regularPeriod(begins, regular); period > 0)
            found.periods.push_back({processor.pe, period, static_cast<std::int64_t>(begins.size()), regular});
        return Unit{};
    }

    // In any order, and a quarter more than asked for before the rest goes: so often that it costs little.
    void keepWorst(std::vector<NoiseCandidate>& worst) const
    {
        constexpr std::size_t leastMore = 8192;
        const std::size_t most = m_request.worst;
        if (worst.size() <= most || worst.size() - most < std::max(leastMore, most / 4)) return;
        const auto end = worst.begin() + static_cast<std::ptrdiff_t>(most);
        std::nth_element(worst.begin(), end, worst.end(), isWorseCandidate);
        worst.resize(most);
    }

private:
    void look(ProcessorId pe, const TaskRow& task, std::vector<TimeNs>& begins, std::map<EntryId, StretchedSums>& here,
              std::vector<NoiseCandidate>& worst) const
    {
        constexpr std::size_t mostTimes = 1'000'000;  // what happens that often has no period worth naming
        if (task.entry() == noEntry) return;
        const std::size_t entry = index(task.entry());
        const TimeNs duration = task.exclusive();
        const TimeNs cpu = task.cpu().value_or(-1);
        const TimeNs notRunning = m_cpu.isSleeping(task.entry()) ? 0 : m_cpu.notRunningOf(duration, cpu);
        const bool isStretched = entry < m_thresholds.size() && duration >= m_thresholds[entry].from;
        if (!isStretched && notRunning == 0) return;
        if (isStretched && begins.size() < mostTimes) begins.push_back(task.begin());
        const TimeNs lost = isStretched ? duration - m_thresholds[entry].usual : notRunning;
        const bool isOpen = notRunning == 0 && !m_cpu.surelyRan(duration, cpu);
        StretchedSums& sums = here[task.entry()];
        if (isStretched) ++sums.stretched;
        if (notRunning > 0) {
            ++sums.interrupted;
            sums.interruptedFor = saturatingAdd(sums.interruptedFor, lost);
        } else if (isOpen) {
            ++sums.open;
            sums.openFor = saturatingAdd(sums.openFor, lost);
        }
        worst.push_back({{TaskId{pe, task.index()}, task.entry(), task.begin(), duration, lost, notRunning > 0},
                         isStretched,
                         isOpen});
    }

    const TraceStore& m_store;
    const NoiseRequest& m_request;
    const ProcessorTime& m_cpu;
    const std::vector<StretchThreshold>& m_thresholds;
};

// Rarely and on many processors: interrupts and other programs do that, and not the tasks' own work.
bool isRareAndSpread(const EntryNoise& entry, const StretchedSums& sums)
{
    constexpr double rare = 0.02, spread = 0.6;
    return double(entry.stretched) <= rare * double(entry.count)
           && (double(sums.mostOnOnePe) <= spread * double(entry.stretched) || entry.stretched < 3);
}

// Decides what is open, and sums up. All interruptions together take no longer than `most`: an entry method that would
// have lost more than is left of it just does more now and then.
void judgeInterruptions(Noise& result, std::map<EntryId, StretchedSums>& sums, std::vector<NoiseCandidate>& worst,
                        TimeNs most)
{
    std::unordered_set<EntryId, DrawnHash> interrupted;
    for (EntryNoise& entry : result.entries) {
        const auto known = sums.find(entry.entry);
        if (known == sums.end()) continue;
        StretchedSums& own = known->second;
        if (!isRareAndSpread(entry, own) || own.openFor > most) continue;
        most -= own.openFor;
        own.interrupted += own.open;
        own.interruptedFor = saturatingAdd(own.interruptedFor, own.openFor);
        interrupted.insert(entry.entry);
    }
    for (NoiseCandidate& one : worst)
        if (one.isOpen && one.isStretched && interrupted.contains(one.task.entry)) one.task.isInterrupted = true;
    for (EntryNoise& entry : result.entries)
        if (const auto known = sums.find(entry.entry); known != sums.end()) {
            entry.interrupted = known->second.interrupted;
            entry.interruptedFor = known->second.interruptedFor;
        }
    for (const auto& [entry, own] : sums) {
        result.interrupted += own.interrupted;
        result.interruptedFor = saturatingAdd(result.interruptedFor, own.interruptedFor);
    }
}

}  // namespace

TimeNs regularPeriod(const std::vector<TimeNs>& times, double& regular)
{
    constexpr std::size_t fewest = 5;
    constexpr double tolerance = 0.15;
    constexpr int mostPeriods = 4;
    constexpr double share = 0.75;
    regular = 0;
    if (times.size() < fewest + 1) return 0;
    std::vector<TimeNs> intervals;
    for (std::size_t i = 1; i < times.size(); ++i) intervals.push_back(times[i] - times[i - 1]);
    const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
    std::nth_element(intervals.begin(), middle, intervals.end());
    const TimeNs period = *middle;
    if (period <= 0) return 0;
    const auto fits = std::count_if(intervals.begin(), intervals.end(), [period](TimeNs interval) {
        const double periods = static_cast<double>(interval) / static_cast<double>(period);
        const double whole = std::round(periods);
        return whole >= 1 && whole <= mostPeriods && std::abs(periods - whole) <= tolerance;
    });
    regular = static_cast<double>(fits) / static_cast<double>(intervals.size());
    return regular >= share ? period : 0;
}

std::vector<EntryNoise> noisyEntries(const Distribution& durations, const NoiseRequest& request)
{
    std::vector<EntryNoise> entries;
    for (const EntryDistribution& values : durations.entries) {
        if (values.count < request.leastTasks) continue;
        EntryNoise entry{.entry = values.entry,
                         .count = values.count,
                         .time = values.sum,
                         .clusters = durationClusters(values.values)};
        entry.base = baseOf(entry, request);
        const double from = std::max(static_cast<double>(entry.usual()) * request.ratio,
                                     static_cast<double>(entry.usual() + request.least));
        entry.firstStretched = entry.base + 1;
        while (entry.firstStretched < entry.clusters.size()
               && static_cast<double>(entry.clusters[entry.firstStretched].median) < from)
            ++entry.firstStretched;
        for (std::size_t i = entry.firstStretched; i < entry.clusters.size(); ++i) {
            const DurationCluster& cluster = entry.clusters[i];
            entry.stretched += cluster.count;
            entry.lost = saturatingAdd(entry.lost, saturatingSubtract(cluster.sum, saturatingMultiply(entry.usual(),
                                                                                                      cluster.count)));
        }
        if (entry.stretched > 0) entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(), [](const EntryNoise& a, const EntryNoise& b) {
        return a.lost != b.lost ? a.lost > b.lost : a.entry < b.entry;
    });
    return entries;
}

std::vector<StretchThreshold> stretchThresholds(const std::vector<EntryNoise>& entries)
{
    std::vector<StretchThreshold> thresholds;
    for (const EntryNoise& entry : entries) {
        if (entry.entry == noEntry) continue;
        if (index(entry.entry) >= thresholds.size()) thresholds.resize(index(entry.entry) + std::size_t{1});
        thresholds[index(entry.entry)] = {entry.clusters[entry.firstStretched].first, entry.usual()};
    }
    return thresholds;
}

void StretchedSums::add(const StretchedSums& other)
{
    stretched += other.stretched;
    interrupted += other.interrupted;
    open += other.open;
    interruptedFor = saturatingAdd(interruptedFor, other.interruptedFor);
    openFor = saturatingAdd(openFor, other.openFor);
    mostOnOnePe = std::max(mostOnOnePe, other.mostOnOnePe);
}

void NoiseFound::add(NoiseFound&& other, const NoiseRequest& request)
{
    worst.insert(worst.end(), other.worst.begin(), other.worst.end());
    std::sort(worst.begin(), worst.end(), isWorseCandidate);
    if (worst.size() > request.worst) worst.resize(request.worst);
    periods.insert(periods.end(), other.periods.begin(), other.periods.end());
    for (const auto& [entry, own] : other.entries) entries[entry].add(own);
}

Result<NoiseFound> findStretched(const TraceStore& store, const NoiseRequest& request, const ProcessorTime& cpu,
                                 const std::vector<StretchThreshold>& thresholds, const Progress& progress)
{
    const std::vector<const Processor*> processors = processorsToScan(store, request.pes, false);
    const Search search(store, request, cpu, thresholds);
    std::vector<NoiseFound> found(scanWorkers(processors.size()));
    const Result<> scanned = scanProcessors(processors, progress, [&](std::size_t worker, const Processor& processor) {
        return search.search(processor, found[worker], progress);
    });
    if (!scanned) return scanned.error();
    NoiseFound all;
    for (NoiseFound& part : found) all.add(std::move(part), request);
    return all;
}

Noise noiseOf(const TraceInfo& info, TimeNs time, std::vector<EntryNoise> entries, NoiseFound found)
{
    Noise result;
    result.time = time;
    result.entries = std::move(entries);
    for (const EntryNoise& entry : result.entries) {
        result.stretched += entry.stretched;
        result.lost = saturatingAdd(result.lost, entry.lost);
    }
    judgeInterruptions(result, found.entries, found.worst, info.withoutCore >= 0 ? info.withoutCore : maxTime);
    for (const NoiseCandidate& one : found.worst) result.worst.push_back(one.task);
    result.periods = std::move(found.periods);
    std::sort(result.periods.begin(), result.periods.end(),
              [](const NoisePeriod& a, const NoisePeriod& b) { return a.pe < b.pe; });
    return result;
}

Result<Noise> noise(const TraceStore& store, const NoiseRequest& request, const ProcessorTime& cpu,
                    const Progress& progress)
{
    DistributionRequest values{.of = DistributedQuantity::TaskDuration, .range = request.range, .pes = request.pes};
    const Result<Distribution> durations = distribution(store, values, progress);
    if (!durations) return durations.error();
    std::vector<EntryNoise> entries = noisyEntries(*durations, request);
    Result<NoiseFound> found = findStretched(store, request, cpu, stretchThresholds(entries), progress);
    if (!found) return found.error();
    return noiseOf(store.info(), durations->sum, std::move(entries), std::move(*found));
}

}  // namespace longpole
