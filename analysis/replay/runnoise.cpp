// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/runnoise.h"

#include "core/base/drawnhash.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <vector>

namespace longpole {

namespace {

constexpr std::size_t fewestIterations = 6;
constexpr std::size_t mostIterationsOfRun = 4096;
constexpr double leastCoverage = 0.6;   // of the run
constexpr double mostIrregular = 0.25;  // deviation of an iteration by its length
constexpr double mostNoise = 0.05;      // more is no noise

struct IterationMarks {
    std::size_t count = 0;
    double noise = 0;
};

// Of one entry method on one processor, by its begins; count 0: no iterations.
IterationMarks judgeMarks(const std::vector<TimeNs>& begins, TimeNs duration)
{
    if (begins.size() < fewestIterations) return {};
    const auto covered = static_cast<double>(begins.back() - begins.front());
    if (covered < leastCoverage * static_cast<double>(duration)) return {};
    const auto steps = static_cast<double>(begins.size() - 1);
    double squares = 0;
    for (std::size_t i = 2; i < begins.size(); ++i) {
        const auto change = static_cast<double>(begins[i] - 2 * begins[i - 1] + begins[i - 2]);
        squares += change * change;
    }
    const double deviation = std::sqrt(squares / (2 * (steps - 1)));
    if (deviation > mostIrregular * covered / steps) return {};
    return {begins.size(), deviation * std::sqrt(steps) / static_cast<double>(duration)};
}

}  // namespace

double runNoise(const ActivityGraph& graph)
{
    std::vector<IterationMarks> marks;
    for (const std::span<const std::uint32_t> tasks : graph.byProcessor) {
        std::unordered_map<std::uint32_t, std::vector<TimeNs>, DrawnHash> begins;  // by entry
        for (const std::uint32_t task : tasks) {
            std::vector<TimeNs>& of = begins[graph.entry[task]];
            if (of.size() <= mostIterationsOfRun) of.push_back(graph.begin[task]);
        }
        for (const auto& [entry, times] : begins)
            if (times.size() <= mostIterationsOfRun)
                if (const IterationMarks found = judgeMarks(times, graph.run.length()); found.count > 0)
                    marks.push_back(found);
    }
    if (marks.empty()) return 0;
    std::size_t fewest = marks.front().count;
    for (const IterationMarks& one : marks) fewest = std::min(fewest, one.count);
    double noise = mostNoise;
    for (const IterationMarks& one : marks)
        if (one.count < 2 * fewest) noise = std::min(noise, one.noise);
    return noise;
}

}  // namespace longpole
