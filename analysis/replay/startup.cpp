// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/startup.h"

#include <algorithm>

namespace longpole {

std::vector<std::uint32_t> startUpEnds(const ActivityGraph& graph, const TaskObjects& objects)
{
    std::vector<std::uint32_t> firstOf(objects.objects, noTask);
    const auto objectOf = [&](std::uint32_t task) {
        return task < objects.object.size() ? objects.object[task] : noObject;
    };
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        if (const std::uint32_t object = objectOf(task); object != noObject)
            firstOf[object] = std::min(firstOf[object], task);
    std::vector<std::uint32_t> ends(graph.byProcessor.size(), 0);
    for (std::size_t pe = 0; pe < ends.size(); ++pe)
        for (const std::uint32_t task : graph.byProcessor[pe]) {
            if (graph.source[task] != noTask) break;
            const std::uint32_t object = objectOf(task);
            if (object == noObject) continue;  // of the run-time system
            if (firstOf[object] != task) break;
            ends[pe] = task + 1;
        }
    return ends;
}

}  // namespace longpole
