// SPDX-License-Identifier: GPL-3.0-or-later
// The longest path through any task, and how much of it lies on tasks that no path taken before has; what keeps the
// search for near-critical paths from walking the same way again and again.
#pragma once

#include "analysis/paths/pathlinks.h"
#include "core/base/progress.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// A task on a path, and how the path came into it. Newest first in lists of them.
struct PathHop {
    std::uint32_t task = noTask;
    PathLink into{};
};

class DistinctPaths {
public:
    // O(tasks + edges); 5 bytes a task. 16 more when all tasks are measured at once, which is done after walks that
    // found too little have taken `patience` steps and half a step a task.
    explicit DistinctPaths(const PathLinks& links, std::uint64_t patience = 1u << 20);

    bool isTaken(std::uint32_t task) const { return (m_flags[task] & Taken) != 0; }

    // Whether distinct() might be at least `wanted`, as far as is known already. O(1).
    bool mayHave(std::uint32_t task, TimeNs wanted) const { return m_most.empty() || m_most[task] >= wanted; }

    // The time of the longest path through the task that lies on tasks of no path taken; empty if it is less than
    // `wanted`. Exact. All calls between two paths taken together cost O(tasks).
    std::optional<TimeNs> distinct(std::uint32_t task, TimeNs wanted);

    // The longest path through the task: back over what decided its begin, on to where the longest way goes on; of
    // equal ones the first task, over its message rather than a merge or the order. A work path starts where it first
    // carries time, even if that is behind the task. O(path).
    std::vector<PathHop> through(std::uint32_t task);

    // Takes the tasks of a path that through() gave. O(path).
    void take(const std::vector<PathHop>& path);

private:
    enum Flag : std::uint8_t {
        Taken = 1,
        TakenBefore = 2,  // so are all tasks on the way back from here
        TakenAfter = 4    // and on the way on from here
    };

    PathLink linkTo(std::uint32_t source, std::uint32_t task);
    TimeNs ofItsOwn(std::uint32_t task);
    std::optional<TimeNs> walk(std::uint32_t task, TimeNs wanted);
    void measureAll();

    const PathLinks& m_links;
    PreviousTasks m_previous;
    std::vector<std::uint32_t> m_next;  // the next task on the longest way on from each; noTask: it ends there
    std::vector<std::uint8_t> m_flags;
    std::vector<TimeNs> m_most;  // per task an upper bound of distinct(), exact until another path is taken; or empty
    std::uint64_t m_steps = 0;   // tasks and edges, since all were measured
    std::uint64_t m_mostSteps;
};

}  // namespace longpole
