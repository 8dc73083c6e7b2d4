// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/gridpath.h"

#include "core/base/timerange.h"

#include <algorithm>
#include <map>

namespace longpole {

std::vector<std::vector<GridVisit>> gridPath(const CriticalPath& path, const Stages& stages,
                                             std::span<const ProcessorId> pes)
{
    std::vector<std::vector<GridVisit>> visits(stages.count());
    if (visits.empty()) return visits;
    std::map<ProcessorId, std::size_t> places;
    for (std::size_t i = 0; i < pes.size(); ++i) places.emplace(pes[i], i);
    for (const PathStep& step : path.steps) {
        const auto place = places.find(step.pe);
        const TimeRange range = intersection({step.begin, step.end}, stages.whole());
        if (step.part != PathPart::Compute || range.isEmpty() || place == places.end()) continue;
        for (std::size_t stage = stages.at(range.begin); stage < visits.size(); ++stage) {
            if (stages.edges[stage] >= range.end) break;
            const TimeNs time = overlap(range, stages.range(stage));
            if (time <= 0) continue;
            std::vector<GridVisit>& stay = visits[stage];
            if (!stay.empty() && stay.back().place == place->second) addSaturating(stay.back().time, time);
            else stay.push_back({place->second, time});
        }
    }
    return visits;
}

}  // namespace longpole
