// SPDX-License-Identifier: GPL-3.0-or-later
// A distribution cut into bins, linear or logarithmic, with counts and sums per bin and entry method.
#pragma once

#include "analysis/statistics/distribution.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

enum class Binning : std::uint8_t {
    Linear,  // bins of equal width
    // Bins that begin at `perDecade` steps of each power of ten: 3 is 1-2-5, 10 the preferred numbers 1-1.25-1.6-2 ...
    Logarithmic,
};

// How to cut. What is 0 is chosen from the values.
struct BinRequest {
    Binning binning = Binning::Logarithmic;
    std::int64_t bins = 0;   // Linear: about so many at most (a width of 1, 2 or 5 times a power of ten is taken)
    std::int64_t width = 0;  // Linear: exactly this, ns or bytes; wins over bins
    int perDecade = 0;       // Logarithmic: 1..100 (3: 1-2-5); 0: 3, or 10 where all lies within two decades
    std::size_t series = 8;  // entry methods that stand for themselves; the others are added up
    friend bool operator==(const BinRequest&, const BinRequest&) = default;
};
constexpr std::int64_t mostBins = 10'000;  // a width that would make more is made larger

// Per bin; the same number as there are bins.
struct HistogramSeries {
    EntryId entry = noEntry;  // noEntry with isRest: all other entry methods
    bool isRest = false;
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> sums;  // ns or bytes
};

// Bin i holds the values v with edges[i] <= v < edges[i + 1], whole numbers all. A logarithmic one has a first bin
// [least, 0) for what is below zero, if anything is, and one from 0 to the first edge for zeros; where all values are
// multiples of a unit, bins that no multiple can be in belong to the one before.
struct Histogram {
    DistributedQuantity of = DistributedQuantity::TaskDuration;
    Binning binning = Binning::Logarithmic;
    std::int64_t width = 0;               // Linear: the one that was taken
    int perDecade = 0;                    // Logarithmic
    std::vector<std::int64_t> edges;      // bins + 1, ascending; empty without values
    std::vector<HistogramSeries> series;  // largest sum first, the rest last
    std::vector<std::int64_t> counts;     // all series together
    std::vector<std::int64_t> sums;
    ValueSummary summary;  // exact, as are the quantiles, unless the distribution is rounded
    std::vector<std::pair<double, std::int64_t>> quantiles;  // shares 0.05 0.25 0.5 0.75 0.95 0.99
    std::int64_t estimated = 0;  // of summary.count: values that rest on an estimated arrival
    bool isRounded = false;

    std::size_t bins() const { return counts.size(); }
};

// O(different values). Counts add up to the distribution's, sums too unless it is rounded.
Histogram histogram(const Distribution& distribution, const BinRequest& request);

// The edges of logarithmic bins that hold [least, most], 0 < least: integers, each once.
std::vector<std::int64_t> logarithmicEdges(std::int64_t least, std::int64_t most, int perDecade);

}  // namespace longpole
