// SPDX-License-Identifier: GPL-3.0-or-later
// The iterations of a phase as bands over a time axis: each with its number, or where they are narrow many as one band.
#pragma once

#include "core/base/timerange.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/basics/timecoordinates.h"

#include <QPainter>

#include <cstddef>
#include <span>
#include <vector>

namespace longpole {

struct PhaseBand {
    double x0 = 0, x1 = 0;   // pixels, within the axis
    std::size_t number = 0;  // of the iteration (of the first, if several share the band); they count from 1
    std::size_t shared = 1;  // how many iterations the band stands for
    bool begins = false;     // the iteration's begin is in view
    friend bool operator==(const PhaseBand&, const PhaseBand&) = default;
};

// The bands of `ranges`, whose begins ascend. A range narrower than `least` pixels shares the band of the narrow one
// before it if there is less than a pixel between them. O(pixels + log ranges).
std::vector<PhaseBand> phaseBands(std::span<const TimeRange> ranges, const TimeCoordinates& at, double least = 5);

// Tints every second iteration and draws a line where each begins; neither where several share a band.
void paintBands(QPainter& painter, std::span<const PhaseBand> bands, double top, double height, const Theme& theme);
void paintBandEdges(QPainter& painter, std::span<const PhaseBand> bands, double top, double height, const Theme& theme);
// A strip with the iterations' numbers where they have room.
void paintBandNumbers(QPainter& painter, std::span<const PhaseBand> bands, double top, double height,
                      const Theme& theme, double textScale = 1);

}  // namespace longpole
