// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what differs along a path, sorted: a path may have millions of steps.
#include "analysis/paths/countedpath.h"

#include <algorithm>
#include <map>
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

}  // namespace

std::int64_t tasksOn(const CriticalPath& path) { return differentOnes(path, &PathStep::task); }
std::int64_t processorsOn(const CriticalPath& path) { return differentOnes(path, &PathStep::pe); }

std::pair<ProcessorId, TimeNs> busiestOn(const CriticalPath& path)
{
    std::map<ProcessorId, TimeNs> times;
    for (const PathStep& step : path.steps) times[step.pe] += step.weight();
    std::pair<ProcessorId, TimeNs> most{};
    for (const auto& [pe, time] : times)
        if (time > most.second) most = {pe, time};
    return most;
}

Result<std::shared_ptr<const CountedPath>> CountedPathQuestion::compute(Results& results,
                                                                        const Progress& progress) const
{
    const auto found = results.ask(path, progress);
    if (!found.ok()) return found.error();
    const auto [pe, time] = busiestOn(**found);
    return std::make_shared<const CountedPath>(CountedPath{*found, tasksOn(**found), processorsOn(**found), pe, time,
                                                           std::make_shared<const PathPyramid>(**found)});
}

std::int64_t CountedPathQuestion::bytes(const CountedPath& counted)
{
    return static_cast<std::int64_t>(sizeof(counted)) + (counted.pyramid ? counted.pyramid->bytes() : 0);
}

}  // namespace longpole
