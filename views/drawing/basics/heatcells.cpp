// SPDX-License-Identifier: GPL-3.0-or-later
// Where stages are equally long and have room each is a column; else each column of pixels is one.
#include "views/drawing/basics/heatcells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace longpole {

namespace {

// Whether all stages are equally long but for 1 ns of rounding, and for the last one, which may be shorter.
bool areEqual(const Stages& stages)
{
    const TimeNs length = stages.range(0).length();
    for (std::size_t i = 1; i < stages.count(); ++i) {
        const TimeNs difference = stages.range(i).length() - length;
        const bool isLast = i + 1 == stages.count();
        if (difference > 1 || (difference < -1 && !isLast)) return false;
    }
    return length > 0;
}

// The stages [first, last) of each column.
std::vector<std::pair<std::size_t, std::size_t>> columnsOf(const Stages& stages, const HeatWindow& window,
                                                           HeatCells& cells)
{
    std::vector<std::pair<std::size_t, std::size_t>> columns;
    const std::size_t first = stages.at(window.time.begin), last = stages.at(window.time.end - 1) + 1;
    if (last - first <= window.width && areEqual(stages)) {
        for (std::size_t stage = first; stage < last; ++stage) columns.emplace_back(stage, stage + 1);
        const TimeNs begin = stages.edges[first];
        // From the first to the last begin, so that rounded lengths do not add up to a shift.
        const std::size_t count = last - first;
        const TimeNs length = count > 1
                                  ? static_cast<TimeNs>(std::llround(static_cast<double>(stages.edges[last - 1] - begin)
                                                                     / static_cast<double>(count - 1)
                                                                     * static_cast<double>(count)))
                                  : stages.range(first).length();
        cells.time = {begin, begin + length};
        return columns;
    }
    cells.time = window.time;
    const auto firstFrom = [&stages](TimeNs time) {
        const auto begins = stages.edges.end() - 1;  // the last edge begins no stage
        return static_cast<std::size_t>(std::lower_bound(stages.edges.begin(), begins, time) - stages.edges.begin());
    };
    const auto width = static_cast<double>(window.width), length = static_cast<double>(window.time.length());
    for (std::size_t column = 0; column < window.width; ++column) {
        const auto timeAt = [&](double x) { return window.time.begin + static_cast<TimeNs>(length * x / width); };
        const auto x = static_cast<double>(column);
        const std::size_t middle = stages.at(timeAt(x + 0.5));
        // Stages that begin in this column; where none does, the one that lies there.
        const std::size_t from = firstFrom(timeAt(x)), to = firstFrom(timeAt(x + 1));
        columns.emplace_back(from < to ? from : middle, from < to ? to : middle + 1);
        cells.sharesStages = cells.sharesStages || to > from + 1;
    }
    return columns;
}

}  // namespace

HeatCells heatCells(const Projection& projection, std::span<const std::size_t> order, const HeatWindow& window)
{
    HeatCells cells;
    if (order.empty() || projection.stages.count() == 0 || window.time.isEmpty() || window.width == 0) return cells;
    const auto columns = columnsOf(projection.stages, window, cells);
    const auto rowAt = [&](double row) {
        return static_cast<std::size_t>(std::clamp(row, 0.0, static_cast<double>(order.size())));
    };
    cells.firstRow = rowAt(std::floor(window.firstRow));
    const std::size_t shown = rowAt(std::ceil(window.lastRow)) - cells.firstRow;
    cells.rowsPerCell = std::max<std::size_t>(1, (shown + window.height - 1) / std::max<std::size_t>(1, window.height));
    cells.columns = columns.size();
    cells.rows = (shown + cells.rowsPerCell - 1) / cells.rowsPerCell;
    cells.values.resize(cells.rows * cells.columns);
    std::vector<double> sums(cells.columns), counts(cells.columns);
    const bool isStageEach = !columns.empty() && columns.back().second - columns.front().first == columns.size();
    const std::size_t stages = projection.stages.count();
    for (std::size_t row = 0; row < cells.rows; ++row) {
        std::fill(sums.begin(), sums.end(), 0);
        std::fill(counts.begin(), counts.end(), 0);
        const std::size_t begin = cells.firstRow + row * cells.rowsPerCell;
        for (std::size_t r = begin; r < std::min(begin + cells.rowsPerCell, order.size()); ++r) {
            const double* values = projection.values.data() + order[r] * stages;
            if (isStageEach) {  // by far the most common case: without branches the compiler vectorizes it
                values += columns.front().first;
                for (std::size_t column = 0; column < columns.size(); ++column) {
                    const bool isKnown = values[column] == values[column];
                    sums[column] += isKnown ? values[column] : 0;
                    counts[column] += isKnown ? 1 : 0;
                }
                continue;
            }
            for (std::size_t column = 0; column < columns.size(); ++column)
                for (std::size_t stage = columns[column].first; stage < columns[column].second; ++stage)
                    if (!std::isnan(values[stage])) sums[column] += values[stage], ++counts[column];
        }
        for (std::size_t column = 0; column < cells.columns; ++column)
            cells.values[row * cells.columns + column] = counts[column] > 0 ? sums[column] / counts[column]
                                                                            : std::numeric_limits<double>::quiet_NaN();
    }
    return cells;
}

}  // namespace longpole
