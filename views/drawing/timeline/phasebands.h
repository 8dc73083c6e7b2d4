// SPDX-License-Identifier: GPL-3.0-or-later
// The instances of a phase as bands over a time axis: where they are wide enough each has its number, where they are
// not they run together.
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
    std::size_t number = 0;  // of the instance, from 1; the first one's if several share the band
    std::size_t shared = 1;  // so many of them
    bool begins = false;     // its begin is in view
    friend bool operator==(const PhaseBand&, const PhaseBand&) = default;
};

// Of ranges whose begins ascend. Those narrower than `least` pixels run together with what comes less than a pixel
// after them. O(pixels + log ranges).
std::vector<PhaseBand> phaseBands(std::span<const TimeRange> ranges, const TimeCoordinates& at, double least = 5);

// Every second one is tinted, and a line stands where each begins; nothing where several share a band.
void paintBands(QPainter& painter, std::span<const PhaseBand> bands, double top, double height, const Theme& theme);
void paintBandEdges(QPainter& painter, std::span<const PhaseBand> bands, double top, double height, const Theme& theme);
// A strip with their numbers where there is room.
void paintBandNumbers(QPainter& painter, std::span<const PhaseBand> bands, double top, double height,
                      const Theme& theme);

}  // namespace longpole
