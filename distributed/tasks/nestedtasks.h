// SPDX-License-Identifier: GPL-3.0-or-later
// Those tasks of a hosted PE in which other executions are nested: to which entry methods their time belongs.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/attribution.h"
#include "analysis/graph/nestedparts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

class NestedTasks {
public:
    // `inner` by task, which are numbers of the PE's tasks, and begin; `begin`, `duration`, `entry` and `rows` by task.
    NestedTasks(std::vector<ActivityGraph::Inner> inner, std::span<const TimeNs> begin,
                std::span<const TimeNs> duration, std::span<const std::uint32_t> entry,
                std::span<const std::uint32_t> rows);
    NestedTasks(const NestedTasks&) = delete;  // parts look at the graph
    NestedTasks& operator=(const NestedTasks&) = delete;

    bool has(std::uint32_t task) const { return m_isNested[task]; }
    std::int64_t pieces() const { return std::ssize(m_graph.inner); }  // of the nested executions

    // Calls add(entry, time) for the parts of `part` of a task that has() nested executions, and started(entry) for
    // each of these that begins in it (analysis/graph/attribution.h).
    template <typename Add, typename Started>
    void attribute(std::uint32_t task, TimeRange part, Add add, Started started) const
    {
        attributeToInnermost(m_graph, numberOf(task), part, add, started);
    }

    // For PrefixSums, which ask by number: that of a task that has() some.
    const std::shared_ptr<const NestedParts>& parts() const { return m_parts; }
    std::uint32_t numberOf(std::uint32_t task) const
    {
        return static_cast<std::uint32_t>(std::lower_bound(m_tasks.begin(), m_tasks.end(), task) - m_tasks.begin());
    }

private:
    std::vector<bool> m_isNested;        // by task
    std::vector<std::uint32_t> m_tasks;  // with nested ones, ascending
    ActivityGraph m_graph;               // of these alone
    std::shared_ptr<const NestedParts> m_parts;
};

// What an entry method has of a path.
struct EntrySum {
    std::uint32_t entry = 0;
    std::int64_t count = 0;
    TimeNs time = 0;
};

// By how much the profile of a path differs from one that gives all time of a task to its own entry method: adds what a
// task's part does. Nothing for a task without nested executions.
class NestedShares {
public:
    void add(const NestedTasks* nested, std::uint32_t task, std::uint32_t entry, TimeRange part);
    std::vector<EntrySum> sums() const;

private:
    std::map<std::uint32_t, EntrySum> m_sums;
};

}  // namespace longpole
