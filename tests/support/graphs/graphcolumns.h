// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of an activity graph as plain vectors, to compare with drawn ones.
#pragma once

#include "analysis/graph/activitygraph.h"

#include <vector>

namespace longpole {

template <typename Value>
std::vector<Value> column(const ActivityGraph& graph, Value (*get)(const ActivityGraph&, std::uint32_t))
{
    std::vector<Value> values;
    for (std::uint32_t task = 0; task < graph.size(); ++task) values.push_back(get(graph, task));
    return values;
}

inline std::vector<TimeNs> durations(const ActivityGraph& graph)
{
    return column<TimeNs>(graph, [](const ActivityGraph& g, std::uint32_t i) { return g.duration[i]; });
}

inline std::vector<TimeNs> offsets(const ActivityGraph& graph)
{
    return column<TimeNs>(graph, [](const ActivityGraph& g, std::uint32_t i) { return g.offset[i]; });
}

inline std::vector<TimeNs> sendTimes(const ActivityGraph& graph)
{
    return column<TimeNs>(graph, [](const ActivityGraph& g, std::uint32_t i) { return g.sent(i); });
}

inline std::vector<TimeNs> receiveTimes(const ActivityGraph& graph)
{
    return column<TimeNs>(graph, [](const ActivityGraph& g, std::uint32_t i) { return g.received(i); });
}

inline std::vector<std::uint32_t> previousTasks(const ActivityGraph& graph)
{
    return column<std::uint32_t>(graph, [](const ActivityGraph& g, std::uint32_t i) { return g.previous(i); });
}

// The flags of each task without the bits that only tell how columns are stored.
inline std::vector<std::uint8_t> meaningOfFlags(const ActivityGraph& graph)
{
    return column<std::uint8_t>(graph, [](const ActivityGraph& g, std::uint32_t i) {
        return static_cast<std::uint8_t>(g.flags[i] & ~(ActivityGraph::HasReceived | ActivityGraph::SentApart));
    });
}

}  // namespace longpole
