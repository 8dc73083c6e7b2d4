// SPDX-License-Identifier: GPL-3.0-or-later
// Humps and valleys of a smoothed histogram.
#include "analysis/statistics/durationclusters.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace longpole {

namespace {

constexpr double clustersPerDecade = 24;
constexpr double linearBelow = 5000;  // ns
constexpr double deepest = 0.1;       // of the lower hump: a valley above it is none

std::size_t classOf(TimeNs duration)
{
    const double value = static_cast<double>(std::max<TimeNs>(duration, 0));
    return static_cast<std::size_t>(clustersPerDecade * std::log10(1 + value / linearBelow));
}

std::vector<double> smoothed(std::span<const ValueCount> durations)
{
    constexpr std::array<double, 5> kernel{1, 2, 3, 2, 1};
    std::vector<double> result(classOf(durations.back().value) + kernel.size(), 0);
    for (const ValueCount& duration : durations) {
        const std::size_t at = classOf(duration.value);
        const auto count = static_cast<double>(duration.count);
        for (std::size_t i = 0; i < kernel.size(); ++i) result[at + i] += kernel[i] * count;
    }
    return result;  // shifted up by two classes
}

// From one valley to the next, in smoothed classes.
struct Hump {
    std::size_t first = 0;
    double peak = 0;
    double valley = 0;  // before it
};

std::vector<Hump> humps(const std::vector<double>& density)
{
    std::vector<Hump> found{{0, 0, 0}};
    bool falls = false;
    for (std::size_t i = 0; i < density.size(); ++i) {
        const double before = i == 0 ? 0 : density[i - 1];
        if (falls && density[i] > before) {
            found.push_back({i - 1, 0, before});
            falls = false;
        }
        if (density[i] < before) falls = true;
        found.back().peak = std::max(found.back().peak, density[i]);
    }
    // Fill the shallowest valley until all that are left are deep.
    while (found.size() > 1) {
        std::size_t shallowest = 0;
        double most = 0;
        for (std::size_t i = 1; i < found.size(); ++i) {
            const double lower = std::min(found[i - 1].peak, found[i].peak);
            const double depth = lower > 0 ? found[i].valley / lower : 1;
            if (depth <= most && shallowest != 0) continue;
            most = depth;
            shallowest = i;
        }
        if (most < deepest) break;
        found[shallowest - 1].peak = std::max(found[shallowest - 1].peak, found[shallowest].peak);
        found.erase(found.begin() + static_cast<std::ptrdiff_t>(shallowest));
    }
    return found;
}

}  // namespace

std::vector<DurationCluster> durationClusters(std::span<const ValueCount> durations)
{
    std::vector<DurationCluster> clusters;
    if (durations.empty()) return clusters;
    const std::vector<Hump> parts = humps(smoothed(durations));
    auto from = durations.begin();
    for (std::size_t i = 0; i < parts.size() && from != durations.end(); ++i) {
        constexpr std::size_t shift = 2;
        auto to = durations.end();
        if (i + 1 < parts.size())
            to = std::find_if(from, durations.end(), [&](const ValueCount& value) {
                return classOf(value.value) + shift > parts[i + 1].first;
            });
        if (to == from) continue;
        const std::span<const ValueCount> values(from, to);
        const ValueSummary summary = summarize(values);
        clusters.push_back({summary.least, summary.most, quantile(values, 0.5), summary.count, summary.sum});
        from = to;
    }
    return clusters;
}

}  // namespace longpole
