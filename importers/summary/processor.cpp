// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/summary/processor.h"

#include "core/base/shares.h"
#include "core/base/timerange.h"
#include "core/trace/columns.h"
#include "core/trace/trackids.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace longpole {
namespace {

constexpr std::int64_t mostBins = std::int64_t{1} << 18;

// Bins are as wide as the intervals, from half to twice, or wider where that would be too many of them.
int finestLevel(TimeNs width, TimeNs run)
{
    int level = 8;
    while (level < 60 && ((TimeNs{1} << level) < width / 2 || run >> level > mostBins)) level += 2;
    return level;
}

bool isPacking(const SummaryRun& run, std::uint32_t entry)
{
    return entry == run.packEntry || entry == run.unpackEntry;
}

// The value that holds for each next interval; 0 beyond the last one.
class Repeats {
public:
    explicit Repeats(const std::vector<Repeated>& values) : m_values(values) {}
    std::int64_t next()
    {
        while (m_at < m_values.size() && m_used == m_values[m_at].count) {
            ++m_at;
            m_used = 0;
        }
        if (m_at == m_values.size()) return 0;
        ++m_used;
        return m_values[m_at].value;
    }

private:
    const std::vector<Repeated>& m_values;
    std::size_t m_at = 0;
    std::int64_t m_used = 0;
};

// width x percent / 100 without overflow.
TimeNs percentOf(TimeNs width, std::int64_t percent) { return width / 100 * percent + width % 100 * percent / 100; }

class SummaryImport {
public:
    SummaryImport(const SummaryRun& run, std::uint32_t pe, const Summary& summary, RowSink& sink, ImportLog& log,
                  SummaryCounts& counts, const Progress& progress)
        : m_run(run), m_summary(summary), m_sink(sink), m_log(log), m_counts(counts),
          m_progress(progress), m_range{run.run.begin, run.end},
          m_tiles(m_range, finestLevel(summary.width, m_range.length())),
          m_bins(m_range, finestLevel(summary.width, m_range.length()))
    {
        m_result.processor.pe = ProcessorId{pe};
        m_result.processor.track = processorTrack(pe);
        m_result.processor.records = summary.intervals;
        m_result.processor.lastRecord = summary.end();
    }

    ProcessorResult import(const std::optional<SummaryDetail>& detail);

private:
    // An entry method's totals, its cells added up, and what is still to be shared out over them.
    struct EntryTotals {
        TimeNs time = 0;
        std::int64_t calls = 0;
        std::int64_t weight = 0;  // sum of the cells', in half us
        std::int64_t cells = 0;
        std::int64_t cellTime = 0;  // us
        std::int64_t cellCalls = 0;
        std::optional<Shares> times;
        std::optional<Shares> callShares;
    };

    void readIntervals();
    void readTotals(const std::optional<SummaryDetail>& detail);
    void addCells(const SummaryDetail& detail);
    void checkDetail(EntryTotals& totals);
    void shareCells(const SummaryDetail& detail);
    void addProfile();
    void compareTimes();
    void addMarks();
    TrackId track() const { return m_result.processor.track; }

    const SummaryRun& m_run;
    const Summary& m_summary;
    RowSink& m_sink;
    ImportLog& m_log;
    SummaryCounts& m_counts;
    const Progress& m_progress;
    TimeRange m_range;
    TileBuilder m_tiles;
    EntryBinBuilder m_bins;
    std::map<std::uint32_t, EntryTotals> m_entries;
    ProcessorResult m_result;
};

void SummaryImport::readIntervals()
{
    Repeats busy(m_summary.busy);
    Repeats idle(m_summary.idle);
    for (std::int64_t i = 0; i < m_summary.intervals; ++i) {
        const std::int64_t user = busy.next();
        std::int64_t rest = idle.next();
        if (user + rest > 100) {
            m_log.add(IssueKind::ImpossiblePercentage, 2);
            rest = 100 - user;
        }
        const TimeRange interval{i * m_summary.width, (i + 1) * m_summary.width};
        const TimeNs used = percentOf(m_summary.width, user);
        const TimeNs waited = user + rest == 100 ? m_summary.width - used : percentOf(m_summary.width, rest);
        const TileBin counted = m_tiles.share(interval, {.busy = used, .idle = rest > 0 ? waited : 0});
        addSaturating(m_result.busy, counted.busy);
        addSaturating(m_result.processor.idle, counted.idle);
    }
    m_result.processor.busy = m_result.busy;
}

// Reads totals from the .sum, and those that it lacks, since it was cut, from the .sumd.
void SummaryImport::readTotals(const std::optional<SummaryDetail>& detail)
{
    for (std::uint32_t entry = 0; entry < m_summary.times.size(); ++entry)
        if (m_summary.times[entry] > 0) m_entries[entry].time = m_summary.times[entry] * 1000;
    for (std::uint32_t entry = 0; entry < m_summary.calls.size(); ++entry)
        if (m_summary.calls[entry] > 0) m_entries[entry].calls = m_summary.calls[entry];
    if (detail) addCells(*detail);
    const auto callsOf = [this](std::uint32_t entry) {
        const auto found = m_entries.find(entry);
        return found == m_entries.end() ? 0 : found->second.calls;
    };
    m_counts.packs += callsOf(m_run.packEntry);
    m_counts.unpacks += callsOf(m_run.unpackEntry);
    std::erase_if(m_entries, [this](const auto& entry) { return isPacking(m_run, entry.first); });
}

void SummaryImport::addCells(const SummaryDetail& detail)
{
    for (const SummaryDetail::Cell& cell : detail.cells) {
        EntryTotals& totals = m_entries[cell.entry];
        addSaturating(totals.weight, 2 * std::int64_t{cell.time} + 1);
        addSaturating(totals.cellTime, cell.time);
        addSaturating(totals.cellCalls, cell.calls);
        ++totals.cells;
    }
    m_counts.cells += static_cast<std::int64_t>(detail.cells.size());
    for (auto& [entry, totals] : m_entries) {
        if (entry >= m_summary.times.size()) totals.time = totals.cellTime * 1000;
        if (entry >= m_summary.calls.size()) totals.calls = totals.cellCalls;
    }
}

void SummaryImport::checkDetail(EntryTotals& totals)
{
    const TimeNs least = totals.cellTime * 1000;
    if (totals.calls != totals.cellCalls || totals.time < least || totals.time > least + (totals.cells + 1) * 1000)
        m_log.add(IssueKind::SummaryDetailDiffers);
    totals.times.emplace(totals.time, totals.weight);
    if (totals.cellCalls > 0) totals.callShares.emplace(totals.calls, totals.cellCalls);
    else totals.callShares.emplace(totals.calls, totals.weight);
}

// Shares out the time of entry methods over the entry bins; puts tasks and dominant entry methods into the tiles.
void SummaryImport::shareCells(const SummaryDetail& detail)
{
    std::int64_t others = 0;
    for (auto& [entry, totals] : m_entries) {
        checkDetail(totals);
        if (totals.cells > 0) continue;  // else the .sumd lacks it, and it is spread over the run
        m_bins.share(m_range, EntryId{entry}, totals.time, totals.calls);
        others = saturatingAdd(others, totals.calls);
    }
    m_tiles.share(m_range, {.tasks = others});
    m_tiles.shrink();  // an interval is as wide as a bin: what follows takes as long as there are cells
    std::vector<std::pair<EntryId, TimeNs>> times;
    for (std::size_t from = 0; from < detail.cells.size() && !m_progress.isCancelled();) {
        const std::uint32_t number = detail.cells[from].interval;
        const TimeRange interval{number * detail.width, (number + std::int64_t{1}) * detail.width};
        std::int64_t tasks = 0;
        times.clear();
        for (; from < detail.cells.size() && detail.cells[from].interval == number; ++from) {
            const SummaryDetail::Cell& cell = detail.cells[from];
            if (isPacking(m_run, cell.entry)) continue;
            EntryTotals& totals = m_entries[cell.entry];
            const std::int64_t weight = 2 * std::int64_t{cell.time} + 1;
            const TimeNs time = totals.times->next(weight);
            const std::int64_t calls = totals.callShares->next(totals.cellCalls > 0 ? cell.calls : weight);
            m_bins.share(interval, EntryId{cell.entry}, time, calls);
            if (time > 0) times.emplace_back(EntryId{cell.entry}, time);
            addSaturating(tasks, calls);
        }
        if (tasks > 0) m_tiles.share(interval, {.tasks = tasks});
        m_tiles.shareEntries(interval, times);
    }
    m_sink.append(track(), m_bins.finish());
}

void SummaryImport::addProfile()
{
    for (const auto& [entry, totals] : m_entries) {
        if (totals.calls == 0 && totals.time == 0) continue;
        m_result.profile.push_back({.pe = m_result.processor.pe,
                                    .entry = EntryId{entry},
                                    .count = totals.calls,
                                    .time = totals.time,
                                    .exclusive = totals.time});
        addSaturating(m_result.processor.tasks, totals.calls);
        if (m_run.run.knows(entry)) continue;
        if (!m_run.run.symbols.entries.empty()) m_log.add(IssueKind::UnknownEntry);
        m_result.unknownEntries.push_back(entry);
    }
}

// Counts utilization that differs from the times of entry methods by more than rounding: utilization is rounded down by
// up to 1 % of each interval, the time of an entry method by up to 1 us.
void SummaryImport::compareTimes()
{
    TimeNs inEntries = 0;
    for (const ProfileRow& row : m_result.profile) inEntries = saturatingAdd(inEntries, row.exclusive);
    const TimeNs rounding = m_summary.intervals * (m_summary.width / 100 + 1);
    const TimeNs entryRounding = static_cast<TimeNs>(m_result.profile.size()) * 1000;
    if (inEntries > saturatingAdd(m_result.busy, rounding) || m_result.busy > saturatingAdd(inEntries, entryRounding))
        m_log.add(IssueKind::UtilizationDiffers);
}

void SummaryImport::addMarks()
{
    for (const Summary::Mark& mark : m_summary.marks) {
        const std::uint32_t region = regionNumber(RegionKind::UserEvent, mark.type);
        const std::array<std::int64_t, MarkColumn::Count> row = {mark.time, 0, region, 0, -1};
        if (m_progress.isCancelled()) return;
        m_sink.append(ChunkKind::Mark, track(), row);
        m_result.regions.insert(region);
    }
}

ProcessorResult SummaryImport::import(const std::optional<SummaryDetail>& detail)
{
    if (!m_summary.hasIdle) m_log.add(IssueKind::MissingIdle);
    readIntervals();
    readTotals(detail);
    if (detail) shareCells(*detail);
    addProfile();
    compareTimes();
    addMarks();
    m_sink.append(track(), m_tiles.finish());
    m_counts.intervals += m_summary.intervals;
    m_counts.marks += static_cast<std::int64_t>(m_summary.marks.size());
    addSaturating(m_counts.phases, m_summary.phases);
    return std::move(m_result);
}

}  // namespace

ProcessorResult importSummary(const SummaryRun& run, std::uint32_t pe, const Summary& summary,
                              const std::optional<SummaryDetail>& detail, RowSink& sink, ImportLog& log,
                              SummaryCounts& counts, const Progress& progress)
{
    return SummaryImport(run, pe, summary, sink, log, counts, progress).import(detail);
}

TimeNs firstActivity(const SummaryDetail& detail, const SummaryRun& run)
{
    for (const SummaryDetail::Cell& cell : detail.cells)
        if (!isPacking(run, cell.entry)) return cell.interval * detail.width;
    return maxTime;
}

}  // namespace longpole
