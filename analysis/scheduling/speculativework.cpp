// SPDX-License-Identifier: GPL-3.0-or-later
// When each PE knew less than some other did, and what it executed then.
#include "analysis/scheduling/speculativework.h"

#include "analysis/projection/stages.h"
#include "analysis/scheduling/speculativecarriers.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t mostLongest = 5;

class Speculation {
public:
    Speculation(const ActivityGraph& trace, const RecordedVariable& recorded)
        : graph(trace), m_variable(recorded), samples(recorded.samples)
    {
        series.variable = recorded.counts.name;
        series.edges = equalStages(graph.run, speculativeParts).edges;
        m_samplesOf.resize(graph.byProcessor.size());
        for (std::uint32_t i = 0; i < samples.size(); ++i)
            if (samples[i].pe < m_samplesOf.size()) m_samplesOf[samples[i].pe].push_back(i);
        series.user.resize(speculativeParts);
        series.speculative.resize(speculativeParts);
        series.outdated.resize(speculativeParts);
    }

    Result<SpeculativeSeries> find(const TraceStore& store, const Progress& progress)
    {
        findDirection();
        findUpdates();
        Result<SpreadValues> spread = spreadValues(store, graph, m_variable, series.isSmallerBetter, progress);
        if (!spread) return spread.error();
        m_known = std::move(spread->known);
        series.carriers = std::move(spread->carriers);
        for (std::uint32_t pe = 0; pe < graph.byProcessor.size() && !progress.isCancelled(); ++pe) measure(pe);
        for (const Interval& one : m_longest)
            series.evidence.push_back(
                {.pe = ProcessorId{one.pe},
                 .range = one.range,
                 .tasks = {graph.id(one.firstTask)},
                 .text = tr("PE %1 worked %2 before a better value came").arg(one.pe).arg(formatTime(one.work))});
        if (progress.isCancelled()) return cancelledError();
        return std::move(series);
    }

private:
    bool isBetter(double a, double b) const { return series.isSmallerBetter ? a < b : a > b; }
    bool isUpdate(const SharedSample& sample) const { return sample.operation == SharedOperation::Update; }

    // Accepted values get better on every PE, rejected ones are worse than what the PE has.
    void findDirection()
    {
        std::map<std::uint32_t, double> last;
        std::int64_t smaller = 0;
        for (const SharedSample& sample : samples) {
            if (std::isnan(sample.value)) continue;
            const auto [known, isFirst] = last.try_emplace(sample.pe, sample.value);
            if (isUpdate(sample) && !isFirst && sample.value != known->second)
                smaller += (sample.value < known->second) == (sample.user == 1) ? 1 : -1;
            if (!isUpdate(sample)) series.hasReads = true;
            if (!isUpdate(sample) || sample.user == 1) known->second = sample.value;
        }
        series.isSmallerBetter = smaller >= 0;
    }

    void findUpdates()
    {
        for (const SharedSample& sample : samples) {
            if (!isUpdate(sample)) continue;
            series.updates.push_back({sample.time, ProcessorId{sample.pe}, sample.value, sample.user == 1});
            if (sample.user == 1 && (series.best.empty() || isBetter(sample.value, series.best.back().value)))
                series.best.push_back(series.updates.back());
        }
    }

    // When some PE first had a better value than this one.
    TimeNs surpassed(const std::optional<double>& value) const
    {
        const auto first = std::ranges::partition_point(series.best, [&](const auto& update) {
            return value && !isBetter(update.value, *value);
        });
        return first == series.best.end() ? maxTime : first->time;
    }

    // Times in which a better value was on its way to the PE.
    std::vector<TimeRange> stale(std::uint32_t pe) const
    {
        std::vector<TimeRange> ranges;
        if (pe >= m_known.size()) return ranges;
        std::optional<double> value;
        TimeNs from = graph.run.begin;
        const auto until = [&](TimeNs time) {
            const TimeRange range{std::max(from, surpassed(value)), std::min(time, graph.run.end)};
            if (range.isEmpty()) return;
            if (!ranges.empty() && ranges.back().end == range.begin) ranges.back().end = range.end;
            else ranges.push_back(range);
        };
        for (const KnownValue& known : m_known[pe]) {
            if (value && !known.isRead && !isBetter(known.value, *value)) continue;
            until(known.time);
            value = known.value;
            from = std::max(from, known.time);
        }
        until(maxTime);
        return ranges;
    }

    // Times from a read to the end of its task or the next thing that the task does with the variable.
    std::vector<TimeRange> readings(std::uint32_t pe) const
    {
        std::vector<TimeRange> ranges;
        bool isOpen = false;
        for (const std::uint32_t row : m_samplesOf[pe]) {
            const SharedSample& sample = samples[row];
            if (isOpen) ranges.back().end = std::min(ranges.back().end, sample.time);
            isOpen = !isUpdate(sample) || sample.user != 1;
            if (!isOpen) continue;
            const std::uint32_t task = taskAt(graph, pe, sample.time);
            isOpen = task != noTask;
            if (isOpen) ranges.push_back({sample.time, graph.end(task)});
        }
        return ranges;
    }

    void measure(std::uint32_t pe);
    TimeNs add(std::vector<TimeNs>& parts, TimeRange range) const;

    // A better value was on its way to the PE.
    struct Interval {
        std::uint32_t pe = 0;
        TimeRange range{};
        TimeNs work = 0;
        std::uint32_t firstTask = noTask;
    };
    void keep(const Interval& interval);

    const ActivityGraph& graph;
    const RecordedVariable& m_variable;
    const std::vector<SharedSample>& samples;
    SpeculativeSeries series;
    std::vector<std::vector<std::uint32_t>> m_samplesOf;  // by PE
    std::vector<std::vector<KnownValue>> m_known;         // by PE
    std::vector<Interval> m_longest;                      // most work first
};

// Of the range, each part its share. Returns what lies in the run. O(parts it meets).
TimeNs Speculation::add(std::vector<TimeNs>& parts, TimeRange range) const
{
    range = intersection(range, graph.run);
    if (range.isEmpty()) return 0;
    auto edge = std::ranges::upper_bound(series.edges, range.begin) - series.edges.begin() - 1;
    for (TimeNs from = range.begin; from < range.end; ++edge) {
        const auto part = static_cast<std::size_t>(edge);
        const TimeNs until = std::min(range.end, series.edges[part + 1]);
        addSaturating(parts[part], until - from);
        from = until;
    }
    return range.length();
}

// The few intervals in which most was done; the first of those that are alike.
void Speculation::keep(const Interval& interval)
{
    if (m_longest.size() == mostLongest && m_longest.back().work >= interval.work) return;
    const auto place = std::ranges::upper_bound(m_longest, interval.work, std::greater{}, &Interval::work);
    m_longest.insert(place, interval);
    if (m_longest.size() > mostLongest) m_longest.pop_back();
}

void Speculation::measure(std::uint32_t pe)
{
    const std::vector<TimeRange> stales = stale(pe);
    const std::vector<TimeRange> reads = series.hasReads && !stales.empty() ? readings(pe) : std::vector<TimeRange>();
    std::size_t first = 0, firstRead = 0;
    std::vector<TimeNs> work(stales.size());
    std::vector<std::uint32_t> tasks(stales.size(), noTask);
    for (const std::uint32_t task : graph.byProcessor[pe]) {
        const TimeRange range{graph.begin[task], graph.end(task)};
        addSaturating(series.totalUser, add(series.user, range));
        while (first < stales.size() && stales[first].end <= range.begin) ++first;
        while (firstRead < reads.size() && reads[firstRead].end <= range.begin) ++firstRead;
        std::size_t read = firstRead;
        for (std::size_t i = first; i < stales.size() && stales[i].begin < range.end; ++i) {
            const TimeRange both = intersection(stales[i], range);
            if (both.isEmpty()) continue;
            const TimeNs added = add(series.speculative, both);
            addSaturating(series.total, added);
            addSaturating(work[i], added);
            if (tasks[i] == noTask) tasks[i] = task;
            if (!series.hasReads) addSaturating(series.totalOutdated, add(series.outdated, both));
            while (read < reads.size() && reads[read].end <= both.begin) ++read;
            for (std::size_t r = read; r < reads.size() && reads[r].begin < both.end; ++r)
                addSaturating(series.totalOutdated, add(series.outdated, intersection(reads[r], both)));
        }
    }
    for (std::size_t i = 0; i < stales.size(); ++i)
        if (tasks[i] != noTask) keep({pe, stales[i], work[i], tasks[i]});
}

}  // namespace

Result<SpeculativeSeries> speculativeWork(const TraceStore& store, const ActivityGraph& graph,
                                          const RecordedVariable& variable, const Progress& progress)
{
    return Speculation(graph, variable).find(store, progress);
}

}  // namespace longpole
