// SPDX-License-Identifier: GPL-3.0-or-later
// Which entry methods have stretched tasks, then which tasks these are.
#include "analysis/statistics/noise.h"

#include "analysis/base/chunkscan.h"
#include "analysis/statistics/distribution.h"
#include "core/store/rows.h"

#include <algorithm>
#include <cmath>

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
            entry.lost = saturatingAdd(entry.lost, cluster.sum - cluster.count * entry.usual());
        }
        if (entry.stretched > 0) entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(), [](const EntryNoise& a, const EntryNoise& b) {
        return a.lost != b.lost ? a.lost > b.lost : a.entry < b.entry;
    });
    return entries;
}

// By entry id, from which duration on a task is stretched and what it usually takes.
struct Threshold {
    TimeNs from = maxTime;
    TimeNs usual = 0;
};

std::vector<Threshold> thresholdsOf(const std::vector<EntryNoise>& entries)
{
    std::vector<Threshold> thresholds;
    for (const EntryNoise& entry : entries) {
        if (entry.entry == noEntry) continue;
        if (index(entry.entry) >= thresholds.size()) thresholds.resize(index(entry.entry) + std::size_t{1});
        thresholds[index(entry.entry)] = {entry.clusters[entry.firstStretched].first, entry.usual()};
    }
    return thresholds;
}

// What one thread has found.
struct Found {
    std::vector<StretchedTask> worst;
    std::vector<NoisePeriod> periods;
};

class Search {
public:
    Search(const TraceStore& store, const NoiseRequest& request, const std::vector<EntryNoise>& entries)
        : m_store(store), m_request(request), m_thresholds(thresholdsOf(entries))
    {
    }

    Result<> search(const Processor& processor, Found& found, const Progress& progress) const
    {
        std::vector<TimeNs> begins;
        const ScanRequest scan{.fields = TaskRow::Begin | TaskRow::Exclusive | TaskRow::Entry,
                               .range = m_request.range};
        const Result<> scanned = scanRows<TaskRow>(m_store, processor.track, scan, progress,
                                                   [&](const ScannedRows<TaskRow>& chunk) {
                                                       for (const TaskRow& task : chunk.rows)
                                                           if (chunk.counts(task))
                                                               look(processor.pe, task, begins, found.worst);
                                                       keepWorst(found.worst);
                                                   });
        if (!scanned) return scanned.error();
        double regular = 0;
        if (const TimeNs period = regularPeriod(begins, regular); period > 0)
            found.periods.push_back({processor.pe, period, static_cast<std::int64_t>(begins.size()), regular});
        return Unit{};
    }

    void keepWorst(std::vector<StretchedTask>& worst) const
    {
        if (worst.size() <= m_request.worst) return;
        std::sort(worst.begin(), worst.end(), isWorse);
        worst.resize(m_request.worst);
    }

private:
    void look(ProcessorId pe, const TaskRow& task, std::vector<TimeNs>& begins, std::vector<StretchedTask>& worst) const
    {
        constexpr std::size_t mostTimes = 1'000'000;  // what happens that often has no period worth naming
        const std::size_t entry = index(task.entry());
        if (entry >= m_thresholds.size()) return;
        const TimeNs duration = task.exclusive();
        if (duration < m_thresholds[entry].from) return;
        const TimeNs begin = task.begin();
        if (begins.size() < mostTimes) begins.push_back(begin);
        worst.push_back({TaskId{pe, task.index()}, task.entry(), begin, duration,
                         duration - m_thresholds[entry].usual});
    }

    const TraceStore& m_store;
    const NoiseRequest& m_request;
    std::vector<Threshold> m_thresholds;
};

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

Result<Noise> noise(const TraceStore& store, const NoiseRequest& request, const Progress& progress)
{
    DistributionRequest values{.of = DistributedQuantity::TaskDuration, .range = request.range, .pes = request.pes};
    const Result<Distribution> durations = distribution(store, values, progress);
    if (!durations) return durations.error();
    Noise result;
    result.time = durations->sum;
    result.entries = noisyEntries(*durations, request);
    for (const EntryNoise& entry : result.entries) {
        result.stretched += entry.stretched;
        result.lost = saturatingAdd(result.lost, entry.lost);
    }
    const std::vector<const Processor*> processors = processorsToScan(store, request.pes, false);
    const Search search(store, request, result.entries);
    std::vector<Found> found(scanWorkers(processors.size()));
    const Result<> scanned = scanProcessors(processors, progress, [&](std::size_t worker, const Processor& processor) {
        return search.search(processor, found[worker], progress);
    });
    if (!scanned) return scanned.error();
    for (const Found& part : found) {
        result.worst.insert(result.worst.end(), part.worst.begin(), part.worst.end());
        result.periods.insert(result.periods.end(), part.periods.begin(), part.periods.end());
    }
    std::sort(result.worst.begin(), result.worst.end(), isWorse);
    if (result.worst.size() > request.worst) result.worst.resize(request.worst);
    std::sort(result.periods.begin(), result.periods.end(),
              [](const NoisePeriod& a, const NoisePeriod& b) { return a.pe < b.pe; });
    return result;
}

}  // namespace longpole
