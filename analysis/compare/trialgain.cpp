// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/trialgain.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

template <typename T>
T medianOf(std::vector<T> values)
{
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

std::vector<TimeNs> durationsOf(std::span<const TrialRun> runs, bool isChanged)
{
    std::vector<TimeNs> durations;
    for (const TrialRun& run : runs)
        if (run.isChanged == isChanged) durations.push_back(run.duration);
    return durations;
}

}  // namespace

// The interval from the k-th least to the k-th largest misses the median if fewer than k values lie on one side of it:
// twice the binomial distribution's lower end.
int signTestPlace(int pairs)
{
    constexpr double mostMissed = 0.1;
    double term = std::pow(0.5, pairs), below = 0;
    int place = 0;
    for (int k = 0; k < (pairs + 1) / 2; ++k) {
        below += term;
        if (2 * below > mostMissed) break;
        place = k;
        term *= double(pairs - k) / double(k + 1);
    }
    return place;
}

TrialGain trialGain(std::span<const TrialRun> runs)
{
    const std::vector<TimeNs> without = durationsOf(runs, false);
    const std::vector<TimeNs> with = durationsOf(runs, true);
    TrialGain gain{.without = medianOf(without), .with = medianOf(with)};
    gain.pairs = static_cast<int>(std::min(without.size(), with.size()));
    if (gain.pairs == 0) return gain;
    std::vector<double> gains;
    gains.reserve(static_cast<std::size_t>(gain.pairs));
    for (std::size_t i = 0; i < static_cast<std::size_t>(gain.pairs); ++i)
        gains.push_back(1 - double(with[i]) / double(without[i]));
    std::sort(gains.begin(), gains.end());
    const auto place = static_cast<std::size_t>(signTestPlace(gain.pairs));
    gain.median = medianOf(gains);
    gain.low = gains[place];
    gain.high = gains[gains.size() - 1 - place];
    return gain;
}

}  // namespace longpole
