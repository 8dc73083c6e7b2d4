// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of attributes by stage and processor: which attributes there are, their totals, and which processors are
// outliers.
#pragma once

#include "analysis/base/table.h"
#include "analysis/projection/attribute.h"
#include "analysis/projection/entrystacks.h"

#include <limits>
#include <vector>

namespace longpole {

Table<AttributeSpec> attributeTable(const TableScope& scope);

// The total and the extremes of an attribute over the stages or processors that an overview shows; NaN if undefined.
struct AttributeRow {
    Attribute attribute{};
    double total = 0;
    double least = std::numeric_limits<double>::quiet_NaN(), largest = least;
    bool isApproximate = false;
};
Table<AttributeRow> attributeRowTable(const TableScope& scope);

// "Jacobi::compute", "idle", "12 others".
QString stackPartName(const TraceStore& store, const StackPart& part);
// `whole`: all processors' time, to which shares relate.
Table<StackPart> stackTable(const TableScope& scope, TimeNs whole = 0);

// A processor that is an outlier of its cluster.
struct OutlierRow {
    ProcessorId pe{};
    QString reason;
    double distance = 0;
};
Table<OutlierRow> outlierTable(const TableScope& scope);

std::vector<TableInfo> projectionTables(Vocabulary words);

}  // namespace longpole
