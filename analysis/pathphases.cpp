#include "analysis/pathphases.h"

#include <algorithm>

namespace longpole {

namespace {

// The lower middle.
TimeNs median(std::vector<TimeNs> times)
{
    if (times.empty()) return 0;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

}  // namespace

PathString pathString(const CriticalPath& path)
{
    PathString string;
    const PathStep* before = nullptr;
    for (const PathStep& step : path.steps) {
        if (step.part != PathPart::Compute) continue;
        // A nested execution splits the one around it.
        const bool goesOn = before && before->task == step.task && before->entry == step.entry;
        if (goesOn) {
            string.parts.back().end = std::max(string.parts.back().end, step.end);
        } else {
            string.symbols.push_back(index(step.entry));
            string.parts.push_back({step.begin, step.end});
        }
        before = &step;
    }
    return string;
}

InstanceDurations instanceDurations(std::span<const TimeRange> instances)
{
    std::vector<TimeNs> durations, deviations;
    for (const TimeRange& instance : instances) durations.push_back(instance.length());
    InstanceDurations found{.median = median(durations)};
    for (const TimeNs duration : durations)
        deviations.push_back(std::max(duration, found.median) - std::min(duration, found.median));
    found.spread = median(deviations);
    const TimeNs limit = saturatingAdd(found.median, saturatingMultiply(found.spread, 3));
    for (std::size_t i = 0; i < durations.size(); ++i)
        if (durations[i] > limit) found.slow.push_back(i);
    return found;
}

}  // namespace longpole
