// Collects the profile of a critical path: time and executions per entry method, innermost execution first.
#pragma once

#include "analysis/activitygraph.h"
#include "analysis/criticalpath.h"

#include <unordered_map>

namespace longpole {

class PathProfile {
public:
    explicit PathProfile(const ActivityGraph& graph) : m_graph(graph) {}

    // [begin of the task, end) lies on the path.
    void add(std::uint32_t task, TimeNs end);

    // Most time first, then by entry id; the times add up to the sum of what was added.
    std::vector<PathProfileRow> rows() const;

private:
    const ActivityGraph& m_graph;
    std::unordered_map<std::uint32_t, PathProfileRow> m_rows;
    TimeNs m_total = 0;
};

}  // namespace longpole
