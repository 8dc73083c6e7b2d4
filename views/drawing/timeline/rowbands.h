// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that each stand for several processors, for timelines in which one processor has less than three pixels.
#pragma once

#include "views/drawing/timeline/timelinerows.h"

#include <cstddef>
#include <span>
#include <vector>

namespace longpole {

// Heights of a processor's row are whole pixels from `leastRow` on. Below, 2^k processors are one row, a band of 3, 4
// or 5 pixels: so every edge lies on a pixel, and the same processors share a row at three heights.
constexpr double leastRow = 3;
// How many processors are one row at a height, as a power of two; 0: each has its own.
int bandExponent(double height);
// The nearest of the heights that there are.
double usableHeight(double pixels);
// The next larger or smaller one.
double nextHeight(double height, bool larger);

// Rows with bands of 2^exponent processors in place of processors that follow each other, and in their order; `place`
// of each is set. Pinned rows and folded groups stay; headings, and what lies below processors, are left out.
std::vector<TimelineRow> bandedRows(std::span<const TimelineRow> rows, int exponent);

}  // namespace longpole
