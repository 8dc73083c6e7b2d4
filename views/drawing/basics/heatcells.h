// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a heat map that lie in view, at most one for each pixel: the mean of what shares one.
#pragma once

#include "analysis/projection/projection.h"

#include <cstddef>
#include <span>
#include <vector>

namespace longpole {

struct HeatWindow {
    TimeRange time;                     // in view, of the trace's clock
    double firstRow = 0, lastRow = 0;   // rows in view; row i is [i, i + 1)
    std::size_t width = 1, height = 1;  // pixels
};

// Cells of equal width and height.
struct HeatCells {
    std::size_t columns = 0, rows = 0;
    TimeRange time;  // that the columns cover; its end may lie beyond the stages'
    std::size_t firstRow = 0;
    std::size_t rowsPerCell = 1;  // the last cell may have fewer
    bool sharesStages = false;    // several stages in a column
    std::vector<double> values;   // [row x columns + column]; NaN: undefined
};

// `order`: the PE of each row. O(cells of the projection in view).
HeatCells heatCells(const Projection& projection, std::span<const std::size_t> order, const HeatWindow& window);

}  // namespace longpole
