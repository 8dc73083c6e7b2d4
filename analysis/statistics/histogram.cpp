// SPDX-License-Identifier: GPL-3.0-or-later
// Edges of bins, and what falls between them.
#include "analysis/statistics/histogram.h"

#include "core/base/timerange.h"
#include "core/base/wide.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace longpole {

namespace {

constexpr std::array shares{0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
constexpr std::int64_t usualBins = 60;

// The largest power of ten is 10^18: one step further does not fit.
constexpr int mostDecade = 18;

std::int64_t powerOfTen(int exponent)
{
    std::int64_t power = 1;
    for (int i = 0; i < exponent; ++i) power *= 10;
    return power;
}

// The preferred numbers R10 (ISO 3): tenths of a decade that read well.
std::int64_t preferred(std::int64_t power, int step)
{
    constexpr std::array<std::int64_t, 10> hundredths{100, 125, 160, 200, 250, 315, 400, 500, 630, 800};
    const std::int64_t part = hundredths[static_cast<std::size_t>(step)];
    return power >= 100 ? saturatingMultiply(power / 100, part) : (power * part + 50) / 100;
}

// Edge number `step` of a decade, at least its begin.
std::int64_t edgeOf(int decade, int step, int perDecade)
{
    const std::int64_t power = powerOfTen(decade);
    if (step == 0) return power;
    if (perDecade == 3) return saturatingMultiply(power, step == 1 ? 2 : 5);
    if (perDecade == 10) return preferred(power, step);
    const double exact = static_cast<double>(power) * std::pow(10.0, static_cast<double>(step) / perDecade);
    return exact >= 9e18 ? maxTime : std::llround(exact);
}

// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
std::int64_t niceWidth(std::int64_t least)
{
    for (int decade = 0; decade <= mostDecade; ++decade)
        for (const std::int64_t factor : {1, 2, 5})
            if (saturatingMultiply(powerOfTen(decade), factor) >= least)
                return saturatingMultiply(powerOfTen(decade), factor);
    return maxTime;
}

std::int64_t floorTo(std::int64_t value, std::int64_t width)
{
    const std::int64_t part = value % width;
    return saturatingSubtract(value, part < 0 ? part + width : part);
}

std::vector<std::int64_t> linearEdges(std::int64_t least, std::int64_t most, const BinRequest& request,
                                      std::int64_t& width)
{
    const Wide span = Wide{most} - least + 1;
    const std::int64_t wanted = std::clamp<std::int64_t>(request.bins > 0 ? request.bins : usualBins, 1, mostBins);
    const auto fits = [&](std::int64_t candidate) {
        return (Wide{most} - floorTo(least, candidate)) / candidate < (request.width > 0 ? mostBins : wanted);
    };
    width = request.width > 0
                ? request.width
                : niceWidth(static_cast<std::int64_t>(std::min<Wide>((span + wanted - 1) / wanted, maxTime)));
    while (!fits(width) && width < maxTime) width = niceWidth(width + 1);
    std::vector<std::int64_t> edges{floorTo(least, width)};
    while (edges.back() <= most && edges.back() < maxTime) edges.push_back(saturatingAdd(edges.back(), width));
    return edges;
}

// Leaves out edges between which no value can be: logs have whole microseconds, and a comb of empty bins tells nothing.
void widenToResolution(std::vector<std::int64_t>& edges, std::span<const ValueCount> positive)
{
    std::int64_t unit = 0;
    for (const ValueCount& value : positive) unit = std::gcd(unit, value.value);
    if (unit <= 1) return;
    std::vector<std::int64_t> kept{edges.front()};
    for (std::size_t i = 1; i < edges.size(); ++i) {
        const std::int64_t from = edges[i];
        const std::int64_t first = saturatingMultiply(from / unit + (from % unit != 0 ? 1 : 0), unit);
        if (i + 1 == edges.size() || first < edges[i + 1]) kept.push_back(from);
    }
    edges = std::move(kept);
}

std::vector<std::int64_t> edgesFor(std::span<const ValueCount> values, const BinRequest& request, Histogram& result)
{
    if (values.empty()) return {};
    const std::int64_t least = values.front().value;
    const std::int64_t most = values.back().value;
    if (request.binning == Binning::Linear) return linearEdges(least, most, request, result.width);
    const auto positive = std::ranges::lower_bound(values, std::int64_t{1}, {}, &ValueCount::value);
    std::vector<std::int64_t> edges;
    if (positive != values.end()) {
        constexpr std::int64_t few = 100;  // two decades
        const bool isNarrow = most / positive->value < few;
        result.perDecade = request.perDecade > 0 ? std::min(request.perDecade, 100) : isNarrow ? 10 : 3;
        edges = logarithmicEdges(positive->value, most, result.perDecade);
        widenToResolution(edges, {positive, values.end()});
    } else {
        edges.push_back(1);  // nothing but zeros
        result.perDecade = request.perDecade > 0 ? request.perDecade : 3;
    }
    const bool hasZero = least <= 0 && std::ranges::binary_search(values, std::int64_t{0}, {}, &ValueCount::value);
    if (least < 0 || hasZero) edges.insert(edges.begin(), 0);
    if (least < 0) edges.insert(edges.begin(), least);
    return edges;
}

// Adds each value to its bin.
void fill(std::span<const ValueCount> values, std::span<const std::int64_t> edges, HistogramSeries& series)
{
    std::size_t bin = 0;
    for (const ValueCount& value : values) {
        while (bin + 2 < edges.size() && value.value >= edges[bin + 1]) ++bin;
        addSaturating(series.counts[bin], value.count);
        series.sums[bin] = saturatingAdd(series.sums[bin], saturatingMultiply(value.value, value.count));
    }
}

HistogramSeries emptySeries(std::size_t bins)
{
    HistogramSeries series;
    series.counts.assign(bins, 0);
    series.sums.assign(bins, 0);
    return series;
}

}  // namespace

std::vector<std::int64_t> logarithmicEdges(std::int64_t least, std::int64_t most, int perDecade)
{
    std::vector<std::int64_t> edges;
    for (int decade = 0; decade <= mostDecade; ++decade)
        for (int step = 0; step < perDecade; ++step) {
            const std::int64_t edge = edgeOf(decade, step, perDecade);
            if (!edges.empty() && edge <= edges.back()) continue;  // rounded to the same whole number
            if (!edges.empty() && edges.back() > most) return edges;
            if (edge <= least) edges.assign(1, edge);
            else edges.push_back(edge);
        }
    if (edges.back() <= most) edges.push_back(maxTime);
    return edges;
}

Histogram histogram(const Distribution& distribution, const BinRequest& request)
{
    Histogram result;
    result.of = distribution.of;
    result.binning = request.binning;
    result.isRounded = distribution.isRounded;
    result.estimated = distribution.estimated;
    const std::vector<ValueCount> values = allValues(distribution);
    result.edges = edgesFor(values, request, result);
    const std::size_t bins = result.edges.empty() ? 0 : result.edges.size() - 1;
    HistogramSeries total = emptySeries(bins);
    for (std::size_t i = 0; i < distribution.entries.size(); ++i) {
        const EntryDistribution& entry = distribution.entries[i];
        const bool isRest = i >= request.series && distribution.entries.size() > request.series + 1;
        if (!isRest || i == request.series) {
            result.series.push_back(emptySeries(bins));
            result.series.back().entry = isRest ? noEntry : entry.entry;
            result.series.back().isRest = isRest;
        }
        fill(entry.values, result.edges, result.series.back());
    }
    fill(values, result.edges, total);
    result.counts = std::move(total.counts);
    result.sums = std::move(total.sums);
    result.summary = summarize(values);
    if (result.isRounded) {
        result.summary.sum = distribution.sum;
        result.summary.mean = static_cast<double>(distribution.sum) / static_cast<double>(distribution.count);
    }
    if (!values.empty())
        for (const double share : shares) result.quantiles.emplace_back(share, quantile(values, share));
    return result;
}

}  // namespace longpole
