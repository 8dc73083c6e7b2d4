// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of two compared runs, and of the limits that a run has to keep.
#pragma once

#include "analysis/base/table.h"
#include "analysis/compare/comparison.h"
#include "analysis/compare/limits.h"

#include <optional>
#include <vector>

namespace longpole {

// A figure that each run has one number of.
struct FigureRow {
    QString id;
    QString title;
    CellKind kind = CellKind::Time;
    std::int64_t a = 0, b = 0;
    std::optional<double> shareA{}, shareB{};  // the figure as a share of its run's duration
};
std::vector<FigureRow> comparedFigures(const Comparison& comparison);
std::vector<FigureRow> comparedPathParts(const Comparison& comparison);   // empty unless both runs have a path
std::vector<FigureRow> comparedIdleCauses(const Comparison& comparison);  // means over processors; empty likewise
Table<FigureRow> figureTable(const TableScope& scope);

// How busy both runs were in one of ten equal parts of their time.
struct TenthRow {
    std::size_t number = 0;
    Usage a{}, b{};
};
std::vector<TenthRow> comparedTenths(const Comparison& comparison);
Table<TenthRow> tenthTable(const TableScope& scope);

Table<MethodFigures> methodFiguresTable(const TableScope& scope);  // of one run
Table<ComparedMethod> comparedMethodTable(const TableScope& scope);

Table<JudgedLimit> limitTable(const TableScope& scope);

std::vector<TableInfo> comparisonTables(Vocabulary words);

}  // namespace longpole
