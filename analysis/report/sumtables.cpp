// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/sumtables.h"

#include "analysis/base/naming.h"
#include "analysis/base/unknownbytes.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

// Clusters of durations, from the usual one upward: "100 us × 190 · 300 us × 10 · …".
QString clusterText(const EntryNoise& entry)
{
    constexpr std::size_t most = 3;
    QStringList parts;
    for (std::size_t i = entry.base; i < std::min(entry.base + most, entry.clusters.size()); ++i) {
        const DurationCluster& cluster = entry.clusters[i];
        parts << QStringLiteral("%1 × %2").arg(formatTime(cluster.median), formatCount(cluster.count));
    }
    if (entry.clusters.size() > entry.base + most) parts << QStringLiteral("…");
    return parts.join(QStringLiteral(" · "));
}

TableColumn<EntryTime> ranEntryColumn(Vocabulary words)
{
    return {{"entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
             words.say(tr("The entry method that ran"), tr("The region that ran"))},
            [](const EntryTime& row) { return row.entry->entry; }};
}

TableColumn<EntryTime> timeColumn()
{
    return {{"time_ns", tr("Time"), CellKind::Time, tr("Busy time, without what ran nested in it")},
            [](const EntryTime& row) { return row.entry->time; }};
}

Cell listCell(const std::vector<std::int64_t>& numbers)
{
    QVariantList list;
    for (const std::int64_t number : numbers) list << qlonglong(number);
    return Cell(list);
}

CellKind kindOf(DistributedQuantity of) { return isTime(of) ? CellKind::Time : CellKind::Bytes; }

}  // namespace

Table<ProcessorUsage> usageTable(const TableScope& scope)
{
    const Vocabulary words = scope.words;
    const Table<EntryTime> entries{QString(), QString(), {ranEntryColumn(words), timeColumn()}};
    const auto share = [](TimeNs Usage::*part) {
        return [part](const ProcessorUsage& row) { return ratio(row.usage.*part, row.usage.sum()); };
    };
    const auto time = [](TimeNs Usage::*part) { return [part](const ProcessorUsage& row) { return row.usage.*part; }; };
    return {QStringLiteral("usage"),
            words.say(tr("Time per PE"), tr("Time per rank")),
            {
                {{"pe", words.say(tr("PE"), tr("Rank")), CellKind::Number,
                  words.say(tr("The PE; all of them together where it says so"),
                            tr("The rank; all of them together where it says so"))},
                 [](const ProcessorUsage& row) -> Cell {
                     return row.pe == allProcessors ? Cell(tr("all")) : Cell(row.pe);
                 }},
                {{"user_ns", tr("Busy"), CellKind::Time,
                  words.say(tr("Time in entry methods, each moment once"), tr("Time in regions, each moment once"))},
                 time(&Usage::user)},
                {{"user_share", tr("Busy share"), CellKind::Share, tr("Busy time's share of its time")},
                 share(&Usage::user)},
                {{"idle_ns", tr("Idle"), CellKind::Time, tr("Time in which it was idle")}, time(&Usage::idle)},
                {{"idle_share", tr("Idle share"), CellKind::Share, tr("Idle time's share of its time")},
                 share(&Usage::idle)},
                {Column("overhead_ns", tr("Overhead"), CellKind::Time,
                        tr("All the rest: the scheduler, packing, and whatever the trace does not cover"))
                     .belowZero(),
                 time(&Usage::overhead)},
                {Column("overhead_share", tr("Overhead share"), CellKind::Share, tr("Overhead's share of its time"))
                     .belowZero(),
                 share(&Usage::overhead)},
                {{"pack_ns", tr("Pack"), CellKind::Time,
                  tr("Packing of messages outside tasks, inside overhead or idling")},
                 &ProcessorUsage::pack},
                {{"flush_ns", tr("Flush"), CellKind::Time, tr("Flushes of the log, inside overhead or idling")},
                 &ProcessorUsage::flush},
                {{"untraced_ns", tr("Untraced"), CellKind::Time,
                  tr("Time in which tracing was off, inside overhead or idling")},
                 &ProcessorUsage::untraced},
                {Column("entries", words.say(tr("By entry method"), tr("By region")), CellKind::Rows,
                        words.say(tr("Busy time by entry method, most time first; they add up to it"),
                                  tr("Busy time by region, most time first; they add up to it")))
                     .of(entries.heads()),
                 [entries](const ProcessorUsage& row) { return rowsCell(entries.data(entryTimes(row))); }},
            }};
}

std::vector<EntryTime> entryTimes(const ProcessorUsage& processor)
{
    std::vector<EntryTime> rows;
    for (const EntryUsage& entry : processor.entries) rows.push_back({&processor, &entry});
    return rows;
}

Table<EntryTime> entryTimeTable(const TableScope& scope)
{
    const Vocabulary words = scope.words;
    return {QStringLiteral("usage.entries"),
            words.say(tr("Time per PE and entry method"), tr("Time per rank and region")),
            {
                {{"pe", words.say(tr("PE"), tr("Rank")), CellKind::Number, words.say(tr("The PE"), tr("The rank"))},
                 [](const EntryTime& row) { return row.processor->pe; }},
                ranEntryColumn(words),
                timeColumn(),
                {{"share", tr("Of its time"), CellKind::Share,
                  words.say(tr("Share of the PE's time"), tr("Share of the rank's time"))},
                 [](const EntryTime& row) { return ratio(row.entry->time, row.processor->usage.sum()); }},
            }};
}

std::vector<HistogramRow> histogramRows(const Histogram& histogram, bool byEntry)
{
    std::vector<HistogramRow> rows;
    const auto add = [&](std::size_t bin, EntryId entry, std::int64_t count, std::int64_t sum) {
        rows.push_back({histogram.edges[bin], histogram.edges[bin + 1], entry, count, sum});
    };
    for (std::size_t bin = 0; bin < histogram.bins(); ++bin) {
        if (!byEntry) add(bin, noEntry, histogram.counts[bin], histogram.sums[bin]);
        if (!byEntry) continue;
        for (const HistogramSeries& series : histogram.series)
            if (series.counts[bin] > 0) add(bin, series.entry, series.counts[bin], series.sums[bin]);
    }
    return rows;
}

Table<HistogramRow> histogramTable(const TableScope& scope, DistributedQuantity of, std::int64_t count)
{
    const Vocabulary words = scope.words;
    return {QStringLiteral("histogram"),
            tr("Values by size"),
            {
                {{"bin", tr("Values"), CellKind::Text, tr("The values that are counted here")}, &HistogramRow::bin},
                {Column("entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
                        words.say(tr("The entry method whose values are counted"),
                                  tr("The region whose values are counted")))
                     .orNone(),
                 &HistogramRow::entry},
                {Column("from", tr("From"), kindOf(of), tr("The smallest value that is counted here, ns or bytes"))
                     .belowZero(),
                 &HistogramRow::from},
                {Column("to", tr("Below"), kindOf(of), tr("Values are below this one, ns or bytes")).belowZero(),
                 &HistogramRow::to},
                {{"count", tr("Count"), CellKind::Count, tr("How many values there are")}, &HistogramRow::count},
                {{"share", tr("Share"), CellKind::Share, tr("Share of the number of all values")},
                 [count](const HistogramRow& row) { return ratio(row.count, count); }},
                {Column("sum", tr("Sum"), kindOf(of), tr("The sum of these values, ns or bytes")).belowZero(),
                 &HistogramRow::sum},
                {{"bar", tr("Bar"), CellKind::Text, tr("The count as the length of a bar")}, &HistogramRow::bar},
            }};
}

Table<HistogramSeries> histogramSeriesTable(const TableScope& scope, DistributedQuantity of)
{
    const Vocabulary words = scope.words;
    return {QStringLiteral("histogram.series"),
            words.say(tr("Values by entry method"), tr("Values by region")),
            {
                {Column("entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
                        words.say(tr("The entry method whose values are counted"),
                                  tr("The region whose values are counted")))
                     .orNone(),
                 &HistogramSeries::entry},
                {{"rest", tr("Rest"), CellKind::Flag,
                  words.say(tr("All other entry methods together"), tr("All other regions together"))},
                 &HistogramSeries::isRest},
                {Column("counts", tr("Counts"), CellKind::Rows, tr("How many values there are in each bin"))
                     .of(CellKind::Count),
                 [](const HistogramSeries& row) { return listCell(row.counts); }},
                {Column("sums", tr("Sums"), CellKind::Rows, tr("The sum of the values in each bin, ns or bytes"))
                     .of({Column(QString(), QString(), kindOf(of)).belowZero()}),
                 [](const HistogramSeries& row) { return listCell(row.sums); }},
            }};
}

Table<CommCell> commMatrixTable(const TableScope& scope, const CommMatrix& matrix, bool byDeliveries)
{
    const bool isEntry = matrix.by == CommBy::Entry;
    const CellKind kind = isEntry ? CellKind::Entry : CellKind::Number;
    const auto end = [isEntry](std::uint32_t CommCell::*id) {
        return [isEntry, id](const CommCell& row) -> Cell { return isEntry ? Cell(EntryId{row.*id}) : Cell(row.*id); };
    };
    const auto amount = byDeliveries ? &CommCell::deliveries : &CommCell::deliveredBytes;
    return knowingBytes<CommCell>(
        {QStringLiteral("comm-matrix"),
         tr("Who sends how much to whom"),
         {
             {Column("from", tr("From"), kind,
                     scope.words.say(tr("PE, node or entry method that sent"), tr("Rank, node or region that sent")))
                  .orNone(),
              end(&CommCell::from)},
             {Column("to", tr("To"), kind,
                     scope.words.say(tr("PE, node or entry method that it was sent to"),
                                     tr("Rank, node or region that it was sent to")))
                  .orNone(),
              end(&CommCell::to)},
             {{"deliveries", tr("Deliveries"), CellKind::Count,
               scope.words.say(tr("Deliveries of messages there; a broadcast has one for each task that ran for it"),
                               tr("Messages that were received there"))},
              &CommCell::deliveries},
             {{"delivered_bytes", tr("Delivered"), CellKind::Bytes, tr("Bytes of these deliveries")},
              &CommCell::deliveredBytes},
             {{"messages", tr("Messages"), CellKind::Count,
               tr("Messages from there that were delivered here and nowhere else")},
              &CommCell::messages},
             {{"bytes", tr("Bytes"), CellKind::Bytes, tr("Bytes of these messages")}, &CommCell::bytes},
             {{"share", tr("Share"), CellKind::Share,
               tr("Share of all delivered bytes, or of all deliveries, as was chosen")},
              [amount, whole = matrix.total.*amount](const CommCell& row) { return ratio(row.*amount, whole); }},
         }},
        scope);
}

Table<EntryNoise> noiseTable(const TableScope& scope)
{
    const Vocabulary words = scope.words;
    return {
        QStringLiteral("noise"),
        words.say(tr("Entry methods with stretched tasks"), tr("Regions with stretched tasks")),
        {
            {{"entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
              words.say(tr("The entry method of the tasks"), tr("The region of the tasks"))},
             &EntryNoise::entry},
            {{"lost_ns", tr("Lost"), CellKind::Time, tr("What its stretched tasks took beyond what they usually take")},
             &EntryNoise::lost},
            {{"stretched", tr("Stretched"), CellKind::Count, tr("Tasks that took much longer than they usually do")},
             &EntryNoise::stretched},
            {{"interrupted_ns", tr("Interrupted"), CellKind::Time,
              tr("Of the time lost, what its tasks were interrupted for; the rest may be work that is seldom done")},
             &EntryNoise::interruptedFor},
            {{"count", tr("Of"), CellKind::Count, tr("All its tasks")}, &EntryNoise::count},
            {{"usual_ns", tr("Usually"), CellKind::Time,
              tr("What they usually take: the median of the longest cluster of durations that is frequent")},
             &EntryNoise::usual},
            {{"clusters", tr("Clusters of durations"), CellKind::Text,
              tr("Medians of the clusters of durations, and how many tasks each has, from what is usual on")},
             clusterText},
        }};
}

Table<StretchedTask> stretchedTaskTable(const TableScope& scope)
{
    const Vocabulary words = scope.words;
    return {
        QStringLiteral("noise.tasks"),
        tr("Stretched tasks"),
        {
            {{"task", tr("Task"), CellKind::Text,
              words.say(tr("The task, as PE:index"), tr("The task, as rank:index"))},
             &StretchedTask::task},
            {{"entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
              words.say(tr("Its entry method"), tr("Its region"))},
             &StretchedTask::entry},
            {{"begin_ns", tr("Began"), CellKind::Instant, tr("When it began")}, &StretchedTask::begin},
            {{"duration_ns", tr("Took"), CellKind::Time, tr("Its own time, without what ran nested in it")},
             &StretchedTask::duration},
            {{"lost_ns", tr("Lost"), CellKind::Time, tr("What it took beyond what such tasks usually take")},
             &StretchedTask::lost},
            {{"interrupted", tr("Interrupted"), CellKind::Flag,
              tr("Whether it was interrupted, by its CPU time or because that is rare and spread; or did more work")},
             &StretchedTask::isInterrupted},
        }};
}

std::vector<TableInfo> sumTables(Vocabulary words)
{
    return {infoOf(usageTable(words)),           infoOf(entryTimeTable(words)),  infoOf(histogramTable(words)),
            infoOf(histogramSeriesTable(words)), infoOf(commMatrixTable(words)), infoOf(noiseTable(words)),
            infoOf(stretchedTaskTable(words))};
}

}  // namespace longpole
