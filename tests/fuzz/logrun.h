// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as the logs of a small run through the importer's own readers, nesting and matching; every row is checked
// against what readers of a trace rely on. Aborts on a violation.
#pragma once

#include "core/trace/columns.h"
#include "fuzz/require.h"
#include "importers/projections/cut.h"
#include "importers/projections/executioncounts.h"
#include "importers/projections/lines.h"
#include "importers/projections/processor.h"

#include <QByteArray>

#include <map>

namespace longpole {

class CheckingSink final : public RowSink {
public:
    void append(ChunkKind kind, TrackId track, std::span<const std::int64_t> row) override
    {
        require(row.size() == chunkSpec(kind).columns.size(), "a row has its kind's columns");
        const ChunkSpec& spec = chunkSpec(kind);
        if (spec.timeColumn >= 0) {
            const std::int64_t begin = row[static_cast<std::size_t>(spec.timeColumn)];
            const auto [last, isFirst] = m_last.try_emplace({kind, track}, begin);
            require(begin >= last->second, "rows are in begin order");
            last->second = begin;
            if (spec.durationColumn >= 0)
                require(row[static_cast<std::size_t>(spec.durationColumn)] >= 0, "no negative duration");
        }
        const std::int64_t number = m_rows[{kind, track}]++;
        if (kind == ChunkKind::Task) {
            require(row[TaskColumn::Nested] >= 0 && row[TaskColumn::Nested] <= row[TaskColumn::Duration],
                    "nested within duration");
            require(row[TaskColumn::Outer] >= 0 && row[TaskColumn::Outer] <= number, "an outer task comes before");
            require(row[TaskColumn::Pieces] >= 0, "at least one piece");
        }
        if (kind == ChunkKind::Merge) {
            require(row[MergeColumn::Task] >= m_mergedTask[track], "merge edges are in the order of tasks");
            require(row[MergeColumn::Task] < rows(ChunkKind::Task, index(track)), "a merge edge ends at a task");
            m_mergedTask[track] = row[MergeColumn::Task];
        }
        if (kind == ChunkKind::Idle) {
            require(row[IdleColumn::Begin] >= m_idleEnd, "idle times are disjoint");
            m_idleEnd = row[IdleColumn::Begin] + row[IdleColumn::Duration];
        }
        if (kind == ChunkKind::Interval) {
            require(row[IntervalColumn::Nested] >= 0 && row[IntervalColumn::Nested] <= row[IntervalColumn::Duration],
                    "nested within an interval");
        }
    }
    void append(TrackId, const TilePyramid&) override {}
    void append(TrackId, const EntryBins& bins) override
    {
        for (std::size_t row = 0; row < bins.rows(); ++row) {
            require(bins.bin[row] < mostEntryBins, "no more entry bins than promised");
            require(bins.time[row] >= 0 && bins.tasks[row] >= 0, "entry bins have no negative sums");
        }
    }
    std::int64_t rows(ChunkKind kind, std::uint32_t pe) const
    {
        const auto found = m_rows.find({kind, TrackId{pe}});
        return found == m_rows.end() ? 0 : found->second;
    }

private:
    using Key = std::pair<ChunkKind, TrackId>;
    std::map<Key, std::int64_t> m_last;
    std::map<Key, std::int64_t> m_rows;
    std::map<TrackId, std::int64_t> m_mergedTask;
    TimeNs m_idleEnd = minTime;
};

// A part of the log, and that with a path in it, are logs again: whole lines.
inline void cutLog(const RecordLayout& layout, const QByteArray& log)
{
    const TimeRange path[] = {{20'000, 50'000}, {60'000, 61'000}};
    LogCutting cutting;
    cutting.range = {10'000, 200'000};
    const auto cut = [&](const QByteArray& bytes) {
        ImportLog issues;
        ProjectionsLog reader(InputFile::fromBytes(bytes, QStringLiteral("log")), layout, issues);
        reader.start();
        std::string lines = "PROJECTIONS-RECORD 0\n";
        LogCut logCut(reader, layout, cutting, [&](std::string_view line) {
            require(!line.empty() && line.find('\n') == line.size() - 1, "a line is one line");
            lines += line;
        });
        LogRecord record;
        while (const std::optional<Decoded> decoded = reader.step(record)) {
            if (!reader.isBinary()) logCut.add(*decoded, record, reader.raw());
            else if (decoded == Decoded::Record) logCut.add(*decoded, record, lineOf(record, layout, reader.raw()));
        }
        logCut.finish();
        return QByteArray::fromStdString(lines);
    };
    const QByteArray part = cut(log);
    cutting.path = path;
    cut(part);
}

inline void runLogs(const ProjectionsRun& run, const std::vector<QByteArray>& logs)
{
    Spill spill(QStringLiteral("/nonexistent"), std::size_t{1} << 30);
    std::vector<Creations> creations;
    std::vector<Executions> executions;
    std::vector<BroadcastCreation> broadcasts;
    std::vector<RecordedMerge> merges;
    std::vector<std::uint32_t> pes;
    std::vector<CheckingSink> sinks(logs.size());
    ImportLog issues;
    for (std::size_t pe = 0; pe < logs.size(); ++pe) {
        const auto number = static_cast<std::uint32_t>(pe);
        cutLog(run.layout, logs[pe]);
        ProjectionsLog log(InputFile::fromBytes(logs[pe], QStringLiteral("log")), run.layout, issues);
        ProjectionsProcessor processor(run, number, sinks[pe], spill, spill, issues);
        LogRecord record;
        while (log.next(record)) processor.add(record, log.place());
        ProcessorResult result = processor.finish(log);
        const Processor& totals = result.processor;
        require(totals.tasks == sinks[pe].rows(ChunkKind::Task, number), "the count of tasks is the rows'");
        require(totals.busy >= 0 && totals.idle >= 0, "totals are not negative");
        if (totals.records > 0) {
            require(totals.busy + totals.idle <= std::max<TimeNs>(totals.lastRecord - run.begin, 0),
                    "busy and idle are disjoint");
        }
        pes.push_back(number);
        creations.push_back(std::move(result.creations));
        executions.push_back(std::move(result.executions));
        for (BroadcastCreation& broadcast : result.broadcasts) broadcast.source = number;
        broadcasts.insert(broadcasts.end(), result.broadcasts.begin(), result.broadcasts.end());
        merges.insert(merges.end(), result.merges.begin(), result.merges.end());
    }
    ExecutionCounts counts(creations);
    Matching matching(pes, std::move(broadcasts), std::move(merges), spill, run.processors, counts);
    for (std::uint32_t pe = 0; pe < pes.size(); ++pe) {
        CreationReader reader(creations, spill);
        matching.match(pe, executions[pe], reader, sinks[pe], issues);
        require(sinks[pe].rows(ChunkKind::TaskSource, pe) == sinks[pe].rows(ChunkKind::Task, pe),
                "a source for every task");
    }
    for (std::uint32_t pe = 0; pe < pes.size(); ++pe) counts.emit(pe, processorTrack(pe), sinks[pe]);
    matching.reportUnmatchedMerges(issues);
}

// The symbols the fuzzed logs refer to, in the version that `selector` picks.
inline ProjectionsRun fuzzRun(std::uint8_t selector)
{
    constexpr double versions[] = {11.0, 1.0, 3.0, 4.0, 5.0, 6.5, 6.6, 8.0};
    ImportLog log;
    ProjectionsRun run;
    run.symbols = parseSymbols(
        "VERSION 11.0\nTOTAL_PAPI_EVENTS 1\nCHARE 0 \"AMPI\" -1\nCHARE 1 \"A\" 1\nCHARE 2 \"B\" 5\n"
        "ENTRY CHARE 0 \"rank\" 0 0\nENTRY CHARE 1 \"a\" 1 0\nENTRY CHARE 2 \"b\" 2 0\nEND\n",
        log);
    run.symbols.versionNumber = versions[selector & 7];
    run.layout = RecordLayout::of(run.symbols);
    if ((selector & 8) != 0) run.layout.papiCounters = 0;
    run.isAmpi = (selector & 16) != 0;
    if ((selector & 32) != 0) run.pendingLimit = 4;
    run.processors = run.workers = 2;
    run.begin = 5000;
    run.knownEntries.assign(3, true);
    return run;
}

}  // namespace longpole
