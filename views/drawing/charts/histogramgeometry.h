// SPDX-License-Identifier: GPL-3.0-or-later
// Where the bars of a histogram stand, how high they are, and what its axes say.
#pragma once

#include "analysis/statistics/histogram.h"
#include "views/drawing/basics/valueaxis.h"

#include <QRectF>

#include <optional>
#include <vector>

namespace longpole {

enum class BarHeight : std::uint8_t { Count, Sum };  // how many values are in the bin, or what they add up to

struct HistogramLook {
    BarHeight height = BarHeight::Count;
    bool isLogHeight = false;  // of the whole bar; its parts share it in proportion to their values
};

struct HistogramBar {
    std::size_t bin = 0;
    double left = 0, right = 0;   // shares of the plot's width
    double height = 0;            // share of its height
    std::vector<double> parts{};  // by series, upwards from the first; they add up to the height
};

struct HistogramGeometry {
    std::vector<HistogramBar> bars;  // of bins that are not empty
    std::vector<double> edges;       // shares of the width, bins + 1
    ValueAxis heights;
    std::vector<ValueTick> ticks;  // below

    // The bin under a share of the width; empty outside and without bins.
    std::optional<std::size_t> binAt(double x) const;
};

// As many ticks as have room in `width` pixels. O(bins x series).
HistogramGeometry histogramGeometry(const Histogram& histogram, const HistogramLook& look, double width);

ValueUnit unitOf(DistributedQuantity quantity);
// "2.0 us to 5.0 us"; a bin of one whole number is that number.
QString binText(const Histogram& histogram, std::size_t bin);

}  // namespace longpole
