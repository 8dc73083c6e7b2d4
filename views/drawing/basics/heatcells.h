// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a heat map that are in view, at most one for each pixel: what shares a pixel is averaged.
#pragma once

#include "analysis/projection/projection.h"

#include <cstddef>
#include <span>
#include <vector>

namespace longpole {

struct HeatWindow {
    TimeRange time;                     // in view, by the trace's clock
    double firstRow = 0, lastRow = 0;   // in view; row i covers [i, i + 1)
    std::size_t width = 1, height = 1;  // pixels
};

// Cells of equal width and height.
struct HeatCells {
    std::size_t columns = 0, rows = 0;
    TimeRange time;  // covered by the columns; may end after the last stage
    std::size_t firstRow = 0;
    std::size_t rowsPerCell = 1;  // the last cell may have fewer
    bool sharesStages = false;    // a column stands for several stages
    std::vector<double> values;   // [row x columns + column]; NaN: undefined
};

// `order`: for each row, which of the projection's PEs it shows. O(cells of the projection in view).
HeatCells heatCells(const Projection& projection, std::span<const std::size_t> order, const HeatWindow& window);

}  // namespace longpole
