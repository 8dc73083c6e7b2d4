// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the profile of a critical path: time and executions per entry method, innermost execution first.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/drawnhash.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace longpole {

class PathProfile {
public:
    explicit PathProfile(const ActivityGraph& graph);

    // `part` of the task lies on the path.
    void add(std::uint32_t task, TimeRange part);
    // What somebody else has added up of an entry method; also how much less it is.
    void add(EntryId entry, std::int64_t count, TimeNs time);

    // Most time first, then by entry id; the times add up to the sum of what was added. `busy`: exclusive time per
    // entry id of what the path is a path of.
    std::vector<PathProfileRow> rows(const std::vector<TimeNs>& busy) const;
    std::vector<PathProfileRow> rows() const { return rows(m_graph.exclusiveByEntry); }

private:
    struct Sums {
        std::int64_t count = 0;
        TimeNs time = 0;
    };
    Sums& of(std::uint32_t entry) { return entry < m_sums.size() ? m_sums[entry] : m_others[entry]; }

    const ActivityGraph& m_graph;
    std::vector<Sums> m_sums;  // per entry id of the run
    std::unordered_map<std::uint32_t, Sums, DrawnHash> m_others;
    TimeNs m_total = 0;
};

}  // namespace longpole
