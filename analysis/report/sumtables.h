// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of sums over a trace: what processors did with their time, how values are distributed, who sends to whom,
// and what was disturbed.
#pragma once

#include "analysis/base/table.h"
#include "analysis/projection/usageprofile.h"
#include "analysis/statistics/commmatrix.h"
#include "analysis/statistics/histogram.h"
#include "analysis/statistics/noise.h"

#include <vector>

namespace longpole {

constexpr ProcessorId allProcessors{0xffffffffu};  // of a row: the sums over all of them
Table<ProcessorUsage> usageTable(const TableScope& scope);

// An entry method on a processor, both of the UsageProfile that was read.
struct EntryTime {
    const ProcessorUsage* processor = nullptr;
    const EntryUsage* entry = nullptr;
};
std::vector<EntryTime> entryTimes(const ProcessorUsage& processor);
Table<EntryTime> entryTimeTable(const TableScope& scope);

// The values of a bin, or those of an entry method in it.
struct HistogramRow {
    std::int64_t from = 0, to = 0;
    EntryId entry = noEntry;
    std::int64_t count = 0, sum = 0;
    QString bin{}, bar{};  // for people, by who writes the row
};
// By entry method without those that have no value in a bin.
std::vector<HistogramRow> histogramRows(const Histogram& histogram, bool byEntry);
// `count`: of all values, what shares are of.
Table<HistogramRow> histogramTable(const TableScope& scope, DistributedQuantity of = {}, std::int64_t count = 0);
Table<HistogramSeries> histogramSeriesTable(const TableScope& scope, DistributedQuantity of = {});

// Shares are of the matrix' bytes, or of its messages.
Table<CommCell> commMatrixTable(const TableScope& scope, const CommMatrix& matrix = {}, bool byMessages = false);

Table<EntryNoise> noiseTable(const TableScope& scope);
Table<StretchedTask> stretchedTaskTable(const TableScope& scope);

std::vector<TableInfo> sumTables(Vocabulary words);

}  // namespace longpole
