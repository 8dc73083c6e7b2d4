// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what differs along a path, sorted: a path may have millions of steps.
#include "analysis/paths/countedpath.h"

#include "core/base/timerange.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace longpole {

namespace {

template <typename T>
std::int64_t differentOnes(std::vector<T> values)
{
    std::sort(values.begin(), values.end());
    return std::unique(values.begin(), values.end()) - values.begin();
}

template <typename T>
std::int64_t differentOnes(const CriticalPath& path, T PathStep::*member)
{
    std::vector<T> values;
    values.reserve(path.steps.size());
    for (const PathStep& step : path.steps) values.push_back(step.*member);
    return differentOnes(std::move(values));
}

CriticalPath withoutSteps(const CriticalPath& path)
{
    return {.mode = path.mode,
            .edges = path.edges,
            .to = path.to,
            .length = path.length,
            .duration = path.duration,
            .profile = path.profile,
            .parts = path.parts,
            .doubtfulWeight = path.doubtfulWeight};
}

}  // namespace

std::int64_t tasksOn(const CriticalPath& path) { return differentOnes(path, &PathStep::task); }
std::int64_t processorsOn(const CriticalPath& path) { return differentOnes(path, &PathStep::pe); }

std::pair<ProcessorId, TimeNs> busiestOn(const CriticalPath& path)
{
    std::map<ProcessorId, TimeNs> times;
    for (const PathStep& step : path.steps) addSaturating(times[step.pe], step.weight());
    std::pair<ProcessorId, TimeNs> most{};
    for (const auto& [pe, time] : times)
        if (time > most.second) most = {pe, time};
    return most;
}

TimeNs timeUntilEnd(const PathQuestion& question, const CriticalPath& path, TimeNs begin)
{
    const bool isToTask = question.to && question.range.isEmpty() && !path.steps.empty();
    return isToTask ? path.steps.back().end - begin : path.duration;
}

Result<std::shared_ptr<const CountedPath>> CountedPathQuestion::compute(Results& results,
                                                                        const Progress& progress) const
{
    const std::shared_ptr<const CriticalPath> known = hasSteps ? nullptr : results.peek(path);
    const auto found = known      ? Result<std::shared_ptr<const CriticalPath>>(known)
                       : hasSteps ? results.ask(path, progress)
                                  : path.compute(results, progress);
    if (!found.ok()) return found.error();
    const CriticalPath& whole = **found;
    CountedPath counted{.tasks = tasksOn(whole), .processors = processorsOn(whole)};
    std::tie(counted.busiest, counted.onBusiest) = busiestOn(whole);
    counted.until = timeUntilEnd(path, whole, results.store().info().range().begin);
    counted.path = hasSteps ? *found : std::make_shared<const CriticalPath>(withoutSteps(whole));
    if (hasSteps) counted.pyramid = std::make_shared<const PathPyramid>(whole);
    return std::make_shared<const CountedPath>(std::move(counted));
}

std::int64_t CountedPathQuestion::bytes(const CountedPath& counted) const
{
    return static_cast<std::int64_t>(sizeof(counted)) + (hasSteps ? 0 : PathQuestion::bytes(*counted.path))
           + (counted.pyramid ? counted.pyramid->bytes() : 0);
}

}  // namespace longpole
