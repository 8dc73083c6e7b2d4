// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of sums over a trace: how processors spent their time, how values are distributed, who sends to whom, and
// noise.
#pragma once

#include "analysis/base/table.h"
#include "analysis/noise/noise.h"
#include "analysis/projection/usageprofile.h"
#include "analysis/statistics/commmatrix.h"
#include "analysis/statistics/histogram.h"

#include <vector>

namespace longpole {

constexpr ProcessorId allProcessors{0xffffffffu};  // marks the row of the sums over all processors
Table<ProcessorUsage> usageTable(const TableScope& scope);

// An entry method on a processor; points into the UsageProfile of which it was made.
struct EntryTime {
    const ProcessorUsage* processor = nullptr;
    const EntryUsage* entry = nullptr;
};
std::vector<EntryTime> entryTimes(const ProcessorUsage& processor);
Table<EntryTime> entryTimeTable(const TableScope& scope);

// The values in a bin, or those of one entry method in it.
struct HistogramRow {
    std::int64_t from = 0, to = 0;
    EntryId entry = noEntry;
    std::int64_t count = 0, sum = 0;
    QString bin{}, bar{};  // texts for people, to be set by who prints the row
};
// `byEntry`: a row for each bin and entry method that has values in it.
std::vector<HistogramRow> histogramRows(const Histogram& histogram, bool byEntry);
// `count`: that of all values, to which shares relate.
Table<HistogramRow> histogramTable(const TableScope& scope, DistributedQuantity of = {}, std::int64_t count = 0);
Table<HistogramSeries> histogramSeriesTable(const TableScope& scope, DistributedQuantity of = {});

// Shares relate to the bytes that `matrix` says were delivered, or with `byDeliveries` to how often.
Table<CommCell> commMatrixTable(const TableScope& scope, const CommMatrix& matrix = {}, bool byDeliveries = false);

Table<EntryNoise> noiseTable(const TableScope& scope);
Table<StretchedTask> stretchedTaskTable(const TableScope& scope);

std::vector<TableInfo> sumTables(Vocabulary words);

}  // namespace longpole
