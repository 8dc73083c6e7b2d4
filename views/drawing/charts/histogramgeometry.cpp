// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/histogramgeometry.h"

#include "core/base/translate.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

// Where the edges of bins lie: their values, or on a logarithmic scale the decimal logarithms. There the edges that are
// not positive stand before the first positive one, each a bin's width from the next.
std::vector<double> scaled(const Histogram& histogram)
{
    std::vector<double> at;
    if (histogram.binning == Binning::Linear) {
        for (const std::int64_t edge : histogram.edges) at.push_back(static_cast<double>(edge));
        return at;
    }
    const double width = 1.0 / std::max(histogram.perDecade, 1);
    const auto positive = std::ranges::upper_bound(histogram.edges, 0);
    const auto before = static_cast<double>(positive - histogram.edges.begin());
    const double first = positive == histogram.edges.end() ? 0 : std::log10(static_cast<double>(*positive));
    for (auto edge = histogram.edges.begin(); edge != positive; ++edge)
        at.push_back(first - width * (before - static_cast<double>(edge - histogram.edges.begin())));
    for (auto edge = positive; edge != histogram.edges.end(); ++edge)
        at.push_back(std::log10(static_cast<double>(*edge)));
    return at;
}

std::vector<ValueTick> ticksOf(const Histogram& histogram, const std::vector<double>& edges, double width)
{
    const int most = std::max(2, static_cast<int>(width / 80));
    const ValueUnit unit = unitOf(histogram.of);
    const auto low = static_cast<double>(histogram.edges.front());
    const auto high = static_cast<double>(histogram.edges.back());
    if (histogram.binning == Binning::Linear) return valueTicks({low, high, false, unit}, most);
    std::vector<ValueTick> ticks;
    const auto firstPositive = std::ranges::upper_bound(histogram.edges, 0);
    const auto positive = static_cast<std::size_t>(firstPositive - histogram.edges.begin());
    for (std::size_t i = 0; i < positive; ++i)
        if (histogram.edges[i] == 0) ticks.push_back({0, edges[i], valueText(0, unit)});
    if (positive >= histogram.edges.size()) return ticks;
    const double from = edges[positive];
    const ValueAxis axis = valueAxis(static_cast<double>(histogram.edges[positive]), high, true, unit);
    for (ValueTick tick : valueTicks(axis, most)) {
        tick.position = from + tick.position * (1 - from);
        ticks.push_back(tick);
    }
    return ticks;
}

}  // namespace

ValueUnit unitOf(DistributedQuantity quantity) { return isTime(quantity) ? ValueUnit::Time : ValueUnit::Bytes; }

QString binText(const Histogram& histogram, std::size_t bin)
{
    const std::int64_t from = histogram.edges[bin];
    const std::int64_t to = histogram.edges[bin + 1];
    const ValueUnit unit = unitOf(histogram.of);
    if (saturatingSubtract(to, from) == 1 || (from == 0 && histogram.binning == Binning::Logarithmic))
        return valueText(static_cast<double>(from), unit);
    if (to == 0) return tr("below %1").arg(valueText(0, unit));
    return tr("%1 to %2").arg(valueText(static_cast<double>(from), unit), valueText(static_cast<double>(to), unit));
}

std::optional<std::size_t> HistogramGeometry::binAt(double x) const
{
    if (edges.size() < 2 || x < edges.front() || x >= edges.back()) return {};
    return static_cast<std::size_t>(std::ranges::upper_bound(edges, x) - edges.begin()) - 1;
}

HistogramGeometry histogramGeometry(const Histogram& histogram, const HistogramLook& look, double width)
{
    HistogramGeometry result;
    const bool bySum = look.height == BarHeight::Sum;
    const auto& totals = bySum ? histogram.sums : histogram.counts;
    const ValueUnit unit = bySum ? unitOf(histogram.of) : ValueUnit::Count;
    std::int64_t most = 0;
    for (const std::int64_t total : totals) most = std::max(most, total);
    result.heights = valueAxis(look.isLogHeight ? 0.5 : 0, static_cast<double>(std::max<std::int64_t>(most, 1)) * 1.04,
                               look.isLogHeight, unit);
    if (look.isLogHeight && bySum) result.heights = valueAxis(0, result.heights.high, true, unit);
    if (histogram.edges.empty()) return result;
    result.edges = scaled(histogram);
    const double from = result.edges.front();
    const double length = result.edges.back() - from;
    for (double& edge : result.edges) edge = (edge - from) / length;
    for (std::size_t bin = 0; bin < histogram.bins(); ++bin) {
        if (totals[bin] <= 0) continue;
        HistogramBar bar{.bin = bin,
                         .left = result.edges[bin],
                         .right = result.edges[bin + 1],
                         .height = result.heights.position(static_cast<double>(totals[bin]))};
        for (const HistogramSeries& series : histogram.series)
            bar.parts.push_back(bar.height * static_cast<double>((bySum ? series.sums : series.counts)[bin])
                                / static_cast<double>(totals[bin]));
        result.bars.push_back(std::move(bar));
    }
    result.ticks = ticksOf(histogram, result.edges, width);
    return result;
}

}  // namespace longpole
