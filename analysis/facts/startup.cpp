// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/facts/startup.h"
#include "core/base/wide.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace longpole {

StartUp findStartUp(const ActivityGraph& graph, TimeRange run)
{
    constexpr std::size_t parts = 100, leastParts = 2;
    constexpr double most = 0.05, density = 0.25;
    if (graph.size() == 0 || graph.hasRanks || run.length() < TimeNs(parts)) return {};
    const auto partOf = [&run](TimeNs time) {
        const double part = double(time - run.begin) / double(run.length()) * double(parts);
        return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(part, 0.0)), 0, parts - 1);
    };
    std::array<std::int64_t, parts> begun{};
    std::array<double, parts> busy{};
    double allBusy = 0;
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        ++begun[partOf(graph.begin[task])];
        busy[partOf(graph.begin[task])] += double(graph.duration[task]);
        allBusy += double(graph.duration[task]);
    }
    StartUp found;
    std::int64_t tasks = 0;
    double time = 0;
    for (std::size_t p = 0; p < parts; ++p) {
        tasks += begun[p];
        time += busy[p];
        const double share = double(tasks) / double(graph.size()), busyShare = allBusy > 0 ? time / allBusy : 0;
        const double length = double(p + 1) / double(parts);
        if (share > most || busyShare > most) break;
        if (p + 1 < leastParts || share > density * length || busyShare > density * length) continue;
        found.range = {run.begin, run.begin + TimeNs(Wide{run.length()} * TimeNs(p + 1) / TimeNs(parts))};
        found.tasks = tasks;
    }
    return found;
}

}  // namespace longpole
